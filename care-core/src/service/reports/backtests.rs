//! Back-tests: policies simulated against the past of a tracked medicine.

use care_derive::Filter;
use serde_json::Value;

use crate::{
    error::Error,
    kinds::RecordKind,
    model::{Date, Demand, MedicineKey, Stock, StockDay, StockDetails},
    service::{CareService, base::new_values::refuse},
    stock::{Backtest, BacktestInput, backtest},
    store::{Entity, Filter, Limit, List, Parameter},
};

/// The request for a back-test, without the settings to try.
#[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
pub struct BacktestQuery {
    /// The tracked medicine, in any spelling.
    #[filter(required)]
    pub medicine: Option<MedicineKey>,
    /// The first day; without it the period has 365 days.
    #[filter(example = "16/12/2025")]
    pub from: Option<Date>,
    /// The last day, today unless given.
    #[filter(example = "15/03/2026")]
    pub to: Option<Date>,
}

/// The settings that a back-test tries in the place of those that are stored: those of ordering alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TriedSettings(pub StockDetails);

impl Filter for TriedSettings {
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new("policy"),
        Parameter::new("min"),
        Parameter::new("max"),
        Parameter::new("minDays"),
        Parameter::new("maxDays"),
        Parameter::new("leadDays"),
        Parameter::new("reviewDays"),
        Parameter::new("serviceLevel"),
        Parameter::new("basis"),
    ];

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let settings = serde_json::to_value(&self.0).unwrap_or_default();
        let given = |name| match settings.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        Self::PARAMETERS.iter().filter_map(|parameter| Some((parameter.name, given(parameter.name)?))).collect()
    }
}

/// The period of a back-test, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BacktestPeriod {
    from: Date,
    to: Date,
}

impl BacktestPeriod {
    /// Returns the period with these ends. Without a last day it ends today, and without a first day it has 365 days.
    /// Days after today are left out of the simulation.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the first day is after the last, or it has more than 1100 days.
    pub fn new(from: Option<Date>, to: Option<Date>, today: Date) -> Result<Self, Error> {
        let to = to.unwrap_or(today);
        let from = from.unwrap_or_else(|| to.plus_days(1 - BacktestInput::DEFAULT_DAYS).unwrap_or(Date::MIN));
        if from > to {
            return Err(Error::field("from", "must not be after to"));
        }
        if to.unix_days() - from.unix_days() >= BacktestInput::MAX_DAYS {
            return Err(Error::field("from", "must be at most 1100 days before to"));
        }
        Ok(Self { from, to })
    }
}

impl CareService {
    /// Simulates policies against the past of a tracked medicine, with its settings changed by these details.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`] when the settings contradict each other; the store's failures.
    pub async fn backtest(
        &self,
        medicine: MedicineKey,
        period: BacktestPeriod,
        details: StockDetails,
    ) -> Result<Backtest, Error> {
        let to = period.to.min(self.today()?);
        let from = period.from;
        let stock = self.ask(|seen| Ok(seen.take::<Stock>(medicine.clone())?.map(|found| found.record))).await?;
        let Stock { medicine: name, settings, .. } = stock.ok_or(Error::NotFound(RecordKind::Stock))?;
        let settings = settings.with(details);
        refuse(settings.contradictions())?;
        let known = BacktestInput::known_from(from);
        let counts = self.days(StockDay::list((known, to), Some(medicine.clone()), None)).await?;
        let demand = self.days(Demand::of_medicine(medicine, (known, to))).await?;
        let prescribed: Vec<_> =
            demand.iter().map(|demand| (demand.day, demand.wanted.units(settings.supply_units))).collect();
        let (settings, counts, prescribed) = (&settings, &counts[..], &prescribed[..]);
        let played = backtest(&BacktestInput { medicine: &name, from, to, settings, counts, prescribed });
        // A period in the future is empty, and is answered as it was asked for.
        Ok(if from > to { Backtest { to: period.to, ..played } } else { played })
    }

    /// Returns all daily counts of one medicine, which are few enough for the memory.
    async fn days<E: Entity>(&self, list: List<E>) -> Result<Vec<E>, Error> {
        let page = self.page(list, Limit::items(usize::MAX)).await?;
        Ok(page.items.into_iter().map(|found| found.record).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_back_test_has_a_year_unless_said_otherwise() {
        let today: Date = "31/12/2026".parse().unwrap();
        let day = |text: &str| text.parse::<Date>().ok();
        let period = BacktestPeriod::new(None, None, today).unwrap();
        assert_eq!((period.from.to_string().as_str(), period.to), ("01/01/2026", today));
        assert!(BacktestPeriod::new(day("01/01/2027"), None, today).is_err());
        assert!(BacktestPeriod::new(day("28/12/2023"), None, today).is_ok());
        assert!(BacktestPeriod::new(day("27/12/2023"), None, today).is_err());
        assert!(BacktestPeriod::new(day("01/02/2027"), day("01/03/2027"), today).is_ok());
    }
}

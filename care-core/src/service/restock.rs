//! The restock report.

use std::{cmp::Reverse, collections::BTreeMap};

use serde::{Deserialize, Serialize};

use super::{CareService, availability};
use crate::{
    error::Error,
    model::{Date, Demand, Item, LeadDays, MedicineKey, MedicineName, Policy, Refill, RegularDemand, Stock, StockDay},
    stock::{Plan, PlanInput, plan},
    store::{Entity, Limit, Query, StockFilter},
};

/// The period of a restock report, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestockPeriod {
    from: Date,
    to: Date,
}

/// Advice on restocking from historic prescriptions, most urgent first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestockReport {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
    /// The items: one for each medicine that is stocked, was prescribed in the period, or recurs; as many as were asked
    /// for.
    pub items: Vec<RestockItem>,
    /// Whether there are further, less urgent items.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The advice on one medicine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestockItem {
    /// The medicine, in the inventory's spelling if it is stocked.
    pub medicine: MedicineName,
    /// Whether it is available now.
    pub is_available: bool,
    /// The number of prescriptions made in the period.
    pub prescribed: u64,
    /// The number of those that recur.
    pub regular: u64,
    /// The number of those that were paid.
    pub dispensed: u64,
    /// The number of those that were not paid, when the medicine is not available now; otherwise 0.
    pub unmet: u64,
    /// `prescribed` per 30 days, with at most two decimals.
    pub average_monthly: f64,
    /// The number of prescriptions made in the equally long period just before.
    pub previous_prescribed: u64,
    /// The last day of prescribing within the two periods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_prescribed: Option<Date>,
    /// The urgency.
    pub recommendation: Recommendation,
    /// The reasons, with their numbers.
    pub reasons: Vec<String>,
    /// The plan of a tracked medicine whose policy is not `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
}

/// The urgency of restocking, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recommendation {
    /// Not available, and prescribed in the period or recurring.
    Now,
    /// Available, prescribed at least five times and at least one and a half times as often as in the period before.
    Soon,
    /// Any other medicine that was prescribed or recurs.
    Watch,
    /// Stocked, but neither prescribed nor recurring.
    None,
}

impl Recommendation {
    /// Returns the word for the urgency.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Soon => "soon",
            Self::Watch => "watch",
            Self::None => "none",
        }
    }
}

impl RestockReport {
    /// The highest number of items in a report.
    pub const MAX_ITEMS: usize = 5_000;
    /// The default limit of items in a report.
    pub const DEFAULT_ITEMS: usize = 1_000;
}

impl RestockPeriod {
    /// The default length of a period, in days.
    pub const DEFAULT_DAYS: i64 = 90;

    /// Returns the period with these ends. Without a last day it ends today, and without a first day it has 90 days, or
    /// all days since [`Date::MIN`].
    ///
    /// # Errors
    /// [`Error::Invalid`] when the first day is after the last.
    pub fn new(from: Option<Date>, to: Option<Date>, today: Date) -> Result<Self, Error> {
        let to = to.unwrap_or(today);
        let from = from.unwrap_or_else(|| to.plus_days(1 - Self::DEFAULT_DAYS).unwrap_or(Date::MIN));
        if from > to {
            return Err(Error::field("from", "must not be after to"));
        }
        Ok(Self { from, to })
    }

    fn days(self) -> i64 {
        self.to.unix_days() - self.from.unix_days() + 1
    }

    /// Returns the first day of the equally long period just before, which begins on [`Date::MIN`] at the earliest.
    fn previous_from(self) -> Date {
        self.from.plus_days(-self.days()).unwrap_or(Date::MIN)
    }
}

/// The figures of one medicine.
#[derive(Debug)]
struct Figures {
    medicine: MedicineName,
    is_stocked: bool,
    is_available: bool,
    prescribed: u64,
    regular: u64,
    dispensed: u64,
    previous: u64,
    last: Option<Date>,
    active_regular: u64,
    tracked: Option<StockFacts>,
    /// The plan of its stock, and the urgency of that.
    plan: Option<(Plan, Recommendation)>,
}

/// The further figures of a tracked medicine.
#[derive(Debug)]
struct StockFacts {
    stock: Stock,
    prescribed: Vec<(Date, u64)>,
    waiting: u64,
    refills: Vec<Refill>,
}

impl CareService {
    /// Reports on at most `limit` medicines, the most urgent ones. It reads the daily counts, never prescriptions.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn restock(&self, period: RestockPeriod, limit: usize) -> Result<RestockReport, Error> {
        let mut figures: BTreeMap<MedicineKey, Figures> = BTreeMap::new();
        let mut of = |name: &MedicineName, enter: &mut dyn FnMut(&mut Figures)| match figures.get_mut(name.key()) {
            Some(figures) => enter(figures),
            None => enter(figures.entry(name.key().clone()).or_insert(Figures::new(name.clone()))),
        };
        let mut after = None;
        while let Some(page) = self.next_page::<Item>(Query::Items { after }).await? {
            after = page.last().map(|item| item.medicine.key().clone());
            for item in page {
                of(&item.medicine, &mut |figures| {
                    figures.is_stocked = true;
                    figures.is_available = item.is_available;
                });
            }
        }
        let (mut after, mut today) = (None, None);
        let filter = StockFilter::default();
        while let Some(page) = self.next_page::<Stock>(Query::Stocks { filter: filter.clone(), after }).await? {
            let day = self.today()?;
            (today, after) = (Some(day), page.last().map(|stock| stock.medicine.key().clone()));
            for stock in page {
                of(&stock.medicine, &mut |figures| {
                    figures.is_available = availability::of_stock(&stock, day);
                    figures.tracked = Some(StockFacts::new(stock.clone()));
                });
            }
        }
        let mut after = None;
        while let Some(page) = self.next_page::<RegularDemand>(Query::RegularDemands { after }).await? {
            after = page.last().map(|regular| regular.medicine.key().clone());
            for regular in page {
                of(&regular.medicine, &mut |figures| {
                    figures.active_regular = regular.active_regular;
                    if let Some(tracked) = &mut figures.tracked {
                        tracked.refills.clone_from(&regular.refills);
                    }
                });
            }
        }
        let ((from, to), mut after) = (counted(period, today), None);
        while let Some(page) = self.next_page::<Demand>(Query::Demand { from, to, after }).await? {
            after = page.last().map(|demand| (demand.day, demand.medicine.key().clone()));
            for demand in page {
                of(&demand.medicine, &mut |figures| figures.enter(period, &demand, today));
            }
        }
        if let Some(today) = today {
            let (from, to) = (PlanInput::window_from(today), today.plus_days(-1).unwrap_or(today));
            let mut after = None;
            let days = |after| Query::StockDays { medicine: None, from, to, after };
            // The days come by medicine, so no more than those of one are held at once.
            let mut counts: Vec<StockDay> = Vec::new();
            let mut finish = |counts: &[StockDay]| {
                if let Some(figures) = counts.first().and_then(|day| figures.get_mut(day.medicine.key())) {
                    figures.plan(counts, today);
                }
            };
            while let Some(page) = self.next_page::<StockDay>(days(after)).await? {
                after = page.last().map(|day| (day.medicine.key().clone(), day.day));
                for day in page {
                    if counts.last().is_some_and(|last| last.medicine.key() != day.medicine.key()) {
                        finish(&counts);
                        counts.clear();
                    }
                    counts.push(day);
                }
            }
            finish(&counts);
            // The medicines that have no days.
            figures.values_mut().for_each(|figures| figures.plan(&[], today));
        }
        let is_reported =
            |figures: &Figures| figures.is_stocked || figures.prescribed > 0 || figures.active_regular > 0;
        figures.retain(|_, figures| is_reported(figures));
        let mut ranked: Vec<_> = figures.into_values().collect();
        ranked.sort_by(|one, other| {
            let urgency = |figures: &Figures| (figures.recommendation(), Reverse(figures.prescribed));
            urgency(one).cmp(&urgency(other)).then_with(|| one.medicine.key().cmp(other.medicine.key()))
        });
        let more = ranked.len() > limit;
        let items = ranked.into_iter().take(limit).map(|figures| figures.report(period)).collect();
        Ok(RestockReport { from: period.from, to: period.to, items, more })
    }

    /// Returns the next records of a query; `None` at the end. They are counted at once and not kept: there may be a
    /// count for each medicine on each of thousands of days.
    pub(super) async fn next_page<E: Entity>(&self, query: Query) -> Result<Option<Vec<E>>, Error> {
        let page = self.page::<E>(query, Limit::items(1000)).await?;
        let records: Vec<_> = page.items.into_iter().map(|found| found.record).collect();
        Ok((!records.is_empty()).then_some(records))
    }
}

impl Figures {
    const fn new(medicine: MedicineName) -> Self {
        Self {
            medicine,
            is_stocked: false,
            is_available: false,
            prescribed: 0,
            regular: 0,
            dispensed: 0,
            previous: 0,
            last: None,
            active_regular: 0,
            tracked: None,
            plan: None,
        }
    }

    fn enter(&mut self, period: RestockPeriod, demand: &Demand, today: Option<Date>) {
        if let (Some(tracked), Some(today)) = (&mut self.tracked, today) {
            tracked.enter(demand, today);
        }
        if demand.day < period.previous_from() || demand.day > period.to {
            return;
        }
        if demand.day >= period.from {
            self.prescribed += demand.prescribed;
            self.regular += demand.regular;
            self.dispensed += demand.dispensed;
        } else {
            self.previous += demand.prescribed;
        }
        self.last = self.last.max(Some(demand.day));
    }

    /// Plans the stock of a tracked medicine from the counts of its days, once.
    fn plan(&mut self, counts: &[StockDay], today: Date) {
        if let Some(tracked) = self.tracked.take() {
            self.plan = tracked.planned(counts, today);
        }
    }

    fn recommendation(&self) -> Recommendation {
        if let Some((_, recommendation)) = &self.plan {
            return *recommendation;
        }
        let rising = self.prescribed >= 5 && 2 * self.prescribed >= 3 * self.previous;
        match (self.prescribed > 0 || self.active_regular > 0, self.is_available) {
            (false, _) => Recommendation::None,
            (true, false) => Recommendation::Now,
            (true, true) if rising => Recommendation::Soon,
            (true, true) => Recommendation::Watch,
        }
    }

    fn report(self, period: RestockPeriod) -> RestockItem {
        let recommendation = self.recommendation();
        let reasons = match &self.plan {
            Some((plan, _)) => self.planned_reasons(plan),
            None => self.reasons(),
        };
        let plan = self.plan.map(|(plan, _)| plan);
        RestockItem {
            is_available: self.is_available,
            prescribed: self.prescribed,
            regular: self.regular,
            dispensed: self.dispensed,
            unmet: if self.is_available { 0 } else { self.prescribed.saturating_sub(self.dispensed) },
            average_monthly: per_month(self.prescribed, period.days()),
            previous_prescribed: self.previous,
            last_prescribed: self.last,
            recommendation,
            reasons,
            plan,
            medicine: self.medicine,
        }
    }

    fn available(&self) -> String {
        let available = match (self.is_stocked, self.is_available) {
            (_, true) => "available now",
            (true, false) => "stocked but not available now",
            (false, false) => "not in the inventory",
        };
        available.to_owned()
    }

    /// Returns the results of the plan as reasons: how long the stock lasts, and the order.
    fn planned_reasons(&self, plan: &Plan) -> Vec<String> {
        let lasts = match plan.cover_days {
            Some(days) => format!("{} available, which is {days} days of demand", plan.available),
            None => format!("{} available, and no demand", plan.available),
        };
        [self.available(), lasts].into_iter().chain(plan.because.last().cloned()).collect()
    }

    fn reasons(&self) -> Vec<String> {
        let mut reasons = vec![self.available()];
        reasons.push(format!("prescribed in the period: {}", self.prescribed));
        reasons.push(format!("prescribed in the period before: {}", self.previous));
        reasons.push(format!("active recurring prescriptions: {}", self.active_regular));
        reasons
    }
}

impl StockFacts {
    const fn new(stock: Stock) -> Self {
        Self { stock, prescribed: Vec::new(), waiting: 0, refills: Vec::new() }
    }

    /// Adds the demand of a day to the window, and to the waiting units when the day is recent.
    fn enter(&mut self, demand: &Demand, today: Date) {
        let supply = self.stock.settings.supply_units;
        if demand.day >= PlanInput::window_from(today) && demand.day < today {
            self.prescribed.push((demand.day, demand.wanted.units(supply)));
        }
        if demand.day >= PlanInput::waiting_from(today) {
            self.waiting = self.waiting.saturating_add(demand.waiting.units(supply));
        }
    }

    /// Returns the plan and its urgency; `None` for a medicine without a plan.
    fn planned(self, counts: &[StockDay], today: Date) -> Option<(Plan, Recommendation)> {
        let Self { stock, prescribed, waiting, refills } = &self;
        if stock.settings.policy == Policy::None {
            return None;
        }
        let plan = plan(&PlanInput {
            today,
            settings: &stock.settings,
            shelf: &stock.shelf,
            reserved: stock.reserved,
            counts,
            prescribed,
            refills,
            waiting: *waiting,
        });
        let recommendation = recommended(&plan, stock.settings.lead_days);
        Some((plan, recommendation))
    }
}

/// Returns the urgency of a plan.
fn recommended(plan: &Plan, lead: LeadDays) -> Recommendation {
    let lead = lead.value().unsigned_abs();
    let is_short = plan.available == 0 || plan.cover_days.is_some_and(|days| days < lead);
    match (plan.order > 0, plan.has_demand()) {
        (true, _) if is_short => Recommendation::Now,
        (true, _) => Recommendation::Soon,
        (false, true) => Recommendation::Watch,
        (false, false) => Recommendation::None,
    }
}

/// Returns the days whose counts a report needs: those of its periods, and those of the plans' window when there are
/// plans.
fn counted(period: RestockPeriod, today: Option<Date>) -> (Date, Date) {
    let (from, to) = (period.previous_from(), period.to);
    match today {
        None => (from, to),
        // A consultation may be dated tomorrow.
        Some(today) => (from.min(PlanInput::window_from(today)), to.max(today.plus_days(1).unwrap_or(today))),
    }
}

/// Returns a count over a number of days as a count per 30 days, rounded half up to hundredths in integers.
fn per_month(count: u64, days: i64) -> f64 {
    let days = u64::try_from(days).unwrap_or(1).max(1);
    let hundredths = (count.saturating_mul(6000) / days).div_ceil(2);
    // The division is exact up to 2^53 hundredths; the shortest form of the quotient has at most two decimals.
    #[allow(clippy::cast_precision_loss)]
    let monthly = hundredths as f64 / 100.0;
    monthly
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_ninety_days_unless_said_otherwise() {
        let today: Date = "31/03/2026".parse().unwrap();
        let period = RestockPeriod::new(None, None, today).unwrap();
        assert_eq!((period.days(), period.from.to_string().as_str()), (90, "01/01/2026"));
        assert_eq!(period.previous_from().to_string(), "03/10/2025");
        assert!(RestockPeriod::new(Some(today), Some("30/03/2026".parse().unwrap()), today).is_err());
        assert_eq!(RestockPeriod::new(Some(today), None, today).unwrap().days(), 1);
    }

    #[test]
    fn a_period_begins_in_1900_at_the_earliest() {
        let (first, day) = (Date::MIN, |text: &str| text.parse::<Date>().unwrap());
        let cut = RestockPeriod::new(None, Some(day("31/01/1900")), first).unwrap();
        assert_eq!((cut.from, cut.days(), cut.previous_from()), (first, 31, first));
        let short = RestockPeriod::new(Some(day("21/01/1900")), Some(day("31/01/1900")), first).unwrap();
        assert_eq!(short.previous_from(), day("10/01/1900"));
        let long = RestockPeriod::new(Some(day("11/01/1900")), Some(day("31/01/1900")), first).unwrap();
        assert_eq!(long.previous_from(), first);
    }

    #[test]
    fn averages_are_rounded_to_hundredths() {
        assert_eq!(per_month(1, 90).to_string(), "0.33");
        assert_eq!(per_month(5, 90).to_string(), "1.67");
        assert_eq!(per_month(3, 30).to_string(), "3");
        assert_eq!(per_month(0, 90).to_string(), "0");
    }

    #[test]
    fn recommendations_follow_the_rules() {
        let with = |is_available, prescribed, previous, active_regular| {
            let figures = Figures::new(MedicineName::new("x").unwrap());
            Figures { is_stocked: true, is_available, prescribed, previous, active_regular, ..figures }.recommendation()
        };
        assert_eq!(with(false, 1, 0, 0), Recommendation::Now);
        assert_eq!(with(false, 0, 9, 1), Recommendation::Now);
        assert_eq!(with(false, 0, 9, 0), Recommendation::None);
        assert_eq!(with(true, 5, 0, 0), Recommendation::Soon);
        assert_eq!(with(true, 6, 4, 0), Recommendation::Soon);
        assert_eq!(with(true, 5, 4, 0), Recommendation::Watch);
        assert_eq!(with(true, 4, 0, 0), Recommendation::Watch);
        assert_eq!(with(true, 0, 4, 7), Recommendation::Watch);
        assert_eq!(with(true, 0, 4, 0), Recommendation::None);
    }
}

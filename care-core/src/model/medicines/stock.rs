//! The stock of tracked medicines, and their planning.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use crate::model::{
    Amount, Date, Invalid, KeepDays, LeadDays, MaxDays, MedicineName, MinDays, MovementId, PackUnits, Quantity,
    ReviewDays, Shelf, UnitName,
    values::{
        conversions::{as_number, as_scalar},
        words::words,
    },
};

/// The stock of a tracked medicine, without its lots, each of which is an [`OpenLot`](crate::model::OpenLot). While
/// this record exists, the medicine's availability follows from it and its lots.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "stock", key(medicine_key), keyed(medicine))]
pub struct Stock {
    /// Name of the medicine, in the inventory's spelling.
    pub medicine: MedicineName,
    /// The settings.
    #[field(group)]
    pub settings: StockSettings,
    /// The units reserved by unpaid invoices.
    pub reserved: Amount,
    /// The number of the last movement of any medicine before its tracking began, `None` before the first. It tells one
    /// time of tracking from another.
    pub tracked_since: Option<MovementId>,
    /// The number of its last movement, `None` before the first since its tracking began. So each movement of the
    /// medicine puts this record, and its version follows its lots.
    pub moved: Option<MovementId>,
    /// The units of its open lots.
    pub on_hand: Amount,
    /// The earliest expiry date of its open lots, `None` when none has one. While lots with this date are usable, all
    /// are: then availability follows from this record alone, and no lot has to be read.
    pub expires: Option<Date>,
}

impl Stock {
    /// Returns the stock of a medicine whose tracking begins.
    pub const fn new(medicine: MedicineName, settings: StockSettings, tracked_since: Option<MovementId>) -> Self {
        let (reserved, on_hand) = (Amount::ZERO, Amount::ZERO);
        Self { medicine, settings, reserved, tracked_since, moved: None, on_hand, expires: None }
    }

    /// Notes what these open lots have together.
    pub fn note(&mut self, shelf: &Shelf) {
        self.on_hand = shelf.on_hand();
        // Lots are sorted by date, those without one last.
        self.expires = shelf.lots().first().and_then(|lot| lot.id.expires);
    }
}

/// The settings of a tracked medicine.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(group)]
#[record(document = "StockSettings")]
#[record(new, details = StockDetails)]
pub struct StockSettings {
    /// The name of one unit, the smallest thing handed out.
    #[field(example = "tablets", edit)]
    pub unit: UnitName,
    /// The units of a pack; orders are whole packs.
    #[field(edit, default = PackUnits::clamped(1))]
    pub pack_units: PackUnits,
    /// The units of a supply without a quantity.
    #[field(edit, default = Quantity::clamped(1))]
    pub supply_units: Quantity,
    /// The number of days before its expiry on which a lot is no longer handed out.
    #[field(edit, default = KeepDays::clamped(0))]
    pub keep_days: KeepDays,
    /// Whether the medicine is held back, for a recall or a doubt about quality.
    #[field(example = false, edit, default = false)]
    pub held: bool,
    /// The units on order.
    #[field(example = 0, edit, default = Amount::ZERO)]
    pub ordered: Amount,
    /// The policy by which the reorder level is computed.
    #[field(words(cover, minMax, service, none), edit, default = Policy::Cover)]
    pub policy: Policy,
    /// The reorder level of `minMax`, in units.
    #[field(example = 20, edit)]
    pub min: Option<Amount>,
    /// The level to which an order of `minMax` fills up, in units.
    #[field(example = 200, edit)]
    pub max: Option<Amount>,
    /// The reorder level of `cover`, in days of demand.
    #[field(edit, default = MinDays::clamped(30))]
    pub min_days: MinDays,
    /// The level to which an order of `cover` fills up, in days of demand.
    #[field(edit, default = MaxDays::clamped(90))]
    pub max_days: MaxDays,
    /// The lead time of an order, in days.
    #[field(edit, default = LeadDays::clamped(14))]
    pub lead_days: LeadDays,
    /// The number of days for which an order of `service` is meant to last.
    #[field(edit, default = ReviewDays::clamped(30))]
    pub review_days: ReviewDays,
    /// The share of lead times that `service` is meant to pass without a shortage, in per cent.
    #[field(edit, default = ServiceLevel::P95)]
    pub service_level: ServiceLevel,
    /// The figures that count as demand.
    #[field(edit, default = Basis::Dispensed)]
    pub basis: Basis,
}

/// The policy by which the reorder level of a medicine is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Policy {
    /// No advice.
    None,
    /// Fixed levels.
    MinMax,
    /// Levels in days of demand.
    Cover,
    /// The demand of the lead time, with a safety stock for its variation.
    Service,
}

/// The figures that count as demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Basis {
    /// Units handed out, on the days on which there was stock.
    Dispensed,
    /// Units prescribed.
    Prescribed,
}

/// The share of lead times to pass without a shortage, in per cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub enum ServiceLevel {
    /// 80 per cent.
    P80,
    /// 90 per cent.
    P90,
    /// 95 per cent.
    P95,
    /// 98 per cent.
    P98,
    /// 99 per cent.
    P99,
}

impl StockSettings {
    /// Returns the fields that contradict each other, each with the broken rule.
    pub fn contradictions(&self) -> Vec<(&'static str, Invalid)> {
        let mut found = Vec::new();
        if self.policy == Policy::MinMax && (self.min.is_none() || self.max.is_none()) {
            found.push(("policy", Invalid("must not be minMax without min and max")));
        }
        if let (Some(min), Some(max)) = (self.min, self.max)
            && min >= max
        {
            found.push(("max", Invalid("must be more than min")));
        }
        if self.min_days.value() >= self.max_days.value() {
            found.push(("maxDays", Invalid("must be more than minDays")));
        }
        found
    }
}

words!(
    Policy, "must be none, minMax, cover or service",
    "none" => None, "minMax" => MinMax, "cover" => Cover, "service" => Service
);
words!(Basis, "must be dispensed or prescribed", "dispensed" => Dispensed, "prescribed" => Prescribed);

impl ServiceLevel {
    /// All levels.
    pub const ALL: &'static [Self] = &[Self::P80, Self::P90, Self::P95, Self::P98, Self::P99];

    /// Returns the level in per cent.
    pub const fn percent(self) -> i64 {
        match self {
            Self::P80 => 80,
            Self::P90 => 90,
            Self::P95 => 95,
            Self::P98 => 98,
            Self::P99 => 99,
        }
    }

    /// Returns the safety factor, in thousandths of a standard deviation.
    pub const fn z_thousandths(self) -> u32 {
        match self {
            Self::P80 => 842,
            Self::P90 => 1282,
            Self::P95 => 1645,
            Self::P98 => 2054,
            Self::P99 => 2326,
        }
    }
}

impl TryFrom<i64> for ServiceLevel {
    type Error = Invalid;

    fn try_from(percent: i64) -> Result<Self, Invalid> {
        let level = Self::ALL.iter().copied().find(|level| level.percent() == percent);
        level.ok_or(Invalid(LEVELS))
    }
}

const LEVELS: &str = "must be 80, 90, 95, 98 or 99";

as_number!(ServiceLevel, i64, LEVELS, level => level.percent());
as_scalar!(ServiceLevel, i64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Patch;

    fn settings() -> StockSettings {
        StockSettings::new(UnitName::new("tablet").unwrap())
    }

    #[test]
    fn what_is_cleared_goes_back_to_its_default() {
        let details = StockDetails {
            min_days: Patch::Set(7.try_into().unwrap()),
            min: Patch::Set(3.try_into().unwrap()),
            held: Patch::Set(true),
            ..StockDetails::default()
        };
        let changed = settings().with(details);
        assert!(changed.held && changed.min_days.value() == 7 && changed.min.is_some());
        assert_eq!(changed.clone().with(StockDetails::default()), changed);
        let cleared =
            StockDetails { min_days: Patch::Clear, min: Patch::Clear, held: Patch::Clear, ..StockDetails::default() };
        assert_eq!(changed.with(cleared), settings());
    }

    #[test]
    fn contradictions_are_at_the_upper_one_or_at_the_policy() {
        let fields =
            |settings: StockSettings| settings.contradictions().iter().map(|(field, _)| *field).collect::<Vec<_>>();
        assert!(fields(settings()).is_empty());
        let amount = |number: i64| Amount::try_from(number).ok();
        assert_eq!(fields(StockSettings { policy: Policy::MinMax, min: amount(1), ..settings() }), ["policy"]);
        assert_eq!(fields(StockSettings { min: amount(2), max: amount(2), ..settings() }), ["max"]);
        assert_eq!(fields(StockSettings { min_days: MinDays::clamped(90), ..settings() }), ["maxDays"]);
    }

    #[test]
    fn a_stock_reads_back_as_it_is_written() {
        let stock = Stock::new(MedicineName::new("Ibuprofen").unwrap(), settings(), None);
        let text = serde_json::to_string(&stock).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"medicine":"Ibuprofen","unit":"tablet","packUnits":1,"supplyUnits":1,"keepDays":0,"held":false,"#,
                r#""ordered":0,"policy":"cover","minDays":30,"maxDays":90,"leadDays":14,"reviewDays":30,"#,
                r#""serviceLevel":95,"basis":"dispensed","reserved":0,"onHand":0}"#
            )
        );
        assert_eq!(serde_json::from_str::<Stock>(&text).unwrap(), stock);
    }

    #[test]
    fn words_read_back() {
        for policy in Policy::ALL {
            assert_eq!(policy.as_str().parse(), Ok(*policy));
            assert_eq!(serde_json::to_value(policy).unwrap(), policy.as_str());
        }
        for basis in Basis::ALL {
            assert_eq!(serde_json::to_value(basis).unwrap(), basis.as_str());
        }
        assert!("minmax".parse::<Policy>().is_err() && ServiceLevel::try_from(85).is_err());
    }
}

//! Policies simulated against the past.

use care_derive::Record;
use serde::{Deserialize, Serialize};

use super::{
    Consumption, Fraction, Hundredths, PlanInput,
    reorder::{days, order, whole},
};
use crate::model::{Basis, Date, MedicineName, Policy, StockDay, StockSettings};

/// The data of a back-test.
#[derive(Debug, Clone, Copy)]
pub struct BacktestInput<'a> {
    /// The medicine.
    pub medicine: &'a MedicineName,
    /// The first day of the simulation.
    pub from: Date,
    /// The last day of the simulation.
    pub to: Date,
    /// The settings of the medicine, or other ones to try.
    pub settings: &'a StockSettings,
    /// Its daily counts, from the last one before [`BacktestInput::known_from`] on.
    pub counts: &'a [StockDay],
    /// The units of its non-recurring prescriptions by day of prescribing, from [`BacktestInput::known_from`] on.
    pub prescribed: &'a [(Date, u64)],
}

/// The result of each policy, beside the actual events.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Backtest", root = "Backtest")]
pub struct Backtest {
    /// The medicine.
    pub medicine: MedicineName,
    /// The first simulated day.
    #[field(example = "16/12/2025")]
    pub from: Date,
    /// The last simulated day.
    #[field(example = "15/03/2026")]
    pub to: Date,
    /// The actual events, then each policy.
    pub rows: Vec<BacktestRow>,
}

/// The result of the period under one policy.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "BacktestRow")]
pub struct BacktestRow {
    /// The policy of the row.
    #[field(words(actual, minMax, cover, service, naive))]
    pub policy: BacktestRule,
    /// The units demanded.
    #[field(example = 1200)]
    pub demand: u64,
    /// The units handed out.
    #[field(example = 800)]
    pub served: u64,
    /// The share of the demand that was handed out, in hundredths of a per cent; 10000 without demand.
    #[field(example = 6667)]
    pub fill_rate: u64,
    /// The days that began and ended without stock and on which no unit was handed out.
    #[field(example = 40)]
    pub stock_out_days: u64,
    /// The number of orders.
    #[field(example = 2)]
    pub orders: u64,
    /// The units ordered.
    #[field(example = 800)]
    pub ordered: u64,
    /// The mean stock at the end of the days.
    #[field(example = 130.5)]
    pub average_stock: Hundredths,
    /// The stock at the end of the last day.
    #[field(like = u64, example = 0)]
    pub end_stock: i64,
}

/// The rule by which orders are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BacktestRule {
    /// The actual events.
    Actual,
    /// [`Policy::MinMax`].
    MinMax,
    /// [`Policy::Cover`].
    Cover,
    /// [`Policy::Service`].
    Service,
    /// A naive rule: at each review it orders the use of the last 30 days.
    Naive,
}

impl BacktestInput<'_> {
    /// The length of a period that names no beginning, in days.
    pub const DEFAULT_DAYS: i64 = 365;
    /// The longest period, in days.
    pub const MAX_DAYS: i64 = 1100;
    /// The days before the period whose figures the policies may use.
    pub const WARM_UP_DAYS: i64 = 90;

    /// Returns the first day whose figures a back-test of this period uses.
    pub fn known_from(from: Date) -> Date {
        from.plus_days(-Self::WARM_UP_DAYS).unwrap_or(Date::MIN)
    }
}

/// Simulates the policies against the past, day by day and without knowledge of later days. The period is cut to the
/// days since the first count; an empty one has rows of zeros.
///
/// On each day the order of `leadDays` ago arrives, then the stock is reviewed, then the day's demand is handed out:
/// the units prescribed on the day, and the units that regular prescriptions were handed on it. Unmet demand is lost.
/// Lots do not expire.
pub fn backtest(input: &BacktestInput<'_>) -> Backtest {
    let BacktestInput { medicine, from, to, settings, counts, prescribed } = *input;
    let began = counts.first().map_or(Date::MAX, |count| count.day);
    let known = began.max(BacktestInput::known_from(from));
    let consumption = Consumption::new(known.min(to), to, counts, prescribed);
    let played = from.max(began).unix_days()..to.unix_days() + 1;
    let past = Evidence { consumption, began: began.unix_days(), known: known.unix_days(), played };
    let mut rules = vec![BacktestRule::Cover, BacktestRule::Service, BacktestRule::Naive];
    if settings.min.is_some() && settings.max.is_some() {
        rules.insert(0, BacktestRule::MinMax);
    }
    let simulated = rules.into_iter().map(|rule| past.simulate(rule, settings));
    let rows = std::iter::once(past.actual()).chain(simulated).collect();
    let from = if began <= to { from.max(began) } else { from };
    Backtest { medicine: medicine.clone(), from, to, rows }
}

struct Evidence {
    consumption: Consumption,
    /// The day of the first count, in days since 1970.
    began: i64,
    /// The first day whose figures the policies may use, in days since 1970.
    known: i64,
    /// The simulated days.
    played: std::ops::Range<i64>,
}

/// The running figures of a row.
#[derive(Debug, Default)]
struct Tally {
    demand: u64,
    served: u64,
    stock_out_days: u64,
    orders: u64,
    ordered: u64,
    stock: i64,
    stock_days: u128,
    days: u64,
}

impl Evidence {
    /// Returns the demand of a day.
    fn demand(&self, day: i64) -> u64 {
        let figures = self.consumption.day(day);
        figures.prescribed + figures.regular
    }

    /// Returns the actual stock at the beginning of the first day. On the day when tracking started this is the opening
    /// stock.
    fn start(&self) -> i64 {
        let first = self.played.start;
        match self.began < first {
            _ if self.played.is_empty() => 0,
            true => self.consumption.day(first - 1).on_hand,
            false => self.consumption.day(first).adjusted.max(0),
        }
    }

    fn actual(&self) -> BacktestRow {
        let mut tally = Tally::default();
        let (mut receipts, mut received) = (0, 0);
        for day in self.played.clone() {
            let figures = self.consumption.day(day);
            tally.demand += self.demand(day);
            tally.served += figures.dispensed + figures.regular;
            tally.stock_out_days += u64::from(!figures.is_exposed);
            receipts += figures.receipts;
            received += figures.received;
            tally.end(figures.on_hand);
        }
        // A receipt of an earlier day may have been reversed in the period.
        tally.orders = u64::try_from(receipts).unwrap_or(0);
        tally.ordered = u64::try_from(received).unwrap_or(0);
        tally.row(BacktestRule::Actual)
    }

    fn simulate(&self, rule: BacktestRule, settings: &StockSettings) -> BacktestRow {
        let lead = settings.lead_days.value();
        let mut tally = Tally { stock: self.start(), ..Tally::default() };
        // The arrivals of each day of the period, and the units on order.
        let mut arriving = vec![0_i64; usize::try_from(self.played.end - self.played.start).unwrap_or(0)];
        let mut on_order = 0_i64;
        for (number, day) in self.played.clone().enumerate() {
            let began_with = tally.stock;
            let arrived = arriving[number];
            tally.stock += arrived;
            on_order -= arrived;
            let position = tally.stock.saturating_add(on_order);
            let ordered = self.review(rule, settings, day, number, position);
            if ordered > 0 {
                tally.orders += 1;
                tally.ordered += ordered.unsigned_abs();
                if lead == 0 {
                    tally.stock += ordered;
                } else {
                    on_order += ordered;
                    let arrives = usize::try_from(lead).ok().and_then(|lead| arriving.get_mut(number + lead));
                    if let Some(arrives) = arrives {
                        *arrives += ordered;
                    }
                }
            }
            let wanted = self.demand(day);
            let served = wanted.min(tally.stock.unsigned_abs());
            tally.demand += wanted;
            tally.served += served;
            let left = tally.stock - whole(served.into());
            tally.stock_out_days += u64::from(began_with == 0 && served == 0 && left == 0);
            tally.end(left);
        }
        tally.row(rule)
    }

    /// Returns the order of a day, computed from the figures of the evening before.
    fn review(&self, rule: BacktestRule, settings: &StockSettings, day: i64, number: usize, position: i64) -> i64 {
        let pack_units = settings.pack_units.value();
        let policy = match rule {
            BacktestRule::MinMax => Policy::MinMax,
            BacktestRule::Cover => Policy::Cover,
            BacktestRule::Service => Policy::Service,
            BacktestRule::Actual => return 0,
            BacktestRule::Naive => {
                if !(number as u64).is_multiple_of(days(settings.review_days.value()).max(1)) {
                    return 0;
                }
                let used = self.consumption.window((day - 30).max(self.known), day, Basis::Dispensed);
                let packs = used.units.saturating_add(used.regular).div_ceil(pack_units.unsigned_abs());
                return whole(packs.into()).saturating_mul(pack_units);
            }
        };
        let from = (day - PlanInput::WINDOW_DAYS).max(self.known);
        let over = |basis| self.consumption.window(from, day, basis);
        let seen = over(Basis::Dispensed);
        let window = match settings.basis {
            Basis::Dispensed if seen.exposed > 0 => seen,
            Basis::Dispensed | Basis::Prescribed => over(Basis::Prescribed),
        };
        let refills = |days: u64| match window.exposed {
            0 => 0,
            exposed => Fraction::new(u128::from(window.regular) * u128::from(days), exposed.into()).ceil(),
        };
        order(&window.reorder(policy, settings, &refills), position, pack_units)
    }
}

impl Tally {
    /// Ends a day with this stock.
    fn end(&mut self, stock: i64) {
        self.stock = stock;
        self.stock_days += u128::from(stock.unsigned_abs());
        self.days += 1;
    }

    fn row(self, policy: BacktestRule) -> BacktestRow {
        let fill_rate = match self.demand {
            0 => 10_000,
            // Hundredths of a per cent of a fraction are the hundredths of its hundredfold.
            demand => Fraction::new(u128::from(self.served) * 100, demand.into()).hundredths().value(),
        };
        BacktestRow {
            policy,
            demand: self.demand,
            served: self.served,
            fill_rate,
            stock_out_days: self.stock_out_days,
            orders: self.orders,
            ordered: self.ordered,
            average_stock: Fraction::new(self.stock_days, self.days.into()).hundredths(),
            end_stock: self.stock,
        }
    }
}

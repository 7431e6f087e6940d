//! The computation of a plan, in sentences.

use super::{
    Confidence, Fraction, Plan, Window,
    consumption::{Recurring, monthly},
    reorder::days,
};
use crate::model::{Basis, Policy, StockSettings};

/// The highest number of sentences: one of demand, six of regular prescriptions, three of levels, a remark or one of
/// safety stock among them, and two of the order.
pub(super) const MOST: usize = 12;
/// The longest sentence, in characters. The longest text in one is the name of a unit; all else is numbers.
pub(super) const LONGEST: usize = 300;
/// The number of intervals of regular prescriptions that have a sentence of their own.
const NAMED: usize = 5;

/// Regular prescriptions, as the sentences present them.
struct RecurringSummary<'a> {
    /// Those with the largest demand, the shortest interval first.
    named: Vec<&'a Recurring>,
    /// All others, of which the sentences give only sums.
    others: Vec<&'a Recurring>,
}

/// Returns the sentences that lead from the counts to the order, at most [`MOST`] of at most [`LONGEST`] characters.
pub(super) fn because(
    plan: &Plan,
    settings: &StockSettings,
    window: &Window,
    recurring: &[Recurring],
    is_substitute: bool,
) -> Vec<String> {
    let unit = settings.unit.as_str();
    let summary = RecurringSummary::of(recurring);
    let mut said = vec![demand(plan, unit, is_substitute)];
    said.extend(summary.sentences(unit));
    match plan.policy {
        Policy::None => {}
        Policy::MinMax => {
            said.push(format!("levels that are set: reorder at {}, up to {}", plan.reorder_at, plan.up_to));
        }
        Policy::Service if plan.confidence == Confidence::High => {
            service(&mut said, plan, settings, window, &summary);
        }
        Policy::Cover | Policy::Service => {
            let (min, max) = (days(settings.min_days.value()), days(settings.max_days.value()));
            said.extend(remark(plan, settings));
            said.push(level("reorder at the demand of", min, plan.reorder_at, 0, window, &summary));
            said.push(level("up to the demand of", max, plan.up_to, 0, window, &summary));
        }
    }
    said.push(format!(
        "{} available + {} ordered - {} waiting = {}",
        plan.available, plan.ordered, plan.waiting, plan.position
    ));
    said.push(order(plan, settings));
    debug_assert!(said.len() <= MOST, "{} sentences", said.len());
    debug_assert!(said.iter().all(|sentence| sentence.chars().count() <= LONGEST), "a sentence is too long");
    said
}

impl<'a> RecurringSummary<'a> {
    fn of(recurring: &'a [Recurring]) -> Self {
        let mut named: Vec<_> = recurring.iter().collect();
        // The demand of a day, compared without a division.
        named.sort_by(|one, other| {
            let over = |one: &Recurring, other: &Recurring| u128::from(one.units) * u128::from(other.every_days);
            over(other, one).cmp(&over(one, other)).then(one.every_days.cmp(&other.every_days))
        });
        let others = named.split_off(named.len().min(NAMED));
        named.sort_by_key(|part| part.every_days);
        Self { named, others }
    }

    fn sentences(&self, unit: &str) -> impl Iterator<Item = String> {
        let named = self.named.iter().map(move |Recurring { units, every_days }| {
            let monthly = Fraction::new(u128::from(*units) * 30, (*every_days).into()).hundredths();
            format!("regular prescriptions take {units} {unit} every {every_days} days: {monthly} in 30")
        });
        let others = (!self.others.is_empty()).then(|| {
            let (count, monthly) = (self.others.len(), monthly(self.others.iter().copied()));
            format!(
                "those with other intervals, {count} of them, take {monthly} {unit} in 30 days together; the last part of the \
                 demand below is theirs, each interval rounded up"
            )
        });
        named.chain(others)
    }

    /// Returns the demand of this number of days: that of each named interval, and the sum of the others.
    fn units_in(&self, days: u64) -> impl Iterator<Item = u128> {
        let named = self.named.iter().map(move |part| part.units_in(days));
        let others = (!self.others.is_empty()).then(|| self.others.iter().map(|part| part.units_in(days)).sum());
        named.chain(others)
    }
}

/// Returns what restricts levels by cover, if anything does.
fn remark(plan: &Plan, settings: &StockSettings) -> Option<String> {
    let is_substitute = plan.policy == Policy::Service;
    let few = is_substitute.then(|| {
        format!(
            "fewer than {} days with stock or {} days with demand: levels by cover, without safety stock",
            Window::ENOUGH_DAYS,
            Window::ENOUGH_BUSY_DAYS
        )
    });
    let (min, lead) = (settings.min_days.value(), settings.lead_days.value());
    let short = (min < lead).then(|| {
        format!("warning: minDays {min} is less than leadDays {lead}, so stock may run out before an order arrives")
    });
    let remarks: Vec<_> = few.into_iter().chain(short).collect();
    (!remarks.is_empty()).then(|| remarks.join("; "))
}

fn demand(plan: &Plan, unit: &str, is_substitute: bool) -> String {
    let Plan { window_days, exposed_days, stock_out_days, dispensed, units_monthly, .. } = plan;
    let instead = match is_substitute {
        true => "no day had stock, so what was prescribed is counted instead of what was dispensed: ",
        false => "",
    };
    match (window_days, plan.basis) {
        (0, _) => "no day since the first movement: no demand is known".to_owned(),
        (_, Basis::Dispensed) => format!(
            "{window_days} days, {stock_out_days} without stock: {dispensed} {unit} in {exposed_days} days are \
             {units_monthly} in 30"
        ),
        (_, Basis::Prescribed) => {
            format!(
                "{instead}{window_days} days: {dispensed} {unit} prescribed in {exposed_days} days are \
                 {units_monthly} in 30"
            )
        }
    }
}

fn service(
    said: &mut Vec<String>,
    plan: &Plan,
    settings: &StockSettings,
    window: &Window,
    summary: &RecurringSummary<'_>,
) {
    let (lead, review) = (days(settings.lead_days.value()), days(settings.review_days.value()));
    let z = settings.service_level.z_thousandths();
    let variance = window.variance().hundredths();
    said.push(format!(
        "safety stock at {} of 100: {}.{:03} × √({lead} days × variance {variance}) = {}",
        settings.service_level.percent(),
        z / 1000,
        z % 1000,
        plan.safety_stock
    ));
    said.push(level("reorder at the demand of", lead, plan.reorder_at, plan.safety_stock, window, summary));
    let beyond = super::reorder::whole(super::safety_stock(z, lead + review, window.variance()));
    said.push(level("up to the demand of", lead + review, plan.up_to, beyond, window, summary));
}

/// Returns a level as the sum of its parts.
fn level(what: &str, days: u64, sum: i64, safety: i64, window: &Window, summary: &RecurringSummary<'_>) -> String {
    let mut parts = vec![window.units_in(days).ceil().to_string()];
    parts.extend(summary.units_in(days).map(|units| units.to_string()));
    if safety > 0 {
        parts.push(safety.to_string());
    }
    format!("{what} {days} days: {} = {sum}", parts.join(" + "))
}

fn order(plan: &Plan, settings: &StockSettings) -> String {
    let Plan { position, reorder_at, up_to, order, packs, .. } = plan;
    if position > reorder_at {
        return format!("{position} is above {reorder_at}: no order");
    }
    if *order == 0 {
        return format!("{position} is not below {up_to}: no order");
    }
    let (unit, pack) = (settings.unit.as_str(), settings.pack_units.value());
    format!("{position} is not above {reorder_at}: {up_to} - {position} is {order} {unit} in {packs} packs of {pack}")
}

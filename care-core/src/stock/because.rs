//! The computation of a plan, in sentences.

use super::{
    Confidence, Fraction, Plan, Window,
    consumption::{Recurring, monthly},
    reasoning::{Sentence, sentence},
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
) -> Vec<Sentence> {
    let unit = settings.unit.as_str();
    let summary = RecurringSummary::of(recurring);
    let mut said = vec![demand(plan, unit, is_substitute)];
    said.extend(summary.sentences(unit));
    let Plan { reorder_at, up_to, available, ordered, waiting, position, .. } = plan;
    match plan.policy {
        Policy::None => {}
        Policy::MinMax => {
            said.push(sentence!(
                "levelsSet",
                "levels that are set: reorder at {reorderAt}, up to {upTo}",
                reorderAt = reorder_at,
                upTo = up_to,
            ));
        }
        Policy::Service if plan.confidence == Confidence::High => {
            service(&mut said, plan, settings, window, &summary);
        }
        Policy::Cover | Policy::Service => {
            let (min, max) = (days(settings.min_days.value()), days(settings.max_days.value()));
            said.extend(remark(plan, settings));
            said.push(reorder_level(min, *reorder_at, 0, window, &summary));
            said.push(up_to_level(max, *up_to, 0, window, &summary));
        }
    }
    said.push(sentence!(
        "position",
        "{available} available + {ordered} ordered - {waiting} waiting = {position}",
        available = available,
        ordered = ordered,
        waiting = waiting,
        position = position,
    ));
    said.push(order(plan, settings));
    debug_assert!(said.len() <= MOST, "{} sentences", said.len());
    debug_assert!(said.iter().all(|sentence| sentence.text.chars().count() <= LONGEST), "a sentence is too long");
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

    fn sentences(&self, unit: &str) -> impl Iterator<Item = Sentence> {
        let named = self.named.iter().map(move |Recurring { units, every_days }| {
            sentence!(
                "regularDemand",
                "regular prescriptions take {units} {unit} every {everyDays} days: {monthly} in 30",
                units = units,
                unit = unit,
                everyDays = every_days,
                monthly = Fraction::new(u128::from(*units) * 30, (*every_days).into()).hundredths(),
            )
        });
        let others = (!self.others.is_empty()).then(|| {
            sentence!(
                "otherRegularDemand",
                "those with other intervals, {intervals} of them, take {monthly} {unit} in 30 days together; the last \
                 part of the demand below is theirs, each interval rounded up",
                intervals = self.others.len(),
                monthly = monthly(self.others.iter().copied()),
                unit = unit,
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
fn remark(plan: &Plan, settings: &StockSettings) -> Option<Sentence> {
    let (min, lead) = (settings.min_days.value(), settings.lead_days.value());
    let (enough, busy) = (Window::ENOUGH_DAYS, Window::ENOUGH_BUSY_DAYS);
    match (plan.policy == Policy::Service, min < lead) {
        (true, false) => Some(sentence!(
            "coverInstead",
            "fewer than {enoughDays} days with stock or {enoughBusyDays} days with demand: levels by cover, without \
             safety stock",
            enoughDays = enough,
            enoughBusyDays = busy,
        )),
        (false, true) => Some(sentence!(
            "shortCover",
            "warning: minDays {minDays} is less than leadDays {leadDays}, so stock may run out before an order arrives",
            minDays = min,
            leadDays = lead,
        )),
        (true, true) => Some(sentence!(
            "shortCoverInstead",
            "fewer than {enoughDays} days with stock or {enoughBusyDays} days with demand: levels by cover, without \
             safety stock; warning: minDays {minDays} is less than leadDays {leadDays}, so stock may run out before \
             an order arrives",
            enoughDays = enough,
            enoughBusyDays = busy,
            minDays = min,
            leadDays = lead,
        )),
        (false, false) => None,
    }
}

fn demand(plan: &Plan, unit: &str, is_substitute: bool) -> Sentence {
    let Plan { window_days, exposed_days, stock_out_days, dispensed, units_monthly, .. } = plan;
    match (window_days, plan.basis) {
        (0, _) => sentence!("noDays", "no day since the first movement: no demand is known"),
        (_, Basis::Dispensed) => sentence!(
            "dispensedDemand",
            "{windowDays} days, {stockOutDays} without stock: {dispensed} {unit} in {exposedDays} days are \
             {unitsMonthly} in 30",
            windowDays = window_days,
            stockOutDays = stock_out_days,
            dispensed = dispensed,
            unit = unit,
            exposedDays = exposed_days,
            unitsMonthly = units_monthly,
        ),
        (_, Basis::Prescribed) if is_substitute => sentence!(
            "prescribedDemandInstead",
            "no day had stock, so what was prescribed is counted instead of what was dispensed: {windowDays} days: \
             {prescribed} {unit} prescribed in {exposedDays} days are {unitsMonthly} in 30",
            windowDays = window_days,
            prescribed = dispensed,
            unit = unit,
            exposedDays = exposed_days,
            unitsMonthly = units_monthly,
        ),
        (_, Basis::Prescribed) => sentence!(
            "prescribedDemand",
            "{windowDays} days: {prescribed} {unit} prescribed in {exposedDays} days are {unitsMonthly} in 30",
            windowDays = window_days,
            prescribed = dispensed,
            unit = unit,
            exposedDays = exposed_days,
            unitsMonthly = units_monthly,
        ),
    }
}

fn service(
    said: &mut Vec<Sentence>,
    plan: &Plan,
    settings: &StockSettings,
    window: &Window,
    summary: &RecurringSummary<'_>,
) {
    let (lead, review) = (days(settings.lead_days.value()), days(settings.review_days.value()));
    let z = settings.service_level.z_thousandths();
    said.push(sentence!(
        "safetyStock",
        "safety stock at {serviceLevel} of 100: {z} × √({leadDays} days × variance {variance}) = {safetyStock}",
        serviceLevel = settings.service_level.percent(),
        z = format!("{}.{:03}", z / 1000, z % 1000),
        leadDays = lead,
        variance = window.variance().hundredths(),
        safetyStock = plan.safety_stock,
    ));
    said.push(reorder_level(lead, plan.reorder_at, plan.safety_stock, window, summary));
    let beyond = super::reorder::whole(super::safety_stock(z, lead + review, window.variance()));
    said.push(up_to_level(lead + review, plan.up_to, beyond, window, summary));
}

fn reorder_level(days: u64, sum: i64, safety: i64, window: &Window, summary: &RecurringSummary<'_>) -> Sentence {
    sentence!(
        "reorderLevel",
        "reorder at the demand of {days} days: {parts} = {units}",
        days = days,
        parts = parts(days, safety, window, summary),
        units = sum,
    )
}

fn up_to_level(days: u64, sum: i64, safety: i64, window: &Window, summary: &RecurringSummary<'_>) -> Sentence {
    sentence!(
        "upToLevel",
        "up to the demand of {days} days: {parts} = {units}",
        days = days,
        parts = parts(days, safety, window, summary),
        units = sum,
    )
}

/// Returns the parts of which a level is the sum.
fn parts(days: u64, safety: i64, window: &Window, summary: &RecurringSummary<'_>) -> String {
    let mut parts = vec![window.units_in(days).ceil().to_string()];
    parts.extend(summary.units_in(days).map(|units| units.to_string()));
    if safety > 0 {
        parts.push(safety.to_string());
    }
    parts.join(" + ")
}

fn order(plan: &Plan, settings: &StockSettings) -> Sentence {
    let Plan { available, ordered, waiting, position, reorder_at, up_to, order, packs, .. } = plan;
    if position > reorder_at {
        return sentence!(
            "aboveReorder",
            "{position} is above {reorderAt}: no order",
            position = position,
            reorderAt = reorder_at,
        );
    }
    if *order == 0 {
        return sentence!(
            "notBelowUpTo",
            "{position} is not below {upTo}: no order",
            position = position,
            upTo = up_to,
        );
    }
    macro_rules! order_sentence {
        ($rule:literal, $words:literal $(, $name:ident = $value:expr)*) => {
            sentence!(
                $rule,
                $words,
                $($name = $value,)*
                position = position,
                reorderAt = reorder_at,
                upTo = up_to,
                missing = up_to.saturating_sub(*position),
                packs = packs,
                packUnits = settings.pack_units.value(),
                order = order,
                unit = settings.unit.as_str(),
            )
        };
    }
    if *waiting == 0 {
        return match position < reorder_at {
            true => order_sentence!(
                "order",
                "{position} on the shelf and on order, order below {reorderAt}. Up to {upTo} are missing {missing}: \
                 {packs} packs of {packUnits}, {order} {unit}"
            ),
            false => order_sentence!(
                "order",
                "{position} on the shelf and on order, order at {reorderAt}. Up to {upTo} are missing {missing}: \
                 {packs} packs of {packUnits}, {order} {unit}"
            ),
        };
    }
    // The sentence has both numbers, so that a person can subtract.
    let there = available.saturating_add(*ordered);
    match position < reorder_at {
        true => order_sentence!(
            "orderForWaiting",
            "{there} on the shelf and on order, {waiting} waited for: {position}, order below {reorderAt}. \
             Up to {upTo} are missing {missing}: {packs} packs of {packUnits}, {order} {unit}",
            there = there,
            waiting = waiting
        ),
        false => order_sentence!(
            "orderForWaiting",
            "{there} on the shelf and on order, {waiting} waited for: {position}, order at {reorderAt}. \
             Up to {upTo} are missing {missing}: {packs} packs of {packUnits}, {order} {unit}",
            there = there,
            waiting = waiting
        ),
    }
}

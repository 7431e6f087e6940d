//! The computation of a plan, in sentences.

use super::{Confidence, Fraction, Plan, Window, plan::Recurring, reorder::days};
use crate::model::{Basis, Policy, StockSettings};

/// Returns the sentences that lead from the counts to the order.
pub(super) fn because(
    plan: &Plan,
    settings: &StockSettings,
    window: &Window,
    recurring: &[Recurring],
    is_substitute: bool,
) -> Vec<String> {
    let unit = settings.unit.as_str();
    let mut said = vec![demand(plan, unit)];
    if is_substitute {
        said.push("no day had stock: what was prescribed is counted instead of what was dispensed".to_owned());
    }
    for part in recurring {
        let monthly = Fraction::new(u128::from(part.units) * 30, part.every_days.into()).hundredths();
        let Recurring { units, every_days } = part;
        said.push(format!("regular prescriptions take {units} {unit} every {every_days} days: {monthly} in 30"));
    }
    match plan.policy {
        Policy::None => {}
        Policy::MinMax => {
            said.push(format!("levels that are set: reorder at {}, up to {}", plan.reorder_at, plan.up_to));
        }
        Policy::Service if plan.confidence == Confidence::High => {
            service(&mut said, plan, settings, window, recurring);
        }
        Policy::Cover | Policy::Service => {
            if plan.policy == Policy::Service {
                said.push(format!(
                    "fewer than {} days with stock or {} days with demand: levels by cover, without safety stock",
                    Window::ENOUGH_DAYS,
                    Window::ENOUGH_BUSY_DAYS
                ));
            }
            let (min, max) = (days(settings.min_days.value()), days(settings.max_days.value()));
            said.push(level("reorder at the demand of", min, plan.reorder_at, 0, window, recurring));
            said.push(level("up to the demand of", max, plan.up_to, 0, window, recurring));
            if settings.min_days.value() < settings.lead_days.value() {
                said.push(format!(
                    "warning: minDays {} is less than leadDays {}, so stock may run out before an order arrives",
                    settings.min_days.value(),
                    settings.lead_days.value()
                ));
            }
        }
    }
    said.push(format!(
        "{} available + {} ordered - {} waiting = {}",
        plan.available, plan.ordered, plan.waiting, plan.position
    ));
    said.push(order(plan, settings));
    said
}

fn demand(plan: &Plan, unit: &str) -> String {
    let Plan { window_days, exposed_days, stock_out_days, dispensed, units_monthly, .. } = plan;
    match (window_days, plan.basis) {
        (0, _) => "no day since the first movement: no demand is known".to_owned(),
        (_, Basis::Dispensed) => format!(
            "{window_days} days, {stock_out_days} without stock: {dispensed} {unit} in {exposed_days} days are \
             {units_monthly} in 30"
        ),
        (_, Basis::Prescribed) => {
            format!(
                "{window_days} days: {dispensed} {unit} prescribed in {exposed_days} days are {units_monthly} in 30"
            )
        }
    }
}

fn service(said: &mut Vec<String>, plan: &Plan, settings: &StockSettings, window: &Window, recurring: &[Recurring]) {
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
    said.push(level("reorder at the demand of", lead, plan.reorder_at, plan.safety_stock, window, recurring));
    let beyond = super::reorder::whole(super::safety_stock(z, lead + review, window.variance()));
    said.push(level("up to the demand of", lead + review, plan.up_to, beyond, window, recurring));
}

/// Returns a level as the sum of its parts.
fn level(what: &str, days: u64, sum: i64, safety: i64, window: &Window, recurring: &[Recurring]) -> String {
    let mut parts = vec![window.units_in(days).ceil().to_string()];
    for part in recurring {
        let units = Fraction::new(u128::from(part.units) * u128::from(days), part.every_days.into()).ceil();
        parts.push(units.to_string());
    }
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

//! The computation of the advice for one medicine.

use super::{
    Fraction, Hundredths, Plan, PlanInput, Window,
    because::because,
    fraction, levels,
    plan::Recurring,
    reorder::{days, order, whole},
    spoilage::{Rate, at_risk},
};
use crate::model::{Basis, Refill};

/// Returns the advice for one medicine.
pub fn plan(input: &PlanInput<'_>) -> Plan {
    let settings = input.settings;
    let consumption = input.consumption();
    let over = |basis| consumption.as_ref().map_or_else(Window::default, |consumption| consumption.whole(basis));
    let (mut basis, mut window) = (settings.basis, over(settings.basis));
    let is_substitute = basis == Basis::Dispensed && window.days > 0 && window.exposed == 0;
    if is_substitute {
        basis = Basis::Prescribed;
        window = over(basis);
    }
    let recurring = recurring(input);
    let refills = |days: u64| {
        let part = |part: &Recurring| Fraction::new(u128::from(part.units) * u128::from(days), part.every_days.into());
        recurring.iter().map(|refill| part(refill).ceil()).sum()
    };
    let reorder = window.reorder(settings.policy, settings, &refills);

    let available = levels(input.shelf, input.reserved, settings.keep_days, input.today).available;
    let (ordered, waiting) = (settings.ordered.value(), whole(input.waiting.into()));
    let position = available.saturating_add(ordered).saturating_sub(waiting);
    let pack_units = settings.pack_units.value();
    let order = order(&reorder, position, pack_units);

    let mut rate: Vec<_> = recurring.iter().map(|refill| (refill.units, refill.every_days)).collect();
    rate.extend((window.exposed > 0).then_some((window.units, window.exposed)));
    let rate = Rate(rate);
    let cover_days = rate.days_of(available.unsigned_abs());
    let stock_out = |days| i64::try_from(days).ok().and_then(|days| input.today.plus_days(days).ok());
    let mut plan = Plan {
        policy: settings.policy,
        basis,
        window_days: window.days,
        exposed_days: window.exposed,
        stock_out_days: window.stock_out_days,
        dispensed: window.units,
        refill_units_monthly: refills_monthly(&recurring),
        units_monthly: window.units_in(30).hundredths(),
        safety_stock: reorder.safety_stock,
        reorder_at: reorder.reorder_at,
        up_to: reorder.up_to,
        available,
        ordered,
        waiting,
        position,
        order,
        packs: order / pack_units,
        cover_days,
        stock_out_on: cover_days.and_then(stock_out),
        at_risk: at_risk(input.shelf, settings.keep_days, input.today, &rate),
        confidence: reorder.confidence,
        because: Vec::new(),
    };
    plan.because = because(&plan, settings, &window, &recurring, is_substitute);
    plan
}

fn recurring(input: &PlanInput<'_>) -> Vec<Recurring> {
    let units = |refill: &Refill| refill.wanted.units(input.settings.supply_units);
    let part = |refill: &Refill| Recurring { units: units(refill), every_days: days(refill.every_days.value()) };
    input.refills.iter().map(part).collect()
}

/// Returns 30·ΣU/e, halves upwards.
fn refills_monthly(recurring: &[Recurring]) -> Hundredths {
    let parts = recurring.iter().map(|part| (u128::from(part.units) * 3000, part.every_days));
    let (hundredths, _) = fraction::sum(parts.chain([(1, 2)]));
    Hundredths::new(u64::try_from(hundredths).unwrap_or(u64::MAX))
}

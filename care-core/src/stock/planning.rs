//! The computation of the advice for one medicine.

use super::{
    Plan, PlanInput, Window,
    because::because,
    consumption::{Recurring, monthly},
    levels,
    reasoning::Sentence,
    reorder::{days, order, whole},
    spoilage::{Rate, at_risk},
};
use crate::model::{Basis, Date, Refill, Shelf, StockSettings};

/// Returns the advice for one medicine.
pub fn plan(input: &PlanInput<'_>) -> Plan {
    PlanDraft::new(input).finished(input.settings, input.shelf, input.today)
}

/// A plan without its lots at risk and its sentences: enough to rank it among others, for a small part of the work.
#[derive(Debug)]
pub(crate) struct PlanDraft {
    plan: Plan,
    window: Window,
    recurring: Vec<Recurring>,
    is_substitute: bool,
}

impl PlanDraft {
    pub(crate) fn new(input: &PlanInput<'_>) -> Self {
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
        let refills = |days: u64| recurring.iter().map(|part| part.units_in(days)).sum();
        let reorder = window.reorder(settings.policy, settings, &refills);

        let available = levels(input.shelf, input.reserved, settings.keep_days, input.today).available;
        let (ordered, waiting) = (settings.ordered.value(), whole(input.waiting.into()));
        let position = available.saturating_add(ordered).saturating_sub(waiting);
        let pack_units = settings.pack_units.value();
        let order = order(&reorder, position, pack_units);

        let cover_days = Rate::of(&window, &recurring).days_of(available.unsigned_abs());
        let stock_out = |days| i64::try_from(days).ok().and_then(|days| input.today.plus_days(days).ok());
        let plan = Plan {
            policy: settings.policy,
            basis,
            window_days: window.days,
            exposed_days: window.exposed,
            stock_out_days: window.stock_out_days,
            dispensed: window.units,
            refill_units_monthly: monthly(&recurring),
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
            at_risk: Vec::new(),
            confidence: reorder.confidence,
            because: Vec::new(),
            steps: Vec::new(),
        };
        Self { plan, window, recurring, is_substitute }
    }

    /// Returns the plan without its lots at risk and its sentences.
    pub(crate) const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the whole plan, given what the draft was made from.
    pub(crate) fn finished(self, settings: &StockSettings, shelf: &Shelf, today: Date) -> Plan {
        let Self { plan, window, recurring, is_substitute } = self;
        let rate = Rate::of(&window, &recurring);
        let (because, steps) = Sentence::part(because(&plan, settings, &window, &recurring, is_substitute));
        Plan { at_risk: at_risk(shelf, settings.keep_days, today, &rate), because, steps, ..plan }
    }
}

fn recurring(input: &PlanInput<'_>) -> Vec<Recurring> {
    let units = |refill: &Refill| refill.wanted.units(input.settings.supply_units);
    let part = |refill: &Refill| Recurring { units: units(refill), every_days: days(refill.every_days.value()) };
    input.refills.iter().map(part).collect()
}

//! The figures of one medicine, from which its place in the report and its item follow.

use std::cmp::Reverse;

use super::report::{Recommendation, RestockItem, RestockPeriod};
use crate::{
    model::{Date, Demand, LeadDays, MedicineKey, MedicineName, Policy, Refill, Shelf, Stock, StockDay},
    service::base::live,
    stock::{
        Plan, PlanDraft, PlanInput, levels,
        reasoning::{Sentence, sentence},
    },
};

/// The figures of one medicine.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) medicine: MedicineName,
    pub(super) is_stocked: bool,
    pub(super) is_available: bool,
    prescribed: u64,
    regular: u64,
    dispensed: u64,
    previous: u64,
    last: Option<Date>,
    pub(super) active_regular: u64,
    pub(super) tracked: Option<StockFacts>,
    plan: Option<Planned>,
}

/// The place of a medicine in the report: its urgency, then the most prescribed, then its name.
pub(super) type Rank = (Recommendation, Reverse<u64>, MedicineKey);

/// The further figures of a tracked medicine.
#[derive(Debug)]
pub(super) struct StockFacts {
    stock: Stock,
    pub(super) shelf: Shelf,
    prescribed: Vec<(Date, u64)>,
    waiting: u64,
    pub(super) refills: Vec<Refill>,
}

/// The plan of a tracked medicine, whose lots at risk and sentences are made only if it is reported.
#[derive(Debug)]
struct Planned {
    draft: PlanDraft,
    recommendation: Recommendation,
    stock: Stock,
    shelf: Shelf,
    today: Date,
}

impl Figures {
    pub(super) const fn new(medicine: MedicineName) -> Self {
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

    pub(super) fn enter(&mut self, period: RestockPeriod, demand: &Demand, today: Option<Date>) {
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
    pub(super) fn plan(&mut self, counts: &[StockDay], today: Date) {
        if let Some(tracked) = self.tracked.take() {
            let usable = levels(&tracked.shelf, tracked.stock.reserved, tracked.stock.settings.keep_days, today).usable;
            self.is_available = live::is_available(&tracked.stock, usable);
            self.plan = tracked.planned(counts, today);
        }
    }

    /// Returns whether the report has an item for the medicine.
    pub(super) const fn is_reported(&self) -> bool {
        self.is_stocked || self.prescribed > 0 || self.active_regular > 0
    }

    /// Returns whether its plan has an order.
    pub(super) fn has_order(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.draft.plan().order > 0)
    }

    pub(super) fn rank(&self) -> Rank {
        (self.recommendation(), Reverse(self.prescribed), self.medicine.key().clone())
    }

    fn recommendation(&self) -> Recommendation {
        if let Some(plan) = &self.plan {
            return plan.recommendation;
        }
        let rising = self.prescribed >= 5 && 2 * self.prescribed >= 3 * self.previous;
        match (self.prescribed > 0 || self.active_regular > 0, self.is_available) {
            (false, _) => Recommendation::None,
            (true, false) => Recommendation::Now,
            (true, true) if rising => Recommendation::Soon,
            (true, true) => Recommendation::Watch,
        }
    }

    /// Returns the item of the report.
    pub(super) fn report(mut self, period: RestockPeriod) -> RestockItem {
        let recommendation = self.recommendation();
        let plan = self
            .plan
            .take()
            .map(|planned| planned.draft.finished(&planned.stock.settings, &planned.shelf, planned.today));
        let mut sentences = vec![self.available()];
        match &plan {
            Some(plan) => sentences.push(Self::lasts(plan)),
            None => sentences.extend(self.counts()),
        }
        let (mut reasons, mut why) = Sentence::part(sentences);
        // The last sentence of a plan is the order.
        if let Some(plan) = &plan {
            reasons.extend(plan.because.last().cloned());
            why.extend(plan.steps.last().cloned());
        }
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
            why,
            plan,
            medicine: self.medicine,
        }
    }

    fn available(&self) -> Sentence {
        match (self.is_stocked, self.is_available) {
            (_, true) => sentence!("available", "available now"),
            (true, false) => sentence!("notAvailable", "stocked but not available now"),
            (false, false) => sentence!("notStocked", "not in the inventory"),
        }
    }

    /// Returns how long the stock of a plan lasts.
    fn lasts(plan: &Plan) -> Sentence {
        let available = plan.available;
        match plan.cover_days {
            Some(days) => sentence!(
                "lasts",
                "{available} available, which is {days} days of demand",
                available = available,
                days = days,
            ),
            None => sentence!("noDemand", "{available} available, and no demand", available = available),
        }
    }

    /// Returns the counts from which a medicine without a plan is judged.
    fn counts(&self) -> [Sentence; 3] {
        [
            sentence!("prescribed", "prescribed in the period: {prescribed}", prescribed = self.prescribed),
            sentence!(
                "prescribedBefore",
                "prescribed in the period before: {previousPrescribed}",
                previousPrescribed = self.previous,
            ),
            sentence!(
                "activeRegular",
                "active recurring prescriptions: {activeRegular}",
                activeRegular = self.active_regular,
            ),
        ]
    }
}

impl StockFacts {
    pub(super) fn new(stock: Stock) -> Self {
        Self { stock, shelf: Shelf::default(), prescribed: Vec::new(), waiting: 0, refills: Vec::new() }
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

    /// Returns the plan; `None` for a medicine without one.
    fn planned(self, counts: &[StockDay], today: Date) -> Option<Planned> {
        let Self { stock, shelf, prescribed, waiting, refills } = self;
        if stock.settings.policy == Policy::None {
            return None;
        }
        let draft = PlanDraft::new(&PlanInput {
            today,
            settings: &stock.settings,
            shelf: &shelf,
            reserved: stock.reserved,
            counts,
            prescribed: &prescribed,
            refills: &refills,
            waiting,
        });
        let recommendation = recommended(draft.plan(), stock.settings.lead_days);
        Some(Planned { draft, recommendation, stock, shelf, today })
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

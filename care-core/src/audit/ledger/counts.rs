//! The counts of the restock report.

use std::collections::{BTreeMap, BTreeSet};

use super::{Contradiction, prescriptions::PrescriptionFacts};
use crate::{
    model::{Date, Demand, EveryDays, MedicineKey, PrescribedUnits, RegularDemand, Supply},
    store::RecordKey,
};

/// The counts as they were written, and as they follow from the prescriptions. An absent count is 0.
#[derive(Debug, Default)]
pub(super) struct Counts {
    demand: BTreeMap<(Date, MedicineKey), Day>,
    written_demand: BTreeMap<(Date, MedicineKey), Day>,
    regular: BTreeMap<Interval, Recurring>,
    written_regular: BTreeMap<Interval, Recurring>,
    touched_demand: BTreeSet<(Date, MedicineKey)>,
    touched_regular: BTreeSet<Interval>,
}

/// A medicine, and the days between two supplies of it.
type Interval = (MedicineKey, EveryDays);

/// The prescriptions of a medicine on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Day {
    prescribed: u64,
    regular: u64,
    dispensed: u64,
    wanted: Units,
    waiting: Units,
}

/// The recurring prescriptions of a medicine with an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Recurring {
    active: u64,
    wanted: Units,
}

/// The units of prescriptions, and the number of those that name none.
type Units = (u64, u64);

impl Counts {
    /// Accounts for a prescription that is added, changed or removed. Beside each state stands whether an invoice is
    /// unpaid.
    pub(super) fn account(
        &mut self,
        before: Option<(&PrescriptionFacts, bool)>,
        after: Option<(&PrescriptionFacts, bool)>,
    ) {
        // The new state is added first, so that no count falls below 0.
        for (held, add) in [(after, true), (before, false)] {
            let Some((held, is_invoiced)) = held else { continue };
            let moved = |count: &mut u64, by: bool| {
                *count = match add {
                    true => *count + u64::from(by),
                    false => count.saturating_sub(by.into()),
                };
            };
            let units = held.supply.0.map_or(0, |quantity| quantity.value().unsigned_abs());
            let want = |(sum, unnamed): &mut Units, by: bool| {
                if by {
                    *sum = if add { *sum + units } else { sum.saturating_sub(units) };
                }
                moved(unnamed, by && held.supply.0.is_none());
            };
            let key = (held.prescribed, held.medicine.clone());
            let day = self.demand.entry(key.clone()).or_default();
            moved(&mut day.prescribed, true);
            moved(&mut day.regular, held.is_regular);
            moved(&mut day.dispensed, held.is_dispensed);
            want(&mut day.wanted, !held.is_regular);
            want(&mut day.waiting, !held.is_regular && held.is_active && !held.is_dispensed && !is_invoiced);
            self.touched_demand.insert(key);
            if held.is_regular && held.is_active {
                let key = (held.medicine.clone(), held.supply.1.unwrap_or(Supply::EVERY_DAYS));
                let regular = self.regular.entry(key.clone()).or_default();
                moved(&mut regular.active, true);
                want(&mut regular.wanted, true);
                self.touched_regular.insert(key);
            }
        }
    }

    /// Accounts for a withdrawal. Paid units stay in the demand, but the prescription no longer recurs.
    pub(super) fn withdraw(&mut self, held: &PrescriptionFacts) {
        let left = PrescriptionFacts { is_active: false, ..held.clone() };
        self.account(Some((held, false)), Some((&left, false)).filter(|(left, _)| left.is_dispensed));
    }

    pub(super) fn write_demand(&mut self, demand: &Demand) {
        let key = (demand.day, demand.medicine.key().clone());
        self.touched_demand.insert(key.clone());
        let Demand { prescribed, regular, dispensed, wanted, waiting, .. } = *demand;
        let [wanted, waiting] = [wanted, waiting].map(|PrescribedUnits { units, unnamed }| (units, unnamed));
        let written = Day { prescribed, regular, dispensed, wanted, waiting };
        self.written_demand.insert(key, written);
    }

    pub(super) fn remove_demand(&mut self, day: Date, medicine: MedicineKey) {
        let key = (day, medicine);
        self.written_demand.remove(&key);
        self.touched_demand.insert(key);
    }

    pub(super) fn write_regular(&mut self, regular: &RegularDemand) {
        let key = (regular.medicine.key().clone(), regular.every_days);
        let PrescribedUnits { units, unnamed } = regular.wanted;
        let written = Recurring { active: regular.active_regular, wanted: (units, unnamed) };
        self.written_regular.insert(key.clone(), written);
        self.touched_regular.insert(key);
    }

    pub(super) fn remove_regular(&mut self, key: Interval) {
        self.written_regular.remove(&key);
        self.touched_regular.insert(key);
    }

    pub(super) fn end(&mut self) -> Result<(), Contradiction> {
        let what = "does not count what was prescribed";
        while let Some(key) = self.touched_demand.pop_first() {
            let due = self.demand.get(&key).filter(|day| day.prescribed > 0);
            if due != self.written_demand.get(&key) {
                return Err(Contradiction::of(RecordKey::Demand(key), what));
            }
            if due.is_none() {
                self.demand.remove(&key);
            }
        }
        while let Some(key) = self.touched_regular.pop_first() {
            let due = self.regular.get(&key).filter(|regular| regular.active > 0);
            if due != self.written_regular.get(&key) {
                return Err(Contradiction::of(RecordKey::RegularDemand(key), what));
            }
            if due.is_none() {
                self.regular.remove(&key);
            }
        }
        Ok(())
    }
}

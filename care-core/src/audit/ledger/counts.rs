//! The counts of the restock report.

use std::collections::{BTreeMap, BTreeSet};

use super::prescriptions::PrescriptionFacts;
use crate::{
    model::{Date, Demand, EveryDays, MedicineKey, PrescribedUnits, RegularDemand, Supply},
    store::{Record, RecordKey},
};

/// The counts as they follow from the prescriptions. Those of nothing are not stored.
#[derive(Debug, Default)]
pub(super) struct Counts {
    demand: BTreeMap<(Date, MedicineKey), Demand>,
    regular: BTreeMap<(MedicineKey, EveryDays), RegularDemand>,
}

/// A state of a prescription, and whether an invoice of it is unpaid.
type State<'a> = Option<(&'a PrescriptionFacts, bool)>;

impl Counts {
    /// Accounts for a prescription that is added, changed or removed.
    pub(super) fn account(&mut self, before: State<'_>, after: State<'_>, touched: &mut BTreeSet<RecordKey>) {
        // The new state is added first, so that no count falls below 0.
        for (state, add) in [(after, true), (before, false)] {
            let Some((held, is_invoiced)) = state else { continue };
            let moved = |count: &mut u64, by: u64| *count = if add { *count + by } else { count.saturating_sub(by) };
            let units = held.supply.0.map(|quantity| quantity.value().unsigned_abs());
            let want = |wanted: &mut PrescribedUnits, by: bool| {
                moved(&mut wanted.units, units.filter(|_| by).unwrap_or_default());
                moved(&mut wanted.unnamed, u64::from(by && units.is_none()));
            };
            let of = (held.prescribed, held.medicine.key().clone());
            let new = || Demand::new(held.medicine.clone(), held.prescribed);
            let demand = self.demand.entry(of.clone()).or_insert_with(new);
            moved(&mut demand.prescribed, 1);
            moved(&mut demand.regular, held.is_regular.into());
            moved(&mut demand.dispensed, held.is_dispensed.into());
            want(&mut demand.wanted, !held.is_regular);
            want(&mut demand.waiting, !held.is_regular && held.is_active && !held.is_dispensed && !is_invoiced);
            touched.insert(RecordKey::Demand(of));
            if held.is_regular && held.is_active {
                let every_days = held.supply.1.unwrap_or(Supply::EVERY_DAYS);
                let of = (held.medicine.key().clone(), every_days);
                let new = || RegularDemand::new(held.medicine.clone(), every_days);
                let regular = self.regular.entry(of.clone()).or_insert_with(new);
                moved(&mut regular.active_regular, 1);
                want(&mut regular.wanted, true);
                touched.insert(RecordKey::RegularDemand(of));
            }
        }
    }

    /// Accounts for a withdrawal. Paid units stay in the demand, but the prescription no longer recurs.
    pub(super) fn withdraw(&mut self, held: &PrescriptionFacts, touched: &mut BTreeSet<RecordKey>) {
        let left = PrescriptionFacts { is_active: false, ..held.clone() };
        self.account(Some((held, false)), Some((&left, false)).filter(|(left, _)| left.is_dispensed), touched);
    }

    /// Takes over the spelling of a demand that is written, which may be that of any prescription.
    pub(super) fn spell_demand(&mut self, Demand { medicine, day, .. }: &Demand) {
        let due = self.demand.entry((*day, medicine.key().clone()));
        due.or_insert_with(|| Demand::new(medicine.clone(), *day)).medicine = medicine.clone();
    }

    /// Takes over the spelling of a regular demand that is written.
    pub(super) fn spell_regular(&mut self, RegularDemand { medicine, every_days, .. }: &RegularDemand) {
        let due = self.regular.entry((medicine.key().clone(), *every_days));
        due.or_insert_with(|| RegularDemand::new(medicine.clone(), *every_days)).medicine = medicine.clone();
    }

    /// Returns the demand that is due; `None` for none.
    pub(super) fn demand(&self, of: &(Date, MedicineKey)) -> Option<Record> {
        self.demand.get(of).filter(|due| due.prescribed > 0).cloned().map(Record::from)
    }

    /// Returns the regular demand that is due; `None` for none.
    pub(super) fn regular(&self, of: &(MedicineKey, EveryDays)) -> Option<Record> {
        self.regular.get(of).filter(|due| due.active_regular > 0).cloned().map(Record::from)
    }
}

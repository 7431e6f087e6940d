//! Prescriptions, and the changes that they allow.

use std::collections::{BTreeMap, BTreeSet};

use super::{Contradiction, What};
use crate::{
    model::{ConsultationId, Date, EveryDays, Invoice, MedicineKey, PatientId, Prescription, PrescriptionId, Quantity},
    store::RecordKey,
};

#[derive(Debug, Default)]
pub(super) struct Prescriptions {
    held: BTreeMap<PrescriptionId, PrescriptionFacts>,
    active: BTreeMap<(PatientId, MedicineKey), PrescriptionId>,
    /// The prescriptions that this entry touches.
    touched: BTreeSet<PrescriptionId>,
    /// The prescriptions that this entry dispenses or completes, until their payment is found.
    unexplained: BTreeSet<PrescriptionId>,
    /// The prescriptions that this entry makes active again or no longer dispensed, until their refund is found.
    reopened: BTreeSet<PrescriptionId>,
}

/// The fields of a prescription that the rules use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PrescriptionFacts {
    pub(super) consultation_id: ConsultationId,
    pub(super) patient_id: PatientId,
    pub(super) medicine: MedicineKey,
    pub(super) prescribed: Date,
    pub(super) is_regular: bool,
    pub(super) is_active: bool,
    pub(super) is_dispensed: bool,
    pub(super) supply: (Option<Quantity>, Option<EveryDays>),
}

impl Prescriptions {
    pub(super) fn get(&self, id: PrescriptionId) -> Option<&PrescriptionFacts> {
        self.held.get(&id)
    }

    pub(super) fn put(&mut self, prescription: &Prescription) -> Result<PrescriptionFacts, What> {
        let id = prescription.prescription_id;
        let after = PrescriptionFacts {
            consultation_id: prescription.consultation_id,
            patient_id: prescription.patient_id,
            medicine: prescription.medicine.key().clone(),
            prescribed: prescription.prescribed,
            is_regular: prescription.is_regular(),
            is_active: prescription.is_active(),
            is_dispensed: prescription.dispensed,
            supply: (prescription.quantity, prescription.every_days),
        };
        self.touched.insert(id);
        let before = self.held.insert(id, after.clone());
        if let Some(before) = &before {
            let is_same = before.consultation_id == after.consultation_id
                && before.patient_id == after.patient_id
                && before.medicine == after.medicine
                && before.prescribed == after.prescribed;
            if !is_same {
                return Err("is for another patient, medicine, consultation or day than before");
            }
            if before.is_active && before.is_dispensed && after.is_regular && !after.is_dispensed {
                return Err("is regular and active, and no longer dispensed");
            }
            if before.is_dispensed && !after.is_dispensed || !before.is_active && after.is_active {
                self.reopened.insert(id);
            }
        }
        let (was_active, was_dispensed) =
            before.map_or((true, false), |before| (before.is_active, before.is_dispensed));
        if was_active && !after.is_active || !was_dispensed && after.is_dispensed {
            self.unexplained.insert(id);
        }
        let key = (after.patient_id, after.medicine.clone());
        if after.is_active {
            if self.active.insert(key, id).is_some_and(|other| other != id) {
                return Err("is active beside another one of its patient for its medicine");
            }
        } else if self.active.get(&key) == Some(&id) {
            self.active.remove(&key);
        }
        Ok(after)
    }

    pub(super) fn remove(&mut self, id: PrescriptionId) -> Option<PrescriptionFacts> {
        self.touched.insert(id);
        let before = self.held.remove(&id)?;
        let key = (before.patient_id, before.medicine.clone());
        if self.active.get(&key) == Some(&id) {
            self.active.remove(&key);
        }
        Some(before)
    }

    /// Checks the prescription of an invoice that was paid in this entry.
    pub(super) fn pay(&mut self, paid: &Invoice) -> Result<(), Contradiction> {
        let id = paid.prescription_id;
        self.unexplained.remove(&id);
        let wrong = |what: What| Err(Contradiction::of(RecordKey::Prescription(id), what));
        match self.held.get(&id) {
            Some(held) if held.is_dispensed && (held.is_regular || !held.is_active) => Ok(()),
            Some(held) if held.is_dispensed => wrong("is not regular and still active, but its invoice was paid"),
            _ => wrong("is not dispensed, but its invoice was paid"),
        }
    }

    /// Checks the prescription of an invoice that was refunded in this entry: it may be active again, unless another
    /// invoice of it stands.
    pub(super) fn refund(
        &mut self,
        refunded: &Invoice,
        is_billed: impl Fn(PrescriptionId) -> bool,
    ) -> Result<(), Contradiction> {
        let id = refunded.prescription_id;
        if !self.reopened.remove(&id) {
            return Ok(());
        }
        let is_open = self.held.get(&id).is_some_and(|held| held.is_active && !held.is_dispensed);
        match is_open && !is_billed(id) {
            true => Ok(()),
            false => {
                Err(Contradiction::of(RecordKey::Prescription(id), "is active again, but not as a refund makes it"))
            }
        }
    }

    /// Checks the prescriptions of the entry: a visit lists each, and no unpaid invoice is of one that is withdrawn.
    pub(super) fn end(
        &mut self,
        is_listed: impl Fn(&PrescriptionFacts, PrescriptionId) -> bool,
        is_unpaid: impl Fn(PrescriptionId) -> bool,
    ) -> Result<(), Contradiction> {
        let wrong = |id, what: What| Err(Contradiction::of(RecordKey::Prescription(id), what));
        if let Some(id) = self.unexplained.pop_first() {
            return wrong(id, "is dispensed or completed, but no invoice of it was paid");
        }
        if let Some(id) = self.reopened.pop_first() {
            return wrong(id, "is active again or no longer dispensed, but no invoice of it was refunded");
        }
        while let Some(id) = self.touched.pop_first() {
            match self.held.get(&id) {
                Some(held) if !is_listed(held, id) => {
                    return wrong(id, "is not in a consultation of its patient on its day");
                }
                None if is_unpaid(id) => {
                    return wrong(id, "is withdrawn, but an invoice of it is unpaid");
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn close(&self, is_patient: impl Fn(PatientId) -> bool) -> Result<(), Contradiction> {
        let lost = self.held.iter().find(|(_, held)| !is_patient(held.patient_id));
        match lost {
            Some((id, _)) => Err(Contradiction::of(RecordKey::Prescription(*id), "is there, but its patient is not")),
            None => Ok(()),
        }
    }
}

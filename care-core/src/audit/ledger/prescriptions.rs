//! Prescriptions, and the changes that they allow.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    audit::contradiction::{Contradiction, What, require, require_of},
    model::{
        ConsultationId, Date, EveryDays, Invoice, MedicineKey, MedicineName, PatientId, Prescription, PrescriptionId,
        Quantity,
    },
    store::RecordKey,
};

#[derive(Debug, Default)]
pub(super) struct Prescriptions {
    held: BTreeMap<PrescriptionId, PrescriptionFacts>,
    active: BTreeMap<(PatientId, MedicineKey), PrescriptionId>,
    /// The prescriptions that this entry dispenses or completes, until their payment is found.
    unexplained: BTreeSet<PrescriptionId>,
    /// The prescriptions that this entry makes active again or no longer dispensed, until their refund is found.
    reopened: BTreeSet<PrescriptionId>,
}

/// The fields of a prescription that the rules use.
#[derive(Debug, Clone)]
pub(super) struct PrescriptionFacts {
    pub(super) consultation_id: ConsultationId,
    pub(super) patient_id: PatientId,
    pub(super) medicine: MedicineName,
    pub(super) prescribed: Date,
    pub(super) is_regular: bool,
    pub(super) is_active: bool,
    pub(super) is_dispensed: bool,
    pub(super) supply: (Option<Quantity>, Option<EveryDays>),
}

impl PrescriptionFacts {
    /// Returns what stays the same as long as there is the prescription.
    fn identity(&self) -> (ConsultationId, PatientId, &MedicineKey, Date) {
        (self.consultation_id, self.patient_id, self.medicine.key(), self.prescribed)
    }
}

impl Prescriptions {
    pub(super) fn get(&self, id: PrescriptionId) -> Option<&PrescriptionFacts> {
        self.held.get(&id)
    }

    /// Checks a prescription that is put, and returns its state before and after.
    pub(super) fn put(
        &mut self,
        prescription: &Prescription,
    ) -> Result<(Option<PrescriptionFacts>, PrescriptionFacts), What> {
        let id = prescription.prescription_id;
        let after = PrescriptionFacts {
            consultation_id: prescription.consultation_id,
            patient_id: prescription.patient_id,
            medicine: prescription.medicine.clone(),
            prescribed: prescription.prescribed,
            is_regular: prescription.is_regular(),
            is_active: prescription.is_active(),
            is_dispensed: prescription.dispensed,
            supply: (prescription.quantity, prescription.every_days),
        };
        let before = self.held.insert(id, after.clone());
        let (mut was_active, mut was_dispensed) = (true, false);
        if let Some(before) = &before {
            let is_same = before.identity() == after.identity();
            require(is_same, "is for another patient, medicine, consultation or day than before")?;
            (was_active, was_dispensed) = (before.is_active, before.is_dispensed);
            let is_undone = was_active && was_dispensed && after.is_regular && !after.is_dispensed;
            require(!is_undone, "is regular and active, and no longer dispensed")?;
        }
        if was_dispensed && !after.is_dispensed || !was_active && after.is_active {
            self.reopened.insert(id);
        }
        if was_active && !after.is_active || !was_dispensed && after.is_dispensed {
            self.unexplained.insert(id);
        }
        let key = (after.patient_id, after.medicine.key().clone());
        if after.is_active {
            let is_only = self.active.insert(key, id).is_none_or(|other| other == id);
            require(is_only, "is active beside another one of its patient for its medicine")?;
        } else if self.active.get(&key) == Some(&id) {
            self.active.remove(&key);
        }
        Ok((before, after))
    }

    pub(super) fn remove(&mut self, id: PrescriptionId) -> Option<PrescriptionFacts> {
        let before = self.held.remove(&id)?;
        let key = (before.patient_id, before.medicine.key().clone());
        if self.active.get(&key) == Some(&id) {
            self.active.remove(&key);
        }
        Some(before)
    }

    /// Checks the prescription of an invoice that was paid in this entry.
    pub(super) fn pay(&mut self, paid: &Invoice) -> Result<(), Contradiction> {
        let id = paid.prescription_id;
        self.unexplained.remove(&id);
        let (held, key) = (self.held.get(&id), || RecordKey::Prescription(id));
        let is_dispensed = held.is_some_and(|held| held.is_dispensed);
        require_of(is_dispensed, key, "is not dispensed, but its invoice was paid")?;
        let is_over = held.is_some_and(|held| held.is_regular || !held.is_active);
        require_of(is_over, key, "is not regular and still active, but its invoice was paid")
    }

    /// Checks the prescription of an invoice that was refunded in this entry: it may be active again, unless another
    /// invoice of it stands.
    pub(super) fn refund(&mut self, refunded: &Invoice, is_billed: bool) -> Result<(), Contradiction> {
        let id = refunded.prescription_id;
        if !self.reopened.remove(&id) {
            return Ok(());
        }
        let is_open = self.held.get(&id).is_some_and(|held| held.is_active && !held.is_dispensed);
        let key = || RecordKey::Prescription(id);
        require_of(is_open && !is_billed, key, "is active again, but not as a refund makes it")
    }

    /// Checks that the invoices of the entry explain its changes.
    pub(super) fn end(&mut self) -> Result<(), Contradiction> {
        let nothing_paid = "is dispensed or completed, but no invoice of it was paid";
        let nothing_refunded = "is active again or no longer dispensed, but no invoice of it was refunded";
        for (left, what) in [(&mut self.unexplained, nothing_paid), (&mut self.reopened, nothing_refunded)] {
            if let Some(id) = left.pop_first() {
                return Err(Contradiction::of(RecordKey::Prescription(id), what));
            }
        }
        Ok(())
    }
}

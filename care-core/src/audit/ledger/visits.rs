//! Consultations with their diagnoses, and the histories in which they are counted.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    bills::Standing,
    prescriptions::{PrescriptionFacts, Prescriptions},
};
use crate::{
    audit::{
        contradiction::{Contradiction, What, require, require_of},
        replica::Replica,
    },
    model::{
        Consultation, ConsultationId, ConsultationState, Date, Diagnosis, History, Invoice, PatientId, PrescriptionId,
    },
    store::RecordKey,
};

#[derive(Debug, Default)]
pub(super) struct Visits {
    held: BTreeMap<ConsultationId, Visit>,
    /// The patient of each diagnosis, and the visit as which it was counted.
    diagnoses: BTreeMap<ConsultationId, (PatientId, Option<u64>)>,
    /// The histories as they were written.
    histories: BTreeMap<PatientId, History>,
    /// The histories that this entry should write, in the form that they should have.
    due: BTreeMap<PatientId, History>,
    /// The consultations that this entry begins.
    begun: BTreeSet<ConsultationId>,
    /// The consultations that this entry completes, each with the number of its patient's visit.
    completed: BTreeMap<ConsultationId, u64>,
}

/// The fields of a consultation that the rules use.
#[derive(Debug)]
struct Visit {
    patient_id: PatientId,
    date: Date,
    prescription_ids: Box<[PrescriptionId]>,
    is_completed: bool,
    is_implicit: bool,
}

impl Visits {
    /// Returns whether a prescription is in its consultation.
    pub(super) fn lists(&self, held: &PrescriptionFacts, id: PrescriptionId) -> bool {
        self.held.get(&held.consultation_id).is_some_and(|visit| {
            visit.patient_id == held.patient_id && visit.date == held.prescribed && visit.prescription_ids.contains(&id)
        })
    }

    pub(super) fn put(&mut self, consultation: &Consultation) -> Result<(), What> {
        let id = consultation.consultation_id;
        let after = Visit {
            patient_id: consultation.patient_id,
            date: consultation.date,
            prescription_ids: consultation.prescription_ids.as_slice().into(),
            is_completed: consultation.state == ConsultationState::Completed,
            is_implicit: consultation.implicit,
        };
        let (who, is_completed) = ((after.patient_id, after.date, after.is_implicit), after.is_completed);
        let before = self.held.insert(id, after);
        if is_completed && before.as_ref().is_none_or(|before| !before.is_completed) {
            let due = self.due(consultation.patient_id);
            due.count_visit(consultation.date);
            let visit = due.visits;
            self.completed.insert(id, visit);
        }
        let Some(before) = before else {
            self.begun.insert(id);
            return Ok(());
        };
        require(is_completed || !before.is_completed, "is open again after it was completed")?;
        let is_same = (before.patient_id, before.date, before.is_implicit) == who;
        require(is_same, "is of another patient, day or kind than before")
    }

    pub(super) fn remove(&mut self, id: ConsultationId, voided: &BTreeSet<PatientId>) -> Result<(), What> {
        let Some(before) = self.held.remove(&id).filter(|before| !voided.contains(&before.patient_id)) else {
            return Ok(());
        };
        require(!before.is_completed, "is removed after it was counted")?;
        require(before.is_implicit, "is removed, but its patient is not voided")
    }

    /// Checks a diagnosis that is put.
    pub(super) fn diagnose(&mut self, diagnosis: &Diagnosis, replica: &Replica) -> Result<(), What> {
        let Diagnosis { consultation_id, patient_id, visit, diseases } = diagnosis;
        require(diseases.len() <= Consultation::MAX_DISEASES, "holds more diseases than a consultation can")?;
        let before = self.diagnoses.insert(*consultation_id, (*patient_id, *visit));
        let due = self.due(*patient_id);
        let Some((_, counted)) = before else {
            due.diseases += diseases.len() as u64;
            return Ok(());
        };
        require(counted.is_none() || counted == *visit, "was counted as another visit before")?;
        let recorded = Diagnosis { visit: counted, ..diagnosis.clone() };
        require(replica.holds_as_it_is(&recorded.into()), "is changed after it was recorded")
    }

    /// Checks the removal of a diagnosis.
    pub(super) fn remove_diagnosis(&mut self, id: ConsultationId, voided: &BTreeSet<PatientId>) -> Result<(), What> {
        let before = self.diagnoses.remove(&id);
        require(
            before.is_none_or(|(patient, _)| voided.contains(&patient)),
            "is removed, but its patient is not voided",
        )
    }

    /// Notes that a history is written.
    pub(super) fn write(&mut self, history: History) {
        let id = history.patient_id;
        self.due(id);
        self.histories.insert(id, history);
    }

    /// Notes that a history is removed.
    pub(super) fn forget(&mut self, id: PatientId) {
        self.due.remove(&id);
        self.histories.remove(&id);
    }

    /// Checks the consultation of an invoice that was paid in this entry.
    pub(super) fn pay(&mut self, paid: &Invoice, prescriptions: &Prescriptions) -> Result<(), Contradiction> {
        let due = self.due(paid.patient_id);
        due.medicine = Some(paid.medicine.clone());
        due.dosage = paid.dosage.clone();
        let Some(held) = prescriptions.get(paid.prescription_id) else { return Ok(()) };
        let is_completed = self.held.get(&held.consultation_id).is_none_or(|visit| visit.is_completed);
        let key = || RecordKey::Consultation(held.consultation_id);
        require_of(is_completed, key, "is open, but an invoice of it was paid")
    }

    /// Notes an invoice that was refunded in this entry: the history names the last payment that still stands.
    pub(super) fn refund(&mut self, refunded: &Invoice, last: Option<&Standing>) {
        let id = refunded.patient_id;
        // A patient who was voided has no history.
        if self.histories.contains_key(&id) {
            let due = self.due(id);
            due.medicine = last.map(|last| last.medicine.clone());
            due.dosage = last.and_then(|last| last.dosage.clone());
        }
    }

    /// Checks a consultation that the entry touches.
    pub(super) fn check(&self, id: ConsultationId, prescriptions: &Prescriptions) -> Result<(), What> {
        let is_its_own = |of: &PrescriptionId| prescriptions.get(*of).is_some_and(|held| held.consultation_id == id);
        let has_its_own = self.held.get(&id).is_none_or(|visit| visit.prescription_ids.iter().all(is_its_own));
        require(has_its_own, "lists a prescription that is missing or not its own")
    }

    /// Checks a diagnosis that the entry touches.
    pub(super) fn check_diagnosis(&self, id: ConsultationId) -> Result<(), What> {
        let Some((patient, counted)) = self.diagnoses.get(&id) else { return Ok(()) };
        let visit = self.held.get(&id).filter(|visit| visit.patient_id == *patient);
        let visit = visit.ok_or("is of no consultation of its patient")?;
        require(visit.is_completed == counted.is_some(), "is not counted when its consultation is")?;
        let is_due = self.begun.contains(&id) || self.completed.contains_key(&id);
        require(is_due, "is put, but its consultation is neither begun nor completed")
    }

    pub(super) fn end(&mut self, prescriptions: &Prescriptions, paid: &[Invoice]) -> Result<(), Contradiction> {
        self.begun.clear();
        for (id, visit) in std::mem::take(&mut self.completed) {
            let is_counted = self.diagnoses.get(&id).is_none_or(|(_, counted)| *counted == Some(visit));
            let diagnosis = || RecordKey::Diagnosis(id);
            require_of(is_counted, diagnosis, "is not counted as the visit that its consultation is")?;
            let mut paid = paid.iter().filter_map(|paid| prescriptions.get(paid.prescription_id));
            let is_empty = self.held.get(&id).is_none_or(|visit| visit.prescription_ids.is_empty());
            let has_reason = is_empty || paid.any(|held| held.consultation_id == id);
            let consultation = || RecordKey::Consultation(id);
            require_of(has_reason, consultation, "is completed, but no invoice of it was paid")?;
        }
        while let Some((id, due)) = self.due.pop_first() {
            compare(self.histories.get(&id), &due).map_err(|what| Contradiction::of(RecordKey::History(id), what))?;
        }
        Ok(())
    }

    pub(super) fn close(&self) -> Result<(), Contradiction> {
        self.diagnoses.keys().try_for_each(|id| {
            let is_consultation = self.held.contains_key(id);
            require_of(is_consultation, || RecordKey::Diagnosis(*id), "is there, but its consultation is not")
        })
    }

    /// Returns the history before this entry, to be changed into the one that should follow.
    fn due(&mut self, id: PatientId) -> &mut History {
        let before = self.histories.get(&id);
        self.due.entry(id).or_insert_with(|| before.cloned().unwrap_or_else(|| History::new(id)))
    }
}

/// Compares a history as it was written with the one that is due.
fn compare(written: Option<&History>, due: &History) -> Result<(), What> {
    let written = written.ok_or("is missing, but a visit or a payment belongs in it")?;
    let History { patient_id: _, medicine, dosage, diseases, visits, lastvisit } = due;
    require(written.visits == *visits, "visits is not the number of completed consultations")?;
    require(written.lastvisit == *lastvisit, "lastvisit is not the latest day of a completed consultation")?;
    require(written.diseases == *diseases, "diseases is not the number of those that were recorded")?;
    let is_last = (&written.medicine, &written.dosage) == (medicine, dosage);
    require(is_last, "medicine and dosage are not those of the last payment that stands")
}

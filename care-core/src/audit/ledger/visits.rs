//! Consultations, and the histories in which they are counted.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Contradiction, What,
    bills::Bills,
    diagnoses::{ConsultationFacts, Diagnoses},
    prescriptions::{PrescriptionFacts, Prescriptions},
};
use crate::{
    audit::replica::Replica,
    model::{
        Consultation, ConsultationId, ConsultationState, Date, Diagnosis, History, Invoice, PatientId, PrescriptionId,
    },
    store::RecordKey,
};

#[derive(Debug, Default)]
pub(super) struct Visits {
    held: BTreeMap<ConsultationId, Visit>,
    diagnoses: Diagnoses,
    /// The histories as they were written.
    histories: BTreeMap<PatientId, History>,
    /// The histories that this entry should write, in the form that they should have.
    due: BTreeMap<PatientId, History>,
    touched: BTreeSet<ConsultationId>,
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
    pub(super) fn knows(&self, id: ConsultationId) -> bool {
        self.held.contains_key(&id)
    }

    /// Notes that this entry changes a part of the consultation.
    pub(super) fn touch(&mut self, id: ConsultationId) {
        self.touched.insert(id);
    }

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
        self.touched.insert(id);
        let completes = after.is_completed;
        if completes && self.held.get(&id).is_none_or(|before| !before.is_completed) {
            let due = self.due(after.patient_id);
            due.count_visit(consultation.date);
            let visit = due.visits;
            self.completed.insert(id, visit);
        }
        match self.held.insert(id, after) {
            None => {
                self.begun.insert(id);
                Ok(())
            }
            Some(before) if before.is_completed && !completes => Err("is open again after it was completed"),
            Some(before)
                if before.patient_id != consultation.patient_id
                    || before.date != consultation.date
                    || before.is_implicit != consultation.implicit =>
            {
                Err("is of another patient, day or kind than before")
            }
            _ => Ok(()),
        }
    }

    pub(super) fn remove(&mut self, id: ConsultationId, voided: &BTreeSet<PatientId>) -> Result<(), What> {
        match self.held.remove(&id) {
            Some(before) if voided.contains(&before.patient_id) => Ok(()),
            Some(before) if before.is_completed => Err("is removed after it was counted"),
            Some(before) if !before.is_implicit => Err("is removed, but its patient is not voided"),
            _ => Ok(()),
        }
    }

    /// Checks a diagnosis that is put.
    pub(super) fn diagnose(&mut self, diagnosis: &Diagnosis, replica: &Replica) -> Result<(), What> {
        let recorded = self.diagnoses.put(diagnosis, replica)?;
        self.due(diagnosis.patient_id).diseases += recorded;
        Ok(())
    }

    /// Checks the removal of a diagnosis.
    pub(super) fn forget_diagnosis(&mut self, id: ConsultationId, voided: &BTreeSet<PatientId>) -> Result<(), What> {
        self.diagnoses.remove(id, voided)
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
        let of = prescriptions.get(paid.prescription_id);
        let of = of.map(|held| held.consultation_id);
        match of.and_then(|id| Some((id, self.held.get(&id)?))) {
            Some((id, visit)) if !visit.is_completed => {
                Err(Contradiction::of(RecordKey::Consultation(id), "is open, but an invoice of it was paid"))
            }
            _ => Ok(()),
        }
    }

    /// Notes an invoice that was refunded in this entry: the history names the last payment that still stands.
    pub(super) fn refund(&mut self, refunded: &Invoice, bills: &Bills) {
        let id = refunded.patient_id;
        // A patient who was voided has no history.
        if !self.histories.contains_key(&id) {
            return;
        }
        let last = bills.last_of(id);
        let due = self.due(id);
        due.medicine = last.map(|last| last.medicine.clone());
        due.dosage = last.and_then(|last| last.dosage.clone());
    }

    pub(super) fn end(&mut self, prescriptions: &Prescriptions, bills: &Bills) -> Result<(), Contradiction> {
        let wrong = |id, what: What| Err(Contradiction::of(RecordKey::Consultation(id), what));
        while let Some(id) = self.touched.pop_first() {
            let Some(visit) = self.held.get(&id) else {
                continue;
            };
            let is_its_own =
                |of: &PrescriptionId| prescriptions.get(*of).is_some_and(|held| held.consultation_id == id);
            if !visit.prescription_ids.iter().all(is_its_own) {
                return wrong(id, "lists a prescription that is missing or not its own");
            }
        }
        let visited = |id| {
            let visit = self.held.get(&id)?;
            Some(ConsultationFacts { patient_id: visit.patient_id, is_completed: visit.is_completed })
        };
        self.diagnoses.end(&self.begun, &self.completed, visited)?;
        self.begun.clear();
        while let Some((id, _)) = self.completed.pop_first() {
            let is_paid = || {
                let paid = bills.paid().iter();
                paid.filter_map(|paid| prescriptions.get(paid.prescription_id)).any(|held| held.consultation_id == id)
            };
            let visit = self.held.get(&id);
            let is_empty = visit.is_none_or(|visit| visit.prescription_ids.is_empty());
            if !is_empty && !is_paid() {
                return wrong(id, "is completed, but no invoice of it was paid");
            }
        }
        while let Some((id, due)) = self.due.pop_first() {
            if let Some(what) = differs(self.histories.get(&id), &due) {
                return Err(Contradiction::of(RecordKey::History(id), what));
            }
        }
        Ok(())
    }

    pub(super) fn close(&self, is_patient: impl Fn(PatientId) -> bool) -> Result<(), Contradiction> {
        let what = "is there, but its patient is not";
        for (id, visit) in &self.held {
            if !is_patient(visit.patient_id) {
                return Err(Contradiction::of(RecordKey::Consultation(*id), what));
            }
        }
        self.diagnoses.close(|id| self.held.contains_key(&id))?;
        match self.histories.keys().find(|id| !is_patient(**id)) {
            Some(id) => Err(Contradiction::of(RecordKey::History(*id), what)),
            None => Ok(()),
        }
    }

    /// Returns the history before this entry, to be changed into the one that should follow.
    fn due(&mut self, id: PatientId) -> &mut History {
        let before = self.histories.get(&id);
        self.due.entry(id).or_insert_with(|| before.cloned().unwrap_or_else(|| History::new(id)))
    }
}

/// Returns the fault of a history, or `None`.
fn differs(written: Option<&History>, due: &History) -> Option<What> {
    let Some(written) = written else {
        return Some("is missing, but a visit or a payment belongs in it");
    };
    let History { patient_id: _, medicine, dosage, diseases, visits, lastvisit } = due;
    if written.visits != *visits {
        Some("visits is not the number of completed consultations")
    } else if written.lastvisit != *lastvisit {
        Some("lastvisit is not the latest day of a completed consultation")
    } else if written.diseases != *diseases {
        Some("diseases is not the number of those that were recorded")
    } else if written.medicine != *medicine || written.dosage != *dosage {
        Some("medicine and dosage are not those of the last payment that stands")
    } else {
        None
    }
}

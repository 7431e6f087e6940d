//! Diagnoses, and the visits as which they are counted.

use std::collections::{BTreeMap, BTreeSet};

use super::{Contradiction, What};
use crate::{
    audit::replica::Replica,
    model::{Consultation, ConsultationId, Diagnosis, PatientId},
    store::RecordKey,
};

#[derive(Debug, Default)]
pub(super) struct Diagnoses {
    held: BTreeMap<ConsultationId, DiagnosisFacts>,
    /// The consultations whose diagnosis this entry puts.
    touched: BTreeSet<ConsultationId>,
}

/// The fields of a diagnosis that the rules use.
#[derive(Debug, Clone, Copy)]
struct DiagnosisFacts {
    patient_id: PatientId,
    visit: Option<u64>,
}

/// The consultation of a diagnosis after the entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConsultationFacts {
    pub(super) patient_id: PatientId,
    pub(super) is_completed: bool,
}

impl Diagnoses {
    /// Checks a diagnosis that is put, and returns the number of diseases that it adds.
    pub(super) fn put(&mut self, diagnosis: &Diagnosis, replica: &Replica) -> Result<u64, What> {
        let id = diagnosis.consultation_id;
        self.touched.insert(id);
        let held = DiagnosisFacts { patient_id: diagnosis.patient_id, visit: diagnosis.visit };
        if diagnosis.diseases.len() > Consultation::MAX_DISEASES {
            return Err("holds more diseases than a consultation can");
        }
        let Some(before) = self.held.insert(id, held) else {
            return Ok(diagnosis.diseases.len() as u64);
        };
        if before.visit.is_some() && before.visit != diagnosis.visit {
            return Err("was counted as another visit before");
        }
        let recorded = Diagnosis { visit: before.visit, ..diagnosis.clone() };
        match replica.holds_as_it_is(&recorded.into()) {
            true => Ok(0),
            false => Err("is changed after it was recorded"),
        }
    }

    pub(super) fn remove(&mut self, id: ConsultationId, voided: &BTreeSet<PatientId>) -> Result<(), What> {
        match self.held.remove(&id) {
            Some(before) if !voided.contains(&before.patient_id) => Err("is removed, but its patient is not voided"),
            _ => Ok(()),
        }
    }

    /// Checks the diagnoses at the end of an entry, which begins and completes these consultations.
    pub(super) fn end(
        &mut self,
        begun: &BTreeSet<ConsultationId>,
        completed: &BTreeMap<ConsultationId, u64>,
        visited: impl Fn(ConsultationId) -> Option<ConsultationFacts>,
    ) -> Result<(), Contradiction> {
        let wrong = |id, what: What| Err(Contradiction::of(RecordKey::Diagnosis(id), what));
        while let Some(id) = self.touched.pop_first() {
            let Some(held) = self.held.get(&id) else {
                continue;
            };
            match visited(id) {
                Some(visit) if visit.patient_id == held.patient_id => {
                    if visit.is_completed != held.visit.is_some() {
                        return wrong(id, "is not counted when its consultation is");
                    }
                    if !begun.contains(&id) && !completed.contains_key(&id) {
                        return wrong(id, "is put, but its consultation is neither begun nor completed");
                    }
                }
                _ => return wrong(id, "is of no consultation of its patient"),
            }
        }
        for (id, visit) in completed {
            if self.held.get(id).is_some_and(|held| held.visit != Some(*visit)) {
                return wrong(*id, "is not counted as the visit that its consultation is");
            }
        }
        Ok(())
    }

    pub(super) fn close(&self, is_consultation: impl Fn(ConsultationId) -> bool) -> Result<(), Contradiction> {
        match self.held.keys().find(|id| !is_consultation(**id)) {
            Some(id) => Err(Contradiction::of(RecordKey::Diagnosis(*id), "is there, but its consultation is not")),
            None => Ok(()),
        }
    }
}

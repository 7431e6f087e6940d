//! Patient histories.

use serde::{Deserialize, Serialize};

use crate::{
    error::{Conflict, Error},
    kinds::RecordKind,
    model::{ConsultationId, Date, Diagnosis, Disease, History, Patient, PatientHistory, PatientId},
    service::{
        CareService,
        base::{answer::UseCaseAnswer, draft::Draft},
    },
    store::{RecordKey, Seen, Stop, Versioned},
};

/// A history without its diseases: the part on which a payment decides, and the part of its answer that a reply stores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Head {
    pub(crate) history: PatientHistory,
    /// Whether the patient has a recorded disease.
    has_diseases: bool,
}

impl UseCaseAnswer for Head {
    fn read(&self) -> Option<RecordKey> {
        Some(RecordKey::History(self.history.patient_id))
    }
}

impl CareService {
    /// Returns the history of a patient (operation 4). Its version changes with the history's and with the patient's.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the patient, and the store's failures.
    pub async fn history(&self, id: PatientId) -> Result<Versioned<PatientHistory>, Error> {
        self.ask(|seen| {
            let Versioned { version, record: Head { history, has_diseases } } = stored(seen, id)?;
            if !has_diseases {
                return Ok(Versioned { version, record: history });
            }
            let diagnoses = seen.all(Diagnosis::of_patient(id))?;
            Ok(Versioned { version, record: history.with(diagnoses.map(|found| found.record)) })
        })
        .await
    }

    /// Returns a history with the diseases of its visits, as they are stored now. There are none when the patient was
    /// voided in between.
    pub(crate) async fn with_diseases(&self, head: Head) -> Result<PatientHistory, Error> {
        let Head { history, has_diseases } = head;
        if !has_diseases {
            return Ok(history);
        }
        self.ask(|seen| {
            let diagnoses = seen.all(Diagnosis::of_patient(history.patient_id))?;
            Ok(history.clone().with(diagnoses.map(|found| found.record)))
        })
        .await
    }
}

impl Head {
    pub(crate) fn of(history: History, patient: &Patient) -> Self {
        Self { has_diseases: history.diseases > 0, history: history.of(patient) }
    }
}

/// Returns the stored head of a patient's history, with the version that [`CareService::history`] gives it.
pub(crate) fn stored(seen: &Seen, id: PatientId) -> Result<Versioned<Head>, Stop> {
    let patient = seen.get::<Patient>(id)?.ok_or(Error::NotFound(RecordKind::Patient))?;
    let history = seen.get::<History>(id)?;
    let version = history.as_ref().map_or(patient.version, |history| history.version.max(patient.version));
    let history = history.map_or_else(|| History::new(id), |history| history.record.clone());
    Ok(Versioned { version, record: Head::of(history, patient.record) })
}

/// Records the diseases of a new consultation.
pub(crate) fn diagnose(
    draft: &mut Draft<'_>,
    consultation_id: ConsultationId,
    patient_id: PatientId,
    diseases: &[Disease],
) -> Result<(), Stop> {
    if diseases.is_empty() {
        return Ok(());
    }
    let mut history = of(draft, patient_id)?;
    history.diseases += diseases.len() as u64;
    if history.diseases > History::MAX_DISEASES {
        return Err(Conflict::HistoryFull.into());
    }
    draft.put(history);
    draft.put(Diagnosis { consultation_id, patient_id, visit: None, diseases: diseases.to_vec() });
    Ok(())
}

/// Counts a completed consultation as the patient's next visit.
pub(super) fn count_visit(
    draft: &mut Draft<'_>,
    consultation_id: ConsultationId,
    patient_id: PatientId,
    date: Date,
) -> Result<(), Stop> {
    let mut history = of(draft, patient_id)?;
    history.count_visit(date);
    if let Some(diagnosis) = draft.get::<Diagnosis>(consultation_id)? {
        draft.put(Diagnosis { visit: Some(history.visits), ..diagnosis });
    }
    draft.put(history);
    Ok(())
}

/// Returns the patient's history, after the changes until now.
pub(crate) fn of(draft: &Draft<'_>, id: PatientId) -> Result<History, Stop> {
    Ok(draft.get::<History>(id)?.unwrap_or_else(|| History::new(id)))
}

//! Patient histories.

use serde::{Deserialize, Serialize};

use crate::{
    error::{Conflict, Error},
    kinds::RecordKind,
    model::{ConsultationId, Date, Diagnosis, Disease, History, Patient, PatientHistory, PatientId},
    service::{
        CareService,
        base::{
            answer::UseCaseAnswer,
            bounds::{self, Budget},
            draft::Draft,
        },
    },
    store::{RecordKey, Seen, Stop, Versioned},
};

/// A history without its diseases: the part on which a payment decides, and the part of its answer that a reply stores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Head {
    pub(crate) history: PatientHistory,
    /// The number of the patient's recorded diseases.
    diseases: u64,
}

/// The most diseases that are read from one snapshot, which is less than a quantum of work.
const AT_ONCE: u64 = 400;
/// The number of times that a longer history which keeps changing is read again, before it is read from one snapshot.
const REREADS: usize = 3;

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
        for _ in 0..REREADS {
            let read = self.ask(|seen| {
                let Versioned { version, record: head } = stored(seen, id)?;
                Ok(Versioned { version, record: head.whole_within(seen, AT_ONCE)? })
            });
            let Versioned { version, record } = read.await?;
            let head = match record {
                Ok(record) => return Ok(Versioned { version, record }),
                Err(head) => head,
            };
            let record = self.with_pages(head).await?;
            // Each change of a diagnosis changes the history as well.
            if self.ask(|seen| Ok(stored(seen, id)?.version)).await? == version {
                return Ok(Versioned { version, record });
            }
        }
        self.ask(|seen| {
            let Versioned { version, record: head } = stored(seen, id)?;
            let whole = head.whole_within(seen, u64::MAX)?;
            Ok(Versioned { version, record: whole.unwrap_or_else(|head| head.history) })
        })
        .await
    }

    /// Adds the diseases to a history, as they are stored now, page by page.
    async fn with_pages(&self, Head { history, .. }: Head) -> Result<PatientHistory, Error> {
        let mut diagnoses = Vec::new();
        let list = |after| Diagnosis::list_of_patient(history.patient_id, after);
        self.walk(&mut Budget::of(bounds::DIAGNOSES), list, |diagnosis| diagnoses.push(diagnosis)).await?;
        Ok(history.clone().with(&diagnoses))
    }

    /// Returns a history with the diseases of its visits, as they are stored now. There are none when the patient was
    /// voided in between.
    pub(crate) async fn with_diseases(&self, head: Head) -> Result<PatientHistory, Error> {
        if head.diseases == 0 {
            return Ok(head.history);
        }
        match self.ask(|seen| head.clone().whole_within(seen, AT_ONCE)).await? {
            Ok(history) => Ok(history),
            Err(head) => self.with_pages(head).await,
        }
    }
}

impl Head {
    pub(crate) fn of(history: History, patient: &Patient) -> Self {
        Self { diseases: history.diseases, history: history.of(patient) }
    }

    /// Adds the diseases, unless there are more than these.
    fn whole_within(self, seen: &Seen, most: u64) -> Result<Result<PatientHistory, Self>, Stop> {
        if self.diseases == 0 {
            return Ok(Ok(self.history));
        }
        if self.diseases > most {
            return Ok(Err(self));
        }
        let diagnoses = seen.all(Diagnosis::of_patient(self.history.patient_id))?;
        Ok(Ok(self.history.with(diagnoses.map(|found| found.record))))
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

//! Patient histories.

use super::{CareService, draft::Draft};
use crate::{
    error::{Error, Kind},
    model::{History, Patient, PatientHistory, PatientId},
    store::{RecordKey, Stop, Versioned},
};

impl CareService {
    /// The history of a patient (operation 4). Its version moves with the history's and with the patient's.
    ///
    /// # Errors
    /// [`Error::NotFound`] for the patient, and the store's failures.
    pub async fn history(&self, id: PatientId) -> Result<Versioned<PatientHistory>, Error> {
        self.ask(|seen| {
            seen.get::<Patient>(id)?.ok_or(Error::NotFound(Kind::Patient))?;
            let history = seen.take::<History>(id)?;
            let patient = seen.get::<Patient>(id)?.ok_or(Error::NotFound(Kind::Patient))?;
            let version = history.as_ref().map_or(patient.version, |history| history.version.max(patient.version));
            let history = history.map_or_else(|| History::new(id), |history| history.record);
            Ok(Versioned { version, record: history.of(patient.record) })
        })
        .await
    }
}

/// The history of a patient as it is stored, with the version that [`CareService::history`] gives it.
pub(super) fn stored(draft: &Draft<'_>, id: PatientId) -> Result<Versioned<PatientHistory>, Stop> {
    let patient = draft.stored::<Patient>(RecordKey::Patient(id))?.ok_or(Error::NotFound(Kind::Patient))?;
    let history = draft.stored::<History>(RecordKey::History(id))?;
    let version = history.as_ref().map_or(patient.version, |history| history.version.max(patient.version));
    let history = history.map_or_else(|| History::new(id), |history| history.record);
    Ok(Versioned { version, record: history.of(&patient.record) })
}

//! Patients.

use super::{
    CareService, ExpectedVersion, Page,
    base::{answer::WriteAnswer, draft::Draft, new_values::refuse},
    effects::demand,
};
use crate::{
    error::{Conflict, Error, Kind},
    model::{Consultation, Diagnosis, FindText, History, Invoice, Patient, PatientDetails, PatientId, Prescription},
    operation::Operation,
    store::{Ask, Counter, Decision, Key, Limit, PatientFilter, RecordKey, Seen, Series, Stop, Versioned, Voided},
};

impl CareService {
    /// Returns the patient with this number (operation 2).
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn patient(&self, id: PatientId) -> Result<Versioned<Patient>, Error> {
        self.ask(|seen| Ok(seen.take::<Patient>(id)?.ok_or(Error::NotFound(Kind::Patient))?)).await
    }

    /// Returns a page of patients by number, after the given one.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn patients(
        &self,
        filter: PatientFilter,
        after: Option<PatientId>,
        limit: impl Into<Limit>,
    ) -> Result<Page<Patient>, Error> {
        self.page(Patient::list(&filter, after), limit).await
    }

    /// Returns the patients that match a text, the best first: those of whose name more words are whole words of the
    /// text, then those with more beginnings of words or of the mail address, then those by their numbers. `more` says
    /// that others may match.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn find_patients(&self, text: FindText, limit: impl Into<Limit>) -> Result<Page<Patient>, Error> {
        self.page(Patient::found(text), limit).await
    }

    /// Registers a patient under the smallest number above the last given one that no patient has or had.
    ///
    /// # Errors
    /// [`Conflict::NoNumberLeft`], and the store's failures.
    pub async fn register_patient(&self, details: PatientDetails) -> Result<Versioned<Patient>, Error> {
        self.write(self.request(Operation::AddPatient, (None::<PatientId>, &details))?, move |draft| {
            Ok(WriteAnswer::Put(register(draft, None, &details)?))
        })
        .await
    }

    /// Registers a patient under this number.
    ///
    /// # Errors
    /// [`Conflict::PatientExists`] when a patient has or had the number, and the store's failures.
    pub async fn register_patient_as(
        &self,
        id: PatientId,
        details: PatientDetails,
    ) -> Result<Versioned<Patient>, Error> {
        self.write(self.request(Operation::AddPatient, (Some(id), &details))?, move |draft| {
            Ok(WriteAnswer::Put(register(draft, Some(id), &details)?))
        })
        .await
    }

    /// Changes the fields of a patient that the details name (operation 3). `lastvisit` is never earlier than the
    /// latest completed consultation: an earlier day, or a cleared one, becomes that consultation's.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], and the store's failures.
    pub async fn update_patient(
        &self,
        id: PatientId,
        details: PatientDetails,
        expected: ExpectedVersion,
    ) -> Result<Versioned<Patient>, Error> {
        self.write(self.request(Operation::UpdatePatient, (id, &details, &expected))?, move |draft| {
            let found = draft.stored::<Patient>(Ask::record(id))?;
            refuse(details.faults(found.as_ref().map(|found| &found.record)))?;
            let found = found.ok_or(Error::NotFound(Kind::Patient))?;
            expected.check(Kind::Patient, &found)?;
            let mut patient = found.record.clone().with(details.clone());
            // A client that has read the record before a visit was completed must not remove the visit.
            if patient.lastvisit < found.record.lastvisit {
                let history = draft.get::<History>(id)?;
                patient.lastvisit = patient.lastvisit.max(history.and_then(|history| history.lastvisit));
            }
            draft.put(patient.clone());
            Ok(WriteAnswer::over(&found, patient))
        })
        .await
    }

    /// Voids a patient: the number is never used again, active prescriptions are withdrawn, and all records of the
    /// patient but the paid invoices are removed.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], [`Conflict::UnpaidInvoice`], and the store's failures.
    pub async fn void_patient(&self, id: PatientId, expected: ExpectedVersion) -> Result<(), Error> {
        self.remove_record(self.request(Operation::DeletePatient, (id, &expected))?, move |draft| {
            draft.need([RecordKey::Patient(id).into(), Invoice::unpaid_of(id).into()])?;
            expected.stored::<Patient>(draft, Kind::Patient, id)?;
            if draft.stored(Invoice::unpaid_of(id))?.is_some() {
                return Err(Conflict::UnpaidInvoice.into());
            }
            void(draft, id)
        })
        .await
    }
}

/// Returns [`CareService::register_patient`] as a decision, for a store that runs many of them in one transaction.
///
/// ```
/// use care_core::{
///     model::{PatientDetails, Timestamp},
///     operation::JournalOperation,
///     service::registration,
///     store::{Act, Journal, MemoryStore, Seq},
/// };
///
/// # futures_executor::block_on(async {
/// let at = Timestamp::from_unix_millis(0)?;
/// let act = Act { actor: "import".into(), operation: JournalOperation::ImportPatients, at, until: None };
/// let store = MemoryStore::new();
/// let seq = store.transact(act, registration(None, PatientDetails::default())).await?;
/// assert_eq!(seq, Some(Seq::new(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn registration(id: Option<PatientId>, details: PatientDetails) -> Decision {
    Box::new(move |seen: &Seen| {
        let mut draft = Draft::new(seen);
        register(&mut draft, id, &details)?;
        Ok(draft.into_changes().into())
    })
}

/// Removes all records of a patient but the paid invoices.
pub(super) fn void(draft: &mut Draft<'_>, id: PatientId) -> Result<(), Stop> {
    let records = [RecordKey::History(id), RecordKey::Patient(id), RecordKey::Voided(id)].map(Key::Record);
    draft.need(records.into_iter().chain([
        Prescription::of_patient(id).into(),
        Consultation::of_patient(id).into(),
        Diagnosis::of_patient(id).into(),
    ]))?;
    let prescriptions = draft.all(Prescription::of_patient(id))?;
    // A completed prescription no longer recurs, and was paid, so its counts stay.
    let active = || prescriptions.iter().filter(|prescription| prescription.is_active());
    draft.need(active().flat_map(demand::counts))?;
    for prescription in active() {
        demand::account(draft, Some((prescription, false)), None)?;
    }
    for prescription in &prescriptions {
        draft.remove(RecordKey::Prescription(prescription.prescription_id));
    }
    for diagnosis in draft.all(Diagnosis::of_patient(id))? {
        draft.remove(RecordKey::Diagnosis(diagnosis.consultation_id));
    }
    for consultation in draft.all(Consultation::of_patient(id))? {
        draft.remove(RecordKey::Consultation(consultation.consultation_id));
    }
    if draft.get::<History>(id)?.is_some() {
        draft.remove(RecordKey::History(id));
    }
    draft.remove(RecordKey::Patient(id));
    draft.put(Voided { patient_id: id });
    Ok(())
}

fn register(draft: &mut Draft<'_>, id: Option<PatientId>, details: &PatientDetails) -> Result<Patient, Stop> {
    refuse(details.faults(None))?;
    let id = match id {
        Some(id) => unused(draft, id)?,
        None => give_number(draft)?,
    };
    let patient = Patient::new(id).with(details.clone());
    draft.put(patient.clone());
    Ok(patient)
}

fn unused(draft: &Draft<'_>, id: PatientId) -> Result<PatientId, Stop> {
    draft.need([RecordKey::Patient(id), RecordKey::Voided(id)].map(Key::Record))?;
    if draft.get::<Patient>(id)?.is_some() || draft.get::<Voided>(id)?.is_some() {
        return Err(Conflict::PatientExists.into());
    }
    Ok(id)
}

/// Returns the next patient number. It is counted apart from the numbers that clients choose, so that a patient
/// numbered 2^63-1 does no harm.
fn give_number(draft: &mut Draft<'_>) -> Result<PatientId, Stop> {
    let given = draft.get::<Counter>(Series::Patient)?.map_or(0, |counter| counter.last);
    let free = draft.seen().number(Patient::free_number(given))?.ok_or(Conflict::NoNumberLeft)?;
    let last = i64::try_from(free).map_err(|_| Conflict::NoNumberLeft)?;
    draft.put(Counter { series: Series::Patient, last });
    PatientId::try_from(last).map_err(|_| Conflict::NoNumberLeft.into())
}

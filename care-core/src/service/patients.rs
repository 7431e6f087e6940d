//! Patients.

use std::{ops::RangeInclusive, sync::Arc};

use super::{
    CareService, ExpectedVersion, Page,
    base::{answer::WriteAnswer, draft::Draft, new_values::refuse},
    effects::{demand, owned},
};
use crate::{
    error::{Conflict, Error},
    model::{Date, FindText, History, Invoice, Patch, Patient, PatientDetails, PatientId, Prescription},
    operation::Operation,
    store::{
        Ask, Counter, Decision, Entity, Key, Limit, PatientFilter, RecordKey, Seen, Series, Stop, Versioned, Voided,
    },
};

impl CareService {
    /// Returns the patient with this number (operation 2), whose age is that of today.
    ///
    /// # Errors
    /// [`Error::NotFound`], and the store's failures.
    pub async fn patient(&self, id: PatientId) -> Result<Versioned<Patient>, Error> {
        let found = self.stored::<Patient>(id).await?;
        self.aged(found)
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
        self.all_aged(self.page(Patient::list(&filter, after), limit).await?)
    }

    /// Returns the patients that match a text, the best first: those of whose name more words are whole words of the
    /// text, then those with more beginnings of words or of the mail address, then those by their numbers. `more` says
    /// that others may match. Of a [similar](FindText::similar) text the nearest names come first, those alike by name.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn find_patients(&self, text: FindText, limit: impl Into<Limit>) -> Result<Page<Patient>, Error> {
        self.all_aged(self.page(Patient::found(text), limit).await?)
    }

    /// Registers a patient under the smallest number above the last given one that no patient has or had.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an age that does not follow from the day of birth; [`Conflict::NoNumberLeft`]; and the
    /// store's failures.
    pub async fn register_patient(&self, details: PatientDetails) -> Result<Versioned<Patient>, Error> {
        self.register(None, details).await
    }

    /// Registers a patient under this number.
    ///
    /// # Errors
    /// [`Error::Invalid`] as of [`register_patient`](Self::register_patient); [`Conflict::PatientExists`] when a
    /// patient has or had the number; and the store's failures.
    pub async fn register_patient_as(
        &self,
        id: PatientId,
        details: PatientDetails,
    ) -> Result<Versioned<Patient>, Error> {
        self.register(Some(id), details).await
    }

    async fn register(&self, id: Option<PatientId>, details: PatientDetails) -> Result<Versioned<Patient>, Error> {
        let today = self.today();
        let registered = self.write(self.request(Operation::AddPatient, (id, &details))?, move |draft| {
            let today = today.clone()?;
            let patient = register(draft, id, &details, today, &PatientNumbers::default())?;
            Ok(WriteAnswer::Put(patient.on(today)))
        });
        registered.await
    }

    /// Returns a registration as of today as a decision, for a store that runs many of them in one transaction. A
    /// patient without a number gets none of the reserved ones.
    ///
    /// ```
    /// use care_core::{
    ///     model::PatientDetails,
    ///     operation::JournalOperation,
    ///     service::CareService,
    ///     store::{Act, MemoryStore, Seq},
    /// };
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new());
    /// let act = Act::new("import", JournalOperation::ImportPatients, care.now());
    /// let decision = care.registration(None, PatientDetails::default(), &Default::default());
    /// let seq = care.store().transact(act, decision).await?;
    /// assert_eq!(seq, Some(Seq::new(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn registration(
        &self,
        id: Option<PatientId>,
        details: PatientDetails,
        reserved: &Arc<PatientNumbers>,
    ) -> Decision {
        let (today, reserved) = (self.today(), Arc::clone(reserved));
        Box::new(move |seen: &Seen| {
            let mut draft = Draft::new(seen);
            register(&mut draft, id, &details, today.clone()?, &reserved)?;
            Ok(draft.into_changes().into())
        })
    }

    /// Changes the fields of a patient that the details name (operation 3). `lastvisit` is never earlier than the
    /// latest completed consultation: an earlier day, or a cleared one, becomes that consultation's.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an age that does not follow from the day of birth; [`Error::NotFound`], [`Error::Stale`],
    /// and the store's failures.
    pub async fn update_patient(
        &self,
        id: PatientId,
        details: PatientDetails,
        expected: ExpectedVersion,
    ) -> Result<Versioned<Patient>, Error> {
        self.update(id, details, expected, false).await
    }

    /// Changes a patient as [`update_patient`](Self::update_patient), for a client that knows no day of birth: an age
    /// beside a stored one has no effect.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an age outside 0 to 150; [`Error::NotFound`], [`Error::Stale`], and the store's failures.
    pub async fn update_documented_patient(
        &self,
        id: PatientId,
        details: PatientDetails,
        expected: ExpectedVersion,
    ) -> Result<Versioned<Patient>, Error> {
        self.update(id, details, expected, true).await
    }

    async fn update(
        &self,
        id: PatientId,
        details: PatientDetails,
        expected: ExpectedVersion,
        drops_age: bool,
    ) -> Result<Versioned<Patient>, Error> {
        let today = self.today();
        let updated = self.write(self.request(Operation::UpdatePatient, (id, &details, &expected))?, move |draft| {
            let today = today.clone()?;
            let found = draft.stored::<Patient>(Ask::record(id))?;
            let stored = found.as_ref().map(|found| &found.record);
            let mut details = details.clone();
            let broken = details.faults(stored);
            if drops_age && stored.is_some_and(|stored| stored.birth_date.is_some()) {
                details.age = Patch::Keep;
            }
            refuse(broken.into_iter().chain(details.contradictions(stored, today)))?;
            let found = expected.found(found)?;
            let mut patient = found.record.clone().updated(details, today);
            // A client that has read the record before a visit was completed must not remove the visit.
            if patient.lastvisit < found.record.lastvisit {
                let history = draft.get::<History>(id)?;
                patient.lastvisit = patient.lastvisit.max(history.and_then(|history| history.lastvisit));
            }
            draft.put(patient.clone());
            Ok(WriteAnswer::over(&found, patient).map(|patient| patient.on(today)))
        });
        updated.await
    }

    /// Voids a patient: the number is never used again, active prescriptions are withdrawn, and all records of the
    /// patient are removed but those of the facility's books: paid invoices, and what belongs to these.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Stale`], [`Conflict::UnpaidInvoice`], and the store's failures:
    /// [`StoreErrorKind::Excessive`](crate::error::StoreErrorKind::Excessive) when the patient has more records than
    /// one decision may load.
    pub async fn void_patient(&self, id: PatientId, expected: ExpectedVersion) -> Result<(), Error> {
        self.remove_record(self.request(Operation::DeletePatient, (id, &expected))?, move |draft| {
            draft.need([RecordKey::Patient(id).into(), Invoice::unpaid_of(id).into()])?;
            expected.stored::<Patient>(draft, id)?;
            if draft.stored(Invoice::unpaid_of(id))?.is_some() {
                return Err(Conflict::UnpaidInvoice.into());
            }
            void(draft, id)
        })
        .await
    }

    /// Returns a patient with the age of today. The day is asked for only where the age follows from it.
    fn aged(&self, found: Versioned<Patient>) -> Result<Versioned<Patient>, Error> {
        match found.birth_date {
            Some(_) => self.today().map(|today| found.map(|patient| patient.on(today))),
            None => Ok(found),
        }
    }

    fn all_aged(&self, Page { items, more }: Page<Patient>) -> Result<Page<Patient>, Error> {
        let items = items.into_iter().map(|found| self.aged(found)).collect::<Result<_, _>>()?;
        Ok(Page { items, more })
    }
}

/// Removes a patient, and all records of the patient whose kind does not say that they are kept.
pub(super) fn void(draft: &mut Draft<'_>, id: PatientId) -> Result<(), Stop> {
    let removed = owned::removed_on_void(draft, id)?;
    demand::forget(draft, removed.iter().filter_map(Prescription::from_record))?;
    for record in &removed {
        draft.remove(record.key());
    }
    draft.remove(RecordKey::Patient(id));
    draft.put(Voided { patient_id: id });
    Ok(())
}

fn register(
    draft: &mut Draft<'_>,
    id: Option<PatientId>,
    details: &PatientDetails,
    today: Date,
    reserved: &PatientNumbers,
) -> Result<Patient, Stop> {
    refuse(details.faults(None).into_iter().chain(details.contradictions(None, today)))?;
    let id = match id {
        Some(id) => unused(draft, id)?,
        None => give_number(draft, reserved)?,
    };
    let patient = Patient::new(id).updated(details.clone(), today);
    draft.put(patient.clone());
    Ok(patient)
}

/// A set of patient numbers, as runs of neighbours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatientNumbers(Vec<RangeInclusive<i64>>);

impl PatientNumbers {
    /// Returns the end of the run that a number is in.
    fn run_of(&self, number: i64) -> Option<i64> {
        let at = self.0.partition_point(|run| *run.end() < number);
        self.0.get(at).filter(|run| run.contains(&number)).map(|run| *run.end())
    }
}

impl FromIterator<PatientId> for PatientNumbers {
    fn from_iter<I: IntoIterator<Item = PatientId>>(numbers: I) -> Self {
        let mut numbers: Vec<_> = numbers.into_iter().map(|id| id.value()).collect();
        numbers.sort_unstable();
        let mut runs: Vec<RangeInclusive<i64>> = Vec::new();
        for number in numbers {
            match runs.last_mut() {
                Some(run) if number - 1 <= *run.end() => *run = *run.start()..=number,
                _ => runs.push(number..=number),
            }
        }
        Self(runs)
    }
}

fn unused(draft: &Draft<'_>, id: PatientId) -> Result<PatientId, Stop> {
    draft.need([RecordKey::Patient(id), RecordKey::Voided(id)].map(Key::Record))?;
    if draft.get::<Patient>(id)?.is_some() || draft.get::<Voided>(id)?.is_some() {
        return Err(Conflict::PatientExists.into());
    }
    Ok(id)
}

/// Returns the next patient number that is not reserved. It is counted apart from the numbers that clients choose, so
/// that a patient numbered 2^63-1 does no harm.
fn give_number(draft: &mut Draft<'_>, reserved: &PatientNumbers) -> Result<PatientId, Stop> {
    let mut given = draft.get::<Counter>(Series::Patient)?.map_or(0, |counter| counter.last);
    let last = loop {
        let free = draft.seen().number(Patient::free_number(given))?.ok_or(Conflict::NoNumberLeft)?;
        let free = i64::try_from(free).map_err(|_| Conflict::NoNumberLeft)?;
        match reserved.run_of(free) {
            Some(last) => given = last,
            None => break free,
        }
    };
    draft.put(Counter { series: Series::Patient, last });
    PatientId::try_from(last).map_err(|_| Conflict::NoNumberLeft.into())
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    };

    use futures_executor::block_on;

    use super::*;
    use crate::{model::Timestamp, store::MemoryStore};

    const NOON: i64 = 1_773_576_000_000;
    const DAY: i64 = 86_400_000;

    #[test]
    fn an_age_follows_the_birthday_and_a_version_keeps_that_of_its_day() {
        let millis = Arc::new(AtomicI64::new(NOON));
        let clock = {
            let millis = Arc::clone(&millis);
            move || Timestamp::from_unix_millis(millis.load(Ordering::Relaxed)).unwrap()
        };
        let care = CareService::new(MemoryStore::new()).with_clock(clock);
        block_on(async {
            let details = PatientDetails {
                birth_date: "16/03/1990".parse::<Date>().unwrap().into(),
                ..PatientDetails::default()
            };
            let born = care.register_patient(details).await?;
            let (id, first) = (born.patient_id, born.version);
            let age = |patient: &Patient| patient.age.map(|age| age.value());
            assert_eq!(age(&born), Some(35));
            millis.fetch_add(DAY, Ordering::Relaxed);
            let patient = care.patient(id).await?;
            assert_eq!((age(&patient), patient.version), (Some(36), first));
            assert_eq!(age(&care.patients(PatientFilter::default(), None, 1).await?.items[0]), Some(36));
            // The only version is the newest.
            assert_eq!(care.patient_as_of(id, first).await?.map(|past| age(&past.found)), Some(Some(36)));
            // A record that was read before the birthday is refused after it.
            let update = |details| care.update_patient(id, details, ExpectedVersion::Any);
            let before = PatientDetails { age: 35.try_into().map(Patch::Set).unwrap(), ..PatientDetails::default() };
            assert!(matches!(update(before).await, Err(Error::Invalid(faults)) if faults[0].field == "age"));
            let second = update(PatientDetails::named("Cai").unwrap()).await?.version;
            millis.fetch_add(366 * DAY, Ordering::Relaxed);
            let past = |at| care.patient_as_of(id, at);
            assert_eq!(past(first).await?.map(|past| age(&past.found)), Some(Some(35)));
            assert_eq!(past(second).await?.map(|past| age(&past.found)), Some(Some(37)));
            // Without the day, the age is that of the day on which it went, from then on.
            let cleared = update(PatientDetails { birth_date: Patch::Clear, ..PatientDetails::default() }).await?;
            millis.fetch_add(366 * DAY, Ordering::Relaxed);
            assert_eq!((age(&cleared), age(&*care.patient(id).await?)), (Some(37), Some(37)));
            assert_eq!(past(second).await?.map(|past| age(&past.found)), Some(Some(36)));
            Ok::<_, Error>(())
        })
        .unwrap();
    }
}

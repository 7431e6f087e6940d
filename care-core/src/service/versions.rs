//! Earlier versions of records.

use super::{CareService, LiveItem, history::Head};
use crate::{
    error::{Error, Kind},
    model::{
        Consultation, ConsultationId, Diagnosis, History, Item, MedicineKey, Patient, PatientConsultation,
        PatientHistory, PatientId, Stock,
    },
    store::{Change, Entity, Limit, Revision, Seq, Versioned},
};

/// A record in an earlier version.
#[derive(Debug, Clone, PartialEq)]
pub struct Past<T> {
    /// The record, and the journal entry that put it.
    pub found: Versioned<T>,
    /// The version before this one; [`Seq::ZERO`] when this is the first.
    pub before: Seq,
}

impl CareService {
    /// Returns a record as it was after this journal entry: its newest version that is not above `at`. Returns `None`
    /// when it did not exist then, or does not exist now.
    ///
    /// The journal is followed back from the record's newest version, or from a later one that the store finds at once
    /// ([`Journal::landmark`](crate::store::Journal::landmark)). It costs a read of the journal for each version that is
    /// passed over: with the landmarks of a store about four of them, however many there are.
    ///
    /// ```
    /// use care_core::{
    ///     model::{Patient, PatientDetails, PatientId, Patch},
    ///     service::{CareService, ExpectedVersion},
    ///     store::{MemoryStore, Seq},
    /// };
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new());
    /// let id = care.register_patient(PatientDetails::default()).await?.patient_id;
    /// let details = PatientDetails { age: Patch::Set(40.try_into()?), ..PatientDetails::default() };
    /// care.update_patient(id, details, ExpectedVersion::Any).await?;
    /// let first = care.as_of::<Patient>(id, Seq::new(1)).await?.ok_or("registered by entry 1")?;
    /// assert_eq!(first.found.record.age, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The store's failures.
    pub async fn as_of<E: Entity>(&self, id: E::Id, at: Seq) -> Result<Option<Past<E>>, Error> {
        let key = E::key(id);
        let newest = self.ask(|seen| Ok(seen.one::<E>(key.clone().into())?.map(|found| found.version))).await?;
        let mut version = newest.unwrap_or_default();
        if at < version
            && let Some(nearer) = self.store.landmark(&key, at).await?.filter(|nearer| *nearer >= at)
        {
            // It may have been written since the newest was read.
            version = version.min(nearer);
        }
        while version != Seq::ZERO {
            let entry = self.store.journal(Seq::new(version.value() - 1), Limit::items(1)).await?.items.pop();
            let revision = entry.as_ref().and_then(|entry| entry.revision_of(&key));
            let Some(Revision { change: Change::Put(record), replaced: before }) = revision else {
                break;
            };
            if version <= at {
                let record = E::from_record(record).cloned();
                return Ok(record.map(|record| Past { found: Versioned { version, record }, before: *before }));
            }
            // A version must replace an earlier one; otherwise this loop would not end.
            version = (*before).min(Seq::new(version.value() - 1));
        }
        Ok(None)
    }

    /// Returns a consultation as it was after this journal entry.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn consultation_as_of(
        &self,
        id: ConsultationId,
        at: Seq,
    ) -> Result<Option<Past<PatientConsultation>>, Error> {
        let Some(past) = self.as_of::<Consultation>(id, at).await? else {
            return Ok(None);
        };
        // A diagnosis is recorded with the consultation and never changes.
        let diagnosed = self.ask(|seen| Ok(seen.take::<Diagnosis>(id)?.map(|found| found.record.diseases))).await?;
        let found = past.found.map(|consultation| consultation.with(diagnosed.unwrap_or_default()));
        Ok(Some(Past { found, before: past.before }))
    }

    /// Returns an inventory item as it was after this journal entry, with the stock and hold of then. Expiry is
    /// compared with today.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the item does not exist, or did not exist then; and the store's failures.
    pub async fn item_as_of(&self, medicine: MedicineKey, at: Seq) -> Result<Past<LiveItem>, Error> {
        let today = self.today()?;
        let item = self.as_of::<Item>(medicine.clone(), at).await?.ok_or(Error::NotFound(Kind::Item))?;
        let stock = self.as_of::<Stock>(medicine, at).await?.map(|past| past.found.record);
        Ok(Past { found: item.found.map(|item| LiveItem::new(item, stock.as_ref(), today)), before: item.before })
    }

    /// Returns the history of a patient as it was after this journal entry.
    ///
    /// # Errors
    /// [`Error::NotFound`] when the patient does not exist, or did not exist then; and the store's failures.
    pub async fn history_as_of(&self, id: PatientId, at: Seq) -> Result<Past<PatientHistory>, Error> {
        let patient = self.as_of::<Patient>(id, at).await?.ok_or(Error::NotFound(Kind::Patient))?;
        let history = self.as_of::<History>(id, at).await?;
        let (mut version, mut before) = (patient.found.version, patient.before);
        let record = match history {
            None => History::new(id).of(&patient.found.record),
            Some(history) => {
                // The later of the two is this version; the one before is the other, or the predecessor of this one.
                let (one, other) = (version, history.found.version);
                before = match one.cmp(&other) {
                    std::cmp::Ordering::Less => history.before.max(one),
                    std::cmp::Ordering::Equal => before.max(history.before),
                    std::cmp::Ordering::Greater => before.max(other),
                };
                version = one.max(other);
                self.with_diseases(Head::of(history.found.record, &patient.found.record)).await?
            }
        };
        Ok(Past { found: Versioned { version, record }, before })
    }
}

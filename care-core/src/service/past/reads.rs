//! Recording reads.

use crate::{
    error::Error,
    operation::{JournalOperation, Operation},
    service::CareService,
    store::{Outcome, RecordKey, Seen},
};

impl CareService {
    /// Records in the journal that the service's actor has read this record, under the operation's name. Reads do not
    /// do this by themselves: call it when the record was found and before it is passed on.
    ///
    /// ```
    /// use care_core::{
    ///     model::PatientDetails,
    ///     operation::Operation,
    ///     service::CareService,
    ///     store::{Limit, MemoryStore, RecordKey, Seq},
    /// };
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new()).acting_as("ward 3");
    /// let id = care.register_patient(PatientDetails::default()).await?.patient_id;
    /// let before = care.patient(id).await?;
    /// care.note_read(Operation::GetPatient, RecordKey::Patient(id)).await?;
    ///
    /// let entry = care.store().journal(Seq::new(1), Limit::items(1)).await?.items.remove(0);
    /// assert_eq!((entry.actor.as_str(), &*entry.operation), ("ward 3", "getPatient"));
    /// assert_eq!(entry.reads, [RecordKey::Patient(id)]);
    /// assert_eq!(care.patient(id).await?, before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The store's failures.
    pub async fn note_read(&self, operation: Operation, key: RecordKey) -> Result<(), Error> {
        self.note_reads(operation.into(), vec![key]).await
    }

    /// Records in the journal that the service's actor has read these records in one request, under this name. Without
    /// records nothing is written.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn note_reads(&self, operation: JournalOperation, keys: Vec<RecordKey>) -> Result<(), Error> {
        let act = self.act(operation)?;
        let read = move |_: &Seen| Ok(Outcome { reads: keys.clone(), ..Outcome::default() });
        let unannounced = self.feed.write_begins();
        if let Some(seq) = self.store.transact(act, Box::new(read)).await? {
            unannounced.announce(seq, Vec::new());
        }
        Ok(())
    }
}

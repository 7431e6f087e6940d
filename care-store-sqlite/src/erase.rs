//! Erasing a person: out of the records, the journal, the pages that are free, and the log.

use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::{Invoice, InvoiceState, PatientId},
    service::Erasure,
    store::{Act, Change, Entity, InvoiceFilter, Journal, Query, RecordKey, Seq},
};
use futures_channel::oneshot;
use rusqlite::Connection;

use crate::{Bulk, SqliteStore, apply::apply_one, error::Fault, journal, list::list, records::put, writer::Work};

/// So many entries are read at once.
const PAGE: usize = 500;

/// What an erasure has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erased {
    /// The journal entry that says so.
    pub entry: Seq,
    /// How many earlier entries held something of the person.
    pub rewritten: usize,
}

impl SqliteStore {
    /// Erases a person for good: voids the patient, as far as that was not done, and takes everything that was said of
    /// the person out of every record and every journal entry, as [`Erasure`] has it. Then the file is written anew, so
    /// that nothing is left in pages that are free, and the log is emptied.
    ///
    /// It may run [beside](crate::Options::beside) a server. The journal is read without keeping anybody waiting;
    /// rewriting the entries takes moments, and writing the file anew as long as it takes: others who write are
    /// refused as busy meanwhile, and reads go on. When it fails after the journal was rewritten, or is cut off, it is
    /// simply run again.
    ///
    /// # Errors
    /// [`Error::NotFound`] when no patient has or had the number, and the store's failures.
    pub async fn erase(&self, patient: PatientId, act: Act) -> Result<Erased, Error> {
        let mut found = Found { entries: Vec::new(), last: Seq::ZERO };
        let mut erasure = Erasure::of(patient);
        loop {
            let page = self.journal(found.last, PAGE).await?;
            for entry in &page {
                found.entries.extend(erasure.entry(entry).map(|entry| entry.seq));
                found.last = entry.seq;
            }
            if page.len() < PAGE {
                break;
            }
        }
        let erased = self.bulk(move |bulk| bulk.erase(patient, &act, found)).await?;
        self.compact().await?;
        Ok(erased)
    }

    /// Writes the file anew, without pages that are free, and empties the log.
    async fn compact(&self) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.send(Work::Compact(answer))?;
        answered.await.unwrap_or_else(|_| Err(StoreErrorKind::Unknown.into()))
    }
}

/// The entries that are to be rewritten, up to the last that was looked at.
struct Found {
    entries: Vec<Seq>,
    last: Seq,
}

impl Bulk<'_> {
    /// Rewrites the entries that were found and those that came since, as they are now.
    fn erase(&mut self, patient: PatientId, act: &Act, found: Found) -> Result<Erased, Error> {
        let mut erasure = Erasure::of(patient);
        let mut rewritten = 0;
        let mut known = found.entries.iter().map(|seq| (Seq::new(seq.value() - 1), 1));
        let mut rewrite = |conn: &Connection, after: Seq, limit: i64| -> Result<Seq, Fault> {
            let mut last = after;
            for entry in journal::entries(conn, after, limit)? {
                last = entry.seq;
                if let Some(entry) = erasure.entry(&entry) {
                    journal::rewrite(conn, &entry)?;
                    rewritten += 1;
                }
            }
            Ok(last)
        };
        let conn = self.conn();
        let walked = known.try_for_each(|(after, limit)| rewrite(conn, after, limit).map(drop));
        walked.and_then(|()| rewrite(conn, found.last, i64::MAX)).map_err(|fault| self.fail(fault))?;
        let filter = InvoiceFilter { patient_id: Some(patient), state: Some(InvoiceState::Paid) };
        let paid = list(conn, &Query::Invoices { filter, after: None }, i64::MAX).map_err(|fault| self.fail(fault))?;
        let paid = paid.iter().filter_map(|found| Invoice::from_record(&found.record).cloned()).collect();
        let entry = self.decide(act, &mut erasure.decision(paid))?.unwrap_or_default();
        replies(conn, &erasure).map_err(|fault| self.fail(fault))?;
        Ok(Erased { entry, rewritten })
    }
}

/// Puts the replies of which something was erased in the place of those that are stored.
fn replies(conn: &Connection, erasure: &Erasure) -> Result<(), Fault> {
    for (stored, version, reply) in erasure.replies() {
        if let Some(key) = stored {
            apply_one(conn, 0, &Change::Remove(RecordKey::Reply(key.clone())), true)?;
        }
        put(conn, version.value().cast_signed(), reply, stored.is_none())?;
    }
    Ok(())
}

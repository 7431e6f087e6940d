//! Erasing a person from the records, the journal, the free pages, and the log.

use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::{Invoice, InvoiceState, PatientId},
    service::Erasure,
    store::{Act, Change, Entity, InvoiceFilter, Journal, Limit, Query, RecordKey, Seq},
};
use futures_channel::oneshot;
use rusqlite::Connection;

use crate::{Bulk, SqliteStore, apply::apply_one, error::Fault, journal, list::list, records::put, writer::Work};

/// The size of a page of entries, in items and bytes.
const PAGE: Limit = Limit::items(500).bytes(1 << 20);
/// A single entry.
const ONE: Limit = Limit::items(1);

/// The result of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erased {
    /// The journal entry of the erasure.
    pub entry: Seq,
    /// The number of rewritten earlier entries.
    pub rewritten: usize,
}

impl SqliteStore {
    /// Erases a person from every record and every journal entry, as [`Erasure`] describes it, and voids the patient
    /// unless that was done. A second call adds no second entry to the journal.
    ///
    /// It may run [beside](crate::Options::beside) a server. The journal is read without blocking writers, and
    /// rewriting the entries takes moments. The erased data stay in free pages of the file and in its log until
    /// [`scrub`](Self::scrub) is done.
    ///
    /// # Errors
    /// [`Error::NotFound`] when no patient has or had the number, and the store's failures; nothing was erased then.
    pub async fn erase(&self, patient: PatientId, act: Act) -> Result<Erased, Error> {
        let mut found = Found { entries: Vec::new(), last: Seq::ZERO };
        let mut erasure = Erasure::of(patient);
        loop {
            let page = self.journal(found.last, PAGE).await?;
            for entry in &page.items {
                let is_rewritten = erasure.entry(entry).is_some();
                if is_rewritten || erasure.done() == Some(entry.seq) {
                    found.entries.push(entry.seq);
                }
                found.last = entry.seq;
            }
            if !page.more {
                break;
            }
        }
        self.bulk(move |bulk| bulk.erase(patient, &act, found)).await
    }

    /// Writes the file anew and empties its log, so that neither contains erased, changed or removed data, nor the
    /// files that an interrupted process has left beside it.
    ///
    /// It takes about as long as a copy of the file, for which there must be room twice. Reads continue meanwhile, also
    /// in a server, and writes that wait too long are refused as busy. After an interruption it can be repeated.
    ///
    /// # Errors
    /// The store's failures; data may then be left.
    pub async fn scrub(&self) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.send(Work::Scrub(answer))?;
        answered.await.unwrap_or_else(|_| Err(StoreErrorKind::Unknown.into()))
    }
}

/// The entries to rewrite, and the entry of an earlier erasure, up to the last entry that was read.
struct Found {
    entries: Vec<Seq>,
    last: Seq,
}

impl Bulk<'_> {
    /// Rewrites these entries and later ones, in their present form.
    fn erase(&mut self, patient: PatientId, act: &Act, found: Found) -> Result<Erased, Error> {
        let filter = InvoiceFilter { patient_id: Some(patient), state: Some(InvoiceState::Paid) };
        let paid = list(self.conn(), &Query::Invoices { filter, after: None }, Limit::ALL);
        let paid = paid.map_err(|fault| self.fail(fault))?.items;
        let paid: Vec<_> = paid.iter().filter_map(|found| Invoice::from_record(&found.record).cloned()).collect();
        let mut erasure = Erasure::of(patient);
        erasure.billed(&paid);
        let mut rewritten = 0;
        let mut known = found.entries.iter().map(|seq| Seq::new(seq.value() - 1));
        let mut rewrite = |conn: &Connection, after: Seq, limit: Limit| -> Result<Seq, Fault> {
            let mut last = after;
            loop {
                let page = journal::entries(conn, last, limit)?;
                for entry in page.items {
                    last = entry.seq;
                    if let Some(entry) = erasure.entry(&entry) {
                        journal::rewrite(conn, &entry)?;
                        rewritten += 1;
                    }
                }
                // After a single entry there is no next page.
                if !page.more || limit == ONE {
                    return Ok(last);
                }
            }
        };
        let conn = self.conn();
        let walked = known.try_for_each(|after| rewrite(conn, after, ONE).map(drop));
        walked.and_then(|()| rewrite(conn, found.last, PAGE)).map_err(|fault| self.fail(fault))?;
        if let Some(entry) = erasure.done().filter(|_| rewritten == 0) {
            return Ok(Erased { entry, rewritten });
        }
        let entry = self.decide(act, &mut erasure.decision(paid))?.unwrap_or_default();
        replies(conn, &erasure).map_err(|fault| self.fail(fault))?;
        Ok(Erased { entry, rewritten })
    }
}

/// Replaces the stored replies that were erased in part.
fn replies(conn: &Connection, erasure: &Erasure) -> Result<(), Fault> {
    for (stored, version, reply) in erasure.replies() {
        if let Some(key) = stored {
            apply_one(conn, 0, &Change::Remove(RecordKey::Reply(key.clone())), true)?;
        }
        put(conn, version.value().cast_signed(), reply, stored.is_none())?;
    }
    Ok(())
}

//! Work on a store as a whole.

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError},
    store::{
        Act, Change, CheckError, Decision, Entry, Limit, Maintenance, Portion, Query, Record, Seq, Transaction,
        Versioned, Work, queue::answered,
    },
};
use futures_channel::oneshot;

use crate::{
    base::journal,
    read::list::list,
    store::SqliteStore,
    write::{
        apply::{Terms, apply_change},
        bulk::Bulk,
        writer,
    },
};

impl SqliteStore {
    /// Rewrites the file and empties its log, so that neither contains erased, changed or removed data, nor the
    /// files that an interrupted process has left beside it.
    ///
    /// It takes about as long as a copy of the file, for which there must be room twice. Reads continue meanwhile, also
    /// in a server, and writes that wait too long are refused as busy. After an interruption it can be repeated.
    ///
    /// # Errors
    /// The store's failures; data may then be left.
    pub async fn scrub(&self) -> Result<(), StoreError> {
        let (answer, scrubbed) = oneshot::channel();
        self.send(writer::Work::Scrub(answer))?;
        answered(scrubbed).await
    }
}

#[async_trait]
impl Maintenance for SqliteStore {
    async fn alone(&self, work: Work) -> Result<(), Error> {
        self.bulk(move |bulk| work(bulk)).await
    }

    async fn check(&self) -> Result<(), CheckError> {
        Self::check(self).await
    }

    async fn scrub(&self) -> Result<(), StoreError> {
        Self::scrub(self).await
    }
}

impl Transaction for Bulk<'_> {
    fn decide(&mut self, act: &Act, decision: &mut Decision) -> Result<Option<Seq>, Error> {
        Self::decide(self, act, decision)
    }

    fn list(&mut self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.write_terms()?;
        list(self.conn(), query, limit).map_err(|fault| self.fail(fault))
    }

    fn journal(&mut self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        journal::entries(self.conn(), after, limit).map_err(|fault| self.fail(fault))
    }

    fn rewrite(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let rewritten = journal::rewrite(self.conn(), entry);
        self.wrote(rewritten)
    }

    fn rewrite_record(&mut self, found: &Versioned<Record>) -> Result<(), StoreError> {
        let change = Change::Put(found.record.clone());
        self.wrote(apply_change(self.conn(), found.version, &change, true, Terms::Now))
    }
}

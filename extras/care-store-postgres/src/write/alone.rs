//! A transaction that has the store to itself.

use care_core::{
    error::{Error, StoreError},
    store::{Act, Decided, Decision, Entry, Limit, Portion, Query, Record, Seq, Transaction, Versioned},
};
use futures_executor::block_on;

use super::bulk::Bulk;
use crate::read::{journal, list::list};

impl Transaction for Bulk<'_> {
    fn decide(&mut self, act: &Act, decision: &mut Decision) -> Result<Option<Seq>, Error> {
        Self::decide(self, act, decision)
    }

    fn decide_each(&mut self, act: &Act, decisions: &mut [Decision]) -> Result<Vec<Decided>, StoreError> {
        Self::decide_each(self, act, decisions)
    }

    fn list(&mut self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.with(|transaction| block_on(list(&mut transaction.snapshot()?, query, limit)))
    }

    fn journal(&mut self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.with(|transaction| block_on(journal::entries(&mut transaction.snapshot()?, after, limit)))
    }

    fn rewrite(&mut self, entry: &Entry) -> Result<(), StoreError> {
        self.with(|transaction| transaction.write([journal::rewrite(entry)?]))
    }

    fn rewrite_record(&mut self, found: &Versioned<Record>) -> Result<(), StoreError> {
        self.with(|transaction| transaction.replace(found.version, found.record.clone()))
    }
}

//! A transaction that has the store to itself.

use care_core::{
    error::{Error, StoreError},
    store::{Act, Change, Decision, Entry, Limit, Portion, Query, Record, Seq, Transaction, Versioned},
};

use super::{
    apply::{Terms, apply_change},
    bulk::Bulk,
};
use crate::{base::journal, read::list::list};

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

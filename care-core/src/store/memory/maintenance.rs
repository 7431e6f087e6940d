//! Work on a memory store as a whole.

use async_trait::async_trait;

use super::{MemoryStore, State};
use crate::{
    error::{Error, StoreError},
    store::{
        Act, Change, CheckError, Deciding, Decision, Entry, Limit, Maintenance, Portion, Query, Record, Seq,
        Transaction, Versioned, Work, drive_work,
    },
};

#[async_trait]
impl Maintenance for MemoryStore {
    async fn alone(&self, work: Work) -> Result<(), Error> {
        let mut state = self.state();
        let before = state.clone();
        let done = drive_work(work, &mut *state);
        if done.is_err() {
            *state = before;
        }
        let last = state.head().seq;
        drop(state);
        self.notifiers.announce(last);
        done
    }

    /// Finds no damage: a value in memory is as it was put.
    async fn check(&self) -> Result<(), CheckError> {
        Ok(())
    }

    /// Does nothing: nothing is left of what was removed.
    async fn scrub(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Transaction for State {
    fn decide(&mut self, act: &Act, decision: &mut Decision) -> Result<Option<Seq>, Error> {
        let plan = Deciding::of(decision).unlimited().finish_within(|key, room| Ok(self.load(key, room)))?;
        Ok(self.write(act, plan)?)
    }

    fn list(&mut self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        Ok(Self::list(self, query, limit))
    }

    fn journal(&mut self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        Ok(self.entries(after, limit))
    }

    fn rewrite(&mut self, entry: &Entry) -> Result<(), StoreError> {
        if let Some(place) = self.journal.iter_mut().find(|place| place.seq == entry.seq) {
            place.clone_from(entry);
        }
        Ok(())
    }

    fn rewrite_record(&mut self, found: &Versioned<Record>) -> Result<(), StoreError> {
        self.apply(found.version, Change::Put(found.record.clone()));
        Ok(())
    }
}

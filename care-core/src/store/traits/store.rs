//! The traits that the service needs of a store.

use async_trait::async_trait;

use crate::{
    error::{Error, StoreError, StoreErrorKind},
    model::Timestamp,
    store::{
        Act, Change, CommitNotifier, Decision, Entry, Epoch, Head, Limit, Maintenance, Portion, Query, Question,
        Record, RecordKey, ReplayError, Seq, Versioned,
    },
};

/// Reading records.
///
/// # Contract
/// - [`read`](Self::read) answers every key from one snapshot, which holds at least every write that was acknowledged
///   before the call.
/// - A record's [`version`](Versioned::version) is the [`Seq`] of the journal entry that put it last.
/// - Loading a key answers exactly what [`Key`](crate::store::Key) says of it, and an absent record is
///   [`Lookup::None`](crate::store::Lookup::None), not an error. Where that is more than there is
///   [room](crate::store::Deciding::room) for it may answer [`Lookup::TooMany`](crate::store::Lookup::TooMany).
/// - Nothing here waits for a writer.
#[async_trait]
pub trait Records: Send + Sync {
    /// Runs a question inside one read snapshot, loading the keys that it asks for, until it ends. It may be run again
    /// from its beginning, inside a later snapshot; only the last run counts.
    ///
    /// # Errors
    /// The question's own refusal, or the store's failure.
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error>;

    /// Returns the first records of a query, in its order, as many as the limit allows. Further records are not loaded.
    ///
    /// # Errors
    /// The store's failure.
    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError>;
}

/// Changing records, and the append-only journal of every change.
///
/// # Contract
/// - [`transact`](Self::transact) runs the decision in one transaction that no other decision interleaves with
///   (serialisable), as often as it likes; only the last run counts.
/// - Changes are applied in order. `Put` replaces the record of the same key or creates it; `Remove` of an absent
///   record does nothing. The keys of records that were read are only written into the journal. All changes of a
///   decision and its one journal entry become durable and visible together, or not at all.
/// - The entry names for every change the version of the record that it replaced, as [`Plan`](crate::store::Plan) has
///   it: so the journal leads from each version of a record to the one before.
/// - The entry is [linked](Act::enter) to the last entry at the time of the transaction, so that the journal is one
///   chain. The store keeps the link and the salts as it is given them.
/// - A decision without changes writes nothing, and so does one that refuses or panics.
/// - A decision whose caller [no longer waits](Act::until) is not begun, and one under way ends before its next load:
///   it has written nothing and is refused as [`Busy`](crate::error::StoreErrorKind::Busy). A complete decision is
///   committed.
/// - `seq` grows by one with each entry, from 1, in commit order, without gaps.
/// - When the future is dropped, the transaction happens as a whole or not at all. A dropped decision may still be run
///   and committed, even if it has not begun; a store may as well leave it out.
/// - [`replay`](Self::replay) appends entries unaltered, including `seq`, time, actor and operation, and applies their
///   changes, all of them in one transaction or none. They must follow the last entry at the time of the transaction,
///   number by number and link by link ([`ReplayError::unless_next`]). So replaying a journal into an empty store
///   makes the same records with the same versions, and repeating a replay changes nothing.
/// - An answer `Ok` means durable, as far as the store is durable at all.
/// - [`epoch`](Self::epoch) differs between stores, and no decision changes it. A durable store keeps it when it is
///   reopened.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Returns the epoch, which distinguishes this journal from any other, and from itself before another past was put
    /// into it. Returns at once.
    fn epoch(&self) -> Epoch;

    /// Runs a decision and commits its changes. Returns the entry's `seq`, or `None` without changes.
    ///
    /// # Errors
    /// The decision's own refusal, or the store's failure, whose [`StoreErrorKind`](crate::error::StoreErrorKind) says
    /// what has become of the data.
    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error>;

    /// Appends the entries of another store's journal.
    ///
    /// # Errors
    /// When they do not follow the last entry one by one, or the store fails. Nothing was written then, unless the
    /// failure says that this is unknown.
    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError>;

    /// Returns the first entries after this one, oldest first, as many as the limit allows. Further entries are not
    /// loaded. `Seq::ZERO` is before the first.
    ///
    /// # Errors
    /// The store's failure.
    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError>;

    /// Returns the time of each of these entries, in their order.
    ///
    /// The default reads the entries one by one.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`] when there is no such entry, and the store's failure.
    async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
        let mut instants = Vec::with_capacity(entries.len());
        for entry in entries {
            let before = Seq::new(entry.value().saturating_sub(1));
            let found = self.journal(before, Limit::items(1)).await?.items.pop();
            instants.push(found.filter(|found| found.seq == *entry).ok_or(StoreErrorKind::Broken)?.at);
        }
        Ok(instants)
    }

    /// Returns the number of the last entry, [`Seq::ZERO`] when there is none.
    ///
    /// The default searches with some dozen calls of [`journal`](Self::journal), which works because numbers have no
    /// gaps.
    ///
    /// # Errors
    /// The store's failure.
    async fn last(&self) -> Result<Seq, StoreError> {
        // Invariant: there is an entry with the number `below`, or it is 0; there is none with `above`.
        let (mut below, mut above) = (0, 1);
        while !self.journal(Seq::new(above - 1), Limit::items(1)).await?.items.is_empty() {
            (below, above) = (above, above.saturating_mul(2));
        }
        while above - below > 1 {
            let middle = below.midpoint(above);
            match self.journal(Seq::new(middle - 1), Limit::items(1)).await?.items.is_empty() {
                true => above = middle,
                false => below = middle,
            }
        }
        Ok(Seq::new(below))
    }

    /// Returns the head of the journal: the number and the link of its last entry.
    ///
    /// The default reads the [last](Self::last) entry.
    ///
    /// # Errors
    /// The store's failure.
    async fn head(&self) -> Result<Head, StoreError> {
        let last = self.last().await?;
        let before = Seq::new(last.value().saturating_sub(1));
        let found = self.journal(before, Limit::items(1)).await?.items;
        Ok(found.first().map_or(Head::START, Entry::head))
    }

    /// Checks whether a decision would be run and committed now, for the probes of a host: whether the store answers,
    /// accepts writes, and has room for some. The default reads the [last](Self::last) entry.
    ///
    /// # Errors
    /// The error with which a decision would be refused.
    async fn ready(&self) -> Result<(), StoreError> {
        self.last().await.map(drop)
    }

    /// Returns the number of an entry, not before `at`, that put this record since it was last created: the nearest to
    /// `at` that the store knows without a search, or `None` if it knows none.
    ///
    /// The journal leads from each version of a record to the one before. With a skip pointer, the service does not
    /// have to start at the newest version to find an old one. The default knows `at` alone, and not of a record
    /// that [may be created again](RecordKey::has_reusable_id); from the newest version to any other, each one in
    /// between costs a read of the journal.
    ///
    /// # Errors
    /// The store's failure.
    async fn skip_pointer(&self, record: &RecordKey, at: Seq) -> Result<Option<Seq>, StoreError> {
        if !record.has_versions() || record.has_reusable_id() {
            return Ok(None);
        }
        let before = Seq::new(at.value().saturating_sub(1));
        let found = self.journal(before, Limit::items(1)).await?.items.pop();
        let revision = found.as_ref().and_then(|entry| entry.revision_of(record));
        Ok(revision.filter(|revision| matches!(revision.change, Change::Put(_))).map(|_| at))
    }

    /// Takes a service that wants to be told of every entry that is appended from now on, at the latest a quarter of a
    /// second later, whichever service or process appends it. The number of the last one tells of all before it.
    ///
    /// [`CommitNotifiers`](crate::store::CommitNotifiers) keeps the services on a store and tells them.
    fn add_notifier(&self, notifier: CommitNotifier);

    /// Returns the store as one that can be worked on as a whole, if it is one.
    ///
    /// [`CareService::erase_patient`](crate::service::CareService::erase_patient) needs it.
    fn maintenance(&self) -> Option<&dyn Maintenance> {
        None
    }
}

/// The part of a store that the service needs. Every type that implements both traits implements this.
///
/// The keys of clients are not included: a program without HTTP needs no [`ApiKeys`](crate::store::ApiKeys).
pub trait CareStore: Records + Journal {}

impl<T: Records + Journal + ?Sized> CareStore for T {}

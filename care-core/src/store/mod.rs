//! The storage seam: the traits a store implements, and what passes through them.
//!
//! A use case is a *decision*: a pure function from the records it has [`Seen`] to its [`Outcome`], the [`Change`]s that
//! it wants. The store runs it inside one transaction: it loads what the decision asks for, runs it again, and writes what it
//! answers together with one journal [`Entry`]. So a store knows no rules, and no rule is written twice.
//!
//! [`MemoryStore`] keeps everything in memory; other stores live in crates of their own.

mod api_keys;
mod change;
mod damage;
mod deciding;
mod decision;
mod epoch;
mod feed;
mod identity;
mod journal;
mod key;
mod keyed;
mod maintenance;
mod memory;
pub(crate) mod operations;
mod plan;
mod pointers;
mod portion;
mod query;
mod record;
mod replay;
mod seen;
mod seq;

use async_trait::async_trait;

pub use api_keys::{ApiKeys, KeyDecision, drive_keys};
pub use change::{Change, Revision};
pub use damage::{CheckError, Damage};
pub use deciding::{Deciding, Step};
pub use decision::{Decision, Keys, Question, Stop, decide, decide_async, drive, drive_async};
pub use epoch::Epoch;
pub use feed::Announcer;
pub(crate) use feed::{Feed, Heard};
pub use journal::{Act, Entry};
pub use key::{Key, ReplyKey, Series};
pub use maintenance::{Maintenance, Transaction, Work, drive_work};
pub use memory::MemoryStore;
pub use operations::{ERASE_PATIENT, IMPORT_PATIENTS, is_operation};
pub use plan::{Outcome, Plan};
pub use portion::{Filling, Limit, Portion};
pub use query::{InvoiceFilter, MovementFilter, PatientFilter, PrescriptionFilter, Query, StockFilter};
pub use record::{Counter, Entity, Record, RecordKey, Reply, Versioned, Voided, kinds};
pub use replay::ReplayError;
pub use seen::{Found, Seen};
pub use seq::Seq;

pub(crate) use keyed::Keyed;

use crate::error::{Error, StoreError};

/// Reading records.
///
/// # Contract
/// - [`read`](Self::read) answers every key from one snapshot, which holds at least every write that was
///   acknowledged before the call.
/// - A record's [`version`](Versioned::version) is the [`Seq`] of the journal entry that put it last.
/// - Loading a key answers exactly what [`Key`] says of it, and an absent record is [`Found::None`], not an error. Where
///   that is more than there is [room](Deciding::room) for it may answer [`Found::TooMany`].
/// - Nothing here waits for a writer.
#[async_trait]
pub trait Records: Send + Sync {
    /// Runs a question inside one read snapshot, loading what it asks for, until it is content.
    ///
    /// # Errors
    /// The question's own refusal, or the store's failure.
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error>;

    /// The first records that a query means, in its order, as many as the limit allows: no more of them are loaded.
    ///
    /// # Errors
    /// The store's failure.
    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError>;
}

/// Changing records, and the append-only account of every change.
///
/// # Contract
/// - [`transact`](Self::transact) runs the decision in one transaction that no other decision interleaves with
///   (serialisable), as often as it likes; only the last run counts.
/// - Changes are applied in order. `Put` replaces the record of the same key or creates it; `Remove` of an absent
///   record does nothing. All of a decision's changes and its one journal entry become durable and visible together, or
///   not at all.
/// - The entry says of every change which version of the record it found, as [`Plan`] has it: so the journal leads from
///   each version of a record to the one before. What the decision says is read is written down beside the changes, and
///   leaves the records as they are.
/// - A decision whose [`Outcome`] is empty writes nothing, and so does one that refuses or panics.
/// - A decision whose [act](Act::until) is no longer waited for is not begun, and one under way ends before its next
///   load: it has written nothing and is refused as [`Busy`](crate::error::StoreErrorKind::Busy). One that is decided
///   is committed.
/// - `seq` grows by one with each entry, from 1, in commit order, without gaps.
/// - When the future is dropped the transaction happens whole or not at all.
/// - [`replay`](Self::replay) appends entries to the letter, `seq`, time, actor and operation included, and applies
///   their changes, all of them in one transaction or none. They must be those that follow the last one that is there
///   when the transaction runs ([`ReplayError::unless_next`]). So replaying a journal into an empty store makes the
///   same records with the same versions, and repeating a replay changes nothing.
/// - An answer `Ok` means durable, as durable as the store is at all.
/// - [`epoch`](Self::epoch) is another one in each store, and changes with no decision. A store that is opened again
///   keeps it, as far as it keeps anything.
#[async_trait]
pub trait Journal: Send + Sync {
    /// What tells this journal from any other, and from itself before another past was put into it. Waits for nothing.
    fn epoch(&self) -> Epoch;

    /// Runs a decision and commits what it wants. Answers the entry's `seq`, `None` when nothing changed.
    ///
    /// # Errors
    /// The decision's own refusal, or the store's failure; [`StoreErrorKind`](crate::error::StoreErrorKind) says
    /// what that means for the data.
    async fn transact(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error>;

    /// Appends the entries of another store's journal.
    ///
    /// # Errors
    /// When they do not follow the last entry one by one, or the store fails; nothing of them was written, unless
    /// the failure says that this is not known.
    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError>;

    /// The first entries after this one, oldest first, as many as the limit allows: no more of them are loaded.
    /// `Seq::ZERO` is before the first.
    ///
    /// # Errors
    /// The store's failure.
    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError>;

    /// Returns the number of the last entry, [`Seq::ZERO`] when there is none.
    ///
    /// Unless a store has a shorter way, it is searched for with some dozen calls of [`journal`](Self::journal), which
    /// find it because numbers have no gaps.
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

    /// Finds out whether a decision would be run and committed now: that the store answers, takes writes, and has room for
    /// some. For the probes of a host; unless a store knows more, it is asked for its [last](Self::last) entry.
    ///
    /// # Errors
    /// What a decision would be refused with, or an answer that the store cannot give.
    async fn ready(&self) -> Result<(), StoreError> {
        self.last().await.map(drop)
    }

    /// Returns the number of an entry, not before `at`, that put this record since it was made last, as near to `at` as the
    /// store finds one without a search; `None` when it knows none.
    ///
    /// The journal leads from each version of a record to the one before. With this the service need not begin at the
    /// newest to find an old one; without it, as here unless a store knows better, that takes a read of the journal for
    /// each version in between.
    ///
    /// # Errors
    /// The store's failure.
    async fn landmark(&self, record: &RecordKey, at: Seq) -> Result<Option<Seq>, StoreError> {
        let _ = (record, at);
        Ok(None)
    }

    /// Takes what a service wants to be told of entries that other processes append, and returns whether it will be.
    ///
    /// A store that hears of them, from its database for example, announces the number of each one or of the last one,
    /// within a quarter of a second. For any other the service looks at [`last`](Self::last) itself, ten times a second
    /// while it has listeners.
    fn announce_to(&self, announcer: Announcer) -> bool {
        drop(announcer);
        false
    }

    /// Returns the store as one that can be worked on as a whole, if it is one.
    ///
    /// [`CareService::erase_patient`](crate::service::CareService::erase_patient) needs it.
    fn maintenance(&self) -> Option<&dyn Maintenance> {
        None
    }
}

/// Everything the service needs of a store: implemented by every type that implements both parts.
///
/// The keys of clients are no part of it: a program without HTTP needs no [`ApiKeys`].
pub trait CareStore: Records + Journal {}

impl<T: Records + Journal + ?Sized> CareStore for T {}

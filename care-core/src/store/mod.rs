//! The storage seam: the traits that a store implements, and the types of their arguments and answers.
//!
//! A use case is a *decision*: a pure function from the records that it has [`Seen`] to its [`Change`]s. The store runs
//! it inside one transaction: it loads the keys that the decision asks for, runs it again, and writes its changes
//! together with one journal [`Entry`]. So a store knows no rules, and no rule is written twice.
//!
//! [`MemoryStore`] is the store in memory; other stores live in crates of their own.
//!
//! # To write a store
//!
//! Read in this order: [`Record`] and [`RecordKey`], what is kept; [`Change`], [`Entry`] and [`Act`], how it changes;
//! [`Decision`], [`Seen`] and [`Deciding`], how a use case runs; [`Selection`] and [`Index`], what is asked for; and
//! then the contracts of [`Records`], [`Journal`] and, for a store as a whole, [`Maintenance`] and [`ApiKeys`].
//! The source of [`MemoryStore`] is a complete store, and so are the examples `own_store` and `waiting_store` of
//! `care-conformance`, whose macro `store_suite!` proves a store. [`queue`], [`Turn`], [`rows`], [`sql`] and [`find`]
//! are for the stores that they help.
//!
//! A store may be made of keys and values just as well as of tables: nothing in a [`Selection`] is SQL.
//!
//! | word | meaning |
//! |---|---|
//! | record | what is kept under a [`RecordKey`]: a patient, an invoice, a counter; of one [`RecordKind`] |
//! | version | the number, [`Seq`], of the entry that put a record last: [`Versioned`] |
//! | change | putting or removing one record: [`Change`] |
//! | revision | a change in an entry, with the version that it replaced: [`Revision`] |
//! | entry | what one decision did, with its [`Act`], in the journal: [`Entry`] |
//! | chain | the [`Link`] of each entry to the one before; its last is the [`Head`] |
//! | epoch | the number that tells this journal from any other past: [`Epoch`] |
//! | decision, question | a use case that writes, or a read, as a function of what it has [`Seen`] |
//! | outcome, plan | the changes that a decision wants: [`Outcome`]; and the versions that they replace: [`Plan`] |
//! | key | what a decision asks for at once: [`Key`]; typed by its answer, an [`Ask`]; answered by a [`Lookup`] |
//! | query | what a list is of, page by page: [`Query`]; its page, with whether more follow, a [`Portion`] |
//! | selection | the rows that some [`Term`]s choose, found by an [`Index`] |

mod ask;
mod decide;
mod kit;
mod memory;
pub(crate) mod records;
mod traits;

pub use crate::kinds::RecordKind;
pub use crate::meter::{ReadWork, read_elsewhere};
pub use ask::{
    filter::{Beside, Filter, Parameter},
    index::INDEXES,
    key::{Ask, Key},
    medicines::*,
    money::*,
    people::*,
    portion::{Filling, Limit, Portion},
    prescriptions::*,
    query::{List, Query, Rows},
    seen::{Lookup, Seen},
    selection::{Order, Selection, Wanted},
    stop::{Keys, Stop},
    term::{Comparison, Datum, Index, Term},
};
pub use decide::{
    deciding::{Deciding, Decision, Question, Step},
    drive::{decide, decide_async, drive, drive_async},
    plan::{Outcome, Plan},
};
pub use kit::{
    figures::{QueuePlace, WriterFigures},
    inside::unless_inside_a_commit,
    turn::{Turn, TurnLimits},
};
pub use kit::{find, queue, rows, sql};
pub use memory::MemoryStore;
pub use records::{
    chain::EntryValues,
    change::{Change, Revision},
    epoch::Epoch,
    journal::{Act, Entry},
    links::{Commitment, Erased, Head, Link, NotAHead, NotHexadecimal, Salt},
    owner::{OnVoid, Owner},
    record::{Entity, Record, RecordKey, Versioned, Voided},
    reply::{Reply, ReplyId, RequestKey},
    seq::Seq,
    series::{Counter, Series},
};
pub(crate) use traits::feed::Feed;
pub use traits::{
    api_keys::{ApiKeys, KeyDecision, KeyPlan, drive_keys},
    feed::{CommitNotifier, CommitNotifiers},
    maintenance::{CheckError, Damage, Decided, Maintenance, Transaction, Work, drive_work},
    replay::ReplayError,
    store::{CareStore, Journal, Records},
};

pub(crate) use ask::keyed::KeyedList;
pub(crate) use kit::inside::{Misuse, poll_inside};
#[cfg(feature = "rest")]
pub(crate) use records::identity::Identity;
pub(crate) use records::{
    owner::{Owned, Subject},
    record::kinds,
};

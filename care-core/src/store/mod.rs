//! The storage seam: the traits that a store implements, and the types of their arguments and answers.
//!
//! A use case is a *decision*: a pure function from the records that it has [`Seen`] to its [`Change`]s. The store runs
//! it inside one transaction: it loads the keys that the decision asks for, runs it again, and writes its changes
//! together with one journal [`Entry`]. So a store knows no rules, and no rule is written twice.
//!
//! [`MemoryStore`] is the store in memory; other stores live in crates of their own.

mod ask;
mod decide;
mod kit;
mod memory;
pub(crate) mod records;
mod traits;

pub use ask::{
    filter::{Beside, Filter, Parameter},
    index::INDEXES,
    key::{Ask, Key},
    medicines::{ItemFilter, MovementFilter, StockFilter},
    money::{InvoiceFilter, ReceiptFilter},
    people::{ConsultationFilter, PatientFilter},
    portion::{Filling, Limit, Portion},
    prescriptions::PrescriptionFilter,
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
    record::{Entity, Record, RecordKey, RecordKind, Versioned, Voided},
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
pub(crate) use records::record::{Subject, kinds};

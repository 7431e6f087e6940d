//! PostgreSQL storage for the Patient Care Service: a [`PostgresStore`] keeps everything in one schema of a database,
//! for any number of servers.
//!
//! ```no_run
//! use care_core::service::CareService;
//! use care_store_postgres::PostgresStore;
//!
//! let store = PostgresStore::open("postgres://care@db-1,db-2/care")?;
//! let care = CareService::new(store);
//! # Ok::<(), care_store_postgres::OpenError>(())
//! ```
//!
//! # How it works
//!
//! - One thread of the store decides. All decisions that wait for it share one transaction and one commit, under a lock
//!   that one writer among all servers has. Their keys are loaded together, and their changes are written with one
//!   statement a table, in the round trip that also commits.
//! - The primary key of the journal guards it: a writer that inserts an entry with a number that is taken has committed
//!   nothing.
//! - Another thread drives all sockets, so the store works under any async runtime or none.
//! - A question that one statement answers is that statement, over one of a few connections. Any other is answered in
//!   one `REPEATABLE READ` transaction, whose `BEGIN` travels with the first load.
//! - Each batch compares the version of the write protocol: a newer server that has migrated the schema ends the
//!   writing of older ones.
//!
//! # What it promises
//!
//! An answer means committed with `synchronous_commit`: on the disk of the primary and, where
//! `synchronous_standby_names` says so, of a standby ([`Options::require_synchronous`] refuses to open a database
//! without one). A commit whose answer is lost is looked for by the id of its batch; a batch that is found is
//! acknowledged only when a later commit has reached the standby too. So is a decision that finds nothing to do when
//! what it relies on may not have reached the standby. The answer to a write is never lost. A record that was merely
//! read may be, when a primary fails before its standby has it.
//!
//! # Features
//!
//! - `metrics`, off unless asked for: figures for the recorder of the embedding program, by the facade `metrics`.
//! - `tls`, off unless asked for: connections over TLS, by rustls with ring.
//!
//! # What erasing a person leaves
//!
//! The store is capable of [`Maintenance`](care_core::store::Maintenance), so `CareService::erase_patient` takes a
//! person out of its records and its journal. [`PostgresStore::scrub`] then vacuums the tables, and says what of
//! PostgreSQL's own remains is the operator's affair: the write-ahead log and its archives, backups, and free space.

mod base;
mod connect;
mod maintenance;
mod options;
#[cfg(test)]
mod planted;
mod read;
mod store;
mod write;

pub use base::open_error::{OpenError, OpenErrorKind};
pub use care_core::store::{CheckError, Damage};
pub use options::Options;
pub use store::PostgresStore;
pub use write::bulk::Bulk;

// The code in the README is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

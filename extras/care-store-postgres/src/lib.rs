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
//! - One thread of the store decides. All decisions that are waiting for it share one transaction and one commit, under
//!   a lock that one writer among all servers holds. The thread loads their keys together, and writes their changes
//!   with one statement a table, in the round trip that also commits.
//! - The journal's primary key is the second guard: a writer that inserts an entry under a number that is taken commits
//!   nothing.
//! - Another thread drives all sockets, so the store works under any async runtime or none.
//! - A question that needs one statement runs as that statement on a pooled connection. Any other question runs in one
//!   `REPEATABLE READ` transaction, whose `BEGIN` travels with the first load.
//! - Each batch compares the version of the write protocol: once a newer server has migrated the schema, older servers
//!   can no longer write.
//!
//! # What it promises
//!
//! An answer means that the write is committed with `synchronous_commit`: it is on the disk of the primary and, where
//! `synchronous_standby_names` says so, of a standby. ([`Options::require_synchronous`] refuses to open a database
//! without one.) If the answer to a commit is lost, the store looks for the commit by the id of its batch. It
//! acknowledges a batch that it finds only when a later commit has reached the standby too. A decision that finds
//! nothing to do is acknowledged the same way if it relies on a commit that may not have reached the standby. An
//! acknowledged write is never lost. A record that was merely read may be lost when a primary fails before its standby
//! has it.
//!
//! # Features
//!
//! - `tls`, off by default: TLS connections, by rustls with ring.
//!
//! # What erasing a person leaves
//!
//! The store implements [`Maintenance`](care_core::store::Maintenance), so `CareService::erase_patient` removes a
//! person from its records and its journal. Its `scrub` then vacuums the tables, and says what remains for the operator
//! to clear: the write-ahead log and its archives, backups, and free space.

mod base;
mod connect;
#[cfg(test)]
mod killed_tests;
mod options;
mod read;
mod store;
mod write;

pub use base::open_error::{OpenError, OpenErrorKind};
pub use care_core::store::{CheckError, Damage};
pub use options::Options;
pub use store::PostgresStore;

// Compiles the code in the README along with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! SQLite storage for the Patient Care Service: a [`SqliteStore`] keeps everything in one file.
//!
//! ```
//! use care_core::{
//!     model::{Patient, PatientId, Timestamp},
//!     operation::Operation,
//!     store::{Act, Change, Journal, Records, Seq},
//! };
//! use care_store_sqlite::SqliteStore;
//! use futures_executor::block_on;
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("care.db");
//! let store = SqliteStore::open(path)?;
//! let act = Act::new("example", Operation::AddPatient, Timestamp::from_unix_millis(0)?);
//! let patient = Patient::new(PatientId::FIRST);
//! let decision = Box::new(move |_: &_| Ok(vec![Change::put(patient.clone())].into()));
//! // An answered transaction is on disk, and every read sees it.
//! assert_eq!(block_on(store.transact(act, decision))?, Some(Seq::new(1)));
//!
//! let mut found = false;
//! block_on(store.read(&mut |seen| {
//!     found = seen.get::<Patient>(PatientId::FIRST)?.is_some();
//!     Ok(())
//! }))?;
//! assert!(found);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! - One thread owns the only connection that writes. All waiting decisions go into one transaction and one commit:
//!   under load many writes share one wait for the disk, and a single write waits for no other. If one of them fails,
//!   they are run again with a savepoint for each.
//! - Point reads run on the thread of the caller, over read-only connections that keep their snapshot until the next
//!   commit. Lists and the journal run on threads of their own.
//! - A tool works [beside](Options::beside) the servers of a file. The store's
//!   [`Maintenance`](care_core::store::Maintenance) puts many decisions into one transaction, and checks every row. A
//!   [`DatabaseCopy`] is a copy for a backup.
//! - Long texts of the journal are packed with LZ4, because an entry that changes many records says much the same of
//!   each.
//! - The write-ahead log is copied into the file in the background, and started over before it is long.
//!
//! # Guarantees
//!
//! An answer means on disk (`synchronous=FULL`). A full disk refuses writes, and they work again once there is room.
//! After an error with an unknown outcome, no write is accepted until the file is opened again, and reads continue. The
//! same happens once the database, its log or the lock file is no longer the one at its path, which is noticed before a
//! commit is answered and within a second. A file that is not a sound database of this service is refused and left
//! unchanged. A file of 64 MiB or more that is exactly as its owner left it was checked before, and is not checked
//! again.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod base;
mod copy;
mod file;
mod options;
mod read;
mod store;
mod wal;
mod write;

pub use base::open_error::{OpenError, OpenErrorKind};
pub use care_core::store::{CheckError, Damage};
pub use copy::DatabaseCopy;
pub use file::staging::Staging;
pub use options::Options;
pub use store::SqliteStore;

// The code in the README is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

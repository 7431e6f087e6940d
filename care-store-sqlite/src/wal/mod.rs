//! The write-ahead log, and how it stays short while the database is in use.
//!
//! SQLite appends each commit to the log (`care.db-wal`) and leaves the database file as it is. A *checkpoint* copies
//! pages of the log into the file, syncs the file, and may then let the log begin again from its start. SQLite would do
//! this itself inside the commit that makes the log too long; that commit would wait for two syncs and a thousand
//! pages. So its own checkpoints are off (`wal_autocheckpoint=0`), and this module does them, in two parts:
//!
//! 1. **Copying**, in the background ([`upkeep`]). After a commit the writer notes the length of the log
//!    (`Signals::logged`) and wakes the upkeep's thread when there is enough to copy. That thread copies
//!    (`Log` has the number of remaining pages) until it has caught up with the log. No commit waits for it.
//! 2. **Starting over**, on the writer's thread ([`upkeep::Rewind`]). While any connection holds a snapshot, the log
//!    can only grow, and under load one always does. So when the log is nearly as long as it may be, the writer ends
//!    all held snapshots for a moment between two transactions and starts the log over. It waits until few pages are
//!    left, because these are copied and synced in that moment.
//!
//! The longest length of the log is not arbitrary. SQLite keeps an index of it (`care.db-shm`), which it extends when a
//! commit needs that; on a full disk this fails at the worst time. [`room`] extends the index beforehand, in a
//! transaction without changes, and limits the log to the pages that the index has room for.
//!
//! `Signals` is the state that the threads of one store share: the log, the number of commits, the epoch, and whether
//! writing has ended because a sync failed or a file is no longer at its path.

pub(crate) mod room;
pub(crate) mod upkeep;

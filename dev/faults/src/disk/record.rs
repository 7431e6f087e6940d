//! The record of what happens to the files of one database.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, LazyLock, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use rusqlite::ffi;

use crate::lock;

/// A file of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Database,
    Log,
}

/// A file, and what happened to it.
pub(super) type Event = (Name, What);

/// Something that happened to a file.
#[derive(Debug, Clone)]
pub(super) enum What {
    Write(usize, Arc<[u8]>),
    Truncate(usize),
    /// A sync: everything so far is on the disk.
    Sync,
    /// A failed sync: everything since the last sync may be lost, whatever a later sync reports.
    FailedSync,
    Delete,
}

/// The calls that should fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FailurePlan {
    pub(crate) trouble: Trouble,
    /// The number of such calls that succeed first.
    pub(crate) after: u64,
    /// The number of calls that fail after that.
    pub(crate) times: u64,
}

/// A way in which a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// EIO on a write, part of which may have been done.
    Write,
    /// EIO on a sync.
    Sync,
    /// ENOSPC on a write, part of which may have been done.
    Full,
}

/// The files of one database. They are watched until this is dropped.
#[derive(Debug)]
pub(crate) struct Disk {
    database: PathBuf,
    state: Mutex<State>,
    /// The number of events so far.
    position: Arc<AtomicUsize>,
}

#[derive(Debug, Default)]
struct State {
    events: Vec<Event>,
    fault: Option<FailurePlan>,
    /// The number of calls that have failed.
    failed: u64,
    /// The number of events before the first failure.
    first_failure: Option<usize>,
}

static DISKS: LazyLock<Mutex<HashMap<PathBuf, Arc<Disk>>>> = LazyLock::new(Mutex::default);

impl Disk {
    /// Watches the database at this canonical path, starting the next time that a store opens it.
    pub(crate) fn watch(database: &Path) -> Arc<Self> {
        let disk = Arc::new(Self { database: database.to_owned(), state: Mutex::default(), position: Arc::default() });
        lock(&DISKS).insert(database.to_owned(), Arc::clone(&disk));
        disk
    }

    /// Stops watching. Files that are already open stay watched.
    pub(crate) fn leave(&self) {
        lock(&DISKS).remove(&self.database);
    }

    /// Returns how many events have happened.
    pub(crate) fn position(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.position)
    }

    fn note(&self, state: &mut State, event: Event) {
        state.events.push(event);
        self.position.store(state.events.len(), Ordering::SeqCst);
    }

    /// Makes calls fail from now on, or no longer.
    pub(crate) fn fail(&self, fault: Option<FailurePlan>) {
        self.state().fault = fault;
    }

    /// Returns how many calls have failed.
    pub(crate) fn failed(&self) -> u64 {
        self.state().failed
    }

    /// Returns how many events had happened when the first call failed.
    pub(crate) fn first_failure(&self) -> Option<usize> {
        self.state().first_failure
    }

    /// Returns all events.
    pub(super) fn events(&self) -> Vec<Event> {
        self.state().events.clone()
    }

    /// Returns the watched disk that this file belongs to, and which of its files it is.
    pub(super) fn with(file: &Path) -> Option<(Arc<Self>, Name)> {
        let disks = lock(&DISKS);
        if let Some(disk) = disks.get(file) {
            return Some((Arc::clone(disk), Name::Database));
        }
        let database = PathBuf::from(file.to_str()?.strip_suffix("-wal")?);
        Some((Arc::clone(disks.get(&database)?), Name::Log))
    }

    /// Records a write and does it with `write`, which is given the number of bytes to write.
    pub(super) fn write(&self, name: Name, at: usize, bytes: &[u8], write: impl Fn(usize) -> i32) -> i32 {
        // The lock is held meanwhile, so that events are recorded in the order in which they happen.
        let mut state = self.state();
        let (length, error) = match state.strikes(&[Trouble::Write, Trouble::Full]) {
            None => (bytes.len(), None),
            Some(Trouble::Full) => (bytes.len() / 2, Some(ffi::SQLITE_FULL)),
            Some(_) => (bytes.len() / 2, Some(ffi::SQLITE_IOERR_WRITE)),
        };
        let done = write(length);
        if done == ffi::SQLITE_OK {
            self.note(&mut state, (name, What::Write(at, bytes[..length].into())));
        }
        error.unwrap_or(done)
    }

    /// Does what this event says, and records it.
    pub(super) fn happen(&self, event: Event, act: impl Fn() -> i32) -> i32 {
        let mut state = self.state();
        let done = act();
        if done == ffi::SQLITE_OK {
            self.note(&mut state, event);
        }
        done
    }

    pub(super) fn sync(&self, name: Name, sync: impl Fn() -> i32) -> i32 {
        let mut state = self.state();
        if state.strikes(&[Trouble::Sync]).is_some() {
            self.note(&mut state, (name, What::FailedSync));
            return ffi::SQLITE_IOERR_FSYNC;
        }
        drop(state);
        self.happen((name, What::Sync), sync)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// Returns how a call should fail, if it is due to fail in one of these ways.
    fn strikes(&mut self, ways: &[Trouble]) -> Option<Trouble> {
        let fault = self.fault.as_mut().filter(|fault| ways.contains(&fault.trouble))?;
        if fault.after > 0 {
            fault.after -= 1;
            return None;
        }
        fault.times = fault.times.checked_sub(1)?;
        let trouble = fault.trouble;
        self.failed += 1;
        self.first_failure.get_or_insert(self.events.len());
        Some(trouble)
    }
}

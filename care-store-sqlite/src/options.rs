//! The options of opening a file.

use std::{
    num::NonZero,
    path::Path,
    sync::{
        Arc,
        mpsc::{channel, sync_channel},
    },
    thread::available_parallelism,
    time::Duration,
};

use care_core::store::queue::spawn;
use rusqlite::Connection;

use crate::{
    base::{
        connect::{self, ConnectError, PAGE_SIZE},
        journal,
        open_error::{OpenError, Refusal},
        signals::Signals,
    },
    file::{database, lock::Ownership, paths, place::Place, space::Space, staging::Staging},
    read::{readers::Readers, scans::Scans},
    store::{Running, SqliteStore, Writing},
    wal::upkeep,
    write::{callbacks, writer::Writer},
};

/// The number of threads for lists and the journal.
const SCAN_THREADS: usize = 2;

/// The options of opening a file, made by [`SqliteStore::options`].
///
/// ```
/// use care_store_sqlite::SqliteStore;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("care.db");
/// let store = SqliteStore::options().queue(256).open(&path)?;
/// // The file has one owner at a time.
/// assert!(SqliteStore::open(&path).is_err());
/// # drop(store);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Options {
    shared: bool,
    beside: bool,
    queue: usize,
    readers: Option<usize>,
    lock_wait: Duration,
    max_bytes: Option<u64>,
}

impl Options {
    pub(crate) const fn new() -> Self {
        Self {
            shared: false,
            beside: false,
            queue: 4096,
            readers: None,
            lock_wait: Duration::from_secs(2),
            max_bytes: None,
        }
    }

    /// Sets whether several processes serve the file, all of them with this option; by default it has one owner.
    ///
    /// Each read then sees every write that any of them has answered, at the cost of a few microseconds.
    pub const fn shared(mut self, shared: bool) -> Self {
        self.shared = shared;
        self
    }

    /// Sets whether this is a tool that works beside the servers of the file, if there are any, and is not one of them:
    /// it does not exclude them, and they do not exclude it.
    ///
    /// It sees their commits at once, and an owner sees its commits within 50 ms: all of its connections as soon as the
    /// first one does. After work in a [transaction of its
    /// own](care_core::store::Maintenance::alone) it leaves them a turn.
    pub const fn beside(mut self, beside: bool) -> Self {
        self.beside = beside;
        self
    }

    /// Sets the highest number of decisions that wait for the writer, and of long reads that wait for their threads,
    /// before the store refuses more as busy: 4096 by default, and at least 1.
    pub const fn queue(mut self, queue: usize) -> Self {
        self.queue = queue;
        self
    }

    /// Sets the highest number of simultaneous point reads: by default the number of processors, and at least two. Each
    /// has a cache of up to 8 MiB.
    pub const fn readers(mut self, readers: NonZero<usize>) -> Self {
        self.readers = Some(readers.get());
        self
    }

    /// Sets the longest wait of a decision for another process's lock on the file, before the store refuses it as busy:
    /// two seconds by default, and at most a day.
    pub const fn lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }

    /// Sets the largest size of the file in bytes, without its log. The store refuses larger writes as full.
    pub const fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Opens this file, or makes it when it does not exist, readable only by its owner.
    ///
    /// # Errors
    /// One sentence that names the file and the reason why it is refused; the file is then unchanged.
    pub fn open(self, path: impl AsRef<Path>) -> Result<SqliteStore, OpenError> {
        let path = path.as_ref();
        self.start(path).map_err(|refusal| refusal.of(path))
    }

    fn start(self, path: &Path) -> Result<SqliteStore, Refusal> {
        let wait = self.lock_wait.min(Duration::from_secs(86_400));
        let path = paths::canonical(path)?;
        // This check comes before the lock, which makes a file beside it: foreign files are left alone.
        database::is_there(&path, wait)?;
        let mut ownership = self.ownership(&path, wait)?;
        if !database::is_there(&path, wait)? {
            database::create(&path, wait)?;
        }
        // A guest beside an owner need not look again at what the owner has looked at and keeps sound.
        let is_sound = match self.beside && !ownership.is_held() {
            true => ownership.has_company(),
            false => !self.shared && ownership.is_as_left(&path),
        };
        if self.shared && !self.beside {
            ownership.share()?;
        }
        if ownership.is_held() {
            Staging::clear(&path);
        }
        let mut place = Place::of(&path)?;
        let mut conn = database::open(&path, wait, &ownership, is_sound)?;
        if self.beside {
            ownership.give_up()?;
        }
        if let Some(bytes) = self.max_bytes {
            let pages = u32::try_from(bytes / u64::from(PAGE_SIZE)).unwrap_or(u32::MAX);
            conn.pragma_update(None, "max_page_count", pages.max(1))?;
        }

        let signals = Arc::new(Signals::default());
        signals.set_epoch(journal::epoch(&conn)?);
        callbacks::install(&mut conn)?;
        let readers = |count| -> Result<Vec<Connection>, ConnectError> {
            (0..count).map(|_| connect::reader(&path, wait)).collect()
        };
        let scans = Scans::start(readers(SCAN_THREADS)?, Arc::clone(&signals), self.queue.max(1))?;
        let readers = Arc::new(Readers::new(
            readers(self.readers.unwrap_or_else(processors))?,
            Arc::clone(&signals),
            !self.shared && !self.beside,
        ));
        let (until, stop) = channel();
        let upkeep = {
            let conn = connect::existing(&path, wait)?;
            connect::for_writing(&conn)?;
            // All connections are open by now.
            place.opened(&path, &ownership)?;
            let space = Space::new(&path, self.max_bytes);
            signals.set_room(space.left(&conn).map_err(ConnectError::from)?);
            let (readers, signals, place) = (Arc::clone(&readers), Arc::clone(&signals), place.clone());
            spawn("care-upkeep", move || {
                upkeep::run(&conn, &readers, &signals, &place, &space, &stop);
            })?
        };
        if ownership.is_held() {
            ownership.keep();
        }
        signals.upkeep.get_or_init(|| upkeep.thread().clone());
        let (jobs, queue) = sync_channel(self.queue.max(1));
        let kept = Arc::clone(&signals);
        let writer = Writer { path, conn, ownership, place, readers: Arc::clone(&readers), signals, wait };
        let writer = spawn("care-writer", move || writer.run(&queue))?;
        let writing = Some(Writing { jobs, writer, upkeep, until });
        Ok(SqliteStore { readers, signals: kept, running: Some(Running { scans, writing }) })
    }
}

impl SqliteStore {
    /// Opens this file, or makes it when it does not exist, with the default [`Options`].
    ///
    /// # Errors
    /// One sentence that names the file and the reason why it is refused; the file is then unchanged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::options().open(path)
    }

    /// Removes the database in this file, unless it has an entry or a key.
    ///
    /// # Errors
    /// One sentence that names the file and the reason why it stays, such as
    /// [`OpenErrorKind::InUse`](crate::OpenErrorKind::InUse).
    pub fn remove_empty(path: impl AsRef<Path>) -> Result<(), OpenError> {
        let path = path.as_ref();
        database::remove_empty(path).map_err(|refusal| refusal.of(path))
    }

    /// Opens a backup for reading, and changes nothing, neither in its file nor beside it: only the file is read, as if
    /// no process could change it. A store that is opened so refuses every write as
    /// [unsupported](care_core::error::StoreErrorKind::Unsupported).
    ///
    /// # Errors
    /// One sentence that names the file and the reason why it is refused. A log or a journal beside it is one:
    /// [`OpenErrorKind::Logged`](crate::OpenErrorKind::Logged).
    pub fn open_backup(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        Self::read_backup(path).map_err(|refusal| refusal.of(path))
    }

    fn read_backup(path: &Path) -> Result<Self, Refusal> {
        let path = database::backup(path)?;
        let (conn, signals) = (database::open_backup(&path)?, Arc::new(Signals::default()));
        signals.set_epoch(journal::epoch(&conn)?);
        let scans = Scans::start(vec![connect::immutable(&path)?], Arc::clone(&signals), Options::new().queue)?;
        let readers = Arc::new(Readers::new(vec![conn], Arc::clone(&signals), true));
        Ok(Self { readers, signals, running: Some(Running { scans, writing: None }) })
    }

    /// Returns the options of opening a file.
    pub const fn options() -> Options {
        Options::new()
    }
}

impl Options {
    /// Takes the right to use the file. A guest takes it only to make the file or to migrate it, and not when another
    /// process has done so meanwhile.
    fn ownership(&self, path: &Path, wait: Duration) -> Result<Ownership, Refusal> {
        if self.beside && database::is_current(path, wait)? {
            return Ownership::none(path);
        }
        match Ownership::take(path, self.shared && !self.beside) {
            Err(_) if self.beside && database::is_current(path, wait)? => Ownership::none(path),
            taken => taken,
        }
    }
}

fn processors() -> usize {
    available_parallelism().map_or(2, |count| count.get().max(2))
}

//! How to open a file.

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

use rusqlite::Connection;

use crate::{
    OpenError, SqliteStore,
    connect::{self, ConnectError, PAGE_SIZE},
    epoch, file,
    lock::Ownership,
    open_error::Refusal,
    paths,
    place::Place,
    readers::Readers,
    scans::Scans,
    space::Space,
    staging::Staging,
    store::Running,
    threads,
    wal::{signals::Signals, upkeep},
    writer::Writer,
};

/// So many threads run lists and read the journal.
const SCAN_THREADS: usize = 2;

/// How to open a file; made by [`SqliteStore::options`].
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

    /// Whether several processes serve the file, all of them with this option; otherwise it has one owner.
    ///
    /// Each read then sees every write that any of them has answered, which costs each read a few microseconds.
    pub const fn shared(mut self, shared: bool) -> Self {
        self.shared = shared;
        self
    }

    /// Whether this is a tool that works beside the servers of the file, if there are any, and not one of them: it
    /// takes nothing from them and is not kept out by them.
    ///
    /// It sees at once what they commit, and an owner sees within 50 ms what it commits. After work that has a
    /// [transaction to itself](SqliteStore::bulk) it lets them have their turn.
    pub const fn beside(mut self, beside: bool) -> Self {
        self.beside = beside;
        self
    }

    /// How many decisions may wait for the writer, and how many long reads for their threads, before the store
    /// refuses more as busy: 4096, and at least one.
    pub const fn queue(mut self, queue: usize) -> Self {
        self.queue = queue;
        self
    }

    /// How many point reads can run at the same time: unless said otherwise as many as the machine has processors,
    /// and at least two. Each has a cache of up to 8 MiB.
    pub const fn readers(mut self, readers: NonZero<usize>) -> Self {
        self.readers = Some(readers.get());
        self
    }

    /// How long a decision waits for somebody else's lock on the file, before the store refuses it as busy: two
    /// seconds. More than a day is taken as a day.
    pub const fn lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }

    /// The most that the file may grow to, without its log; then the store refuses what needs more room as full.
    pub const fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Opens this file, or makes it where there is none, readable by its owner alone.
    ///
    /// # Errors
    /// One sentence that names the file and says why it is refused; it is then as it was.
    pub fn open(self, path: impl AsRef<Path>) -> Result<SqliteStore, OpenError> {
        let path = path.as_ref();
        self.start(path).map_err(|refusal| refusal.of(path))
    }

    fn start(self, path: &Path) -> Result<SqliteStore, Refusal> {
        let wait = self.lock_wait.min(Duration::from_secs(86_400));
        let path = paths::canonical(path)?;
        // Before the lock, which makes a file beside it: what is not ours is left alone.
        file::is_there(&path, wait)?;
        let mut ownership = self.ownership(&path, wait)?;
        if !file::is_there(&path, wait)? {
            file::create(&path, wait)?;
        }
        let is_as_left = !self.shared && ownership.is_as_left(&path);
        if self.shared && !self.beside {
            ownership.share()?;
        }
        if ownership.is_held() {
            Staging::clear(&path);
        }
        let mut place = Place::of(&path)?;
        let mut conn = file::open(&path, wait, &ownership, is_as_left)?;
        if self.beside {
            ownership.give_up()?;
        }
        if let Some(bytes) = self.max_bytes {
            let pages = u32::try_from(bytes / u64::from(PAGE_SIZE)).unwrap_or(u32::MAX);
            conn.pragma_update(None, "max_page_count", pages.max(1))?;
        }

        let signals = Arc::new(Signals::default());
        signals.set_epoch(epoch::read(&conn)?);
        let log = Arc::clone(&signals);
        conn.wal_hook(Some(move |_: &mut _, pages| {
            log.logged(u64::try_from(pages).unwrap_or_default());
            Ok(())
        }))?;
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
            // By now every connection is open.
            place.opened(&path, &ownership)?;
            let space = Space::new(&path, self.max_bytes);
            signals.set_room(space.left(&conn).map_err(ConnectError::from)?);
            let (readers, signals, place) = (Arc::clone(&readers), Arc::clone(&signals), place.clone());
            threads::spawn("care-upkeep", move || {
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
        let writer = threads::spawn("care-writer", move || writer.run(&queue))?;
        Ok(SqliteStore { readers, signals: kept, running: Some(Running { jobs, writer, scans, upkeep, until }) })
    }
}

impl Options {
    /// The right to use the file. A guest takes it only to make the file or to bring it up to date, and not from
    /// anybody who has done so meanwhile.
    fn ownership(&self, path: &Path, wait: Duration) -> Result<Ownership, Refusal> {
        if self.beside && file::is_current(path, wait)? {
            return Ownership::none(path);
        }
        match Ownership::take(path, self.shared && !self.beside) {
            Err(_) if self.beside && file::is_current(path, wait)? => Ownership::none(path),
            taken => taken,
        }
    }
}

fn processors() -> usize {
    available_parallelism().map_or(2, |count| count.get().max(2))
}

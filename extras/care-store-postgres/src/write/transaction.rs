//! A writing transaction, from the lock to the commit.

use std::{collections::VecDeque, fmt, pin::Pin};

use care_core::store::{
    Act, Epoch, Head, Key, Link, Lookup, Plan, Seq,
    rows::{EntryRow, RowReader},
};
use futures_util::FutureExt;
use tokio_postgres::Row;

use super::{cache::Cache, pending::Pending};
use crate::{
    base::{cells::Cells, error::Fault},
    connect::{
        pool::Snapshot,
        schema,
        session::{Request, Session},
        synchronous::{Durable, durably},
    },
    read::load::Loading,
};

/// The state that a writer has to know once it has the lock. It is a statement of its own because it must see the
/// commits that happened during the wait for the lock.
const STATE: &str = concat!(
    "SELECT coalesce(head.seq, 0), head.link, protocol, epoch, unjournaled_batch, ",
    durably!(),
    " FROM care LEFT JOIN (SELECT seq, link FROM journal ORDER BY seq DESC LIMIT 1) AS head ON true"
);

/// A transaction that holds the writers' lock, with its cache and its pending changes.
#[derive(Debug)]
pub(crate) struct Transaction<'a> {
    pub(crate) underway: Underway<'a>,
    pub(crate) cache: Cache,
    pub(crate) pending: Pending,
    /// The head of the journal, this transaction's own entries included.
    pub(crate) last: Head,
    /// The number of its own first entry, if it has one.
    pub(crate) first: Option<Seq>,
    /// The id that tells this transaction from any other.
    pub(crate) batch: i64,
    /// The id of the batch without entries that came last before it.
    pub(crate) unjournaled_batch: Option<i64>,
    pub(crate) epoch: Epoch,
    /// The machines whose disks make its commit durable.
    pub(crate) durable: Durable,
    /// Whether there is anything to commit.
    pub(crate) has_written: bool,
}

impl<'a> Transaction<'a> {
    /// Begins a transaction, and loads these keys in the same round trip.
    pub(crate) fn begin(session: &'a Session, keys: Vec<Key>) -> Result<Self, Fault> {
        let loading = Loading::of(&keys);
        let mut requests = vec![begin(session), Request::new(STATE, [])];
        let (requests, loading) = loading.after(&mut requests);
        let answers = session.wait_for(session.run(&requests));
        let begun = answers.and_then(|answers| {
            let (state, found) = answers.get(1).zip(answers.get(2..)).ok_or(Fault::Unexpected)?;
            Ok((state_of(state, session)?, loading.finish(found)?))
        });
        let ((last, epoch, unjournaled_batch, durable), found) = begun.inspect_err(|_| session.send("ROLLBACK"))?;
        let mut this = Self {
            underway: Underway::on(session),
            cache: Cache::default(),
            pending: Pending::new(),
            last,
            first: None,
            batch: random(),
            unjournaled_batch,
            epoch,
            durable,
            has_written: false,
        };
        this.learn(keys, found);
        Ok(this)
    }

    /// Returns what these keys mean now. Unknown keys are loaded, after writing the pending changes that could affect
    /// them.
    pub(crate) fn load(&mut self, keys: &[Key]) -> Result<Vec<Lookup>, Fault> {
        self.fetch(keys.iter().filter(|key| self.cache.get(key).is_none()).cloned().collect())?;
        keys.iter().map(|key| self.cache.get(key).cloned().ok_or(Fault::Unexpected)).collect()
    }

    /// Loads these keys, none of which is cached.
    pub(crate) fn fetch(&mut self, mut missing: Vec<Key>) -> Result<(), Fault> {
        if missing.is_empty() {
            return Ok(());
        }
        missing.dedup();
        let mut requests = Vec::new();
        // Records that this transaction has changed are cached; the database has to answer everything else that depends
        // on them.
        if missing.iter().any(|key| self.pending.touches(key)) {
            requests = self.pending.take()?;
        }
        let written = requests.len();
        let (requests, loading) = Loading::of(&missing).after(&mut requests);
        let answers = self.underway.run(requests)?;
        let found = loading.finish(answers.get(written..).ok_or(Fault::Unexpected)?)?;
        self.learn(missing, found);
        Ok(())
    }

    fn learn(&mut self, keys: Vec<Key>, found: Vec<Lookup>) {
        for (key, found) in keys.into_iter().zip(found) {
            self.cache.insert(key, found);
        }
    }

    /// Adds what a decision wants to the pending changes. Returns the entry's number.
    pub(crate) fn enter(&mut self, act: &Act, plan: Plan) -> Result<Seq, Fault> {
        let (entry, values) = act.enter_with_values(self.last, plan)?;
        let seq = entry.seq;
        let row = EntryRow::with(&entry, &values)?;
        self.append(row)?;
        Ok(seq)
    }

    /// Adds the row of the entry with the next number.
    pub(crate) fn append(&mut self, row: EntryRow<'_>) -> Result<(), Fault> {
        let batch = self.first.is_none().then_some(self.batch);
        let entry = row.entry();
        self.pending.enter(row, batch)?;
        self.cache.follow(entry);
        self.last = entry.head();
        self.first.get_or_insert(entry.seq);
        self.has_written = true;
        Ok(())
    }

    /// Writes what is pending, and runs these statements with it.
    pub(crate) fn write(&mut self, more: impl IntoIterator<Item = Request>) -> Result<(), Fault> {
        let mut requests = self.pending.take()?;
        requests.extend(more);
        if !requests.is_empty() {
            self.has_written = true;
            self.underway.run(requests)?;
        }
        Ok(())
    }

    /// Sends what is pending without waiting for the answer. Returns the failure of an earlier statement.
    pub(crate) fn send(&mut self) -> Result<(), Fault> {
        let requests = self.pending.take()?;
        if requests.is_empty() { Ok(()) } else { self.underway.send(requests) }
    }

    /// Runs setup statements that write nothing.
    pub(crate) fn prepare(&mut self, requests: impl IntoIterator<Item = Request>) -> Result<(), Fault> {
        self.underway.run(requests.into_iter().collect()).map(drop)
    }

    /// Stores the transaction's id beside the epoch, because it has no entry to carry it.
    pub(crate) fn mark(&mut self) -> Result<(), Fault> {
        let batch = self.batch;
        self.write([Request::new("UPDATE care SET unjournaled_batch = $1", [batch.into()])])
    }

    /// Runs a statement that reads.
    pub(crate) fn query(&mut self, request: Request) -> Result<Vec<Row>, Fault> {
        let mut requests = self.pending.take()?;
        requests.push(request);
        self.underway.run(requests)?.pop().ok_or(Fault::Unexpected)
    }

    /// Writes what is pending, and returns a view of the database that includes it.
    pub(crate) fn snapshot(&mut self) -> Result<Snapshot<'a>, Fault> {
        self.write([])?;
        self.underway.wait()?;
        Ok(Snapshot::within(self.underway.session()))
    }

    /// Forgets what was added since the savepoint, and clears the cache.
    pub(crate) fn back_to(&mut self, (last, first, has_written): (Head, Option<Seq>, bool)) {
        (self.last, self.first, self.has_written) = (last, first, has_written);
        self.pending = Pending::new();
        self.cache.clear();
    }

    /// Rolls everything back.
    pub(crate) fn roll_back(self) {
        self.underway.session().send("ROLLBACK");
    }
}

/// Returns the statements that begin a writing transaction and wait for its lock.
pub(crate) fn begin(session: &Session) -> Request {
    session.beginning("BEGIN ISOLATION LEVEL READ COMMITTED", schema::WRITERS)
}

/// Returns the head of the journal, the epoch, the last batch without entries, and the machines that make a commit
/// durable. Fails if the database belongs to a newer version.
fn state_of(rows: &[Row], session: &Session) -> Result<(Head, Epoch, Option<i64>, Durable), Fault> {
    let mut cells = Cells::first("care", rows)?;
    let seq = Seq::new(cells.get::<u64>()?);
    let last = match cells.maybe_bytes()?.map(<[u8; 32]>::try_from) {
        None => Head::START,
        Some(link) => Head { seq, link: Link::new(link.map_err(|_| Fault::Unexpected)?) },
    };
    if cells.get::<i64>()? != schema::PROTOCOL {
        return Err(Fault::Newer);
    }
    let epoch = cells.epoch()?;
    Ok((last, epoch, cells.maybe_integer()?, Durable::read(&mut cells, session)?))
}

/// Returns a random id for a batch.
fn random() -> i64 {
    i64::from(Epoch::random().value()) << 32 | i64::from(Epoch::random().value())
}

/// Most pipelines that may be under way, so that memory use stays bounded.
const MOST: usize = 8;

/// A connection with the statements that are under way on it. PostgreSQL runs them in order, and after a failure skips
/// those behind it.
pub(crate) struct Underway<'a> {
    session: &'a Session,
    sent: VecDeque<Sent<'a>>,
}

/// The answers to statements that were sent together.
type Sent<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<Row>>, Fault>> + 'a>>;

impl<'a> Underway<'a> {
    pub(crate) const fn on(session: &'a Session) -> Self {
        Self { session, sent: VecDeque::new() }
    }

    pub(crate) const fn session(&self) -> &'a Session {
        self.session
    }

    /// Sends statements without waiting for their answers, which a later call awaits. Returns the failure of an earlier
    /// statement.
    pub(crate) fn send(&mut self, requests: Vec<Request>) -> Result<(), Fault> {
        while self.sent.len() >= MOST {
            self.wait_for_first()?;
        }
        let sent = self.start(requests)?;
        self.sent.push_back(sent);
        Ok(())
    }

    /// Runs statements after those that are under way, in one round trip.
    pub(crate) fn run(&mut self, requests: Vec<Request>) -> Result<Vec<Vec<Row>>, Fault> {
        let sent = self.start(requests)?;
        self.wait()?;
        self.session.wait_for(sent)
    }

    /// Waits until nothing is under way.
    pub(crate) fn wait(&mut self) -> Result<(), Fault> {
        while !self.sent.is_empty() {
            self.wait_for_first()?;
        }
        Ok(())
    }

    fn wait_for_first(&mut self) -> Result<(), Fault> {
        self.sent.pop_front().map_or(Ok(()), |sent| self.session.wait_for(sent).map(drop))
    }

    fn start(&mut self, requests: Vec<Request>) -> Result<Sent<'a>, Fault> {
        let session = self.session;
        // A statement that has to be prepared first would be sent after later ones. Preparing waits for the answers of
        // those under way, which are read only when they are awaited.
        if !session.is_prepared(&requests) {
            self.wait()?;
            session.wait_for(session.prepare_all(&requests))?;
        }
        let mut sent: Sent<'a> = Box::pin(async move { session.run(&requests).await });
        // The first poll sends all of them.
        Ok(match (&mut sent).now_or_never() {
            Some(answered) => Box::pin(async { answered }),
            None => sent,
        })
    }
}

impl fmt::Debug for Underway<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Underway").field("sent", &self.sent.len()).finish_non_exhaustive()
    }
}

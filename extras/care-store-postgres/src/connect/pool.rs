//! The pool of connections that read.

use std::{
    ops::Deref,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures_channel::oneshot;
use futures_util::future::{Either, select, try_join};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError},
    time::timeout,
};
use tokio_postgres::Row;

use super::{
    session::{Request, Rows, Session},
    wire::Wire,
};
use crate::base::{error::Fault, settings::Settings};

/// A read that takes this long has lost its caller, because requests time out after 30 seconds.
const LIMIT: &str = "25s";
/// Longest wait for a lock while holding a connection that other reads may need. After that the read waits without one.
const LOCK: Duration = Duration::from_millis(50);
/// Longest pause before a read that met a lock tries again.
const LONGEST: Duration = Duration::from_millis(500);
/// Begins a snapshot of the database, which no writer blocks.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Lifts the timeouts, for a transaction that reads everything.
const LEISURE: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'";
/// Longest wait for the answer to a read that was given up. After that its connection is closed.
const ANSWER: Duration = Duration::from_secs(2);
/// Pause between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(50);

/// The most connections that are kept for reads of single records.
const KEPT: usize = 2;

/// The connections that read, opened as they are needed.
///
/// Lists and other long reads never hold all of them: two are kept for reads of single records, or half of a smaller
/// pool. A pool of one connection keeps none.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) wire: Arc<Wire>,
    /// The settings of the connections that read.
    settings: Settings,
    /// Longest wait for a lock or a connection.
    pub(crate) wait: Duration,
    places: Arc<Semaphore>,
    /// Those of the places that long reads may take.
    long: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Session>>>,
}

/// A place in the pool, until it is dropped.
#[derive(Debug)]
struct Place {
    _any: OwnedSemaphorePermit,
    /// That of a long read.
    _long: Option<OwnedSemaphorePermit>,
}

/// A connection on loan from the pool. Dropping it returns it, unless it is broken.
#[derive(Debug)]
pub(crate) struct PooledConnection {
    session: Option<Session>,
    idle: Arc<Mutex<Vec<Session>>>,
    place: Option<Place>,
    handle: Handle,
}

/// A view of the database at one moment, from its first statement on; for a writing transaction, the state that it has
/// written so far.
#[derive(Debug)]
pub(crate) struct Snapshot<'a> {
    source: Source<'a>,
    has_begun: bool,
    /// The statements to send right after `BEGIN`.
    then: &'static str,
}

/// The origin of a snapshot's connection.
#[derive(Debug)]
enum Source<'a> {
    /// The pool; the snapshot has a transaction of its own.
    Pooled(Box<PooledConnection>),
    /// The writer, whose transaction the snapshot is part of.
    Writing(&'a Session),
}

impl Pool {
    pub(crate) fn new(wire: Arc<Wire>, size: usize, wait: Duration) -> Self {
        let settings = Settings::default().with("default_transaction_read_only", "on");
        let settings = settings.with("statement_timeout", LIMIT).with("idle_in_transaction_session_timeout", LIMIT);
        let settings = settings.with("lock_timeout", LOCK.min(wait).as_millis().max(1));
        // If this process closes a connection, PostgreSQL notices and stops reading for it.
        let settings = settings.with("client_connection_check_interval", "1s");
        let [places, long] = [size, size - KEPT.min(size / 2)].map(|places| Arc::new(Semaphore::new(places)));
        Self { wire, settings, wait, places, long, idle: Arc::default() }
    }

    /// Lends a connection for the read of a single record.
    pub(crate) async fn lend(&self) -> Result<PooledConnection, Fault> {
        self.lend_at(Place { _any: self.place(&self.places).await?, _long: None }).await
    }

    /// Lends a connection at this place. An idle one may have broken unnoticed. An attempt to connect outlives its
    /// caller, so that callers with little patience do not start over every time.
    async fn lend_at(&self, place: Place) -> Result<PooledConnection, Fault> {
        let found = std::iter::from_fn(|| lock(&self.idle).pop()).find(|session| !session.is_closed());
        let (idle, handle) = (Arc::clone(&self.idle), self.wire.handle().clone());
        let lent = |session| PooledConnection { session, idle, place: Some(place), handle };
        if found.is_some() {
            return Ok(lent(found));
        }
        let attempt = self.wire.attempt(&self.settings);
        let (answer, connected) = oneshot::channel();
        self.wire.spawn(async move {
            let connected = attempt.await.map(|session| lent(Some(session)));
            // If the caller has gone, the connection returns to the pool for the next one.
            drop(answer.send(connected));
        });
        connected.await.unwrap_or(Err(Fault::Closed))
    }

    /// Waits for one of these places, at most as long as anything waits for a connection.
    async fn place(&self, places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Fault> {
        match Arc::clone(places).try_acquire_owned() {
            Ok(place) => return Ok(place),
            Err(TryAcquireError::Closed) => return Err(Fault::Closed),
            Err(TryAcquireError::NoPermits) => {}
        }
        let free = pin!(Arc::clone(places).acquire_owned());
        match select(free, pin!(self.wire.pause(self.wait))).await {
            Either::Left((place, _)) => place.map_err(|_| Fault::Closed),
            Either::Right((ended, _)) => ended.and(Err(Fault::NoConnection)),
        }
    }

    /// Waits before the next attempt at a read that began at this time, if the last one failed for lack of a connection
    /// or because of a lock, and there is time for another. Reads of a locked table wait here, and leave the pool's
    /// connections to other reads.
    pub(crate) async fn again(&self, since: Instant, fault: Fault) -> Result<(), Fault> {
        let waited = since.elapsed();
        let left = self.wait.saturating_sub(waited);
        let pause = if fault.is_lost() { PAUSE } else { waited.clamp(LOCK, LONGEST).min(left) };
        match !left.is_zero() && (fault.is_lost() || fault.is_locked()) {
            true => self.wire.pause(pause).await,
            false => Err(fault),
        }
    }

    /// Lends a connection that sees the database at one moment, for a long read.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot<'static>, Fault> {
        let long = self.place(&self.long).await?;
        let place = Place { _any: self.place(&self.places).await?, _long: Some(long) };
        Ok(Snapshot::of(self.lend_at(place).await?))
    }

    /// Returns the schema that every connection is pinned to.
    pub(crate) fn schema(&self) -> &str {
        self.wire.endpoint().schema().unwrap_or_default()
    }

    /// Closes the idle connections and lends out no more.
    pub(crate) fn close(&self) {
        self.places.close();
        self.long.close();
        lock(&self.idle).clear();
    }
}

impl<'a> Snapshot<'a> {
    /// Makes a snapshot that this connection takes with its first statement.
    pub(crate) fn of(lent: PooledConnection) -> Self {
        Self { source: Source::Pooled(Box::new(lent)), has_begun: false, then: "" }
    }

    /// Makes a view of what the writing transaction on this connection sees.
    pub(crate) const fn within(session: &'a Session) -> Self {
        Self { source: Source::Writing(session), has_begun: true, then: "" }
    }

    /// Lifts the timeouts of the snapshot's statements.
    pub(crate) const fn at_leisure(mut self) -> Self {
        self.then = LEISURE;
        self
    }

    fn session(&self) -> &Session {
        match &self.source {
            Source::Pooled(lent) => lent,
            Source::Writing(session) => session,
        }
    }

    /// Runs all requests in one round trip.
    pub(crate) async fn run(&mut self, mut requests: Vec<Request>) -> Result<Vec<Vec<Row>>, Fault> {
        if self.has_begun {
            return self.session().run(&requests).await;
        }
        self.has_begun = true;
        requests.insert(0, self.session().beginning(BEGIN, self.then));
        let mut rows = self.session().run(&requests).await?;
        rows.remove(0);
        Ok(rows)
    }

    /// Runs one statement.
    pub(crate) async fn query(&mut self, request: Request) -> Result<Vec<Row>, Fault> {
        self.run(vec![request]).await?.pop().ok_or(Fault::Unexpected)
    }

    /// Runs one statement and streams its rows.
    pub(crate) async fn stream(&mut self, request: &Request) -> Result<Rows<'_>, Fault> {
        if self.has_begun {
            return self.session().stream(request).await;
        }
        self.has_begun = true;
        let session = self.session();
        // `BEGIN` is polled first, and therefore sent first.
        let begin = [session.beginning(BEGIN, self.then)];
        let (_, rows) = try_join(session.run(&begin), session.stream(request)).await?;
        Ok(rows)
    }
}

impl Deref for PooledConnection {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session.as_ref().expect("the session stays until it is dropped")
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(session) = self.session.take().filter(|session| !session.is_closed()) else {
            return;
        };
        if session.is_answered() {
            return lock(&self.idle).push(session);
        }
        // Its caller gave up. It is lent out again once it has answered; a server that has fallen silent never does.
        let (idle, place) = (Arc::clone(&self.idle), self.place.take());
        drop(self.handle.spawn(async move {
            if let Ok(Ok(())) = timeout(ANSWER, session.answered()).await {
                lock(&idle).push(session);
            }
            drop(place);
        }));
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if let (Source::Pooled(lent), true) = (&self.source, self.has_begun) {
            // This is sent before the connection is lent out again, and so before any other statement.
            lent.send("ROLLBACK");
        }
    }
}

fn lock(idle: &Mutex<Vec<Session>>) -> std::sync::MutexGuard<'_, Vec<Session>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

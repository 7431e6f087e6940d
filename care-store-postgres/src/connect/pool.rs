//! The connections that read.

use std::{
    ops::Deref,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use futures_channel::oneshot;
use futures_util::future::{Either, select, try_join};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio_postgres::{Row, RowStream};

use super::{
    session::{Request, Session},
    wire::Wire,
};
use crate::base::{error::Fault, settings::Settings};

/// A read that takes this long has lost its reader: the deadline of requests is 30 seconds.
const LIMIT: &str = "25s";
/// The longest wait for a lock on a connection that others may need meanwhile. Then the read waits without one.
const LOCK: Duration = Duration::from_millis(50);
/// The longest time for which a read that was locked out waits before it tries again.
const LONGEST: Duration = Duration::from_millis(500);
/// One moment of the database, which no writer waits for.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// The limits of a transaction that reads everything, for as long as that takes.
const LEISURE: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'";
/// The time between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(50);

/// The connections that read, opened when they are first needed.
#[derive(Debug)]
pub(crate) struct Pool {
    wire: Arc<Wire>,
    /// The settings of a connection that reads.
    settings: Settings,
    /// The longest wait for a connection.
    wait: Duration,
    places: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Session>>>,
}

/// A connection that is in use. It is given back when it is dropped, unless it is gone.
#[derive(Debug)]
pub(crate) struct Lent {
    session: Option<Session>,
    idle: Arc<Mutex<Vec<Session>>>,
    _place: OwnedSemaphorePermit,
}

/// A connection that sees one moment of the database, from its first statement on, or what its transaction has written.
#[derive(Debug)]
pub(crate) struct Snapshot<'a> {
    source: Source<'a>,
    has_begun: bool,
    /// The statements that come behind its `BEGIN`.
    then: &'static str,
}

/// The connection of a snapshot.
#[derive(Debug)]
enum Source<'a> {
    /// One that reads, in a transaction of its own.
    Lent(Box<Lent>),
    /// One that writes, in its transaction.
    Writing(&'a Session),
}

/// The attempts at something that reads, which can be done again on another connection.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    pool: &'a Pool,
    since: Instant,
}

impl Pool {
    pub(crate) fn new(wire: Arc<Wire>, size: usize, wait: Duration) -> Self {
        let settings = Settings::default().with("default_transaction_read_only", "on");
        let settings = settings.with("statement_timeout", LIMIT).with("idle_in_transaction_session_timeout", LIMIT);
        let settings = settings.with("lock_timeout", LOCK.min(wait).as_millis().max(1));
        Self { wire, settings, wait, places: Arc::new(Semaphore::new(size)), idle: Arc::default() }
    }

    /// Returns a connection, which may have been idle and may be gone without that being known. An attempt to connect
    /// goes on when its caller is gone, so that callers with less patience than it takes do not begin anew each time.
    pub(crate) async fn lend(&self) -> Result<Lent, Fault> {
        let place = self.place().await?;
        let found = std::iter::from_fn(|| lock(&self.idle).pop()).find(|session| !session.is_closed());
        let idle = Arc::clone(&self.idle);
        if found.is_some() {
            return Ok(Lent { session: found, idle, _place: place });
        }
        let attempt = self.wire.attempt(&self.settings);
        let (answer, connected) = oneshot::channel();
        self.wire.spawn(async move {
            let lent = attempt.await.map(|session| Lent { session: Some(session), idle, _place: place });
            // Without its caller the connection is idle, and the next caller's.
            drop(answer.send(lent));
        });
        connected.await.unwrap_or(Err(Fault::Closed))
    }

    /// Returns the right to a connection, waited for as long as anything waits for one.
    async fn place(&self) -> Result<OwnedSemaphorePermit, Fault> {
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => return Ok(place),
            Err(TryAcquireError::Closed) => return Err(Fault::Closed),
            Err(TryAcquireError::NoPermits) => {}
        }
        let free = pin!(Arc::clone(&self.places).acquire_owned());
        match select(free, pin!(self.wire.pause(self.wait))).await {
            Either::Left((place, _)) => place.map_err(|_| Fault::Closed),
            Either::Right((ended, _)) => ended.and(Err(Fault::NoConnection)),
        }
    }

    /// Returns the longest wait for a lock or a connection.
    pub(crate) const fn wait(&self) -> Duration {
        self.wait
    }

    /// Waits without occupying a thread.
    pub(crate) async fn pause(&self, time: Duration) -> Result<(), Fault> {
        self.wire.pause(time).await
    }

    /// Begins the attempts at something that reads.
    pub(crate) fn attempts(&self) -> Attempts<'_> {
        Attempts { pool: self, since: Instant::now() }
    }

    /// Returns a connection that sees one moment.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot<'static>, Fault> {
        Ok(Snapshot::of(self.lend().await?))
    }

    /// Returns the schema that every connection is held to.
    pub(crate) fn schema(&self) -> &str {
        self.wire.endpoint().schema().unwrap_or_default()
    }

    /// Opens a connection with these settings that is not one of those that read, and is closed after its use.
    pub(crate) async fn apart(&self, settings: &Settings) -> Result<Session, Fault> {
        self.wire.connect(settings).await
    }

    /// Closes the connections that are idle and lends no more.
    pub(crate) fn close(&self) {
        self.places.close();
        lock(&self.idle).clear();
    }
}

impl Attempts<'_> {
    /// Waits before the next attempt, if the last one failed for want of a connection or for a lock, and there is time
    /// for another. Reads of a table that is locked wait here, and so leave the connections to reads of others.
    pub(crate) async fn again(&self, fault: Fault) -> Result<(), Fault> {
        let waited = self.since.elapsed();
        let left = self.pool.wait.saturating_sub(waited);
        let pause = if fault.is_lost() { PAUSE } else { waited.clamp(LOCK, LONGEST).min(left) };
        match !left.is_zero() && (fault.is_lost() || fault.is_locked()) {
            true => self.pool.wire.pause(pause).await,
            false => Err(fault),
        }
    }
}

impl<'a> Snapshot<'a> {
    /// Returns the state that this connection will see.
    pub(crate) fn of(lent: Lent) -> Self {
        Self { source: Source::Lent(Box::new(lent)), has_begun: false, then: "" }
    }

    /// Returns the state that a transaction which writes sees on this connection.
    pub(crate) const fn within(session: &'a Session) -> Self {
        Self { source: Source::Writing(session), has_begun: true, then: "" }
    }

    /// Returns the same, whose statements take as long as they take.
    pub(crate) const fn at_leisure(mut self) -> Self {
        self.then = LEISURE;
        self
    }

    fn session(&self) -> &Session {
        match &self.source {
            Source::Lent(lent) => lent,
            Source::Writing(session) => session,
        }
    }

    /// Runs all of these in one round trip.
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

    /// Runs one statement whose rows are taken one by one.
    pub(crate) async fn stream(&mut self, request: &Request) -> Result<RowStream, Fault> {
        if self.has_begun {
            return self.session().stream(request).await;
        }
        self.has_begun = true;
        let session = self.session();
        // The one is polled first, and so sent first.
        let begin = [session.beginning(BEGIN, self.then)];
        let (_, rows) = try_join(session.run(&begin), session.stream(request)).await?;
        Ok(rows)
    }
}

impl Deref for Lent {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session.as_ref().expect("the session stays until it is dropped")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(session) = self.session.take().filter(|session| !session.is_closed()) {
            lock(&self.idle).push(session);
        }
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if let (Source::Lent(lent), true) = (&self.source, self.has_begun) {
            // Sent before the connection is lent again, and so before anything else.
            lent.send("ROLLBACK");
        }
    }
}

fn lock(idle: &Mutex<Vec<Session>>) -> std::sync::MutexGuard<'_, Vec<Session>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

//! One connection, on which many statements travel in one round trip.

use std::{
    borrow::Cow,
    collections::HashMap,
    future::poll_fn,
    pin::Pin,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use futures_util::{
    FutureExt, TryStreamExt,
    future::{MaybeDone, maybe_done},
};
use tokio::task::AbortHandle;
use tokio_postgres::{
    Client, Row, RowStream, SimpleQueryMessage, Statement,
    types::{ToSql, Type},
};

use crate::base::{
    blocking,
    cells::{Cell, Param},
    error::Fault,
    settings::Settings,
};

/// PostgreSQL's answer to a statement.
pub(crate) type Answer = Result<Vec<Row>, tokio_postgres::Error>;

/// A connection with the statements that were prepared on it.
#[derive(Debug)]
pub(crate) struct Session {
    client: Client,
    prepared: Mutex<HashMap<String, Statement>>,
    /// For a connection through a pooler, which may give each transaction a different server connection, the settings
    /// to send right after each `BEGIN`: nothing is prepared, and nothing is set for longer than a transaction.
    pooled: Option<Mutex<String>>,
    /// Whether nothing may be written unless commits wait for a standby.
    requires_standby: bool,
    /// Longest time that the writing thread waits for an answer.
    limit: OnceLock<Duration>,
    /// The waits for an answer that run or were given up.
    waits: AtomicUsize,
    /// The task that drives the socket.
    driver: AbortHandle,
}

/// The options of each connection of a store.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SessionOptions {
    /// Whether connections pass through a pooler that may give each transaction a different server connection.
    pub(crate) is_pooled: bool,
    /// Whether nothing may be written unless commits wait for a standby.
    pub(crate) requires_standby: bool,
}

/// A statement with its parameters.
#[derive(Debug)]
pub(crate) struct Request {
    sql: Cow<'static, str>,
    params: Vec<Param>,
    /// Whether it is sent by the simple protocol: statements that begin and end transactions, which have no parameters.
    is_plain: bool,
}

impl Request {
    pub(crate) fn new(sql: impl Into<Cow<'static, str>>, params: impl IntoIterator<Item = Cell>) -> Self {
        Self { sql: sql.into(), params: params.into_iter().map(Param::Cell).collect(), is_plain: false }
    }

    /// Returns a request whose parameters are columns, each sent as an array.
    pub(crate) fn with_columns(
        sql: impl Into<Cow<'static, str>>,
        columns: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Self {
        Self { sql: sql.into(), params: columns.into_iter().map(Param::Column).collect(), is_plain: false }
    }

    /// Returns a request for one or more statements without parameters.
    pub(crate) fn plain(sql: impl Into<Cow<'static, str>>) -> Self {
        Self { sql: sql.into(), params: Vec::new(), is_plain: true }
    }

    /// Returns the parameters with the types to send when the server is not asked for its own.
    fn typed(&self) -> Vec<(&(dyn ToSql + Sync), Type)> {
        self.params.iter().map(|param| (param as _, param.ty())).collect()
    }
}

impl Session {
    /// Starts to use a connection under these settings.
    pub(crate) async fn begin(
        client: Client,
        driver: AbortHandle,
        settings: &Settings,
        SessionOptions { is_pooled, requires_standby }: SessionOptions,
    ) -> Result<Self, Fault> {
        let pooled = is_pooled.then(Mutex::default);
        let (prepared, limit, waits) = (Mutex::default(), OnceLock::new(), AtomicUsize::new(0));
        let session = Self { client, prepared, pooled, requires_standby, limit, waits, driver };
        session.set(settings).await?;
        Ok(session)
    }

    /// Applies these settings from now on.
    pub(crate) async fn set(&self, settings: &Settings) -> Result<(), Fault> {
        match &self.pooled {
            Some(pooled) => *lock(pooled) = settings.local(),
            None => self.execute(&settings.lasting()).await?,
        }
        Ok(())
    }

    /// Returns whether nothing may be written unless commits wait for a standby.
    pub(crate) const fn requires_standby(&self) -> bool {
        self.requires_standby
    }

    /// Returns a request that begins a transaction and then runs these statements.
    pub(crate) fn beginning(&self, begin: &'static str, then: &'static str) -> Request {
        let settings = self.pooled.as_ref().map(|pooled| lock(pooled).clone());
        Request::plain(format!("{begin}; {}{then}", settings.unwrap_or_default()))
    }

    /// Sets how long the writing thread waits for an answer. The first call counts.
    pub(crate) fn limit(&self, limit: Duration) {
        self.limit.get_or_init(|| limit);
    }

    /// Blocks until the connection answers. If that takes too long, the connection counts as broken.
    pub(crate) fn wait_for<T>(&self, answer: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        let limit = self.limit.get().copied().unwrap_or(Duration::MAX);
        blocking::within(limit, answer).unwrap_or(Err(Fault::NoConnection))
    }

    /// Returns whether the connection is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Returns whether no caller waits for an answer on this connection, and none gave up waiting.
    pub(crate) fn is_answered(&self) -> bool {
        self.waits.load(Ordering::Relaxed) == 0
    }

    /// Waits until the connection has answered everything that was sent on it.
    pub(crate) async fn answered(&self) -> Result<(), Fault> {
        self.execute("").await?;
        self.waits.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Runs all requests in order in one round trip, and returns the answer to each. Fails only if a statement cannot
    /// be prepared; then none was sent.
    pub(crate) async fn pipeline(&self, requests: &[Request]) -> Result<Vec<Answer>, Fault> {
        let waits = Waits::on(self);
        let answers = self.answers(requests).await;
        waits.ended();
        answers
    }

    async fn answers(&self, requests: &[Request]) -> Result<Vec<Answer>, Fault> {
        let statements = self.prepare_all(requests).await?;
        let runs = requests.iter().zip(&statements).map(|(request, statement)| async move {
            match statement {
                Some(statement) => self.client.query(statement, &references(&request.params)).await,
                None if request.is_plain => self.client.batch_execute(&request.sql).await.map(|()| Vec::new()),
                None => self.client.query_typed(&request.sql, &request.typed()).await,
            }
        });
        Ok(in_order(runs).await)
    }

    /// Runs all requests in one round trip, and fails if any of them fails.
    pub(crate) async fn run(&self, requests: &[Request]) -> Result<Vec<Vec<Row>>, Fault> {
        let answers = self.pipeline(requests).await?;
        Ok(answers.into_iter().collect::<Result<_, _>>()?)
    }

    /// Returns the requests that run one statement in a transaction of its own: the statement alone on a direct
    /// connection, and behind the settings that each transaction needs through a pooler.
    pub(crate) fn by_itself(&self, request: Request) -> Vec<Request> {
        match self.pooled {
            None => vec![request],
            // If the statement fails, this commit rolls back.
            Some(_) => vec![self.beginning("BEGIN", ""), request, Request::plain("COMMIT")],
        }
    }

    /// Runs one statement in a transaction of its own.
    pub(crate) async fn single(&self, request: Request) -> Result<Vec<Row>, Fault> {
        let answers = self.run(&self.by_itself(request)).await?;
        let place = usize::from(self.pooled.is_some());
        answers.into_iter().nth(place).ok_or(Fault::Unexpected)
    }

    /// Runs a script that ends in `SHOW`, and returns the value. No function call is involved.
    pub(crate) async fn shown(&self, script: &str) -> Result<String, Fault> {
        let answer = self.client.simple_query(script).await?;
        let value = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        Ok(value.ok_or(Fault::Unexpected)?.to_owned())
    }

    /// Runs one statement.
    pub(crate) async fn query(&self, request: Request) -> Result<Vec<Row>, Fault> {
        self.run(&[request]).await?.pop().ok_or(Fault::Unexpected)
    }

    /// Runs one statement and streams its rows.
    pub(crate) async fn stream(&self, request: &Request) -> Result<Rows<'_>, Fault> {
        let waits = Waits::on(self);
        let stream = match self.pooled {
            Some(_) => self.client.query_typed_raw(&request.sql, request.typed()).await?,
            None => {
                let statement = self.prepare(&request.sql).await?;
                self.client.query_raw(&statement, references(&request.params)).await?
            }
        };
        waits.ended();
        Ok(Rows { session: self, stream: Box::pin(stream) })
    }

    /// Runs a script.
    pub(crate) async fn execute(&self, script: &str) -> Result<(), Fault> {
        Ok(self.client.batch_execute(script).await?)
    }

    /// Sends a statement and ignores its answer. Later statements run after it.
    pub(crate) fn send(&self, sql: &'static str) {
        // One poll sends it; the answer is dropped.
        let _ = self.client.batch_execute(sql).now_or_never();
    }

    /// Returns the prepared statements of these requests, except for those sent by the simple protocol.
    pub(crate) async fn prepare_all(&self, requests: &[Request]) -> Result<Vec<Option<Statement>>, Fault> {
        let mut statements = Vec::with_capacity(requests.len());
        for request in requests {
            statements.push(match request.is_plain || self.pooled.is_some() {
                true => None,
                false => Some(self.prepare(&request.sql).await?),
            });
        }
        Ok(statements)
    }

    /// Returns whether all requests can be sent without preparing anything first.
    pub(crate) fn is_prepared(&self, requests: &[Request]) -> bool {
        let prepared = lock(&self.prepared);
        self.pooled.is_some() || requests.iter().all(|request| request.is_plain || prepared.contains_key(&*request.sql))
    }

    async fn prepare(&self, sql: &str) -> Result<Statement, Fault> {
        if let Some(known) = lock(&self.prepared).get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql).await?;
        lock(&self.prepared).insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// A wait for an answer. It stays counted if its future is dropped before the answer is there.
#[derive(Debug)]
struct Waits<'a>(&'a Session);

impl<'a> Waits<'a> {
    fn on(session: &'a Session) -> Self {
        session.waits.fetch_add(1, Ordering::Relaxed);
        Self(session)
    }

    fn ended(self) {
        self.0.waits.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The rows of a statement, as they arrive. A caller that has enough of them drops it.
pub(crate) struct Rows<'a> {
    session: &'a Session,
    stream: Pin<Box<RowStream>>,
}

impl Rows<'_> {
    /// Waits for the next row; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Row>, Fault> {
        let waits = Waits::on(self.session);
        let row = self.stream.try_next().await;
        waits.ended();
        Ok(row?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The driver waits for answers, and a server that has fallen silent sends none.
        if !self.is_answered() {
            self.driver.abort();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn references(params: &[Param]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|param| param as _).collect()
}

/// Awaits all futures. Each is first polled, and thereby sent, after those before it. If one cannot be sent, those
/// after it are not sent either.
async fn in_order<T, E>(futures: impl Iterator<Item = impl Future<Output = Result<T, E>>>) -> Vec<Result<T, E>> {
    let mut all = Vec::new();
    for future in futures {
        let mut future = Box::pin(maybe_done(future));
        let _ = future.as_mut().now_or_never();
        let has_failed = matches!(future.as_mut().output_mut(), Some(Err(_)));
        all.push(future);
        if has_failed {
            break;
        }
    }
    poll_fn(|context| {
        let mut is_done = true;
        for future in &mut all {
            is_done &= future.as_mut().poll(context).is_ready();
        }
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    all.iter_mut().filter_map(|future| MaybeDone::take_output(future.as_mut())).collect()
}

//! The relay: a delivery for each endpoint, as the operator wants them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, mem,
    pin::pin,
    sync::Arc,
    time::Duration,
};

use care_core::service::{Clock, SystemClock};
use rusqlite::Connection;
use tokio::{
    runtime::{self, Runtime},
    sync::watch,
    task::{Id, JoinError, JoinSet},
    time::{sleep, timeout},
};

use crate::{
    RelayError,
    delivery::{Common, LastAttempts, deliver},
    feed::Feed,
    figures::{Figures, Standing},
    lookup::{Lookup, SystemLookup},
    source::EventSource,
    state::{self, Condition, Damaged, Endpoint, Ledger, State, StateError},
    tls::Certificates,
};

/// The time for which a receiver in trouble is tried, unless another is set.
const GIVE_UP: Duration = Duration::from_secs(5 * 24 * 60 * 60);
/// The time that requests in flight get to end when the relay stops.
const GRACE: Duration = Duration::from_secs(5);
/// The shortest time between two writes of the journal's end.
const END_EVERY: Duration = Duration::from_secs(5);
/// The pause after a failure of the file.
const PAUSE: Duration = Duration::from_secs(1);
/// The number of threads on which messages are sent.
const SENDING: usize = 2;

/// The relay, which delivers the events of a source to the endpoints in a state file.
///
/// ```no_run
/// use care_core::{service::CareService, store::MemoryStore};
/// use care_relay::{Relay, State};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let care = CareService::new(MemoryStore::new());
/// let relay = Relay::new(care.clone(), State::open("relay.db")?);
/// relay.run(std::future::pending()).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "it delivers nothing until it runs"]
pub struct Relay {
    feed: Feed,
    figures: Figures,
    state: State,
    clock: Arc<dyn Clock>,
    lookup: Arc<dyn Lookup>,
    give_up: Duration,
}

/// A view of a relay that runs, for probes and metrics; clone it freely.
#[derive(Clone)]
pub struct Probe {
    feed: Feed,
    figures: Figures,
    clock: Arc<dyn Clock>,
}

/// The deliveries that run, by the number of the endpoint.
struct Deliveries {
    threads: Threads,
    tasks: JoinSet<()>,
    running: BTreeMap<i64, Running>,
    /// The endpoints whose damage was logged.
    damaged: BTreeSet<i64>,
}

/// The threads that send messages and read answers, and do nothing else. Receivers cannot keep the feed, the probes or
/// the program around the relay waiting, whatever they send.
struct Threads(Option<Runtime>);

/// A delivery that runs.
struct Running {
    /// The revision of the endpoint's row that it has read.
    revision: i64,
    /// The sender that tells it to stop.
    stop: watch::Sender<bool>,
    task: Id,
}

impl Relay {
    /// Makes a relay of this source and this state.
    pub fn new(source: impl EventSource, state: State) -> Self {
        Self {
            feed: Feed::new(Arc::new(source)),
            figures: Figures::new(),
            state,
            clock: Arc::new(SystemClock),
            lookup: Arc::new(SystemLookup),
            give_up: GIVE_UP,
        }
    }

    /// Sets the time of trying after which an endpoint whose receiver is in trouble is disabled: five days unless set.
    /// It is tried at least a hundred times.
    pub fn with_give_up(self, give_up: Duration) -> Self {
        Self { give_up, ..self }
    }

    /// Sets the clock, which dates attempts; pauses follow it.
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), ..self }
    }

    /// Sets the resolver of endpoints' names. Only allowed addresses are connected to, whatever it answers.
    pub fn with_lookup(self, lookup: impl Lookup) -> Self {
        Self { lookup: Arc::new(lookup), ..self }
    }

    /// Returns a view for probes and metrics.
    pub fn probe(&self) -> Probe {
        Probe { feed: self.feed.clone(), figures: self.figures.clone(), clock: Arc::clone(&self.clock) }
    }

    /// Delivers until `stop` is ready. Requests in flight then get five seconds to end. Afterwards another relay may
    /// run on the state.
    ///
    /// # Errors
    /// Another relay runs on the state, or the system refuses.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) -> Result<(), RelayError> {
        let probe = self.probe();
        let Self { feed, figures, state, clock, lookup, give_up } = self;
        let mut deliveries = Deliveries::new()?;
        let (ledger, is_free) = Ledger::start(state)?;
        let mut changes = ledger.changes();
        let certificates = Certificates::default();
        let attempts = LastAttempts::default();
        let common = Arc::new(Common { feed, ledger, figures, clock, lookup, certificates, give_up, attempts });
        let mut helpers = JoinSet::new();
        let feed = common.feed.clone();
        helpers.spawn(async move { feed.follow().await });
        helpers.spawn(note_ends(Arc::clone(&common), probe));
        let mut stop = pin!(stop);
        loop {
            let synced = deliveries.sync(&common).await;
            if let Err(error) = &synced {
                tracing::error!(%error, "the endpoints could not be read");
            }
            tokio::select! {
                () = &mut stop => break,
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Err(StateError::Ended.into());
                    }
                }
                Some(ended) = deliveries.tasks.join_next_with_id() => deliveries.forget(ended),
                () = sleep(PAUSE), if synced.is_err() => {}
            }
        }
        deliveries.end().await;
        drop((common, helpers));
        is_free.await;
        Ok(())
    }
}

impl Threads {
    fn start() -> Result<Self, StateError> {
        let mut threads = runtime::Builder::new_multi_thread();
        threads.worker_threads(SENDING).thread_name("relay-delivery").enable_all();
        Ok(Self(Some(threads.build()?)))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // A runtime that waited for its threads could not be dropped in a task, and a lookup cannot be interrupted.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Deliveries {
    fn new() -> Result<Self, StateError> {
        let threads = Threads::start()?;
        Ok(Self { threads, tasks: JoinSet::new(), running: BTreeMap::new(), damaged: BTreeSet::new() })
    }

    /// Starts, ends and restarts deliveries as the rows of the endpoints say.
    async fn sync(&mut self, common: &Arc<Common>) -> Result<(), StateError> {
        let mut wanted = BTreeMap::new();
        let mut standings = BTreeMap::new();
        let known = mem::take(&mut self.damaged);
        for (found, standing) in common.ledger.run(self::standings).await? {
            let name = match found {
                Ok(endpoint) => {
                    if endpoint.condition == Condition::Active {
                        wanted.insert(endpoint.id, endpoint.revision);
                    }
                    endpoint.name
                }
                Err(Damaged { id, name }) => {
                    if !known.contains(&id) {
                        tracing::error!(endpoint = name, "the endpoint is damaged, and gets nothing");
                    }
                    self.damaged.insert(id);
                    name
                }
            };
            standings.insert(name, standing);
        }
        common.figures.stand(standings);
        for (id, Running { revision, stop, .. }) in &self.running {
            if wanted.get(id) != Some(revision) {
                // A request in flight ends first. Then the delivery is started anew, if it is still wanted.
                stop.send_replace(true);
            }
        }
        for (id, revision) in wanted {
            if !self.running.contains_key(&id) {
                let (stop, stopped) = watch::channel(false);
                let Threads(Some(threads)) = &self.threads else { return Err(StateError::Ended) };
                let delivery = deliver(Arc::clone(common), id, stopped);
                let task = self.tasks.spawn_on(delivery, threads.handle()).id();
                self.running.insert(id, Running { revision, stop, task });
            }
        }
        Ok(())
    }

    fn forget(&mut self, ended: Result<(Id, ()), JoinError>) {
        let task = match ended {
            Ok((task, ())) => task,
            Err(error) => {
                tracing::error!("a delivery has panicked, and begins anew");
                error.id()
            }
        };
        self.running.retain(|_, running| running.task != task);
    }

    /// Ends all deliveries.
    async fn end(mut self) {
        for Running { stop, .. } in self.running.values() {
            stop.send_replace(true);
        }
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(GRACE, all).await.is_err() {
            tracing::warn!("a receiver did not answer before the end: it may get a message twice");
        }
    }
}

/// Returns all endpoints and their states.
fn standings(conn: &Connection) -> rusqlite::Result<Vec<(Result<Endpoint, Damaged>, Standing)>> {
    let standing = |found: Result<Endpoint, Damaged>| {
        let (condition, place, dead) = match &found {
            Ok(endpoint) => (endpoint.condition, endpoint.place.seq, endpoint.dead(conn)?),
            Err(_) => (Condition::Damaged, None, 0),
        };
        Ok((found, Standing { condition, place, waiting: None, dead }))
    };
    Endpoint::all(conn)?.into_iter().map(standing).collect()
}

/// Stores the end of the journal now and then, and sets the gauges.
async fn note_ends(common: Arc<Common>, probe: Probe) {
    let mut heads = common.feed.heads();
    while heads.changed().await.is_ok() {
        let head = heads.borrow_and_update().clone();
        if let Some(head) = head {
            probe.publish();
            let noted = common.ledger.run(move |conn| state::note_end(conn, &head.epoch, head.seq)).await;
            if let Err(error) = noted {
                tracing::warn!(%error, "the end of the journal could not be stored");
            }
        }
        sleep(END_EVERY).await;
    }
}

impl Probe {
    /// Returns whether the source answered when it was last asked.
    pub fn is_ready(&self) -> bool {
        self.feed.answers()
    }

    /// Sets the gauges as of now.
    pub fn publish(&self) {
        if let Some(head) = &*self.feed.heads().borrow() {
            self.figures.reached(head.seq);
        }
        self.figures.publish(self.clock.now());
    }
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("state", &self.state).field("give_up", &self.give_up).finish_non_exhaustive()
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("is_ready", &self.is_ready()).finish_non_exhaustive()
    }
}

//! The delivery to one endpoint: one message at a time, in the order of the journal.

mod settling;

use std::{
    collections::{BTreeMap, VecDeque},
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use care_client::Event;
use care_core::{model::Timestamp, service::Clock, store::Seq};
use rusqlite::Connection;
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until, timeout},
};

use crate::{
    RelayError,
    feed::{Batch, Feed, Head},
    figures::Figures,
    lookup::Lookup,
    message::{Message, Notice},
    schedule::Step,
    sender::Sender,
    state::{self, Delivered, Endpoint, Ledger, Replay, Sent, Signing, StateError, Turn},
    tls::Certificates,
};

/// The number of entries after which an endpoint that passes over them stores its place.
const STORED_EVERY: u64 = 100;
/// The time after which it does.
const STORED_AFTER: Duration = Duration::from_secs(5);
/// The pause after a failure of the file or of the source.
const PAUSE: Duration = Duration::from_secs(1);
/// The pause before the way to an endpoint is tried again that cannot be made.
const LONG_PAUSE: Duration = Duration::from_secs(60);
/// The entries to be sent again that are read at once.
const REPLAYED: usize = 100;

/// The things that all endpoints share.
pub(crate) struct Common {
    pub(crate) feed: Feed,
    pub(crate) ledger: Ledger,
    pub(crate) figures: Figures,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) certificates: Certificates,
    pub(crate) give_up: Duration,
    pub(crate) attempts: LastAttempts,
}

/// The instants of the endpoints' last attempts, by number, on a clock that cannot be set. A delivery that begins anew
/// goes on with the pause of the one before it.
#[derive(Default)]
pub(crate) struct LastAttempts(Mutex<BTreeMap<i64, Instant>>);

impl LastAttempts {
    /// Returns the instant of the last attempt, now if this relay has made none.
    fn of(&self, endpoint: i64) -> Instant {
        self.known().get(&endpoint).copied().unwrap_or_else(Instant::now)
    }

    fn note(&self, endpoint: i64, at: Instant) {
        self.known().insert(endpoint, at);
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeMap<i64, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The delivery to one endpoint.
pub(crate) struct Courier {
    common: Arc<Common>,
    endpoint: Endpoint,
    secrets: Vec<Signing>,
    notices: VecDeque<Notice>,
    replays: VecDeque<Replay>,
    sender: Sender,
    /// The next events, in the order of the journal.
    batch: VecDeque<Arc<Event>>,
    /// The last entry that was delivered or passed over.
    place: Seq,
    stored: Seq,
    /// When the place is to be stored that is not yet.
    unsaved: Option<Instant>,
    /// The last entry that was looked at for `batch`.
    looked: Seq,
    /// The events of the first range that is sent again, and the last entry that was looked at for them.
    again: VecDeque<Arc<Event>>,
    again_looked: Seq,
    is_replays_turn: bool,
    /// The last attempt; before the first one the beginning.
    attempted: Instant,
    stop: watch::Receiver<bool>,
}

/// The delivery ends: the relay stops, the operator has changed the endpoint, the endpoint no longer gets messages, or
/// the journal may be another one.
struct End;

/// Delivers to an endpoint until it is told to stop, the endpoint no longer gets messages, or the journal may be
/// another one. An endpoint that is still active then gets a new delivery, which reads from the file how far this one
/// came.
pub(crate) async fn deliver(common: Arc<Common>, id: i64, mut stop: watch::Receiver<bool>) {
    let load = move |conn: &Connection| {
        let Some(endpoint) = Endpoint::active(conn, id)? else { return Ok(None) };
        let (secrets, notices) = (endpoint.secrets(conn)?, endpoint.notices(conn)?);
        let replays = endpoint.replays(conn)?;
        Ok(Some((endpoint, secrets, notices, replays)))
    };
    let (endpoint, secrets, notices, replays) = match common.ledger.run(load).await {
        Ok(Some(loaded)) => loaded,
        Ok(None) => return,
        Err(error) => {
            tracing::error!(%error, "an endpoint could not be read");
            pause(PAUSE, &mut stop).await;
            return;
        }
    };
    let sender = match Sender::new(&endpoint, &common.certificates, &common.lookup) {
        Ok(sender) => sender,
        Err(error) => {
            let sentence = RelayError::sentence(&error);
            tracing::error!(endpoint = endpoint.name, "no connection can be made: {sentence}");
            pause(LONG_PAUSE, &mut stop).await;
            return;
        }
    };
    let courier = Courier {
        attempted: common.attempts.of(endpoint.id),
        common,
        endpoint,
        secrets,
        notices: notices.into(),
        replays: replays.into(),
        sender,
        batch: VecDeque::new(),
        place: Seq::ZERO,
        stored: Seq::ZERO,
        unsaved: None,
        looked: Seq::ZERO,
        again: VecDeque::new(),
        again_looked: Seq::ZERO,
        is_replays_turn: false,
        stop,
    };
    courier.run().await;
}

/// Waits until the delivery is told to stop.
async fn told(stop: &mut watch::Receiver<bool>) {
    // Without a sender there is nothing to deliver for.
    drop(stop.wait_for(|stopped| *stopped).await);
}

/// Waits for this time, or until the delivery is told to stop. Returns whether it was.
async fn pause(time: Duration, stop: &mut watch::Receiver<bool>) -> bool {
    timeout(time, told(stop)).await.is_ok()
}

impl Courier {
    async fn run(mut self) {
        if let Some(head) = self.settle().await {
            let Err(End) = self.follow(&head).await;
        }
        self.store_place().await;
    }

    /// Delivers what the journal holds and what comes.
    async fn follow(&mut self, head: &Head) -> Result<Infallible, End> {
        loop {
            if *self.stop.borrow() {
                return Err(End);
            }
            if let Some(notice) = self.notices.front() {
                let (message, turn) = (Message::from(notice), Turn::Notice(notice.row));
                self.attempt(head, message, turn).await?;
                self.notices.pop_front();
                continue;
            }
            let ordinary = self.ordinary().await?;
            let is_behind = self.common.feed.heads().borrow().as_ref().is_some_and(|head| head.seq > self.looked);
            let may_replay = self.is_replays_turn || (ordinary.is_none() && !is_behind);
            let replayed = if may_replay { self.replayed(head).await? } else { None };
            match (replayed, ordinary) {
                (Some((event, rest)), _) => {
                    self.is_replays_turn = false;
                    let turn = Turn::Replay { seq: event.seq, rest };
                    self.attempt(head, Message::of(&head.epoch, &event), turn).await?;
                    self.again.pop_front();
                    self.leave_replay(rest);
                }
                (None, Some(event)) => {
                    self.is_replays_turn = true;
                    let sent = Sent { seq: event.seq, at: event.at, r#type: event.r#type.to_string() };
                    let message = Message::of(&head.epoch, &event);
                    self.common.figures.moved(&self.endpoint.name, None, Some(event.at));
                    self.attempt(head, message, Turn::Ordinary(sent)).await?;
                    self.batch.pop_front();
                    (self.place, self.stored) = (event.seq, event.seq);
                    self.common.figures.moved(&self.endpoint.name, Some(event.seq), None);
                }
                (None, None) => self.wait(head).await?,
            }
        }
    }

    /// Returns the next event that the endpoint asks for, of those in memory, and passes over the others.
    async fn ordinary(&mut self) -> Result<Option<Arc<Event>>, End> {
        while let Some(event) = self.batch.front() {
            if self.endpoint.types.takes(&event.r#type) {
                return Ok(Some(Arc::clone(event)));
            }
            self.place = event.seq;
            self.batch.pop_front();
        }
        self.place = self.place.max(self.looked);
        if self.place.value() - self.stored.value() >= STORED_EVERY {
            self.store_place().await;
        }
        self.common.figures.moved(&self.endpoint.name, Some(self.place), None);
        Ok(None)
    }

    /// Waits for further events, for as long as there is nothing to send again.
    async fn wait(&mut self, head: &Head) -> Result<(), End> {
        if self.place == self.stored {
            self.unsaved = None;
        } else if self.unsaved.is_none() {
            self.unsaved = Some(Instant::now() + STORED_AFTER);
        }
        let (unsaved, may_not_wait) = (self.unsaved, !self.replays.is_empty());
        let (feed, mut stop) = (self.common.feed.clone(), self.stop.clone());
        tokio::select! {
            () = told(&mut stop) => Err(End),
            next = feed.next(self.looked, head.past) => {
                let Batch { events, seq } = next.map_err(|_| End)?;
                self.batch = events;
                self.looked = seq;
                Ok(())
            }
            () = sleep_until(unsaved.unwrap_or_else(Instant::now)), if unsaved.is_some() => {
                self.store_place().await;
                Ok(())
            }
            () = sleep(PAUSE), if may_not_wait => Ok(()),
        }
    }

    /// Returns the next event that is to be sent again, and what remains of its range behind it.
    async fn replayed(&mut self, head: &Head) -> Result<Option<(Arc<Event>, Replay)>, End> {
        while let Some(&replay) = self.replays.front() {
            while let Some(event) = self.again.front() {
                if event.seq > replay.until {
                    break;
                }
                if self.endpoint.types.takes(&event.r#type) {
                    let rest = Replay { next: event.seq.next(), ..replay };
                    return Ok(Some((Arc::clone(event), rest)));
                }
                self.again.pop_front();
            }
            if !self.again.is_empty() || self.again_looked >= replay.until {
                // Nothing of the range is left.
                let rest = Replay { next: replay.until.next(), ..replay };
                if self.write(move |conn| state::move_replay(conn, rest)).await.is_none() {
                    return Err(End);
                }
                self.leave_replay(rest);
                continue;
            }
            let after = Seq::new(replay.next.value().saturating_sub(1)).max(self.again_looked);
            match self.common.feed.read(after, REPLAYED).await {
                Ok((batch, epoch)) if *epoch == *head.epoch && batch.seq > after => {
                    self.again = batch.events;
                    self.again_looked = batch.seq;
                }
                Ok((_, epoch)) if *epoch == *head.epoch => self.again_looked = replay.until,
                // The long poll finds out what has become of the service.
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Leaves what was sent of a range behind.
    fn leave_replay(&mut self, rest: Replay) {
        if rest.next <= rest.until {
            if let Some(replay) = self.replays.front_mut() {
                *replay = rest;
            }
            return;
        }
        self.replays.pop_front();
        self.again.clear();
        self.again_looked = Seq::ZERO;
    }

    /// Sends a message until it is taken or given up, and stores that.
    async fn attempt(&mut self, head: &Head, message: Message, turn: Turn) -> Result<(), End> {
        if self.endpoint.trying.as_ref().is_none_or(|tried| *tried != message.id) {
            self.endpoint.progress.refusals = 0;
        }
        loop {
            self.rest(self.endpoint.progress.wait(self.now(), self.attempted.elapsed()), head).await?;
            let attempt = self.sender.send(&message, &self.secrets, self.now()).await;
            let (at, waited) = (self.now(), self.attempted.elapsed());
            self.attempted = Instant::now();
            self.common.attempts.note(self.endpoint.id, self.attempted);
            let progress = &mut self.endpoint.progress;
            let step = progress.after(&attempt.answer, at, waited, chance(), self.common.give_up);
            let delivered = Delivered {
                turn: turn.clone(),
                message: message.id.clone(),
                epoch: head.epoch.to_string(),
                step,
                progress: *progress,
                status: attempt.answer.to_string(),
                at,
                millis: i64::try_from(attempt.took.as_millis()).unwrap_or(i64::MAX),
            };
            Figures::attempted(&self.endpoint.name, attempt.answer.meaning(), attempt.took);
            let status = delivered.status.clone();
            let endpoint = self.endpoint.clone();
            let stored = self.write(move |conn| delivered.store(conn, &endpoint)).await;
            self.sender.finish().await;
            let disabled = stored.ok_or(End)?;
            let name = self.endpoint.name.clone();
            match step {
                Step::Onward => tracing::debug!(endpoint = name, message = message.id, status, "delivered"),
                Step::Again => {
                    let seconds = self.endpoint.progress.pause.as_secs();
                    tracing::warn!(
                        endpoint = name,
                        message = message.id,
                        status,
                        seconds,
                        "not delivered: tried again"
                    );
                }
                Step::Bury => {
                    tracing::error!(endpoint = name, message = message.id, status, "a dead letter");
                    let endpoint = self.endpoint.clone();
                    let dead = self.write(move |conn| endpoint.dead(conn)).await.ok_or(End)?;
                    self.common.figures.buried(&name, dead);
                }
                Step::Disable(_) => {}
            }
            if let Some(reason) = disabled {
                tracing::error!(endpoint = name, reason = reason.name(), status, "disabled");
                // The file may lead back to an earlier entry by now.
                self.place = self.stored;
                return Err(End);
            }
            if step != Step::Again {
                self.endpoint.trying = None;
                return Ok(());
            }
            self.endpoint.trying = Some(message.id.clone());
        }
    }

    /// Waits for this time, unless the delivery ends first.
    async fn rest(&self, time: Duration, head: &Head) -> Result<(), End> {
        let (mut heads, mut stop) = (self.common.feed.heads(), self.stop.clone());
        tokio::select! {
            // In this order, so that nothing is sent after the end even where there is no pause.
            biased;
            () = told(&mut stop) => Err(End),
            _ = heads.wait_for(|now| now.as_ref().is_none_or(|now| now.past != head.past)) => Err(End),
            () = sleep(time) => Ok(()),
        }
    }

    /// Stores how far the endpoint has passed over entries.
    async fn store_place(&mut self) {
        if self.place > self.stored {
            let (endpoint, place) = (self.endpoint.clone(), self.place);
            if self.write(move |conn| state::pass_over(conn, &endpoint, place)).await.is_some() {
                self.stored = place;
            }
        }
    }

    /// Writes to the file, and tries again until it is written: what was delivered must not be delivered again. Returns
    /// `None` if the relay stops before.
    async fn write<T: Send + 'static>(
        &mut self,
        work: impl Fn(&Connection) -> rusqlite::Result<T> + Clone + Send + 'static,
    ) -> Option<T> {
        loop {
            match self.common.ledger.run(work.clone()).await {
                Ok(done) => return Some(done),
                Err(StateError::Ended) => return None,
                Err(error) => {
                    tracing::error!(endpoint = self.endpoint.name, %error, "the outcome could not be stored");
                    if pause(PAUSE, &mut self.stop).await {
                        return None;
                    }
                }
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.common.clock.now()
    }
}

/// Returns a random number from 0 to 1.
fn chance() -> f64 {
    f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX)
}

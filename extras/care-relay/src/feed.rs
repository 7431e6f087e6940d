//! The feed of events that all endpoints share: one long poll, and the last events in memory.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use care_client::Event;
use care_core::{model::Timestamp, store::Seq};
use tokio::{
    runtime::Handle,
    sync::{Semaphore, watch},
    time::sleep,
};

use crate::source::{EventSource, SourceError};

/// The wait of the long poll.
const WAIT: Duration = Duration::from_secs(30);
/// The events of a page of the long poll.
const PAGE: usize = 500;
/// The events that an endpoint gets at once. Those that are behind read pages of this size.
const SHARE: usize = 100;
/// The events that are kept for all, and the records in them.
const KEPT: usize = 1000;
const KEPT_RECORDS: usize = 5000;
/// The endpoints that read pages of their own at the same time.
const READERS: usize = 4;
/// The pause after a failure of the source, which doubles up to the longest.
const PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The pause after a page that an endpoint could not read.
const READ_PAUSE: Duration = Duration::from_secs(1);
/// The difference between the clocks from which receivers may soon refuse every message.
const CLOCKS: i64 = 60_000;

/// The end of the journal as the relay knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) epoch: Arc<str>,
    pub(crate) seq: Seq,
    /// A number for the past, which grows when the journal turns out to be another one, or shorter than it was.
    pub(crate) past: u64,
}

/// Events for one endpoint.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) events: VecDeque<Arc<Event>>,
    /// The last entry that was looked at.
    pub(crate) seq: Seq,
}

/// The journal is no longer the one that was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnotherPast;

/// A handle on the feed; clone it freely.
#[derive(Clone)]
pub(crate) struct Feed {
    source: Arc<dyn EventSource>,
    shared: Arc<Shared>,
}

struct Shared {
    head: watch::Sender<Option<Head>>,
    window: Mutex<Window>,
    readers: Semaphore,
    answers: AtomicBool,
    /// The runtime that follows the journal, on which all pages are read.
    home: OnceLock<Handle>,
}

/// All events after one entry, up to the head.
#[derive(Default)]
struct Window {
    past: u64,
    after: Seq,
    events: VecDeque<Arc<Event>>,
    records: usize,
}

impl Feed {
    pub(crate) fn new(source: Arc<dyn EventSource>) -> Self {
        let shared = Shared {
            head: watch::Sender::new(None),
            window: Mutex::default(),
            readers: Semaphore::new(READERS),
            answers: AtomicBool::new(false),
            home: OnceLock::new(),
        };
        Self { source, shared: Arc::new(shared) }
    }

    /// Returns the end of the journal, and every later one.
    pub(crate) fn heads(&self) -> watch::Receiver<Option<Head>> {
        self.shared.head.subscribe()
    }

    /// Returns whether the source answered when it was last asked.
    pub(crate) fn answers(&self) -> bool {
        self.shared.answers.load(Ordering::Relaxed)
    }

    /// Follows the journal for as long as the relay runs.
    pub(crate) async fn follow(&self) {
        let _ = self.shared.home.set(Handle::current());
        let mut head: Option<Head> = None;
        let mut is_checked = false;
        let mut failures = 0_u32;
        loop {
            let followed = match &head {
                Some(head) if is_checked => self.poll(head).await,
                _ => self.find_end(head.as_ref()).await,
            };
            match followed {
                Ok(found) => {
                    if !self.shared.answers.swap(true, Ordering::Relaxed) {
                        tracing::info!("the service answers");
                    }
                    failures = 0;
                    is_checked = found.is_some();
                    head = found.or(head);
                }
                Err(error) => {
                    if self.shared.answers.swap(false, Ordering::Relaxed) || failures == 0 {
                        tracing::warn!(%error, "the service does not answer");
                    }
                    // Behind a restart there may be another journal.
                    is_checked = false;
                    let pause = PAUSE.saturating_mul(1 << failures.min(8)).min(LONGEST_PAUSE);
                    failures = failures.saturating_add(1);
                    sleep(pause).await;
                }
            }
        }
    }

    /// Finds the end of the journal, and whether it is the known one or another.
    async fn find_end(&self, known: Option<&Head>) -> Result<Option<Head>, SourceError> {
        let end = self.source.end().await?;
        if let Some(clock) = end.clock {
            let differs = (Timestamp::from(std::time::SystemTime::now()).unix_millis() - clock).abs();
            if differs > CLOCKS {
                let seconds = differs / 1000;
                tracing::warn!(seconds, "the clocks of the service and of the relay differ: receivers may refuse all");
            }
        }
        let page = self.source.events(end.seq, 1, Duration::ZERO).await?;
        if let Some(known) = known
            && *known.epoch == *page.epoch
            && known.seq <= end.seq
        {
            return Ok(Some(known.clone()));
        }
        let past = known.map_or(0, |known| known.past) + 1;
        let head = Head { epoch: page.epoch.into(), seq: end.seq, past };
        *self.window() = Window { past, after: end.seq, ..Window::default() };
        self.shared.head.send_replace(Some(head.clone()));
        Ok(Some(head))
    }

    /// Waits for further events. Returns `None` if the journal may be another one.
    async fn poll(&self, head: &Head) -> Result<Option<Head>, SourceError> {
        let page = self.source.events(head.seq, PAGE, WAIT).await?;
        if *page.epoch != *head.epoch || page.seq < head.seq {
            return Ok(None);
        }
        if page.seq == head.seq {
            return Ok(Some(head.clone()));
        }
        let head = Head { seq: page.seq, ..head.clone() };
        self.window().extend(page.events);
        self.shared.head.send_replace(Some(head.clone()));
        Ok(Some(head))
    }

    /// Returns the next events after this entry, and waits until there is one.
    pub(crate) async fn next(&self, after: Seq, past: u64) -> Result<Batch, AnotherPast> {
        let mut heads = self.heads();
        loop {
            let head = heads.borrow_and_update().clone().filter(|head| head.past == past).ok_or(AnotherPast)?;
            if head.seq > after {
                if let Some(batch) = self.window().after(after, &head) {
                    return Ok(batch);
                }
                match self.read(after, SHARE).await {
                    Ok((batch, epoch)) if *epoch == *head.epoch && batch.seq > after => return Ok(batch),
                    // The long poll finds out what has become of the service.
                    _ => sleep(READ_PAUSE).await,
                }
            } else if heads.changed().await.is_err() {
                return Err(AnotherPast);
            }
        }
    }

    /// Reads the events after an entry, for an endpoint that is behind all that is in memory, and the epoch.
    pub(crate) async fn read(&self, after: Seq, limit: usize) -> Result<(Batch, String), SourceError> {
        let _place = self.shared.readers.acquire().await;
        let source = Arc::clone(&self.source);
        let read = async move { source.events(after, limit, Duration::ZERO).await };
        // A connection to the service is moved on by the runtime that made it, and deliveries run on another one, which
        // their receivers keep busy.
        let page = match self.shared.home.get() {
            Some(home) => home.spawn(read).await.map_err(|error| SourceError(error.to_string()))??,
            None => read.await?,
        };
        Ok((Batch { events: page.events.into_iter().map(Arc::new).collect(), seq: page.seq }, page.epoch))
    }

    fn window(&self) -> std::sync::MutexGuard<'_, Window> {
        self.shared.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Window {
    fn extend(&mut self, events: Vec<Event>) {
        for event in events {
            self.records += event.records.len() + 1;
            self.events.push_back(Arc::new(event));
        }
        while self.events.len() > KEPT || self.records > KEPT_RECORDS {
            let Some(oldest) = self.events.pop_front() else { break };
            self.records -= oldest.records.len() + 1;
            self.after = oldest.seq;
        }
    }

    /// Returns a share of the events after an entry, if all of them are in memory.
    fn after(&self, after: Seq, head: &Head) -> Option<Batch> {
        if self.past != head.past || after < self.after {
            return None;
        }
        let from = self.events.partition_point(|event| event.seq <= after);
        let events: VecDeque<_> = self.events.iter().skip(from).take(SHARE).cloned().collect();
        let is_all = from + events.len() == self.events.len();
        let last = events.back().map_or(after, |event| event.seq);
        Some(Batch { events, seq: if is_all { head.seq.max(last) } else { last } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: u64, records: usize) -> Event {
        let record = serde_json::json!({"record": "Patient", "id": 1, "change": "put"});
        let records: Vec<_> = (0..records).map(|_| record.clone()).collect();
        let at = "2026-11-22T10:00:00.000Z";
        let event = serde_json::json!({"seq": seq, "at": at, "type": "patient.updated", "records": records});
        serde_json::from_value(event).unwrap()
    }

    fn numbers(batch: &Batch) -> Vec<u64> {
        batch.events.iter().map(|event| event.seq.value()).collect()
    }

    #[test]
    fn the_window_gives_what_follows_and_says_what_it_has_forgotten() {
        let head = |seq| Head { epoch: "e".into(), seq: Seq::new(seq), past: 1 };
        let mut window = Window { past: 1, after: Seq::new(10), ..Window::default() };
        window.extend(vec![event(11, 1), event(13, 1), event(14, 1)]);
        let batch = window.after(Seq::new(10), &head(20)).unwrap();
        assert_eq!((numbers(&batch), batch.seq), (vec![11, 13, 14], Seq::new(20)));
        assert_eq!(numbers(&window.after(Seq::new(12), &head(20)).unwrap()), [13, 14]);
        assert!(window.after(Seq::new(9), &head(20)).is_none());
        assert!(window.after(Seq::new(10), &Head { past: 2, ..head(20) }).is_none());

        window.extend((21..=121).map(|seq| event(seq, 1)).collect());
        let batch = window.after(Seq::new(14), &head(130)).unwrap();
        assert_eq!((batch.events.len(), batch.seq), (100, Seq::new(120)));
        assert_eq!(window.after(Seq::new(120), &head(130)).unwrap().seq, Seq::new(130));
    }

    #[test]
    fn the_window_is_bounded_in_events_and_in_records() {
        let mut window = Window::default();
        for first in [1, 1001] {
            window.extend((first..first + 1000).map(|seq| event(seq, 1)).collect());
        }
        assert_eq!((window.events.len(), window.after), (1000, Seq::new(1000)));
        window.extend((2001..2101).map(|seq| event(seq, 200)).collect());
        assert!(window.records <= KEPT_RECORDS && window.events.len() == 24, "{}", window.events.len());
    }
}

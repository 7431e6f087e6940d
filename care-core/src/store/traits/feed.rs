//! The announcement of commits.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use crate::store::Seq;

/// The time after which a listener that has not been polled no longer reads the store for the others.
const STALE: Duration = Duration::from_secs(1);

/// The number of entries whose kinds of records are kept.
const KEPT: usize = 1000;

/// The number of the last announced entry, and the listeners that wait for the next one.
///
/// It stores no entries, so that a slow listener costs nothing and blocks no other: a listener reads missed entries
/// from the journal. Of this process's last entries it knows the kinds of records that they changed.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    latest: AtomicU64,
    kinds: Mutex<BTreeMap<Seq, Vec<&'static str>>>,
    closed: AtomicBool,
    /// The writes of this process whose entries may be in the journal and are not announced yet.
    unannounced: AtomicUsize,
    listeners: Mutex<Listeners>,
}

/// Announces the entries of other processes to a service.
///
/// A store gets one for each service on it, see [`Journal::add_notifier`](crate::store::Journal::add_notifier).
#[derive(Clone)]
pub struct CommitNotifier(Arc<Feed>);

/// A listener that waits for an entry after a given one. Dropping it frees its place in the list.
#[derive(Debug)]
#[must_use = "nothing listens once this is dropped"]
pub(crate) struct Listener<'a> {
    feed: &'a Feed,
    after: Seq,
    id: Option<u64>,
}

/// The state of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListenerState {
    /// There is a newer entry, or the feed is closed.
    News,
    /// There is no newer entry. Another listener reads the store for all.
    Nothing,
    /// There is no newer entry. This listener reads the store for all.
    NothingAndLooks,
}

/// The listeners, ordered by the entry that they wait for, so that an announcement wakes only the concerned ones.
#[derive(Debug, Default)]
struct Listeners {
    waiting: BTreeMap<(Seq, u64), Waker>,
    next_id: u64,
    /// The listener that reads the store for all, with the time of its last poll.
    looker: Option<(u64, Instant)>,
}

/// A write of this process, until its entry is announced.
#[derive(Debug)]
#[must_use = "the write is taken for announced once this is dropped"]
pub(crate) struct Unannounced<'a>(&'a Feed);

impl Drop for Unannounced<'_> {
    fn drop(&mut self) {
        self.0.unannounced.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Feed {
    /// Notes that a write begins, whose entry will be announced.
    pub(crate) fn write_begins(&self) -> Unannounced<'_> {
        self.unannounced.fetch_add(1, Ordering::SeqCst);
        Unannounced(self)
    }

    /// Returns whether the kinds of the entries after this one may be known in a moment: a write of this process is in
    /// flight, and nothing was forgotten.
    #[cfg(any(feature = "rest", test))]
    pub(crate) fn may_learn_kinds(&self, after: Seq) -> bool {
        let kept = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = kept.first_key_value().is_none_or(|(first, _)| first.value() <= after.value().saturating_add(1));
        is_kept && self.unannounced.load(Ordering::SeqCst) > 0
    }

    /// Announces an entry of this process, with the kinds of records that it changed.
    pub(crate) fn announce_kinds(&self, seq: Seq, kinds: Vec<&'static str>) {
        {
            let mut kept = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
            kept.insert(seq, kinds);
            if kept.len() > KEPT {
                kept.pop_first();
            }
        }
        self.announce(seq);
    }

    /// Returns the kinds of records that the entries after the first number, up to the second, changed: `None` when
    /// some of them are too old, or of another process.
    #[cfg(any(feature = "rest", test))]
    pub(crate) fn kinds(&self, after: Seq, last: Seq) -> Option<std::collections::BTreeSet<&'static str>> {
        use std::ops::Bound::{Excluded, Included};

        let kept = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = last.value().saturating_sub(after.value());
        if entries > KEPT as u64 {
            return None;
        }
        let found: Vec<_> = kept.range((Excluded(after), Included(last.max(after)))).map(|(_, kinds)| kinds).collect();
        (found.len() as u64 == entries).then(|| found.into_iter().flatten().copied().collect())
    }

    /// Announces the entry with this number.
    pub(crate) fn announce(&self, seq: Seq) {
        // A higher announcement has already woken its listeners.
        if self.latest.fetch_max(seq.value(), Ordering::SeqCst) < seq.value() {
            let wakers: Vec<_> = self.lock().waiting.range(..(seq, 0)).map(|(_, waker)| waker.clone()).collect();
            wakers.into_iter().for_each(Waker::wake);
        }
    }

    /// Wakes all listeners, now and in the future.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let wakers: Vec<_> = self.lock().waiting.values().cloned().collect();
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Returns whether listeners no longer wait.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Returns a listener for the entries after this one.
    pub(crate) const fn listener(&self, after: Seq) -> Listener<'_> {
        Listener { feed: self, after, id: None }
    }

    fn has_after(&self, after: Seq) -> bool {
        self.latest.load(Ordering::SeqCst) > after.value() || self.is_closed()
    }

    fn lock(&self) -> MutexGuard<'_, Listeners> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener<'_> {
    /// Returns the state of the listener. Without news its task is woken for the next announcement.
    pub(crate) fn poll(&mut self, context: &Context<'_>) -> ListenerState {
        let looks = {
            let mut listeners = self.feed.lock();
            let id = *self.id.get_or_insert_with(|| {
                listeners.next_id += 1;
                listeners.next_id
            });
            listeners.waiting.insert((self.after, id), context.waker().clone());
            let now = Instant::now();
            let is_kept = |(looker, since): &(u64, Instant)| *looker != id && now.duration_since(*since) < STALE;
            let other = listeners.looker.filter(is_kept);
            listeners.looker = other.or(Some((id, now)));
            other.is_none()
        };
        // The number is read after the listener is in the list: an entry in between is either read here or wakes it.
        match (self.feed.has_after(self.after), looks) {
            (true, _) => ListenerState::News,
            (false, false) => ListenerState::Nothing,
            (false, true) => ListenerState::NothingAndLooks,
        }
    }

    /// Polls the listener like a future.
    pub(crate) fn poll_news(&mut self, context: &Context<'_>) -> Poll<()> {
        match self.poll(context) {
            ListenerState::News => Poll::Ready(()),
            ListenerState::Nothing | ListenerState::NothingAndLooks => Poll::Pending,
        }
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id else {
            return;
        };
        let heir = {
            let mut listeners = self.feed.lock();
            listeners.waiting.remove(&(self.after, id));
            let heir = listeners.looker.is_some_and(|(looker, _)| looker == id).then(|| {
                listeners.looker = None;
                // The listener that waits for the highest entry reads the store from now on, once it is polled.
                listeners.waiting.last_key_value().map(|(_, waker)| waker.clone())
            });
            heir.flatten()
        };
        if let Some(heir) = heir {
            heir.wake();
        }
    }
}

impl CommitNotifier {
    pub(crate) fn to(feed: &Arc<Feed>) -> Self {
        Self(Arc::clone(feed))
    }

    /// Returns whether a listener waits, so that there is a reason to look for entries.
    pub fn is_awaited(&self) -> bool {
        !self.0.lock().waiting.is_empty()
    }

    /// Tells of the entry with this number, and so of all before it. It must be visible to reads by now.
    pub fn announce(&self, seq: Seq) {
        self.0.announce(seq);
    }
}

impl fmt::Debug for CommitNotifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommitNotifier").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::AtomicUsize,
        task::{Wake, Waker},
    };

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    impl Woken {
        fn take(&self) -> usize {
            self.0.swap(0, Ordering::SeqCst)
        }
    }

    fn listen(listener: &mut Listener<'_>, woken: &Arc<Woken>) -> ListenerState {
        listener.poll(&Context::from_waker(&Waker::from(Arc::clone(woken))))
    }

    #[test]
    fn kinds_are_known_of_the_last_entries_of_this_process() {
        let (feed, entry) = (Feed::default(), |number: usize| Seq::new(number as u64));
        let kinds =
            |after, last| feed.kinds(entry(after), entry(last)).map(|kinds| kinds.into_iter().collect::<Vec<_>>());
        assert_eq!((kinds(0, 0), kinds(9, 3), kinds(0, 1)), (Some(vec![]), Some(vec![]), None));
        (1..=KEPT).for_each(|number| feed.announce_kinds(entry(number), vec!["Patient"]));
        assert_eq!(kinds(0, KEPT), Some(vec!["Patient"]));
        feed.announce_kinds(entry(KEPT + 1), vec!["Stock", "Item"]);
        assert_eq!((kinds(0, KEPT + 1), kinds(KEPT, KEPT + 1)), (None, Some(vec!["Item", "Stock"])));
        // Another process appends an entry.
        feed.announce(entry(KEPT + 2));
        feed.announce_kinds(entry(KEPT + 3), vec![]);
        assert_eq!((kinds(KEPT, KEPT + 3), kinds(KEPT + 2, KEPT + 3)), (None, Some(vec![])));
    }

    #[test]
    fn kinds_may_be_learned_while_a_write_is_in_flight_and_nothing_was_forgotten() {
        let (feed, entry) = (Feed::default(), |number: usize| Seq::new(number as u64));
        assert!(!feed.may_learn_kinds(Seq::ZERO), "nothing is written");
        let write = feed.write_begins();
        assert!(feed.may_learn_kinds(Seq::ZERO));
        (1..=KEPT + 1).for_each(|number| feed.announce_kinds(entry(number), vec!["Patient"]));
        assert!(!feed.may_learn_kinds(Seq::ZERO) && feed.may_learn_kinds(entry(1)), "the first is forgotten");
        drop(write);
        assert!(!feed.may_learn_kinds(entry(1)));
    }

    #[test]
    fn an_entry_wakes_the_listeners_that_wait_for_it_and_no_other() {
        let (feed, early, late) = (Feed::default(), Arc::new(Woken::default()), Arc::new(Woken::default()));
        let (mut for_one, mut for_six) = (feed.listener(Seq::ZERO), feed.listener(Seq::new(5)));
        assert_eq!(listen(&mut for_one, &early), ListenerState::NothingAndLooks);
        assert_eq!(listen(&mut for_six, &late), ListenerState::Nothing);
        feed.announce(Seq::new(5));
        assert_eq!((early.take(), late.take()), (1, 0));
        assert_eq!(listen(&mut for_one, &early), ListenerState::News);
        // A repeated announcement wakes no listener.
        feed.announce(Seq::new(4));
        assert_eq!((early.take(), late.take()), (0, 0));
        feed.announce(Seq::new(6));
        assert_eq!(late.take(), 1);
    }

    #[test]
    fn one_listener_looks_and_another_one_inherits_it() {
        let (feed, woken) = (Feed::default(), Arc::new(Woken::default()));
        let [mut first, mut second] = [feed.listener(Seq::ZERO), feed.listener(Seq::ZERO)];
        assert_eq!(listen(&mut first, &Arc::default()), ListenerState::NothingAndLooks);
        assert_eq!(listen(&mut second, &woken), ListenerState::Nothing);
        drop(first);
        assert_eq!(woken.take(), 1);
        assert_eq!(listen(&mut second, &woken), ListenerState::NothingAndLooks);
        drop(second);
        // A dropped listener leaves no entry in the list.
        let listeners = feed.lock();
        assert!(listeners.waiting.is_empty() && listeners.looker.is_none());
    }

    #[test]
    fn a_closed_feed_lets_everybody_go() {
        let (feed, woken) = (Feed::default(), Arc::new(Woken::default()));
        let mut listener = feed.listener(Seq::new(9));
        listen(&mut listener, &woken);
        feed.close();
        assert_eq!(woken.take(), 1);
        assert_eq!(listen(&mut listener, &woken), ListenerState::News);
        assert_eq!(listen(&mut feed.listener(Seq::ZERO), &woken), ListenerState::News);
    }
}

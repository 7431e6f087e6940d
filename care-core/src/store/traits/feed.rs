//! The announcement of commits.

use std::{
    collections::BTreeMap,
    fmt, mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};

use crate::store::Seq;

/// The number of entries whose kinds of records are kept.
const KEPT: usize = 1000;

/// The number of the last announced entry, and the listeners that wait for the next one.
///
/// It stores no entries, so that a slow listener costs nothing and blocks no other: a listener reads missed entries
/// from the journal. Of this process's last entries it knows the kinds of records that they changed.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    latest: AtomicU64,
    /// The last entry of which the store has told.
    told: AtomicU64,
    kinds: Mutex<BTreeMap<Seq, Vec<&'static str>>>,
    closed: AtomicBool,
    /// The writes of this process whose entries may be in the journal and are not announced yet.
    unannounced: AtomicUsize,
    listeners: Mutex<Listeners>,
}

/// Tells a service of the entries that are in its store, whichever process appended them.
///
/// A store gets one for each service on it, see [`Journal::add_notifier`](crate::store::Journal::add_notifier).
#[derive(Clone)]
pub struct CommitNotifier(Arc<Feed>);

/// The services on a store, which it tells of entries.
#[derive(Debug, Default)]
pub struct CommitNotifiers(Mutex<Vec<CommitNotifier>>);

/// A listener that waits for an entry after a given one. Dropping it frees its place in the list.
#[derive(Debug)]
#[must_use = "nothing listens once this is dropped"]
pub(crate) struct Listener<'a> {
    feed: &'a Feed,
    after: Seq,
    id: Option<u64>,
}

/// The listeners, ordered by the entry that they wait for, so that an announcement wakes only the concerned ones.
#[derive(Debug, Default)]
struct Listeners {
    waiting: BTreeMap<(Seq, u64), Waker>,
    next_id: u64,
}

/// A write of this process, until its entry is announced.
#[derive(Debug)]
#[must_use = "the write has made no entry if this is dropped"]
pub(crate) struct Unannounced<'a> {
    feed: &'a Feed,
    is_announced: bool,
}

impl Unannounced<'_> {
    /// Announces the entry of the write, with the kinds of records that it changed.
    pub(crate) fn announce(mut self, seq: Seq, kinds: Vec<&'static str>) {
        self.feed.announce_kinds(seq, kinds);
        self.is_announced = true;
    }
}

impl Drop for Unannounced<'_> {
    fn drop(&mut self) {
        let is_last = self.feed.unannounced.fetch_sub(1, Ordering::SeqCst) == 1;
        // Otherwise a later write in flight announces what is left.
        if is_last || !self.is_announced {
            self.feed.announce(Seq::new(self.feed.told.load(Ordering::SeqCst)));
        }
    }
}

impl Feed {
    /// Notes that a write begins, whose entry will be announced.
    pub(crate) fn write_begins(&self) -> Unannounced<'_> {
        self.unannounced.fetch_add(1, Ordering::SeqCst);
        Unannounced { feed: self, is_announced: false }
    }

    /// Returns whether the kinds of the entries after this one may be known in a moment: a write of this process is in
    /// flight, and nothing was forgotten.
    #[cfg(any(feature = "rest", test))]
    pub(crate) fn may_learn_kinds(&self, after: Seq) -> bool {
        let kept = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = kept.first_key_value().is_none_or(|(first, _)| first.value() <= after.value().saturating_add(1));
        is_kept && self.unannounced.load(Ordering::SeqCst) > 0
    }

    /// Takes the entries that were announced with their kinds.
    pub(crate) fn take_kinds(&self) -> BTreeMap<Seq, Vec<&'static str>> {
        mem::take(&mut *self.kinds.lock().unwrap_or_else(PoisonError::into_inner))
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

    /// Takes the number of an entry that the store has told of.
    ///
    /// While a write of this process is in flight, the entry may be that one's. The write announces it in a moment,
    /// together with its kinds, so no listener is woken before that.
    fn tell(&self, seq: Seq) {
        self.told.fetch_max(seq.value(), Ordering::SeqCst);
        if self.unannounced.load(Ordering::SeqCst) == 0 {
            self.announce(seq);
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
    /// Polls the listener like a future, which is ready once there is a newer entry or the feed is closed.
    pub(crate) fn poll(&mut self, context: &Context<'_>) -> Poll<()> {
        {
            let mut listeners = self.feed.lock();
            let id = *self.id.get_or_insert_with(|| {
                listeners.next_id += 1;
                listeners.next_id
            });
            listeners.waiting.insert((self.after, id), context.waker().clone());
        }
        // The number is read after the listener is in the list: an entry in between is either read here or wakes it.
        if self.feed.has_after(self.after) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.feed.lock().waiting.remove(&(self.after, id));
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
        self.0.tell(seq);
    }
}

impl CommitNotifiers {
    /// Adds a service, which is told of every entry from now on.
    pub fn add(&self, notifier: CommitNotifier) {
        self.lock().push(notifier);
    }

    /// Returns whether any listener waits, so that there is a reason to look for entries.
    pub fn are_awaited(&self) -> bool {
        self.lock().iter().any(CommitNotifier::is_awaited)
    }

    /// Tells all services of the entry with this number, and so of all before it. It must be visible to reads by now.
    pub fn announce(&self, seq: Seq) {
        self.lock().iter().for_each(|notifier| notifier.announce(seq));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<CommitNotifier>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Returns whether there is news for a listener.
    fn listen(listener: &mut Listener<'_>, woken: &Arc<Woken>) -> bool {
        listener.poll(&Context::from_waker(&Waker::from(Arc::clone(woken)))).is_ready()
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
        assert!(!listen(&mut for_one, &early) && !listen(&mut for_six, &late));
        feed.announce(Seq::new(5));
        assert_eq!((early.take(), late.take()), (1, 0));
        assert!(listen(&mut for_one, &early));
        // A repeated announcement wakes no listener.
        feed.announce(Seq::new(4));
        assert_eq!((early.take(), late.take()), (0, 0));
        feed.announce(Seq::new(6));
        assert_eq!(late.take(), 1);
    }

    #[test]
    fn a_dropped_listener_leaves_no_entry_in_the_list() {
        let feed = Feed::default();
        let mut listener = feed.listener(Seq::ZERO);
        listen(&mut listener, &Arc::default());
        drop(listener);
        assert!(feed.lock().waiting.is_empty());
    }

    #[test]
    fn what_a_store_tells_wakes_listeners_once_no_write_that_it_may_be_of_is_in_flight() {
        let (feed, woken) = (Arc::new(Feed::default()), Arc::new(Woken::default()));
        let notifiers = CommitNotifiers::default();
        notifiers.add(CommitNotifier::to(&feed));
        assert!(!notifiers.are_awaited());
        let mut listener = feed.listener(Seq::ZERO);
        listen(&mut listener, &woken);
        assert!(notifiers.are_awaited());
        // A write of this process announces its own entry, with its kinds.
        let write = feed.write_begins();
        notifiers.announce(Seq::new(1));
        assert_eq!(woken.take(), 0);
        write.announce(Seq::new(1), vec!["Patient"]);
        assert_eq!(woken.take(), 1);
        drop(listener);
        // An entry of another process is announced even if the write beside it makes none.
        let mut listener = feed.listener(Seq::new(1));
        listen(&mut listener, &woken);
        let refused = feed.write_begins();
        notifiers.announce(Seq::new(2));
        assert_eq!(woken.take(), 0);
        drop(refused);
        assert!(woken.take() == 1 && listen(&mut listener, &woken));
        drop(listener);
        let mut listener = feed.listener(Seq::new(2));
        listen(&mut listener, &woken);
        notifiers.announce(Seq::new(3));
        assert_eq!(woken.take(), 1);
    }

    #[test]
    fn a_closed_feed_lets_everybody_go() {
        let (feed, woken) = (Feed::default(), Arc::new(Woken::default()));
        let mut listener = feed.listener(Seq::new(9));
        listen(&mut listener, &woken);
        feed.close();
        assert_eq!(woken.take(), 1);
        assert!(listen(&mut listener, &woken));
        assert!(listen(&mut feed.listener(Seq::ZERO), &woken));
    }
}

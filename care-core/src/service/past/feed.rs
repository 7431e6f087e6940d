//! Following commits as they happen, and noting reads among them.

#[cfg(feature = "rest")]
use std::time::Duration;
use std::{collections::VecDeque, future::poll_fn};

#[cfg(feature = "rest")]
use futures_timer::Delay;
use futures_util::{Stream, stream};

use crate::{
    error::{Error, StoreError},
    operation::{JournalOperation, Operation},
    service::CareService,
    store::{Entry, Limit, Outcome, RecordKey, Seen, Seq},
};

/// The pauses in milliseconds between looks at the kinds of an entry that is not announced yet. They grow, so that a
/// listener sets six timers at most.
#[cfg(feature = "rest")]
const PAUSES: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// The number of entries that a stream reads at once.
const STREAMED: usize = 100;

/// A reader of the journal from an entry on: page by page with [`next`](Self::next), or as a
/// [stream](Self::stream).
///
/// Both are cancel-safe: an entry counts as read once it is returned. So a call of `next` that is dropped while it is
/// pending, and a stream that another branch of a `select!` overtakes, lose nothing. After a stream was dropped,
/// subscribe after the last entry that it returned.
///
/// ```
/// use care_core::{model::PatientDetails, service::CareService, store::{MemoryStore, Seq}};
///
/// # futures_executor::block_on(async {
/// let care = CareService::new(MemoryStore::new());
/// let mut news = care.subscribe(Seq::ZERO);
/// care.register_patient(PatientDetails::default()).await?;
/// assert_eq!(news.next(100).await?[0].operation, "addPatient");
/// # Ok::<(), care_core::error::Error>(())
/// # })?;
/// # Ok::<(), care_core::error::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is waited for until the next entry is asked for"]
pub struct Subscription {
    care: CareService,
    after: Seq,
}

impl CareService {
    /// Follows the journal after this entry; after the [last one](Self::last), only future entries.
    ///
    /// The subscription is woken at once by every use case of this service or a clone of it, and by all other entries
    /// within a quarter of a second, when the store tells of them.
    pub fn subscribe(&self, after: Seq) -> Subscription {
        Subscription { care: self.clone(), after }
    }

    /// Returns the number of the journal's last entry, [`Seq::ZERO`] when it is empty.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn last(&self) -> Result<Seq, StoreError> {
        let last = self.store.last().await?;
        self.figures.last(last);
        Ok(last)
    }

    /// Checks whether a write would be possible now, for the probes of a host: see
    /// [`Journal::ready`](crate::store::Journal::ready).
    ///
    /// # Errors
    /// The error with which it would be refused.
    pub async fn ready(&self) -> Result<(), StoreError> {
        self.store.ready().await
    }

    /// Ends the waiting of all listeners, now and in the future, for a host that shuts down.
    pub fn stop_waiting(&self) {
        self.feed.close();
    }

    /// Waits for an entry after this one, or for [`stop_waiting`](Self::stop_waiting).
    pub(crate) async fn changed(&self, after: Seq) {
        let mut listener = self.feed.listener(after);
        poll_fn(|context| listener.poll(context)).await;
    }

    /// Returns the kinds of records that the entries after the first number, up to the last one, changed: `None` when
    /// this process did not write all of them, or has forgotten some, or the first number is beyond the last. An entry
    /// that is in the journal may not be announced yet, so while a write of this process is in flight they are awaited,
    /// for 63 ms at most.
    #[cfg(feature = "rest")]
    pub(crate) async fn changed_kinds(
        &self,
        after: Seq,
        last: Seq,
    ) -> Option<std::collections::BTreeSet<&'static str>> {
        if after > last {
            return None;
        }
        for pause in PAUSES {
            let kinds = self.feed.kinds(after, last);
            if kinds.is_some() || !self.feed.may_learn_kinds(after) {
                return kinds;
            }
            Delay::new(Duration::from_millis(pause)).await;
        }
        self.feed.kinds(after, last)
    }

    /// Returns whether listeners no longer wait.
    #[cfg(feature = "rest")]
    pub(crate) fn is_closing(&self) -> bool {
        self.feed.is_closed()
    }

    /// Records in the journal that the service's actor has read this record, under the operation's name. Reads do not
    /// do this by themselves: call it when the record was found and before it is passed on.
    ///
    /// ```
    /// use care_core::{
    ///     model::PatientDetails,
    ///     operation::Operation,
    ///     service::CareService,
    ///     store::{Limit, MemoryStore, RecordKey, Seq},
    /// };
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new()).acting_as("ward 3");
    /// let id = care.register_patient(PatientDetails::default()).await?.patient_id;
    /// let before = care.patient(id).await?;
    /// care.note_read(Operation::GetPatient, RecordKey::Patient(id)).await?;
    ///
    /// let entry = care.store().journal(Seq::new(1), Limit::items(1)).await?.items.remove(0);
    /// assert_eq!((entry.actor.as_str(), &*entry.operation), ("ward 3", "getPatient"));
    /// assert_eq!(entry.reads, [RecordKey::Patient(id)]);
    /// assert_eq!(care.patient(id).await?, before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The store's failures.
    pub async fn note_read(&self, operation: Operation, key: RecordKey) -> Result<(), Error> {
        self.note_reads(operation.into(), vec![key]).await
    }

    /// Records in the journal that the service's actor has read these records in one request, under this name. Without
    /// records nothing is written.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn note_reads(&self, operation: JournalOperation, keys: Vec<RecordKey>) -> Result<(), Error> {
        let act = self.act(operation);
        let checked = self.check_actor();
        let read = move |_: &Seen| {
            checked.clone()?;
            Ok(Outcome { reads: keys.clone(), ..Outcome::default() })
        };
        let unannounced = self.feed.write_begins();
        if let Some(seq) = self.store.transact(act, Box::new(read)).await? {
            unannounced.announce(seq, Vec::new());
        }
        Ok(())
    }
}

impl Subscription {
    /// Returns the next entries, at most `limit`, and waits until there is one. The result is empty only after
    /// [`CareService::stop_waiting`], when there are no further entries.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn next(&mut self, limit: usize) -> Result<Vec<Entry>, Error> {
        loop {
            let closing = self.care.feed.is_closed();
            let entries = self.care.store.journal(self.after, Limit::items(limit.max(1))).await?.items;
            if let Some(last) = entries.last() {
                self.after = last.seq;
                return Ok(entries);
            }
            if closing {
                return Ok(entries);
            }
            self.care.changed(self.after).await;
        }
    }

    /// Returns the entries one by one, as a stream. It ends after a failure, and after [`CareService::stop_waiting`]
    /// when there are no further entries. Nothing is lost while it is not polled.
    ///
    /// ```
    /// use std::pin::pin;
    ///
    /// use care_core::{CareService, MemoryStore, model::PatientDetails, store::Seq};
    /// use futures_util::TryStreamExt as _;
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new());
    /// care.register_patient(PatientDetails::default()).await?;
    /// let mut entries = pin!(care.subscribe(Seq::ZERO).stream());
    /// assert_eq!(entries.try_next().await?.map(|entry| entry.seq), Some(Seq::new(1)));
    /// # Ok::<(), care_core::Error>(())
    /// # })?;
    /// # Ok::<(), care_core::Error>(())
    /// ```
    pub fn stream(self) -> impl Stream<Item = Result<Entry, Error>> + Send {
        stream::try_unfold((self, VecDeque::new()), |(mut from, mut read)| async move {
            if read.is_empty() {
                read = from.next(STREAMED).await?.into();
            }
            Ok(read.pop_front().map(|entry| (entry, (from, read))))
        })
    }
}

#[cfg(all(test, feature = "rest"))]
mod tests {
    use std::{
        collections::BTreeSet,
        pin::pin,
        task::{Context, Waker},
    };

    use futures_executor::block_on;
    use futures_util::{FutureExt as _, TryStreamExt as _};

    use super::*;
    use crate::{model::PatientDetails, store::MemoryStore};

    #[test]
    fn what_is_dropped_while_it_is_pending_loses_nothing() {
        let care = CareService::new(MemoryStore::new());
        let register = || block_on(care.register_patient(PatientDetails::default())).unwrap();
        let context = &mut Context::from_waker(Waker::noop());
        let mut news = care.subscribe(Seq::ZERO);
        assert!(pin!(news.next(1)).poll(context).is_pending());
        // The next call is woken, and dropped before it returns what woke it.
        {
            let mut next = pin!(news.next(1));
            assert!(next.as_mut().poll(context).is_pending());
            register();
        }
        register();
        assert_eq!(block_on(news.next(1)).unwrap()[0].seq, Seq::new(1));
        let kept = news.clone();
        let mut entries = pin!(news.stream());
        assert_eq!(block_on(entries.try_next()).unwrap().unwrap().seq, Seq::new(2));
        assert!(entries.try_next().poll_unpin(context).is_pending());
        register();
        register();
        assert_eq!(block_on(entries.try_next()).unwrap().unwrap().seq, Seq::new(3));
        let mut others = pin!(care.subscribe(Seq::new(3)).stream());
        assert_eq!(block_on(others.try_next()).unwrap().unwrap().seq, Seq::new(4));
        assert_eq!(block_on(kept.clone().next(9)).unwrap().len(), 3);
    }

    #[test]
    fn the_kinds_of_an_entry_that_is_not_announced_yet_are_awaited() {
        let care = CareService::new(MemoryStore::new());
        let entry = Seq::new(1);
        assert_eq!(block_on(care.changed_kinds(Seq::ZERO, entry)), None, "another process wrote it");
        let write = care.feed.write_begins();
        let mut asked = pin!(care.changed_kinds(Seq::ZERO, entry));
        assert!(asked.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        write.announce(entry, vec!["Item"]);
        assert_eq!(block_on(asked), Some(BTreeSet::from(["Item"])));
    }
}

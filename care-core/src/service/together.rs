//! Several use cases in one commit.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    task::{Context, Poll, Waker},
};

use async_trait::async_trait;
use futures_channel::oneshot;

use super::{
    CareService, Idempotency,
    base::{figures::Figures, handle::StoreHandle},
};
use crate::{
    error::{Error, StoreError, StoreErrorKind},
    meter::Meter,
    operation::Operation,
    store::{
        Act, CommitNotifier, Deciding, Decision, Entry, Epoch, Feed, Journal, Key, Limit, Lookup, Maintenance, Misuse,
        Outcome, Portion, Query, Question, Record, Records, ReplayError, Seen, Seq, Step, Transaction, Versioned,
        poll_inside, queue::answered,
    },
};

impl CareService {
    /// Runs several use cases in one commit: all of them happen, each with a journal entry of its own, or none. Each
    /// sees what those before it have done.
    ///
    /// The closure gets the service to call, and may await nothing else: neither this service, nor another store, a
    /// request to another server or a timer. The thread that runs it holds the store, and has no runtime. If one change
    /// is refused, all of them are, whatever the closure makes of the refusal. Reads may find nothing.
    ///
    /// ```
    /// use care_core::{
    ///     CareService, MemoryStore,
    ///     model::{MedicineName, PatientDetails},
    ///     service::NewPrescription,
    /// };
    ///
    /// # futures_executor::block_on(async {
    /// let care = CareService::new(MemoryStore::new());
    /// let details = PatientDetails::named("Ada Example")?;
    /// let new = NewPrescription::of(MedicineName::new("Ibuprofen 400")?);
    /// let issued = care
    ///     .together(async move |care| {
    ///         let ada = care.register_patient(details).await?;
    ///         let prescribed = care.prescribe(ada.patient_id, new).await?;
    ///         care.issue_invoice(prescribed.prescription.prescription_id).await
    ///     })
    ///     .await?;
    /// assert_eq!(care.last().await?, issued.invoice.version);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The closure runs where the store runs its transactions, a thread of the store's own in the SQLite store, and all
    /// other writers wait until it ends. Each change is synced with the others, so this costs one commit of its own,
    /// while use cases that are called apart share theirs with those of other callers.
    ///
    /// # Errors
    /// The first refusal; [`Error::Invalid`] when this service does requests [once](Self::once), which each use case in
    /// the closure does for itself; [`StoreErrorKind::Unsupported`], with the reason as its source, when the closure
    /// awaits something else, panics, erases a person or asks for a commit within this one, or the store has no
    /// [`Maintenance`]; the closure's own error, and the store's failures. Nothing was written then, unless the failure
    /// says that this is unknown.
    pub async fn together<T: Send + 'static>(
        &self,
        run: impl AsyncFnOnce(Self) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let maintenance = self.store.maintenance().ok_or_else(|| StoreError::from(StoreErrorKind::Unsupported))?;
        if self.once.is_some() {
            return Err(Error::field(Idempotency::FIELD, "is for one use case; give each of several its own"));
        }
        self.check_actor()?;
        let looking = self.act(Operation::GetPatient.into());
        let (steps, waiting) = mpsc::channel();
        let feed = Arc::<Feed>::default();
        let refusal = Arc::<Refusal>::default();
        let shared = Shared { epoch: self.store.epoch(), looking, steps, refusal: Arc::clone(&refusal) };
        let care = Self {
            store: StoreHandle::new(shared),
            feed: Arc::clone(&feed),
            figures: Figures::silent(),
            orders: Arc::default(),
            ..self.clone()
        };
        let work = move |transaction: &mut dyn Transaction| {
            let ended = drive(pin!(run(care)), &waiting, transaction);
            let refused = refusal.take();
            refused.map_or(ended, Err)
        };
        let unannounced = self.feed.write_begins();
        let ended = maintenance.transaction(work).await;
        match &ended {
            Ok(_) => {
                for (seq, kinds) in feed.take_kinds() {
                    self.figures.decided(&Ok(Some(seq)));
                    self.feed.announce_kinds(seq, kinds);
                }
            }
            Err(error) => self.figures.decided(&Err(error.clone())),
        }
        drop(unannounced);
        ended
    }
}

/// Something to do in the transaction.
type Work = Box<dyn FnOnce(&mut dyn Transaction) + Send>;

/// The store that the use cases of one commit share: it hands what they ask of it to the transaction.
struct Shared {
    epoch: Epoch,
    /// The act of a read, which makes no entry.
    looking: Act,
    steps: Sender<Work>,
    refusal: Arc<Refusal>,
}

/// The first refusal of a change, which refuses all of them.
#[derive(Debug, Default)]
struct Refusal(Mutex<Option<Error>>);

impl Refusal {
    fn note(&self, refusal: &Error) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| refusal.clone());
    }

    fn take(&self) -> Option<Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Polls the use cases, and does in the transaction what they wait for. Nothing of theirs waits for a slot, since all
/// others wait for the transaction. They are polled again where one of them waits for another; whatever else wakes them
/// is not theirs to await.
fn drive<T>(
    mut running: Pin<&mut impl Future<Output = Result<T, Error>>>,
    waiting: &Receiver<Work>,
    transaction: &mut dyn Transaction,
) -> Result<T, Error> {
    let mut meter = Meter::unbounded();
    loop {
        let mut poll = || meter.poll(running.as_mut(), &mut Context::from_waker(Waker::noop()));
        let has_passed = match catch_unwind(AssertUnwindSafe(|| poll_inside(&mut poll))) {
            Ok(Ok((Poll::Ready(ended), _))) => return ended,
            Ok(Ok((Poll::Pending, pause))) => pause.is_some(),
            Ok(Err(misuse)) => return Err(misuse.into()),
            Err(panic) => return Err(StoreError::from(Misuse::Panicked(words(&*panic))).into()),
        };
        match waiting.try_recv() {
            Ok(work) => work(transaction),
            Err(_) if has_passed => {}
            Err(_) => return Err(StoreError::from(Misuse::Awaited).into()),
        }
    }
}

/// Returns what a panic says.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or_default().to_owned()
}

impl Shared {
    /// Does something in the transaction. Once that has ended nothing can be done.
    async fn within<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Transaction) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (answer, done) = oneshot::channel();
        let work: Work = Box::new(move |transaction| drop(answer.send(work(transaction))));
        self.steps.send(work).map_err(|_| StoreError::from(Misuse::Ended))?;
        answered(done).await
    }

    /// Loads these keys, by a decision that changes nothing.
    async fn load(&self, keys: Vec<Key>) -> Result<Vec<Lookup>, Error> {
        let act = self.looking.clone();
        let load = move |transaction: &mut dyn Transaction| {
            let (found, loaded) = mpsc::channel();
            let look = move |seen: &Seen| {
                seen.need(keys.iter().cloned())?;
                let answers = keys.iter().map(|key| seen.lookup(key)).collect::<Result<Vec<_>, _>>()?;
                // Only the last run counts.
                drop(found.send(answers));
                Ok(Outcome::default())
            };
            let mut look: Decision = Box::new(look);
            transaction.decide(&act, &mut look)?;
            Ok(loaded.try_iter().last().unwrap_or_default())
        };
        self.within(load).await
    }
}

#[async_trait]
impl Records for Shared {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        let mut deciding = Deciding::new(question);
        loop {
            match deciding.step() {
                Step::Need(keys) => {
                    let found = self.load(keys.to_vec()).await?;
                    keys.into_iter().zip(found).for_each(|(key, found)| deciding.enter(key, found));
                }
                Step::Done(()) => return Ok(()),
                Step::Refused(error) => return Err(error),
            }
        }
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        let query = query.clone();
        self.within(move |transaction| transaction.list(&query, limit)).await
    }
}

#[async_trait]
impl Journal for Shared {
    fn epoch(&self) -> Epoch {
        self.epoch
    }

    async fn transact(&self, act: Act, mut decision: Decision) -> Result<Option<Seq>, Error> {
        let refusal = Arc::clone(&self.refusal);
        let decided = self.within(move |transaction| {
            let decided = act.in_time().map_err(Error::from).and_then(|()| transaction.decide(&act, &mut decision));
            // Noted here, it counts even if the future is dropped.
            decided.inspect_err(|refused| refusal.note(refused))
        });
        decided.await
    }

    async fn replay(&self, _: Vec<Entry>) -> Result<(), ReplayError> {
        self.refusal.note(&StoreError::from(Misuse::OwnTransaction).into());
        Err(StoreError::from(Misuse::OwnTransaction).into())
    }

    /// Notes a refusal: an erasure, or another commit of several use cases, needs a transaction of its own.
    fn maintenance(&self) -> Option<&dyn Maintenance> {
        self.refusal.note(&StoreError::from(Misuse::OwnTransaction).into());
        None
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.within(move |transaction| transaction.journal(after, limit)).await
    }

    fn add_notifier(&self, _: CommitNotifier) {}
}

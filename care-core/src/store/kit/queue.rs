//! The queue of the thread of a store that writes.

use std::{
    io,
    sync::mpsc::{SyncSender, TrySendError},
    thread::{self, Builder, JoinHandle},
    time::Instant,
};

use futures_channel::oneshot;
use tracing::Span;

use super::figures::{QueuePlace, WriterFigures};
use crate::{
    error::{Error, StoreError, StoreErrorKind},
    store::{Act, Decision, Seq},
};

/// The result of a decision: the number of its entry, if it has one.
pub type Answer = Result<Option<Seq>, Error>;

/// A job in the queue.
#[derive(Debug)]
pub struct Job<W> {
    /// When it was sent.
    pub since: Instant,
    /// The work.
    pub work: W,
    /// Its place in the count of waiting jobs.
    pub place: QueuePlace,
    /// The span of the job below that of its caller, from its sending to its end. A store enters it as it works.
    pub span: Span,
}

/// A decision, which shares its commit with others, and the caller that waits for it.
#[expect(missing_debug_implementations, reason = "a decision is a closure")]
pub struct Waiting {
    /// The actor and the time.
    pub act: Act,
    /// The decision.
    pub decision: Decision,
    /// The channel to its caller.
    pub answer: oneshot::Sender<Answer>,
}

/// Work that has a transaction, a `B`, to itself.
pub trait Exclusive<B>: Send {
    /// Does the work; `false` rolls everything back.
    fn run(&mut self, bulk: &mut B) -> bool;

    /// Passes on the result, or the failure of the transaction.
    fn end(self: Box<Self>, transaction: Result<(), StoreError>);
}

/// A closure, and the channel to its caller.
#[derive(Debug)]
pub struct Task<F, T, E> {
    run: Option<F>,
    made: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

/// Sends a job.
///
/// # Errors
/// [`StoreErrorKind::Busy`] when the queue is full, and [`StoreErrorKind::Stopped`] when no thread receives.
pub fn send<W>(jobs: &SyncSender<Job<W>>, work: W, figures: &WriterFigures) -> Result<(), StoreError> {
    let job = Job { since: Instant::now(), work, place: figures.waiting(), span: tracing::debug_span!("store_job") };
    let sent = jobs.try_send(job);
    sent.map_err(|refused| match refused {
        TrySendError::Full(_) => StoreErrorKind::Busy.into(),
        TrySendError::Disconnected(_) => StoreErrorKind::Stopped.into(),
    })
}

/// Waits for the answer to a job.
///
/// # Errors
/// Those of the job; [`StoreErrorKind::Unknown`] when the thread has vanished, since how far it got is not known.
pub async fn answered<T, E: From<StoreError>>(answer: oneshot::Receiver<Result<T, E>>) -> Result<T, E> {
    answer.await.unwrap_or_else(|oneshot::Canceled| Err(StoreError::from(StoreErrorKind::Unknown).into()))
}

impl<F, T, E> Task<F, T, E> {
    /// Returns the task, and where its result arrives.
    pub fn new(run: F) -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (answer, answered) = oneshot::channel();
        (Self { run: Some(run), made: None, answer }, answered)
    }
}

impl<B, F, T, E> Exclusive<B> for Task<F, T, E>
where
    F: FnOnce(&mut B) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, bulk: &mut B) -> bool {
        self.made = self.run.take().map(|run| run(bulk));
        matches!(self.made, Some(Ok(_)))
    }

    fn end(self: Box<Self>, transaction: Result<(), StoreError>) {
        let made = match (transaction, self.made) {
            // The closure's own error says more than the end of its transaction.
            (_, Some(Err(refused))) => Err(refused),
            (Ok(()), Some(made)) => made,
            (Ok(()), None) => return,
            (Err(failure), _) => Err(failure.into()),
        };
        // The caller may have gone; the commit stands all the same.
        let _ = self.answer.send(made);
    }
}

/// Starts a thread of a store.
///
/// # Errors
/// The system's.
pub fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.to_owned()).spawn(run)
}

/// Waits for a thread of a store that was told to end. The last handle of a store may be dropped on that thread itself.
pub fn join(thread: JoinHandle<()>) {
    if thread.thread().id() != thread::current().id() && thread.join().is_err() {
        tracing::error!("a thread of the store panicked");
    }
}

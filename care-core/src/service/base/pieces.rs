//! Long work: in pieces, between which other tasks of the thread run, and with its answer kept for a short time, for
//! all who ask meanwhile.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::lock::Mutex;

use crate::{
    meter::{self, Work},
    model::Date,
};

/// The work for a report, counted in medicines.
///
/// A runtime takes a thread away from a task only where the task waits. Work that never waits would hold the thread,
/// and whatever watches over it, such as a deadline, until its end.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    done: usize,
}

impl Pieces {
    /// The number of medicines in a piece. Each takes up to 0.1 ms.
    pub(crate) const MEDICINES: usize = 8;
    /// The work for a medicine.
    const OF_A_MEDICINE: Work = Work::records(Work::QUANTUM.records / Self::MEDICINES);

    /// Counts a medicine, and lets others pass at the end of a piece.
    pub(crate) async fn count(&mut self) {
        self.done += 1;
        meter::before(Self::OF_A_MEDICINE).await;
        meter::count(Self::OF_A_MEDICINE);
        if self.done.is_multiple_of(Self::MEDICINES) {
            meter::pass().await;
        }
    }
}

/// An answer as it was found last. The request that finds it holds the lock, and others wait for it.
#[derive(Debug)]
pub(crate) struct AnswerCache<T>(Mutex<Option<CachedAnswer<T>>>);

#[derive(Debug)]
struct CachedAnswer<T> {
    since: Instant,
    day: Date,
    answer: Arc<T>,
}

/// The time for which an answer is kept, from the beginning of its search.
const KEPT: Duration = Duration::from_secs(2);

impl<T> Default for AnswerCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Send + Sync> AnswerCache<T> {
    /// Returns the answer of this day, which is searched for if it is not kept.
    pub(crate) async fn or<E: Send>(
        &self,
        day: Date,
        find: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<Arc<T>, E> {
        let mut kept = meter::pass_until(self.0.lock()).await;
        if let Some(found) = kept.as_ref().filter(|found| found.day == day && found.since.elapsed() < KEPT) {
            return Ok(Arc::clone(&found.answer));
        }
        let since = Instant::now();
        let answer = Arc::new(find.await?);
        *kept = Some(CachedAnswer { since, day, answer: Arc::clone(&answer) });
        Ok(answer)
    }
}

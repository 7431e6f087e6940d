//! Answers that are kept for a short time, for all who ask meanwhile.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::lock::Mutex;

use super::pieces;
use crate::model::Date;

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
        let mut kept = pieces::pass_until(self.0.lock()).await;
        if let Some(found) = kept.as_ref().filter(|found| found.day == day && found.since.elapsed() < KEPT) {
            return Ok(Arc::clone(&found.answer));
        }
        let since = Instant::now();
        let answer = Arc::new(find.await?);
        *kept = Some(CachedAnswer { since, day, answer: Arc::clone(&answer) });
        Ok(answer)
    }
}

//! The deadline of requests.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::Poll,
    time::{Duration, Instant},
};

use futures_timer::Delay;
use futures_util::future::{FutureExt as _, Shared};

/// Timers that requests share.
///
/// Setting a timer wakes the thread that keeps all timers, which takes 4 µs of processor time: about a twentieth of
/// what a write takes. Requests that begin within a tenth of the limit therefore share a timer, and may take up to a
/// tenth longer.
#[derive(Default)]
pub(crate) struct Deadlines(Mutex<Option<Timer>>);

struct Timer {
    since: Instant,
    limit: Duration,
    over: Shared<Delay>,
}

impl Deadlines {
    /// Awaits a future for this time. A future that is ready at once, like most reads, needs no timer.
    pub(crate) async fn within<T>(&self, limit: Duration, mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let mut over = None;
        poll_fn(|context| {
            if let Poll::Ready(done) = future.as_mut().poll(context) {
                return Poll::Ready(Some(done));
            }
            over.get_or_insert_with(|| self.after(limit)).poll_unpin(context).map(|()| None)
        })
        .await
    }

    fn after(&self, limit: Duration) -> Shared<Delay> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let grain = limit / 10;
        let timer = match last.take() {
            Some(timer) if timer.limit == limit && timer.since.elapsed() < grain => timer,
            _ => Timer { since: Instant::now(), limit, over: Delay::new(limit.saturating_add(grain)).shared() },
        };
        last.insert(timer).over.clone()
    }
}

impl fmt::Debug for Deadlines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deadlines").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, pin::pin};

    use futures_executor::block_on;
    use futures_util::future::join_all;

    use super::*;

    #[test]
    fn a_future_is_awaited_for_so_long_and_no_longer() {
        let deadlines = Deadlines::default();
        assert_eq!(block_on(deadlines.within(Duration::ZERO, pin!(async { 1 }))), Some(1));
        assert_eq!(block_on(deadlines.within(Duration::ZERO, pin!(pending::<()>()))), None);
    }

    #[test]
    fn many_share_a_timer_and_none_ends_early() {
        let (deadlines, limit) = (Deadlines::default(), Duration::from_millis(50));
        let waits = (0..100).map(|number| {
            let deadlines = &deadlines;
            async move {
                Delay::new(Duration::from_millis(number / 10)).await;
                let begun = Instant::now();
                let done = deadlines.within(limit, pin!(pending::<()>())).await;
                assert!(done.is_none() && begun.elapsed() >= limit, "{:?}", begun.elapsed());
            }
        });
        block_on(join_all(waits));
    }
}

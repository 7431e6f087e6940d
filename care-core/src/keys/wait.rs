//! Waiting for a future on a thread that cannot await.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The future's answer, if it comes within this time; most are there at once.
pub(crate) fn wait_for<T>(future: impl Future<Output = T>, at_most: Duration) -> Option<T> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let begun = Instant::now();
    loop {
        if let Poll::Ready(answer) = future.as_mut().poll(&mut context) {
            return Some(answer);
        }
        let left = at_most.checked_sub(begun.elapsed()).filter(|left| !left.is_zero())?;
        thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_waited_for_and_no_longer_than_said() {
        assert_eq!(wait_for(std::future::ready(1), Duration::ZERO), Some(1));
        let later = async {
            futures_timer::Delay::new(Duration::from_millis(1)).await;
            2
        };
        assert_eq!(wait_for(later, Duration::from_secs(60)), Some(2));
        assert_eq!(wait_for(std::future::pending::<()>(), Duration::from_millis(1)), None);
    }
}

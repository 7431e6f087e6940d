//! Blocking waits on the writing thread.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake},
    thread::{self, Thread},
    time::{Duration, Instant},
};

/// Wakes a parked thread.
struct Waker(Thread);

impl Wake for Waker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Blocks until the future is ready, and returns `None` once the limit has passed: a server that hangs, or is cut off
/// from the network, never answers.
pub(crate) fn within<T>(limit: Duration, answer: impl Future<Output = T>) -> Option<T> {
    let (mut answer, since) = (pin!(answer), Instant::now());
    let waker = Arc::new(Waker(thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(answer) = answer.as_mut().poll(&mut context) {
            return Some(answer);
        }
        match limit.checked_sub(since.elapsed()) {
            Some(left) if !left.is_zero() => thread::park_timeout(left),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_channel::oneshot;

    use super::*;

    #[test]
    fn an_answer_is_waited_for_no_longer_than_allowed() {
        let (answer, answered) = oneshot::channel();
        let other = thread::spawn(move || answer.send(7));
        assert_eq!(within(Duration::from_secs(60), answered), Some(Ok(7)));
        other.join().unwrap().unwrap();
        let (_silent, answered) = oneshot::channel::<u8>();
        assert_eq!(within(Duration::from_millis(20), answered), None);
        assert_eq!(within(Duration::ZERO, std::future::ready(1)), Some(1));
    }
}

//! Long polls: requests that wait for the next journal entry.
//!
//! A waiting poll holds a permit among polls, an entry in a list, and a timer for the end of its wait. It holds no
//! permit of an ordinary request, and no part of the store. Everything is released when its future is dropped with the
//! connection.

use std::{future::poll_fn, pin::pin, task::Poll as Ready, time::Duration};

use futures_timer::Delay;
use http::request::Parts;

use super::query::Parameters;
use crate::{
    error::StoreError,
    model::Invalid,
    rest::{
        admission::Permit,
        contract::operation::{Nature, Operation},
        http::path,
    },
    service::CareService,
    store::Seq,
};

/// The longest wait, in seconds.
pub(crate) const MAX_WAIT: u64 = 30;

/// The entry after which a poll waits, and its longest wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Poll {
    after: Seq,
    wait: Duration,
}

impl Poll {
    /// Returns the poll of a request; `None` for one that is answered, or refused, at once.
    pub(crate) fn of(operation: Operation, head: &Parts) -> Option<Self> {
        let (Nature::Journal | Nature::News, Some(query)) = (operation.nature(), head.uri.query()) else {
            return None;
        };
        let mut query = Parameters::read(operation, Some(query)).ok()?;
        let poll = Self::read(&mut query);
        // Faults are ignored here: the operation itself refuses them.
        (query.verdict().is_ok() && !poll.wait.is_zero()).then_some(poll)
    }

    /// Reads the parameters of a poll, each of which may be absent.
    pub(crate) fn read(query: &mut Parameters) -> Self {
        let after = query.parse("after", |text| {
            let seq = path::number(&text).map(|seq| Seq::new(seq.unsigned_abs()));
            seq.ok_or(Invalid("must be the seq of an entry"))
        });
        let wait = query.parse("wait", |text| {
            let seconds = path::number(&text).map(i64::unsigned_abs).filter(|seconds| *seconds <= MAX_WAIT);
            seconds.ok_or(Invalid("must be 0 to 30"))
        });
        Self { after: after.unwrap_or_default(), wait: Duration::from_secs(wait.unwrap_or(0)) }
    }

    /// Returns the entry after which the client wants to hear.
    pub(crate) const fn after(self) -> Seq {
        self.after
    }

    /// Returns whether there is a later entry already, or the journal ends before the client's entry: it was restored,
    /// and has another past than the client knows.
    pub(crate) async fn is_over(self, care: &CareService) -> Result<bool, StoreError> {
        Ok(care.is_closing() || care.last().await? != self.after)
    }

    /// Returns the longest wait.
    pub(crate) const fn longest(self) -> Duration {
        self.wait
    }

    /// Waits this long for news or the shutdown of the host; with the permit of a poll, until a newer poll takes it
    /// over at the latest.
    pub(crate) async fn wait(self, care: &CareService, time: Duration, permit: Option<&Permit>) -> WaitEnd {
        let mut news = pin!(care.changed(self.after));
        let mut time = pin!(Delay::new(time));
        poll_fn(|context| {
            if news.as_mut().poll(context).is_ready() {
                Ready::Ready(WaitEnd::News)
            } else if permit.is_some_and(|permit| permit.poll_ended(context).is_ready()) {
                Ready::Ready(WaitEnd::Replaced)
            } else {
                time.as_mut().poll(context).map(|()| WaitEnd::Timeout)
            }
        })
        .await
    }
}

/// The end of a poll's wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitEnd {
    /// There is news, or the host shuts down.
    News,
    /// The time is over.
    Timeout,
    /// A newer poll of the key has taken the permit over.
    Replaced,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sound_request_waits() {
        let poll = |query: &str| {
            let uri = format!("/1.0.0/news?{query}");
            let (head, ()) = http::Request::get(uri).body(()).unwrap().into_parts();
            Poll::of(Operation::GetNews, &head)
        };
        let second = Duration::from_secs(1);
        assert_eq!(poll("wait=1"), Some(Poll { after: Seq::ZERO, wait: second }));
        assert_eq!(poll("after=7&%77ait=1"), Some(Poll { after: Seq::new(7), wait: second }));
        for query in ["", "after=7", "wait=0", "wait=31", "wait=1&wait=1", "wait=1&after=x", "wait=1&limit=1"] {
            assert_eq!(poll(query), None, "{query}");
        }
    }
}

//! Taking turns: few of those who ask are let in at once, the others in the order in which they asked.

use std::{
    collections::BTreeMap,
    future::poll_fn,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// A queue for work that few may do at once.
#[derive(Debug)]
pub(crate) struct Turns {
    most: usize,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    busy: usize,
    next: u64,
    /// Those who wait, in the order of their numbers.
    waiting: BTreeMap<u64, Waker>,
}

/// The turn of one who was let in, until it is dropped.
#[derive(Debug)]
#[must_use = "the next one is let in as soon as this is dropped"]
pub(crate) struct Turn<'a>(&'a Turns);

/// A number in the queue. Dropping it leaves the queue.
struct Ticket<'a> {
    turns: &'a Turns,
    number: u64,
}

impl Turns {
    /// Returns a queue that lets this many in at once.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, queue: Mutex::default() }
    }

    /// Waits for a turn.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        let ticket = self.ticket();
        poll_fn(|context| ticket.poll(context)).await
    }

    fn ticket(&self) -> Ticket<'_> {
        let mut queue = self.queue();
        queue.next += 1;
        Ticket { turns: self, number: queue.next }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the first of those who wait, if there is room.
    fn call_next(&self, queue: &Queue) {
        if queue.busy < self.most
            && let Some(first) = queue.waiting.values().next()
        {
            first.wake_by_ref();
        }
    }
}

impl<'a> Ticket<'a> {
    fn poll(&self, context: &mut Context<'_>) -> Poll<Turn<'a>> {
        let mut queue = self.turns.queue();
        let is_first = queue.waiting.range(..self.number).next().is_none();
        if is_first && queue.busy < self.turns.most {
            queue.busy += 1;
            queue.waiting.remove(&self.number);
            return Poll::Ready(Turn(self.turns));
        }
        queue.waiting.insert(self.number, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut queue = self.turns.queue();
        queue.waiting.remove(&self.number);
        // The call may have been for this ticket, and others may come after one who was just let in.
        self.turns.call_next(&queue);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.queue();
        queue.busy -= 1;
        self.0.call_next(&queue);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn turns_are_taken_in_order() {
        let turns = Turns::new(1);
        let first = turns.turn().now_or_never().unwrap();
        let (mut second, mut third) = (pin!(turns.turn()), Box::pin(turns.turn()));
        assert!(second.as_mut().now_or_never().is_none() && third.as_mut().now_or_never().is_none());
        drop(first);
        // There is room, and the third is not before the second.
        assert!(third.as_mut().now_or_never().is_none());
        let taken = second.as_mut().now_or_never().unwrap();
        // One who comes later waits behind one who leaves.
        let mut fourth = pin!(turns.turn());
        assert!(fourth.as_mut().now_or_never().is_none());
        drop(taken);
        drop(third);
        assert!(fourth.as_mut().now_or_never().is_some());
    }

    #[test]
    fn every_one_of_many_gets_a_turn() {
        let turns = Turns::new(2);
        let all = futures_util::future::join_all((0..100).map(|number| {
            let turns = &turns;
            async move {
                let _turn = turns.turn().await;
                assert!(turns.queue().busy <= 2);
                crate::service::reports::pieces::pass().await;
                number
            }
        }));
        assert_eq!(futures_executor::block_on(all).len(), 100);
    }
}

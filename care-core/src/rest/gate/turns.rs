//! Taking turns: few of those who ask are let in at once, the clients in turn, and each client's requests in the order
//! in which they came.

use std::{
    collections::{BTreeMap, HashMap},
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// A queue for work that few may do at once. A client with many requests in it delays those of another by one turn.
#[derive(Debug)]
pub(crate) struct Turns {
    most: usize,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    busy: usize,
    /// The round of the last turn. In each round, each client who waits has one turn.
    round: u64,
    next: u64,
    /// Those who wait, in the order of their numbers.
    waiting: BTreeMap<Number, Waker>,
    /// The clients with a ticket: the number of their tickets, and the round of the last one.
    clients: HashMap<Arc<str>, (usize, u64)>,
}

/// The round of a turn, and then the order in which those of one round came.
type Number = (u64, u64);

/// The turn of one who was let in, until it is dropped.
#[derive(Debug)]
#[must_use = "the next one is let in as soon as this is dropped"]
pub(crate) struct Turn<'a>(&'a Turns);

/// A number in the queue. Dropping it leaves the queue.
struct Ticket<'a, 'c> {
    turns: &'a Turns,
    client: &'c Arc<str>,
    number: Number,
}

impl Turns {
    /// Returns a queue that lets this many in at once.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, queue: Mutex::default() }
    }

    /// Waits for a turn of this client; `None` when this many of its requests wait already.
    pub(crate) async fn turn<'a>(&'a self, client: &Arc<str>, waiting: usize) -> Option<Turn<'a>> {
        let ticket = self.ticket(client, waiting)?;
        Some(poll_fn(|context| ticket.poll(context)).await)
    }

    fn ticket<'c>(&self, client: &'c Arc<str>, waiting: usize) -> Option<Ticket<'_, 'c>> {
        let mut queue = self.queue();
        let Queue { round, next, clients, .. } = &mut *queue;
        let (tickets, last) = clients.entry(Arc::clone(client)).or_default();
        if *tickets >= waiting {
            return None;
        }
        *tickets += 1;
        *last = (*last).max(*round) + 1;
        *next += 1;
        Some(Ticket { turns: self, client, number: (*last, *next) })
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

impl<'a> Ticket<'a, '_> {
    fn poll(&self, context: &mut Context<'_>) -> Poll<Turn<'a>> {
        let mut queue = self.turns.queue();
        let is_first = queue.waiting.range(..self.number).next().is_none();
        if is_first && queue.busy < self.turns.most {
            queue.busy += 1;
            queue.round = queue.round.max(self.number.0);
            queue.waiting.remove(&self.number);
            return Poll::Ready(Turn(self.turns));
        }
        queue.waiting.insert(self.number, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Ticket<'_, '_> {
    fn drop(&mut self) {
        let mut queue = self.turns.queue();
        queue.waiting.remove(&self.number);
        if let Some((tickets, _)) = queue.clients.get_mut(self.client) {
            *tickets -= 1;
            if *tickets == 0 {
                queue.clients.remove(self.client);
            }
        }
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
    use std::{future::Future, pin::pin};

    use futures_util::FutureExt as _;

    use super::*;

    const WAITING: usize = 60;

    fn client(name: &str) -> Arc<str> {
        name.into()
    }

    /// Returns the turn that a client gets without waiting.
    fn now<'a>(turn: impl Future<Output = Option<Turn<'a>>>) -> Turn<'a> {
        turn.now_or_never().unwrap().unwrap()
    }

    #[test]
    fn turns_are_taken_in_order() {
        let (turns, client) = (Turns::new(1), client("desk"));
        let first = now(turns.turn(&client, WAITING));
        let (mut second, mut third) = (pin!(turns.turn(&client, WAITING)), Box::pin(turns.turn(&client, WAITING)));
        assert!(second.as_mut().now_or_never().is_none() && third.as_mut().now_or_never().is_none());
        drop(first);
        // There is room, and the third is not before the second.
        assert!(third.as_mut().now_or_never().is_none());
        let taken = now(second.as_mut());
        // One who comes later waits behind one who leaves.
        let mut fourth = pin!(turns.turn(&client, WAITING));
        assert!(fourth.as_mut().now_or_never().is_none());
        drop(taken);
        drop(third);
        assert!(fourth.as_mut().now_or_never().is_some());
    }

    #[test]
    fn a_client_with_many_requests_delays_another_by_one_turn() {
        let (turns, busy, other) = (Turns::new(1), client("busy"), client("other"));
        let taken = now(turns.turn(&busy, WAITING));
        let mut many: Vec<_> = (0..5).map(|_| Box::pin(turns.turn(&busy, WAITING))).collect();
        assert!(many.iter_mut().all(|turn| turn.as_mut().now_or_never().is_none()));
        let mut one = pin!(turns.turn(&other, WAITING));
        assert!(one.as_mut().now_or_never().is_none());
        drop(taken);
        assert!(many[1].as_mut().now_or_never().is_none());
        drop(now(many[0].as_mut()));
        assert!(many[1].as_mut().now_or_never().is_none());
        drop(now(one.as_mut()));
        drop(now(many[1].as_mut()));
    }

    #[test]
    fn a_client_has_a_bounded_number_of_requests_in_the_queue() {
        let (turns, busy) = (Turns::new(1), client("busy"));
        let taken = now(turns.turn(&busy, WAITING));
        let mut many: Vec<_> = (0..WAITING).map(|_| Box::pin(turns.turn(&busy, WAITING))).collect();
        assert!(many.iter_mut().all(|turn| turn.as_mut().now_or_never().is_none()));
        assert!(turns.turn(&busy, WAITING).now_or_never().unwrap().is_none());
        assert!(turns.turn(&client("other"), WAITING).now_or_never().is_none());
        drop(many.pop());
        assert!(turns.turn(&busy, WAITING).now_or_never().is_none());
        drop((many, taken));
        assert!(turns.queue().clients.is_empty());
    }

    #[test]
    fn every_one_of_many_gets_a_turn() {
        let (turns, client) = (Turns::new(2), client("desk"));
        let all = futures_util::future::join_all((0..60).map(|number| {
            let (turns, client) = (&turns, &client);
            async move {
                let _turn = turns.turn(client, WAITING).await.unwrap();
                assert!(turns.queue().busy <= 2);
                crate::service::base::pieces::pass().await;
                number
            }
        }));
        assert_eq!(futures_executor::block_on(all).len(), 60);
    }
}

use std::{
    future::Future,
    iter,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Wake, Waker},
};

use futures_executor::block_on;
use futures_util::{FutureExt as _, future::join_all, task::noop_waker_ref};

use super::{
    Admission, Permit,
    resource::{Claim, Resource},
};
use crate::meter;

/// The most requests of a key that wait.
const WAITING: usize = 4000;

type Acquiring<'a> = Pin<Box<dyn Future<Output = Option<Permit>> + 'a>>;

/// Returns the permit of a request of this key, with whose account it asks for others.
fn client(admission: &Arc<Admission>, name: &str) -> Permit {
    admission.try_acquire(&name.into(), Claim::new(Resource::Requests, 1, 100_000)).unwrap()
}

fn asked(client: &Permit, amount: usize, most: usize) -> Acquiring<'_> {
    Box::pin(client.acquire(Claim::new(Resource::Histories, amount, most), WAITING))
}

/// Returns this many requests that wait.
fn waiting(client: &Permit, count: usize, most: usize) -> Vec<Acquiring<'_>> {
    let mut all: Vec<_> = (0..count).map(|_| asked(client, 1, most)).collect();
    assert!(all.iter_mut().all(waits));
    all
}

/// Returns the permits that a client gets without waiting.
fn now(client: &Permit, amount: usize, most: usize) -> Permit {
    served(&mut asked(client, amount, most))
}

/// Returns the permits of one who is served.
fn served(asked: &mut Acquiring<'_>) -> Permit {
    asked.as_mut().now_or_never().expect("it waits").unwrap()
}

fn waits(asked: &mut Acquiring<'_>) -> bool {
    asked.as_mut().now_or_never().is_none()
}

#[test]
fn a_key_alone_leaves_a_permit_for_another_for_each_sixteen() {
    for (most, alone) in
        [(1, 1), (2, 1), (3, 2), (4, 3), (7, 6), (16, 15), (17, 15), (32, 30), (100, 93), (1024, 960), (4096, 3840)]
    {
        let (admission, ask) = (Arc::<Admission>::default(), Claim::new(Resource::Requests, 1, most));
        let held: Vec<_> = iter::from_fn(|| admission.try_acquire(&"busy".into(), ask)).collect();
        assert_eq!(held.len(), alone, "{most}");
        assert_eq!(admission.has_capacity(ask), most > 1, "{most}");
        assert_eq!(admission.try_acquire(&"other".into(), ask).is_some(), most > 1, "{most}");
    }
}

#[test]
fn one_more_key_finds_a_permit_beside_two_that_take_what_they_get() {
    let (admission, ask) = (Arc::<Admission>::default(), Claim::new(Resource::Requests, 1, 4096));
    let fill = |key: &str| iter::from_fn(|| admission.try_acquire(&key.into(), ask)).collect::<Vec<_>>();
    let (mut first, mut second) = (fill("first"), fill("second"));
    assert_eq!((first.len(), second.len()), (3840, 240));
    // As the first one gives back, the second one gets more, and the first one does not get all of it again.
    first.truncate(2000);
    second.extend(fill("second"));
    first.extend(fill("first"));
    assert_eq!((first.len(), second.len()), (2000, 1965));
    assert_eq!(fill("third").len(), 122);
    drop((first, second));
    assert_eq!(admission.state().keys_in_use(), 0);
}

#[test]
fn a_key_with_thousands_that_wait_delays_another_by_one() {
    let admission = Arc::<Admission>::default();
    let (busy, other, third) = (client(&admission, "busy"), client(&admission, "other"), client(&admission, "third"));
    let taken = now(&busy, 1, 1);
    let mut many = waiting(&busy, 3000, 1);
    let [mut one, mut another] = [asked(&other, 1, 1), asked(&other, 1, 1)];
    let mut last = asked(&third, 1, 1);
    assert!(waits(&mut one) && waits(&mut another) && waits(&mut last));
    drop(taken);
    drop(served(&mut many[0]));
    // Each key has one, and then each has another one.
    drop(served(&mut one));
    drop(served(&mut last));
    assert!(waits(&mut another));
    drop(served(&mut many[1]));
    drop(served(&mut another));
    drop(served(&mut many[2]));
    drop(served(&mut many[3]));
}

#[test]
fn a_key_above_a_quarter_gets_no_more_before_those_that_wait() {
    let admission = Arc::<Admission>::default();
    let (busy, other, third) = (client(&admission, "busy"), client(&admission, "other"), client(&admission, "third"));
    let mut held: Vec<_> = (0..15).map(|_| now(&busy, 1, 16)).collect();
    let mut more = waiting(&busy, 2, 16);
    held.push(now(&other, 1, 16));
    let mut others = waiting(&other, 3, 16);
    let mut one = asked(&third, 1, 16);
    assert!(waits(&mut one));
    // The keys below a quarter come first, although the busy one has waited for longest.
    drop(held.remove(0));
    let _third = served(&mut one);
    drop(held.remove(0));
    drop(held.remove(0));
    let _second = served(&mut others[0]);
    assert!(more.iter_mut().all(waits));
    held.drain(..8);
    let _further = [served(&mut others[1]), served(&mut others[2])];
    // No other key is waiting now, so the busy one goes on above a quarter.
    let _more = more.iter_mut().map(served).collect::<Vec<_>>();
}

#[test]
fn those_who_ask_for_little_do_not_starve_one_who_asks_for_much() {
    let admission = Arc::<Admission>::default();
    let (light, heavy) = (client(&admission, "light"), client(&admission, "heavy"));
    let mut held: Vec<_> = (0..67).map(|_| now(&light, 1, 72)).collect();
    let mut much = asked(&heavy, 40, 72);
    assert!(waits(&mut much));
    let mut others: Vec<_> = (0..100).map(|_| asked(&light, 1, 72)).collect();
    // While permits are gathered for it, the others get none.
    for _ in 0..34 {
        assert!(waits(&mut much) && others.iter_mut().all(waits));
        held.pop();
    }
    held.pop();
    assert_eq!(served(&mut much).held(), 40);
    // More than there is stands for all of it.
    drop((held, others, much));
    assert_eq!(now(&heavy, 1000, 72).held(), 72);
}

#[test]
fn one_who_leaves_the_line_frees_its_permit() {
    let admission = Arc::<Admission>::default();
    let (busy, other) = (client(&admission, "busy"), client(&admission, "other"));
    let taken = now(&busy, 1, 1);
    let (mut first, mut second) = (asked(&busy, 1, 1), asked(&other, 1, 1));
    assert!(waits(&mut first) && waits(&mut second));
    let mut third = asked(&busy, 1, 1);
    assert!(waits(&mut third));
    // One leaves while it waits, and the next one after it was served and before it knew.
    drop(first);
    drop(taken);
    drop(second);
    drop(served(&mut third));
    assert!(busy.acquire(Claim::new(Resource::Histories, 1, 1), 0).now_or_never().is_some());
    drop(third);
    drop((busy, other));
    assert_eq!(admission.state().keys_in_use(), 0);
}

#[test]
fn one_who_is_served_is_woken() {
    let admission = Arc::<Admission>::default();
    let (busy, other) = (client(&admission, "busy"), client(&admission, "other"));
    let all = join_all((0..60).map(|number| {
        let client = if number % 3 == 0 { &other } else { &busy };
        async move {
            let _permit = client.acquire(Claim::new(Resource::Histories, 1, 4), WAITING).await.unwrap();
            meter::pass().await;
            number
        }
    }));
    assert_eq!(block_on(all).len(), 60);
}

/// A waker that remembers that it was called.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn one_who_is_served_when_another_asks_is_woken() {
    let admission = Arc::<Admission>::default();
    let [busy, other, third, last] = ["busy", "other", "third", "last"].map(|name| client(&admission, name));
    let _taken = now(&other, 7, 10);
    let kept = now(&busy, 1, 10);
    kept.shrink(0);
    // Permits are gathered for the busy key, which holds none.
    let (mut much, mut one) = (asked(&busy, 5, 10), asked(&third, 1, 10));
    let woken = Arc::<Woken>::default();
    let waker = Waker::from(Arc::clone(&woken));
    assert!(waits(&mut much) && one.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    kept.force_grow(1);
    drop(now(&last, 1, 10));
    assert!(woken.0.load(Ordering::Relaxed));
    drop(served(&mut one));
}

#[test]
fn a_key_has_a_bounded_number_that_wait() {
    let admission = Arc::<Admission>::default();
    let (busy, other) = (client(&admission, "busy"), client(&admission, "other"));
    let ask = |client: &Permit, resource| {
        client.acquire(Claim::new(resource, 1, 1), 1).now_or_never().map(|permit| permit.is_some())
    };
    let _taken = [now(&busy, 1, 1)];
    let reports = busy.acquire(Claim::new(Resource::Reports, 1, 1), 1).now_or_never().unwrap();
    let mut one = asked(&busy, 1, 1);
    assert!(reports.is_some() && waits(&mut one));
    // It counts in all resources together.
    assert_eq!((ask(&busy, Resource::Histories), ask(&busy, Resource::Reports)), (Some(false), Some(false)));
    assert_eq!(ask(&other, Resource::Histories), None);
    drop(one);
    assert_eq!(ask(&busy, Resource::Histories), None);
}

#[test]
fn what_is_not_needed_is_given_back_and_more_is_waited_for() {
    let admission = Arc::<Admission>::default();
    let (busy, other) = (client(&admission, "busy"), client(&admission, "other"));
    let permit = now(&busy, 900, 1000);
    let mut one = asked(&other, 200, 1000);
    assert!(waits(&mut one));
    permit.shrink(300);
    let one = served(&mut one);
    assert!(permit.grow(200, WAITING).now_or_never() == Some(true) && permit.held() == 500);
    let mut more = Box::pin(permit.grow(400, WAITING));
    assert!(more.as_mut().now_or_never().is_none());
    drop(one);
    assert_eq!(more.as_mut().now_or_never(), Some(true));
    drop(more);
    assert_eq!(permit.held(), 900);
    // An answer that must be given takes memory that is not free, and other keys wait until it is read.
    permit.force_grow(400);
    assert!(waits(&mut asked(&other, 1, 1000)));
    drop(permit);
    assert_eq!(now(&other, 1000, 1000).held(), 1000);
}

#[test]
fn a_key_with_many_polls_ends_its_oldest() {
    let admission = Arc::<Admission>::default();
    let (busy, other) = (client(&admission, "busy"), client(&admission, "other"));
    let ask = Claim::new(Resource::Polls, 1, 4);
    let context = Context::from_waker(noop_waker_ref());
    let is_over = |poll: &Permit| poll.poll_ended(&context).is_ready();
    let mut polls: Vec<_> = (0..3).map(|_| busy.poll(ask, 3).unwrap()).collect();
    assert!(!polls.iter().any(is_over));
    polls.push(busy.poll(ask, 3).unwrap());
    assert_eq!(polls.iter().map(is_over).collect::<Vec<_>>(), [true, false, false, false]);
    // The permit of the one that was ended is not free a second time.
    drop(polls.remove(0));
    let last = other.poll(ask, 3).unwrap();
    assert!(other.poll(ask, 3).is_none(), "all permits are held");
    polls.push(busy.poll(ask, 3).unwrap());
    assert_eq!(polls.iter().map(is_over).collect::<Vec<_>>(), [true, false, false, false]);
    assert!(!is_over(&last));
    polls.pop();
    assert!(other.poll(ask, 3).is_some());
}

#[test]
fn keys_that_hold_nothing_are_forgotten() {
    let admission = Arc::<Admission>::default();
    let held = client(&admission, "held");
    for key in 0..10_000 {
        drop(client(&admission, &format!("key {key}")));
    }
    assert!(admission.state().keys() < 1000);
    drop(now(&held, 1, 1));
}

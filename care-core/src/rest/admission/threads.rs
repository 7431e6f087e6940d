//! Tests of how threads are given to long work: a model in which each thread does a quantum in each step.

use std::{sync::Arc, task::Waker};

use futures_util::{FutureExt as _, future::LocalBoxFuture, task::noop_waker};

use super::{
    Admission, Permit,
    recent::{Millis, Recent},
    resource::{Claim, Resource},
    state::{Number, Outcome, State},
};

/// The work of a quantum.
const QUANTUM: u64 = 256 * 1024;

/// A long request of a key.
struct Job {
    account: usize,
    /// The quanta that are left of it.
    left: usize,
    state: JobState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JobState {
    Runs,
    Waits(Number),
    Ended,
}

/// A server on this many threads, with a step for each millisecond.
struct Server {
    state: State,
    threads: usize,
    now: Millis,
    jobs: Vec<Job>,
    waker: Waker,
}

impl Server {
    fn new(threads: usize) -> Self {
        Self { state: State::default(), threads, now: 0, jobs: Vec::new(), waker: noop_waker() }
    }

    fn claim(&self) -> Claim {
        Claim::new(Resource::LongWork, 1, self.threads)
    }

    /// Begins a request of a key that takes this many quanta, and returns its number.
    fn begin(&mut self, key: &str, left: usize) -> usize {
        let account = self.state.account(&key.into());
        let state = match self.state.acquire(account, self.claim(), usize::MAX).0 {
            Outcome::Taken => JobState::Runs,
            Outcome::Waits(number) => JobState::Waits(number),
            Outcome::Refused => unreachable!(),
        };
        self.jobs.push(Job { account, left, state });
        self.jobs.len() - 1
    }

    /// Does a quantum on each thread.
    fn step(&mut self) {
        self.now += 1;
        let claim = self.claim();
        for index in 0..self.jobs.len() {
            let Job { account, left, state } = &mut self.jobs[index];
            if *state != JobState::Runs {
                continue;
            }
            *left -= 1;
            self.state.charge(*account, QUANTUM);
            if *left == 0 {
                *state = JobState::Ended;
                drop(self.state.release(*account, Resource::LongWork, 1));
            } else if let Some((Outcome::Waits(number), _)) = self.state.pass(*account, claim, 0, self.now) {
                *state = JobState::Waits(number);
            }
        }
        for Job { account, state, .. } in &mut self.jobs {
            if let JobState::Waits(number) = *state
                && !self.state.waits(*account, Resource::LongWork, number, &self.waker)
            {
                *state = JobState::Runs;
            }
        }
        assert!(self.jobs.iter().filter(|job| job.state == JobState::Runs).count() <= self.threads);
    }

    fn has_ended(&self, job: usize) -> bool {
        self.jobs[job].state == JobState::Ended
    }
}

#[test]
fn long_work_takes_three_times_as_long_at_most_however_many_clients_a_busy_key_has() {
    for threads in [1, 2, 8] {
        for clients in [1, 4, 40] {
            // Long and short requests of the busy key, and of the other one.
            for (busy, other) in [(40, 300), (2000, 300), (1, 300), (2000, 3), (2000, 900)] {
                let mut server = Server::new(threads);
                let mut theirs: Vec<_> = (0..clients).map(|_| server.begin("busy", busy)).collect();
                for _ in 0..500 {
                    server.step();
                    for job in &mut theirs {
                        if server.has_ended(*job) {
                            *job = server.begin("busy", busy);
                        }
                    }
                }
                let (since, job) = (server.now, server.begin("other", other));
                while !server.has_ended(job) {
                    server.step();
                    for job in &mut theirs {
                        if server.has_ended(*job) {
                            *job = server.begin("busy", busy);
                        }
                    }
                }
                let took = server.now - since;
                assert!(took <= 3 * other as u64 + 2, "{took} for {other} beside {clients} of {busy} on {threads}");
            }
        }
    }
}

#[test]
fn who_has_had_as_much_gives_way_in_turn() {
    let mut server = Server::new(1);
    let first = server.begin("first", 1000);
    (0..100).for_each(|_| server.step());
    let second = server.begin("second", 1000);
    let left = |server: &Server, job: usize| server.jobs[job].left;
    (0..60).for_each(|_| server.step());
    // The first one waits until the second has had as much as was left of its own work by then.
    assert!(left(&server, first) >= 899 && left(&server, second) <= 942);
    (0..400).for_each(|_| server.step());
    let ahead = (left(&server, first) - 100).abs_diff(left(&server, second));
    assert!(left(&server, first) < 850 && ahead < 200, "{} {}", left(&server, first), left(&server, second));
}

#[test]
fn a_key_alone_leaves_a_thread_and_keeps_its_own_order() {
    let mut server = Server::new(4);
    let jobs: Vec<_> = (0..6).map(|_| server.begin("key", 10)).collect();
    (0..10).for_each(|_| server.step());
    assert_eq!(
        jobs.iter().map(|job| server.has_ended(*job)).collect::<Vec<_>>(),
        [true, true, true, false, false, false]
    );
    let other = server.begin("other", 1);
    server.step();
    assert!(server.has_ended(other));
}

#[test]
fn a_short_request_of_the_own_key_goes_before_a_long_one() {
    let (mut state, claim) = (State::default(), Claim::new(Resource::LongWork, 1, 1));
    let account = state.account(&"key".into());
    assert_eq!(state.acquire(account, claim, 10).0, Outcome::Taken);
    let (Outcome::Waits(short), _) = state.acquire(account, claim, 10) else { panic!("there is one thread") };
    // One that is as short goes on.
    assert!(state.pass(account, claim, 0, 1).is_none());
    let passed = state.pass(account, claim, 1, 1);
    assert!(matches!(passed, Some((Outcome::Waits(_), _))));
    assert!(!state.waits(account, Resource::LongWork, short, &noop_waker()));
}

/// Returns the permit of a request of which this much work has arrived.
fn client(admission: &Arc<Admission>, name: &str, work: u64) -> Permit {
    admission.arrive(&name.into(), Claim::new(Resource::Requests, 1, 100_000), work).unwrap()
}

#[test]
fn who_has_used_much_gives_way_while_another_is_active() {
    let admission = Arc::<Admission>::default();
    let much = Recent::LITTLE + 1;
    // A key alone never gives way.
    assert!(!client(&admission, "busy", much).gives_way() && !client(&admission, "busy", 1).gives_way());
    assert!(!client(&admission, "other", 1).gives_way(), "it has used little");
    let busy = client(&admission, "busy", 1);
    assert!(busy.gives_way());
    // Its body counts as well.
    let other = client(&admission, "other", 1);
    assert!(!other.gives_way());
    other.arrived(much);
    assert!(other.gives_way());
}

#[test]
fn many_others_do_not_make_a_busy_key_new() {
    let admission = Arc::<Admission>::default();
    drop(client(&admission, "busy", Recent::LITTLE + 1));
    (0..600).for_each(|other| drop(client(&admission, &format!("other {other}"), 1)));
    assert!(client(&admission, "busy", 1).gives_way());
}

/// Waits for one of this many threads.
fn enter(permit: &Permit, threads: usize) -> LocalBoxFuture<'_, Option<Permit>> {
    permit.acquire(Claim::new(Resource::Entry, 1, threads), 1000).boxed_local()
}

#[test]
fn no_more_requests_of_a_busy_key_are_parsed_than_there_are_threads() {
    let admission = Arc::<Admission>::default();
    let busy = client(&admission, "busy", 100 << 20);
    let mut all: Vec<_> = (0..10).map(|_| enter(&busy, 4)).collect();
    let parsed: Vec<_> = all.iter_mut().filter_map(|entry| entry.now_or_never()).collect();
    assert_eq!(parsed.len(), 3, "a thread is left for another key");
    let other = client(&admission, "other", 10 << 20);
    assert!(enter(&other, 4).now_or_never().flatten().is_some());
}

#[test]
fn who_has_used_less_is_parsed_first() {
    let admission = Arc::<Admission>::default();
    let [busy, other] = [("busy", 100), ("other", 10)].map(|(name, times)| client(&admission, name, times << 20));
    let held = enter(&busy, 1).now_or_never().flatten();
    let [mut first, mut second] = [enter(&busy, 1), enter(&other, 1)];
    assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
    drop(held);
    assert!(first.as_mut().now_or_never().is_none());
    assert!(second.as_mut().now_or_never().flatten().is_some());
    assert!(first.as_mut().now_or_never().flatten().is_some());
}

//! The step after an attempt, as a pure decision without a clock.

use std::{fmt, time::Duration};

use care_core::model::Timestamp;

/// The pauses before a message is sent again that the receiver has refused.
const REFUSED: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_secs(2 * 60),
    Duration::from_secs(10 * 60),
    Duration::from_secs(20 * 60),
    Duration::from_secs(30 * 60),
];
/// The first pause for a receiver in trouble, which doubles with each failure.
const FIRST: Duration = Duration::from_secs(5);
/// The longest pause that comes of doubling.
const LONGEST: Duration = Duration::from_secs(15 * 60);
/// The longest pause for which a receiver can ask.
const ASKED: Duration = Duration::from_secs(60 * 60);
/// The fewest failed attempts after which an endpoint is disabled, however long they took.
const ATTEMPTS: u32 = 100;
/// The number of dead letters in a row with which an endpoint is disabled.
pub(crate) const IN_A_ROW: u32 = 20;

/// The answer to an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The receiver answered with this status, and may have asked for a pause.
    Status { status: u16, retry_after: Option<Duration> },
    /// There was no answer.
    Missing(Failure),
}

/// The reason why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No address of the receiver is allowed.
    Address,
    /// No connection could be made.
    Connection,
    /// No encrypted connection could be made: the certificate is wrong, for example.
    Tls,
    /// The receiver did not answer in time.
    Timeout,
    /// The connection broke, or the answer is not HTTP.
    Broken,
    /// The receiver sent more than may come before an answer.
    TooLong,
    /// No secret of the endpoint is valid, so nothing was sent.
    Unsigned,
}

/// The meaning of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The receiver has taken the message.
    Taken,
    /// The receiver no longer wants messages.
    Gone,
    /// The receiver is well, and refuses this message.
    Refused,
    /// The receiver is in trouble.
    Trouble,
}

/// The state of an endpoint's attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// The first failure since the last success.
    pub(crate) first_failure: Option<Timestamp>,
    /// The time for which a receiver in trouble has been tried, without any in which the relay did not run.
    pub(crate) tried: Duration,
    /// The failures of the receiver since then.
    pub(crate) failures: u32,
    /// The refusals of the message.
    pub(crate) refusals: u32,
    /// The messages that were given up since the last success.
    pub(crate) dead_run: u32,
    /// The instant before which there is no further attempt.
    pub(crate) next: Option<Timestamp>,
    /// The pause that ends then.
    pub(crate) pause: Duration,
}

/// The step after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The next message.
    Onward,
    /// The same message, at [`Progress::next`].
    Again,
    /// The message becomes a dead letter; the next one follows.
    Bury,
    /// The endpoint is disabled.
    Disable(Reason),
}

/// The reason why the relay disables or pauses an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The receiver answered 410.
    Gone,
    /// The receiver refused many messages in a row.
    Refusing,
    /// The receiver was in trouble for days.
    Failing,
    /// The endpoint has as many dead letters as can be kept.
    DeadLetters,
    /// The journal is not the one in which the endpoint has its place.
    AnotherPast,
}

impl Answer {
    pub(crate) const fn meaning(&self) -> Meaning {
        match self {
            Self::Status { status: 200..=299, .. } => Meaning::Taken,
            Self::Status { status: 410, .. } => Meaning::Gone,
            Self::Status { status: 400 | 413 | 415 | 422, .. } => Meaning::Refused,
            _ => Meaning::Trouble,
        }
    }
}

impl fmt::Display for Answer {
    /// Writes the status, or a word for the failure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { status, .. } => write!(f, "{status}"),
            Self::Missing(failure) => f.write_str(match failure {
                Failure::Address => "address-refused",
                Failure::Connection => "no-connection",
                Failure::Tls => "tls",
                Failure::Timeout => "timeout",
                Failure::Broken => "broken",
                Failure::TooLong => "too-long",
                Failure::Unsigned => "no-secret",
            }),
        }
    }
}

impl Meaning {
    /// Returns the name in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Gone => "gone",
            Self::Refused => "refused",
            Self::Trouble => "trouble",
        }
    }
}

impl Reason {
    /// Returns the name in the state and in messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::Refusing => "refusing",
            Self::Failing => "failing",
            Self::DeadLetters => "dead-letters",
            Self::AnotherPast => "another-past",
        }
    }
}

impl Progress {
    /// Notes an answer that came at this instant, `waited` after the attempt before it, and returns what follows.
    /// `chance`, from 0 to 1, spreads the pauses by 20 %. An endpoint is disabled that has been tried for `give_up` and
    /// at least a hundred times.
    ///
    /// The clock may be set between two attempts, so `waited` is of one that cannot be set. It counts as far as the
    /// pause explains it: the machine may have been asleep.
    pub(crate) fn after(
        &mut self,
        answer: &Answer,
        now: Timestamp,
        waited: Duration,
        chance: f64,
        give_up: Duration,
    ) -> Step {
        if self.first_failure.is_some() {
            self.tried = self.tried.saturating_add(waited.min(2 * self.pause));
        }
        (self.next, self.pause) = (None, Duration::ZERO);
        match answer.meaning() {
            Meaning::Taken => {
                *self = Self::default();
                Step::Onward
            }
            Meaning::Gone => Step::Disable(Reason::Gone),
            Meaning::Refused => match REFUSED.get(self.refusals as usize) {
                Some(&pause) => {
                    self.refusals += 1;
                    self.again_after(spread(pause, chance), now)
                }
                None => {
                    self.refusals = 0;
                    self.dead_run += 1;
                    if self.dead_run < IN_A_ROW { Step::Bury } else { Step::Disable(Reason::Refusing) }
                }
            },
            Meaning::Trouble => {
                self.first_failure.get_or_insert(now);
                let grown = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
                self.failures = self.failures.saturating_add(1);
                if self.tried >= give_up && self.failures >= ATTEMPTS {
                    return Step::Disable(Reason::Failing);
                }
                let asked = match answer {
                    Answer::Status { retry_after, .. } => retry_after.unwrap_or_default().min(ASKED),
                    Answer::Missing(_) => Duration::ZERO,
                };
                self.again_after(spread(grown, chance).max(asked), now)
            }
        }
    }

    fn again_after(&mut self, pause: Duration, now: Timestamp) -> Step {
        (self.next, self.pause) = (Some(later(now, pause)), pause);
        Step::Again
    }

    /// Returns the wait from this instant to the next attempt, `waited` after the last one. A clock that was set back
    /// does not make it longer than what is left of the pause.
    pub(crate) fn wait(&self, now: Timestamp, waited: Duration) -> Duration {
        let millis = self.next.map_or(0, |next| next.unix_millis() - now.unix_millis());
        Duration::from_millis(u64::try_from(millis).unwrap_or_default()).min(self.pause.saturating_sub(waited))
    }
}

/// Returns the pause, up to 20 % shorter or longer.
fn spread(pause: Duration, chance: f64) -> Duration {
    pause.mul_f64(0.8 + 0.4 * chance.clamp(0.0, 1.0))
}

fn later(instant: Timestamp, by: Duration) -> Timestamp {
    let millis = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_unix_millis(instant.unix_millis().saturating_add(millis)).unwrap_or(instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1_795_341_600_000;
    const FIVE_DAYS: Duration = Duration::from_secs(5 * 86_400);

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_unix_millis(START + millis).unwrap()
    }

    const fn status(status: u16) -> Answer {
        Answer::Status { status, retry_after: None }
    }

    /// Answers an endpoint alike, each time when its next attempt is due, until something else follows than a
    /// repetition; returns the pauses and what followed.
    fn answered(progress: &mut Progress, answer: &Answer, chance: f64) -> (Vec<f64>, Step, f64) {
        let (mut now, mut waited, mut pauses) = (at(0), Duration::ZERO, Vec::new());
        for _ in 0..10_000 {
            match progress.after(answer, now, waited, chance, FIVE_DAYS) {
                Step::Again => {
                    waited = progress.wait(now, Duration::ZERO);
                    pauses.push(waited.as_secs_f64());
                    now = later(now, waited);
                }
                step => return (pauses, step, (now.unix_millis() - START) as f64 / 1000.0),
            }
        }
        panic!("it never ends");
    }

    /// Notes an answer of this instant, and returns what follows and the pause.
    fn noted(progress: &mut Progress, answer: &Answer, now: Timestamp, waited: Duration) -> (Step, Duration) {
        let step = progress.after(answer, now, waited, 0.5, FIVE_DAYS);
        (step, progress.pause)
    }

    #[test]
    fn each_answer_has_its_meaning() {
        for code in 100..=599 {
            let meaning = match code {
                200..=299 => Meaning::Taken,
                410 => Meaning::Gone,
                400 | 413 | 415 | 422 => Meaning::Refused,
                _ => Meaning::Trouble,
            };
            assert_eq!(status(code).meaning(), meaning, "{code}");
        }
        assert_eq!(Answer::Missing(Failure::Timeout).meaning(), Meaning::Trouble);
    }

    #[test]
    fn a_refused_message_is_given_up_after_an_hour() {
        let mut progress = Progress::default();
        let (pauses, step, after) = answered(&mut progress, &status(422), 0.5);
        assert_eq!((pauses, step), (vec![5.0, 30.0, 120.0, 600.0, 1200.0, 1800.0], Step::Bury));
        assert!(after > 3600.0);
        assert_eq!(progress, Progress { dead_run: 1, ..Progress::default() });
        for _ in 0..18 {
            assert_eq!(answered(&mut progress, &status(400), 0.5).1, Step::Bury);
        }
        assert_eq!(answered(&mut progress, &status(400), 0.5).1, Step::Disable(Reason::Refusing));
    }

    #[test]
    fn a_message_that_is_taken_ends_the_row_of_dead_letters() {
        let mut progress =
            Progress { dead_run: 19, refusals: 3, failures: 7, first_failure: Some(at(-9)), ..Progress::default() };
        assert_eq!(noted(&mut progress, &status(204), at(0), FIVE_DAYS).0, Step::Onward);
        assert_eq!(progress, Progress::default());
    }

    #[test]
    fn a_receiver_in_trouble_is_waited_for_and_given_up_after_five_days() {
        for answer in [status(503), status(302), status(404), Answer::Missing(Failure::Connection)] {
            let mut progress = Progress::default();
            let (pauses, step, after) = answered(&mut progress, &answer, 0.5);
            assert_eq!(pauses[..9], [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 900.0]);
            assert!(pauses[9..].iter().all(|&pause| pause == 900.0));
            assert_eq!(step, Step::Disable(Reason::Failing));
            assert!((432_000.0..=432_900.0).contains(&after), "{after}");
            assert_eq!(progress.first_failure, Some(at(0)));
        }
    }

    #[test]
    fn pauses_differ_by_a_fifth_at_most() {
        for (chance, first) in [(0.0, 4.0), (1.0, 6.0)] {
            for answer in [status(500), status(400)] {
                let pauses = answered(&mut Progress::default(), &answer, chance).0;
                assert_eq!(pauses[0], first);
            }
        }
    }

    #[test]
    fn a_receiver_can_ask_for_an_hour_and_not_for_less_than_our_own_pause() {
        for (asked, pause) in [(1, 5), (60, 60), (3600, 3600), (1_000_000_000, 3600)] {
            let mut progress = Progress::default();
            let answer = Answer::Status { status: 429, retry_after: Some(Duration::from_secs(asked)) };
            assert_eq!(noted(&mut progress, &answer, at(0), Duration::ZERO).0, Step::Again);
            assert_eq!(progress.wait(at(0), Duration::ZERO), Duration::from_secs(pause));
        }
        // An hour that the receiver asked for is an attempt, and an hour of trying.
        let answer = Answer::Status { status: 503, retry_after: Some(Duration::from_secs(3600)) };
        let (pauses, step, after) = answered(&mut Progress::default(), &answer, 0.5);
        assert_eq!((pauses.len(), step, after), (120, Step::Disable(Reason::Failing), 432_000.0));
    }

    #[test]
    fn a_receiver_that_is_gone_gets_nothing_more() {
        let gone = noted(&mut Progress::default(), &status(410), at(0), Duration::ZERO).0;
        assert_eq!(gone, Step::Disable(Reason::Gone));
    }

    #[test]
    fn days_in_which_the_relay_did_not_try_are_no_days_of_trying() {
        const YEARS: i64 = 56 * 365 * 86_400_000;
        // The clock is set right from 1970 between two attempts.
        let mut progress = Progress::default();
        noted(&mut progress, &status(503), at(-YEARS), Duration::ZERO);
        assert_eq!(noted(&mut progress, &status(503), at(0), Duration::from_secs(5)).0, Step::Again);
        assert_eq!((progress.tried, progress.failures), (Duration::from_secs(5), 2));
        // The machine was asleep for a month, or the relay was off.
        let month = Duration::from_secs(30 * 86_400);
        assert_eq!(noted(&mut progress, &status(503), at(YEARS), month).0, Step::Again);
        assert_eq!(progress.tried, Duration::from_secs(5 + 2 * 10));
    }

    #[test]
    fn a_hundred_attempts_are_the_fewest_with_which_an_endpoint_is_given_up() {
        let tried = 2 * FIVE_DAYS;
        let mut progress =
            Progress { first_failure: Some(at(0)), tried, failures: ATTEMPTS - 2, ..Progress::default() };
        assert_eq!(noted(&mut progress, &status(503), at(0), Duration::ZERO).0, Step::Again);
        assert_eq!(noted(&mut progress, &status(503), at(0), Duration::ZERO).0, Step::Disable(Reason::Failing));
        // Nor is it given up after many attempts that took less time.
        let mut progress = Progress { tried: Duration::ZERO, failures: 100_000, ..progress };
        assert_eq!(noted(&mut progress, &status(503), at(0), Duration::ZERO).0, Step::Again);
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_wait_longer_than_its_pause() {
        let second = Duration::from_secs(1);
        let progress = Progress { next: Some(at(1000)), pause: second, ..Progress::default() };
        assert_eq!(progress.wait(at(0), Duration::ZERO), second);
        assert_eq!(progress.wait(at(5000), Duration::ZERO), Duration::ZERO);
        assert_eq!(progress.wait(at(-3_600_000), Duration::ZERO), second);
        assert_eq!(progress.wait(at(-3_600_000), second * 3 / 4), second / 4);
        assert_eq!(progress.wait(at(-3_600_000), second * 2), Duration::ZERO);
    }
}

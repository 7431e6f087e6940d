//! Two servers, or two kinds of work, measured in turn.

use std::time::Duration;

use crate::{
    Busy, Failure, Server, Setting, figure,
    load::{self, Group},
    median,
};

/// The processes that are measured, and their clients. The figures are those of the first group.
#[derive(Debug)]
pub(crate) struct Side<'a> {
    /// The processes whose processor time is reported, each separately.
    pub(crate) busy: Vec<&'a dyn Busy>,
    pub(crate) groups: Vec<Group>,
}

/// The figures of one side.
#[derive(Debug, Clone)]
pub(crate) struct Measurement {
    pub(crate) per_second: f64,
    /// The median time of an answer in milliseconds, like the other times.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) slowest: f64,
    /// Processor time for each answer of all groups, in microseconds.
    pub(crate) cpu: Vec<f64>,
}

/// The figures of both sides.
#[derive(Debug)]
pub(crate) struct Versus {
    pub(crate) ours: Measurement,
    pub(crate) theirs: Measurement,
    /// The ratio of requests a second: the median of the ratios of all rounds.
    pub(crate) rate: f64,
    /// The ratio of the 99th percentiles.
    pub(crate) p99: f64,
}

impl<'a> Side<'a> {
    /// Returns a server with its clients.
    pub(crate) fn of(server: &'a Server, groups: Vec<Group>) -> Self {
        Self { busy: vec![server], groups }
    }

    /// Runs the clients for this time.
    fn measure(&self, time: Duration) -> Result<Measurement, Failure> {
        let cpu = || self.busy.iter().map(|busy| busy.cpu()).collect::<Result<Vec<_>, _>>();
        let before = cpu()?;
        let answered = load::run(&self.groups, time)?;
        let after = cpu()?;
        let all: usize = answered.iter().map(|answered| answered.micros.len()).sum();
        let first = answered.first().ok_or("nobody asks")?;
        let each = |(after, before): (&Duration, &Duration)| (*after - *before).as_secs_f64() * 1e6 / all as f64;
        Ok(Measurement {
            per_second: first.per_second(),
            p50: first.permille(500) / 1000.0,
            p99: first.permille(990) / 1000.0,
            slowest: first.permille(1000) / 1000.0,
            cpu: after.iter().zip(&before).map(each).collect(),
        })
    }
}

impl Measurement {
    fn middle(rounds: &[Self]) -> Self {
        let kinds = rounds.first().map_or(0, |round| round.cpu.len());
        let of = |figure: fn(&Self) -> f64| median(rounds.iter().map(figure).collect());
        Self {
            per_second: of(|round| round.per_second),
            p50: of(|round| round.p50),
            p99: of(|round| round.p99),
            // For this figure the worst round counts.
            slowest: rounds.iter().map(|round| round.slowest).fold(0.0, f64::max),
            cpu: (0..kinds).map(|kind| median(rounds.iter().map(|round| round.cpu[kind]).collect())).collect(),
        }
    }
}

impl Versus {
    /// Measures both sides in turn. Each of them goes first in every other round.
    pub(crate) fn measure(setting: &Setting, ours: &Side<'_>, theirs: &Side<'_>) -> Result<Self, Failure> {
        let time = setting.time();
        // The first run warms up connections, statements and caches, and does not count.
        ours.measure(time / 2)?;
        theirs.measure(time / 2)?;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for round in 0..setting.rounds {
            if round % 2 == 0 {
                left.push(ours.measure(time)?);
                right.push(theirs.measure(time)?);
            } else {
                right.push(theirs.measure(time)?);
                left.push(ours.measure(time)?);
            }
        }
        let ratio = |of: fn(&Measurement) -> f64| {
            median(left.iter().zip(&right).map(|(ours, theirs)| of(ours) / of(theirs)).collect())
        };
        Ok(Self {
            ours: Measurement::middle(&left),
            theirs: Measurement::middle(&right),
            rate: ratio(|round| round.per_second),
            p99: ratio(|round| round.p99),
        })
    }

    pub(crate) const HEAD: [&'static str; 9] =
        ["work", "in", "requests/s", "against", "ratio", "at least", "p50, p99 ms", "against", "processor µs"];

    /// Returns a row of the table with this head.
    pub(crate) fn row(&self, work: &str, framework: &str, least: &str) -> [String; 9] {
        let Self { ours, theirs, .. } = self;
        let times = |side: &Measurement| format!("{}, {}", figure(side.p50), figure(side.p99));
        let cpu = |side: &Measurement| side.cpu.iter().copied().map(figure).collect::<Vec<_>>().join(" + ");
        [
            work.to_owned(),
            framework.to_owned(),
            figure(ours.per_second),
            figure(theirs.per_second),
            format!("{:.2}", self.rate),
            least.to_owned(),
            times(ours),
            times(theirs),
            format!("{} : {}", cpu(ours), cpu(theirs)),
        ]
    }
}

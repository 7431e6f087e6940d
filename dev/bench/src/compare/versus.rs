//! Two servers, or two kinds of work, measured in turn.

use std::{io, time::Duration};

use crate::{
    Failure, Framework, Kind, Server, Setting, Table, figure,
    load::{self, Group},
    median, permille,
};

/// The processes that are measured, and their clients. The figures are those of the first group.
pub(crate) struct Side<'a> {
    /// The processor times that are reported, each separately.
    pub(crate) processor: Vec<Box<dyn Fn() -> io::Result<Duration> + 'a>>,
    pub(crate) groups: Vec<Group>,
}

/// The figures of one side in one round.
struct Measurement {
    per_second: f64,
    /// The median time of an answer in milliseconds, like the other times.
    p50: f64,
    p99: f64,
    slowest: f64,
    /// Processor time for each answer of all groups, in microseconds.
    processor: Vec<f64>,
}

/// The rounds of both sides.
pub(crate) struct Versus([Vec<Measurement>; 2]);

/// A table of comparisons.
pub(crate) struct Comparisons<'a> {
    setting: &'a Setting,
    table: Table,
}

impl<'a> Side<'a> {
    /// Returns a server with groups of clients that ask this about a clinic with this number of patients.
    pub(crate) fn of(server: &'a Server, patients: u64, clients: &[(usize, Kind)]) -> Self {
        let group = |&(clients, kind): &_| Group::of(server.address, patients, clients, kind);
        Self { processor: vec![Box::new(|| server.processor())], groups: clients.iter().map(group).collect() }
    }

    /// Runs the clients for this time.
    fn measure(&self, time: Duration) -> Result<Measurement, Failure> {
        let processor = || self.processor.iter().map(|used| used()).collect::<Result<Vec<_>, _>>();
        let before = processor()?;
        let (mut answers, seconds) = load::run(&self.groups, time)?;
        let after = processor()?;
        let all: usize = answers.iter().map(Vec::len).sum();
        let each = |(after, before): (&Duration, &Duration)| (*after - *before).as_secs_f64() * 1e6 / all as f64;
        let first = answers.first_mut().ok_or("no client asks")?;
        Ok(Measurement {
            per_second: first.len() as f64 / seconds,
            p50: permille(first, 500),
            p99: permille(first, 990),
            slowest: permille(first, 1000),
            processor: after.iter().zip(&before).map(each).collect(),
        })
    }
}

impl Versus {
    /// Measures both sides in turn. Each of them goes first in every other round.
    fn measure(setting: &Setting, sides: &[Side<'_>; 2]) -> Result<Self, Failure> {
        let time = setting.time();
        // The first run warms up connections, statements and caches, and does not count.
        sides.iter().try_for_each(|side| side.measure(time / 2).map(drop))?;
        let mut rounds = [Vec::new(), Vec::new()];
        for round in 0..setting.rounds {
            for turn in [round % 2, (round + 1) % 2] {
                rounds[turn].push(sides[turn].measure(time)?);
            }
        }
        Ok(Self(rounds))
    }

    /// Returns the ratio of the 99th percentiles, like the other ratios the median of those of the rounds.
    pub(crate) fn p99(&self) -> f64 {
        self.ratio(|round| round.p99)
    }

    fn ratio(&self, of: fn(&Measurement) -> f64) -> f64 {
        let [ours, theirs] = &self.0;
        median(ours.iter().zip(theirs).map(|(ours, theirs)| of(ours) / of(theirs)).collect())
    }

    /// Returns the slowest answer of the first side. For this figure the worst round counts.
    pub(crate) fn slowest(&self) -> f64 {
        self.0[0].iter().map(|round| round.slowest).fold(0.0, f64::max)
    }
}

/// Returns a figure of one side, the median of its rounds.
fn middle(rounds: &[Measurement], of: impl Fn(&Measurement) -> f64) -> String {
    figure(median(rounds.iter().map(of).collect()))
}

impl<'a> Comparisons<'a> {
    pub(crate) fn of(setting: &'a Setting) -> Self {
        let head =
            ["work", "in", "requests/s", "against", "ratio", "at least", "p50, p99 ms", "against", "processor µs"];
        Self { setting, table: Table::new(head) }
    }

    /// Measures both sides, and adds a row about them.
    pub(crate) fn measure(
        &mut self,
        work: &str,
        framework: Framework,
        sides: [Side<'_>; 2],
        least: &str,
    ) -> Result<Versus, Failure> {
        let versus = Versus::measure(self.setting, &sides)?;
        let each = |figures: fn(&[Measurement]) -> String| versus.0.each_ref().map(|rounds| figures(rounds));
        let [ours, theirs] = each(|rounds| middle(rounds, |round| round.per_second));
        let [our_times, their_times] =
            each(|rounds| format!("{}, {}", middle(rounds, |round| round.p50), middle(rounds, |round| round.p99)));
        let processor = each(|rounds| {
            let kinds = 0..rounds.first().map_or(0, |round| round.processor.len());
            kinds.map(|kind| middle(rounds, |round| round.processor[kind])).collect::<Vec<_>>().join(" + ")
        });
        let ratio = format!("{:.2}", versus.ratio(|round| round.per_second));
        let processor = processor.join(" : ");
        self.table.row([work, framework.name, &ours, &theirs, &ratio, least, &our_times, &their_times, &processor]);
        Ok(versus)
    }

    /// Prints the table under a heading.
    pub(crate) fn print(&self, heading: &str) {
        self.table.print(heading);
    }
}

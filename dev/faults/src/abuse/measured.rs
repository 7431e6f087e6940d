//! The part of a finding that is about one server, and the bars that hold for every row.

use std::time::Duration;

use crate::{Finding, Program, Result, Run, Server};

/// The longest time in which a server must end after it is told to stop.
const STOP: Duration = Duration::from_secs(10);
/// Much longer than anything takes that ends.
const AT_LAST: Duration = Duration::from_secs(60);

/// The part of a finding that is about one server.
pub(super) struct Measured<'a> {
    pub(super) name: &'a str,
    pub(super) program: &'a Program,
    pub(super) run: &'a Run,
    pub(super) finding: &'a mut Finding,
}

impl Run {
    /// Measures something on each server, and returns the row with what was found.
    pub(super) fn measured(
        &self,
        mut finding: Finding,
        mut measure: impl FnMut(&mut Measured<'_>) -> Result<()>,
    ) -> Result<Finding> {
        for (name, program) in &self.programs {
            measure(&mut Measured { name, program, run: self, finding: &mut finding })?;
        }
        Ok(finding)
    }
}

impl Measured<'_> {
    /// Adds what was found on the server.
    pub(super) fn note(&mut self, words: &str) {
        let separator = if self.finding.found.is_empty() { "" } else { "; " };
        self.finding.found += &format!("{separator}{}: {words}", self.name);
    }

    /// Notes a missed bar with this description, unless the bar holds.
    pub(super) fn bar(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        self.finding.bar(holds, || format!("{}: {}", self.name, otherwise()));
    }

    /// Notes a missed bar if something takes longer than this. The tests only hold it to an end: programs that are not
    /// optimised share a machine with other tests.
    pub(super) fn takes(&mut self, what: &str, time: Duration, most: Duration) {
        let most = if self.run.sizes.are_short() { AT_LAST } else { most };
        self.bar(time <= most, || format!("{what} {time:?}"));
    }

    /// Notes a missed bar if this is more memory than the most.
    pub(super) fn holds(&mut self, bytes: u64, most: u64) {
        self.bar(bytes <= most, || format!("{bytes} bytes of memory"));
    }

    /// Tells the server to stop, and returns how long it took to end.
    pub(super) fn ends(&mut self, server: &Server) -> Result<Duration> {
        let after = server.end()?.after;
        self.takes("ended after", after, STOP);
        Ok(after)
    }
}

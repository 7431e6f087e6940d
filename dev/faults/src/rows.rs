//! The rows of the tables in `docs/reliability.md` and `dev/faults/README.md`.

#[cfg(feature = "postgres")]
use crate::pg;
use crate::{
    Failure, Finding, Result, Run, abuse,
    base::means::{MOUNTING, Means, TRACING},
    linear, operate, runs,
};

/// A row of a table, or several that are measured together.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its task on the command line, a group of rows or one.
    pub task: &'static str,
    /// Its name behind `--only`, if the task is a group.
    pub part: &'static str,
    /// Its first column, unless each of its findings has one.
    pub what: &'static str,
    /// The number of rounds, unless the command line names one; 0 if the row counts none.
    pub rounds: u64,
    /// The means that it needs, without which it is left out.
    means: &'static [Means],
    run: Part,
}

impl Row {
    /// Returns all rows, in the order of the tables.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        #[cfg(feature = "postgres")]
        let more = POSTGRES;
        #[cfg(not(feature = "postgres"))]
        let more = &[];
        ROWS.iter().chain(more)
    }

    /// Returns the row of this task and part.
    ///
    /// # Errors
    /// There is none.
    pub fn named(task: &str, part: &str) -> Result<&'static Self> {
        let row = Self::all().find(|row| (row.task, row.part) == (task, part));
        row.ok_or_else(|| Failure::new(format!("there is no {task} {part}")))
    }

    /// Runs the test, and returns what was found.
    ///
    /// # Errors
    /// A write that was lost, half done or done twice, a wrong answer, or the reason why nothing can be tested here.
    pub fn run(&self, run: &Run) -> Result<Vec<Finding>> {
        if let Some(means) = self.means.iter().find(|means| !means.are_here()) {
            eprintln!("care-faults: left out: {}", means.otherwise);
            return Ok(Vec::new());
        }
        let mut findings = (self.run)(run)?;
        for finding in findings.iter_mut().filter(|finding| finding.what.is_empty()) {
            self.what.clone_into(&mut finding.what);
        }
        Ok(findings)
    }
}

/// Runs the test behind a row.
type Part = fn(&Run) -> Result<Vec<Finding>>;

/// Lists rows: the task, the part, how often, what it runs, what happens, and what it needs.
macro_rules! rows {
    ($($task:literal $part:literal $rounds:literal, $run:expr, $what:literal $(, $means:expr)?;)*) => {
        &[$(Row { task: $task, part: $part, what: $what, rounds: $rounds, means: &[$($means)?], run: $run }),*]
    };
}

const ROWS: &[Row] = rows! {
    "kill" "" 240, runs::storms::kill, "the server is killed (SIGKILL) at a random moment of a storm of writes";
    "syscall" "" 100, runs::syscall::kill,
        "the server is killed at the Nth call that writes to the disk or syncs it", TRACING;
    "power" "" 2000, runs::power::cut, "the power is cut: what was not synced is lost, reordered or torn";
    "io" "" 240, runs::errors::fail, "writes and syncs fail with EIO or ENOSPC, and the power is cut after that";
    "calls" "" 40, runs::syscall::fail, "the same, as system calls of the server", TRACING;
    "full" "" 2, runs::files::full, "the disk runs full, is made room on, or can only be read", MOUNTING;
    "stop" "" 40, runs::storms::stop, "the server is told to stop (SIGTERM) under load";
    "clients" "" 4000, runs::clients::leave, "clients go away at every stage of a request";
    "slow" "" 20, runs::slow::hold,
        "slow clients: heads a byte at a time, bodies without an end, answers that are not read";
    "soak" "" 1_000_000, runs::soak::soak, "the server is asked for a long time, one request in ten a write";
    "damage" "" 500, runs::damage::damage, "the file is damaged in a random place";
    "clock" "" 10, runs::storms::jump, "the clock jumps up to an hour, forwards and back, across midnight";
    "abuse" "requests" 0, abuse::requests, "";
    "abuse" "stored" 0, abuse::stored, "";
    "abuse" "reports" 0, abuse::reports, "";
    "abuse" "crowds" 0, abuse::crowds, "";
    "abuse" "bursts" 0, abuse::bursts, "";
    "abuse" "polls" 0, abuse::polls, "";
    "abuse" "runaway" 0, abuse::runaway, "";
    "abuse" "readers" 0, abuse::readers, "";
    "abuse" "fairness" 0, abuse::fairness, "";
    "abuse" "shares" 0, abuse::shares, "";
    "operate" "restores" 500, operate::restores,
        "`care-admin restore` with a server that starts at a random moment, one in three killed";
    "operate" "erasures" 200, operate::erasures, "";
    "operate" "travel" 10, runs::storms::travel, "the clock a day back, in 1970, in 2100, and right again";
    "operate" "disks" 1, operate::disks,
        "a full disk, and one that can only be read, for each task of `care-admin` that writes",
        MOUNTING;
    "operate" "descriptors" 1, operate::descriptors, "few descriptors (4 to 150), for servers and `care-admin`";
    "operate" "each-call" 1, operate::each_call,
        "`care-admin restore` and `backup`, each with `--overwrite`, the first use of a backup, `import`, and `keys \
         rotate --overlap 0`, killed at each system call that changes or opens a file", TRACING;
    "linear" "file" 1000, linear::on_one_file,
        "eight clients of two servers that share a file ask for the same three records";
    "linear" "kills" 200, linear::through_kills,
        "the same on PostgreSQL, all of whose processes are killed in each round";
    "linear" "promotions" 100, linear::through_promotions,
        "the same on a primary that is killed in each round, and its synchronous standby is promoted";
};

#[cfg(feature = "postgres")]
const POSTGRES: &[Row] = rows! {
    "pg" "kill" 200, pg::kill,
        "all processes of PostgreSQL are killed (SIGKILL) at a random moment of a storm over both servers";
    "pg" "promote" 100, pg::promote, "the primary is killed under load, and its synchronous standby promoted";
    "pg" "promote-async" 10, pg::promote_async,
        "the same with an asynchronous standby that was down for 0.4 s before, as a proof of the harness";
    "pg" "sqlstates" 100_000, pg::sqlstates,
        "PostgreSQL answers a statement of the store with an error, once or again and again";
    "pg" "old-primary" 10, pg::old_primary,
        "the standby is promoted while the old primary goes on, and the service stays connected to that one";
    "pg" "fairness" 0, pg::fairness, "";
};

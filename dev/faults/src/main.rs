//! The harness on the command line.

use std::process::ExitCode;

use care_faults::{Failure, Finding, Result, Row, Run};
use clap::Parser;

/// Kills, cuts off, breaks and disturbs the Patient Care Service, and prints the results as a Markdown table. The exit
/// code is 0 only if nothing was lost and every bar was met.
#[derive(Debug, Parser)]
struct Arguments {
    /// A row of the table, a group of rows (abuse, operate, linear, pg), or all rows that belong to no group.
    task: String,
    /// Only these parts of a group; all unless given.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The number of rounds; each row counts in its own unit and has its own default.
    #[arg(long)]
    rounds: Option<u64>,
    /// The seed of all random choices.
    #[arg(long, default_value_t = 20_260_315)]
    seed: u64,
    /// Measures with the few data of the tests, and holds nothing to times.
    #[arg(long)]
    short: bool,
}

fn main() -> ExitCode {
    match Arguments::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("care-faults: {failure}");
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    /// Runs the rows, and prints each once it is done. A failure or a missed bar is reported, and the next row runs.
    fn run(self) -> Result<()> {
        let rows = self.rows()?;
        let mut missed = 0;
        println!("| what happens | how often | what was found | reproduce with |\n|---|---|---|---|");
        for row in rows {
            let rounds = self.rounds.unwrap_or(row.rounds);
            let run = Run::new(rounds, self.seed)?;
            let run = if self.short { run.short() } else { run };
            let mut miss = |what: &str, words: &str| {
                eprintln!("care-faults: {what}: {words}");
                missed += 1;
            };
            match row.run(&run) {
                Ok(findings) => {
                    for Finding { what, often, found, missed } in findings {
                        println!("| {what} | {often} | {found} | `{}` |", command(row, &run));
                        missed.iter().for_each(|missed| miss(&what, missed));
                    }
                }
                Err(failure) => miss(&format!("{} {}", row.task, row.part), &failure.to_string()),
            }
        }
        match missed {
            0 => Ok(()),
            missed => Err(Failure::new(format!("{missed} bars are not met"))),
        }
    }

    fn rows(&self) -> Result<Vec<&'static Row>> {
        let mut rows = Vec::new();
        if let Some(part) = self.only.iter().find(|part| Row::named(&self.task, part).is_err()) {
            return Err(Failure::new(format!("there is no {} --only {part}", self.task)));
        }
        for row in Row::all() {
            let is_of_task = row.task == self.task || self.task == "all" && row.part.is_empty();
            if is_of_task && (self.only.is_empty() || self.only.iter().any(|part| part == row.part)) {
                rows.push(row);
            }
        }
        match rows.is_empty() {
            true => Err(Failure::new(format!("there is no row {}", self.task))),
            false => Ok(rows),
        }
    }
}

/// Returns the command that runs a row again.
fn command(row: &Row, run: &Run) -> String {
    let mut command = "cargo run --release -p care-faults".to_owned();
    if row.task == "pg" {
        command += " --features postgres";
    }
    command += &format!(" -- {}", row.task);
    if !row.part.is_empty() {
        command += &format!(" --only {}", row.part);
    }
    if row.rounds > 0 {
        command += &format!(" --rounds {} --seed {}", run.rounds, run.seed);
    }
    command
}

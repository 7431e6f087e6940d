//! The program `care-relay`: its command line, its log, and the listener of its metrics.

mod arguments;
mod desk;
mod failure;
mod options;
mod relaying;
mod verbs;

use std::{error::Error, iter, process::ExitCode, time::Duration};

use care_core::model::Visible;
use clap::Parser as _;

pub use arguments::{InputFile, StateFile};
pub use options::Options;
use options::Verb;

/// Runs the program.
pub fn run() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(wrong) if wrong.use_stderr() => {
            let text = wrong.to_string();
            if text.contains("://") || std::env::args().any(|argument| argument.contains("://")) {
                eprintln!(
                    "error: the arguments are not understood; they are not shown, because a URL may hold a token"
                );
            } else {
                text.lines().for_each(|line| eprintln!("{}", Visible(line)));
            }
            return ExitCode::from(2);
        }
        Err(asked) => asked.exit(),
    };
    let Options { state, verb } = options;
    let state = state.path();
    let done = match verb {
        Verb::Add(add) => verbs::add(state, add),
        Verb::List { json } => verbs::list(state, json),
        Verb::Show { name } => verbs::show(state, &name),
        Verb::Test { name } => verbs::test(state, &name),
        Verb::Pause { name } => verbs::pause(state, &name),
        Verb::Resume { name, from } => verbs::resume(state, &name, from),
        Verb::Remove { name } => verbs::remove(state, &name),
        Verb::Rotate { name, overlap } => verbs::rotate(state, &name, Duration::from_secs(overlap * 3600)),
        Verb::Dead { name, again } => verbs::dead(state, &name, again),
        Verb::Replay { name, from, to } => verbs::replay(state, &name, from, to),
        Verb::Run(options) => relaying::run(state, &options),
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            let causes = iter::successors(Some(&failure as &dyn Error), |error| (*error).source());
            let causes: Vec<_> = causes.map(ToString::to_string).collect();
            eprintln!("care-relay: {}", Visible(&causes.join(": ")));
            ExitCode::FAILURE
        }
    }
}

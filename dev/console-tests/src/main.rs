//! Proves the console in a real Chromium, on both servers. `.ci/console` runs it; `cargo test` does not.
//!
//! ```sh
//! cargo run -p care-console-tests -- target/debug target/console/axe.min.js [part of a check's name]
//! ```
//!
//! The first argument is the folder of the servers, the second the file of axe-core. With a folder in
//! `CARE_CONSOLE_PICTURES` the program takes the pictures of `docs/console.md` instead.

mod browser;
mod checks;
mod page;
mod pictures;
mod process;
mod stage;

use std::{
    env,
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
};

use checks::Check;
use process::Server;
use stage::Stage;

/// The result of a check, with a description of its failure.
type Verdict = Result<(), Box<dyn std::error::Error>>;

/// The number of checks that run at once. Each often waits for its browser, so there is one more than CI has
/// processors.
const AT_ONCE: usize = 3;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let (Some(folder), Some(axe)) = (arguments.next(), arguments.next()) else {
        eprintln!("which folder holds the servers, and which file is axe-core?");
        return ExitCode::from(2);
    };
    let wanted = arguments.next().unwrap_or_default();
    let (folder, axe) = (PathBuf::from(folder), PathBuf::from(axe));
    if let Some(pictures) = env::var_os("CARE_CONSOLE_PICTURES") {
        return end(pictures::take(&Stage { folder, axe, server: "poem-server" }, &PathBuf::from(pictures)));
    }
    let stages = Server::BOTH.map(|server| Stage { folder: folder.clone(), axe: axe.clone(), server });
    let failed = Mutex::new(Vec::new());
    let run = &|stage: &Stage, (name, check): &Check| {
        if !name.contains(&wanted) {
            return;
        }
        let begun = Instant::now();
        let verdict = check(stage);
        let (server, took) = (stage.server, begun.elapsed().as_millis());
        match verdict {
            Ok(()) => println!("{server}: {name}: ok, {took} ms"),
            Err(wrong) => {
                println!("{server}: {name}: FAILED after {took} ms: {wrong}");
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{server}: {name}: {wrong}"));
            }
        }
    };
    for stage in &stages {
        checks::TIMED.iter().for_each(|check| run(stage, check));
    }
    let on_both = checks::ON_BOTH.iter().flat_map(|check| stages.iter().map(move |stage| (stage, check)));
    let on_either = stages.iter().cycle().zip(checks::ON_EITHER);
    let rest = Mutex::new(on_both.chain(on_either));
    let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((stage, check)) = next() {
                    run(stage, check);
                }
            });
        }
    });
    // Once more at the end, where the reader of a long output looks.
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.iter().for_each(|failure| eprintln!("FAILED: {failure}"));
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn end(verdict: Verdict) -> ExitCode {
    match verdict {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("{wrong}");
            ExitCode::FAILURE
        }
    }
}

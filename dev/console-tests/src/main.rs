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

use std::{env, path::PathBuf, process::ExitCode, time::Instant};

use process::Server;
use stage::Stage;

/// The result of a check, with a description of its failure.
type Verdict = Result<(), Box<dyn std::error::Error>>;

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
    let mut failed = 0;
    for server in Server::BOTH {
        let stage = Stage { folder: folder.clone(), axe: axe.clone(), server };
        for (name, check) in checks::ALL.iter().filter(|(name, _)| name.contains(&wanted)) {
            let begun = Instant::now();
            let verdict = check(&stage);
            let took = begun.elapsed().as_millis();
            match verdict {
                Ok(()) => println!("{server}: {name}: ok, {took} ms"),
                Err(wrong) => {
                    failed += 1;
                    println!("{server}: {name}: FAILED after {took} ms: {wrong}");
                }
            }
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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

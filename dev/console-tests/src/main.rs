//! Proves the console in a real Chromium, on both servers. `.ci/console` runs it; `cargo test` does not.
//!
//! ```sh
//! cargo run -p care-console-tests -- target/debug target/console/axe.min.js [part of a check's name]
//! ```
//!
//! The first argument is the folder of the servers, the second the file of axe-core. The checks are text in `screens/`,
//! a step a line; `screens/README.md` has the words. With a folder in `CARE_CONSOLE_PICTURES` the program takes the
//! pictures of `docs/console.md` instead.

mod browser;
mod page;
mod run;
mod script;
mod stage;
mod values;

use std::{
    env, fs,
    path::PathBuf,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
};

use run::Run;
use script::{Check, Script, Where};
use stage::Stage;

/// The result of a step, a command or a request.
type Answer<T> = Result<T, Box<dyn std::error::Error>>;

/// The number of checks that run at once. Each often waits for its browser, so there is one more than CI has
/// processors.
const AT_ONCE: usize = 3;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let (Some(folder), Some(axe)) = (arguments.next(), arguments.next()) else {
        eprintln!("which folder holds the servers, and which file is axe-core?");
        return ExitCode::from(2);
    };
    match run(PathBuf::from(folder), &axe, &arguments.next().unwrap_or_default()) {
        Ok(failed) if failed.is_empty() => ExitCode::SUCCESS,
        Ok(failed) => {
            // Once more at the end, where the reader of a long output looks.
            failed.iter().for_each(|failure| eprintln!("FAILED: {failure}"));
            ExitCode::FAILURE
        }
        Err(wrong) => {
            eprintln!("{wrong}");
            ExitCode::from(2)
        }
    }
}

/// Runs the checks with this part in their names, and returns what failed.
fn run(folder: PathBuf, axe: &str, part: &str) -> Answer<Vec<String>> {
    let script = Script::read()?;
    let axe = fs::read_to_string(axe).map_err(|error| format!("{axe}: {error}"))?;
    let pictures = env::var_os("CARE_CONSOLE_PICTURES").map(PathBuf::from);
    let is_wanted =
        |check: &&Check| (check.place == Where::Pictures) == pictures.is_some() && check.name.contains(part);
    let wanted: Vec<_> = script.checks.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return Err(format!("no check has {part:?} in its name").into());
    }
    let stages = ["care-server", "care-server-rocket"].map(|server| Stage {
        folder: folder.clone(),
        axe: axe.clone(),
        server,
        is_first: server == "care-server",
        pictures: pictures.clone().unwrap_or_default(),
    });
    let failed = Mutex::new(Vec::new());
    let run = |(stage, check): (&Stage, &Check)| {
        let begun = Instant::now();
        let verdict = Run::of(stage, &script, check);
        let (server, name, took) = (stage.server, &check.name, begun.elapsed().as_millis());
        match verdict {
            Ok(()) => println!("{server}: {name}: ok, {took} ms"),
            Err(wrong) => {
                println!("{server}: {name}: FAILED after {took} ms: {wrong}");
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{server}: {name}: {wrong}"));
            }
        }
    };
    let at = |place: Where| wanted.iter().copied().filter(move |check| check.place == place);
    let on_both = |place| at(place).flat_map(|check| stages.iter().map(move |stage| (stage, check)));
    on_both(Where::BothAlone).for_each(run);
    at(Where::OneAlone).chain(at(Where::Pictures)).for_each(|check| run((&stages[0], check)));
    let rest = Mutex::new(on_both(Where::Both).chain(stages.iter().cycle().zip(at(Where::Either))));
    let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = next() {
                    run(one);
                }
            });
        }
    });
    Ok(failed.into_inner().unwrap_or_else(PoisonError::into_inner))
}

//! The output of a task: its progress on standard error, its result on standard output.

use std::{
    fmt::Display,
    io::{self, Write},
    path::PathBuf,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use super::AdminError;

/// Returns a bar for this number of items, with the rate and the remaining time.
pub(super) fn of(total: u64, what: &'static str) -> ProgressBar {
    styled(
        ProgressBar::new(total),
        &format!("{{wide_bar}} {{human_pos}} of {{human_len}} {what}, {{per_sec}}, {{eta}} left"),
    )
}

/// Returns a bar for this number of bytes.
pub(super) fn bytes(total: u64) -> ProgressBar {
    styled(ProgressBar::new(total), "{msg} {wide_bar} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left")
}

/// Returns a counter for an unknown number of items.
pub(super) fn unknown(what: &'static str) -> ProgressBar {
    styled(ProgressBar::new_spinner(), &format!("{{spinner}} {{human_pos}} {what}, {{per_sec}}"))
}

/// Returns a spinner for one step that takes a while.
pub(super) fn waiting(message: &'static str) -> ProgressBar {
    let bar = styled(ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}");
    bar.set_message(message);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        // The default bar is good enough.
        Err(_) => bar,
    }
}

/// Prints a line of a task's result. A result that is not shown fails the task, although the task was done.
pub(super) fn say(line: impl Display) -> Result<(), AdminError> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(unwritten)
}

/// Returns the error of a write to standard output.
pub(super) fn unwritten(error: io::Error) -> AdminError {
    AdminError::Write(PathBuf::from("standard output"), error)
}

/// Refuses a task whose result is shown only once, if standard output leads to the null device. So does a closed one,
/// because the runtime opens that device in its place.
pub(super) fn unless_nowhere() -> Result<(), AdminError> {
    #[cfg(unix)]
    {
        let device = |found: rustix::fs::Stat| (rustix::fs::FileType::from_raw_mode(found.st_mode), found.st_rdev);
        let out = rustix::fs::fstat(io::stdout()).map(device);
        let null = rustix::fs::stat("/dev/null").map(device);
        if out.is_ok() && out == null {
            return Err(AdminError::Nowhere);
        }
    }
    Ok(())
}

//! The output of a program, line by line.

use std::{
    io::{BufRead, BufReader, Read},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use crate::PATIENCE;

/// The lines that a program prints. A thread reads them as they come, so that the program never waits for its reader.
#[derive(Debug)]
pub struct Lines(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    printed: Mutex<Printed>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Printed {
    lines: Vec<String>,
    /// The number of lines that were asked for or skipped.
    passed: usize,
    /// Whether the program has closed its output.
    is_over: bool,
}

impl Lines {
    /// Reads the lines of this output, to its end.
    pub fn of(out: impl Read + Send + 'static) -> Self {
        let lines = Self(Arc::default());
        let shared = Arc::clone(&lines.0);
        thread::spawn(move || {
            let (mut out, mut line) = (BufReader::new(out), Vec::new());
            loop {
                let is_over = !out.read_until(b'\n', &mut line).is_ok_and(|length| length > 0);
                let mut printed = shared.lock();
                printed.is_over = is_over;
                if !is_over {
                    let line = mem::take(&mut line);
                    printed.lines.push(String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)).into_owned());
                }
                shared.changed.notify_all();
                if is_over {
                    break;
                }
            }
        });
        lines
    }

    /// Waits for the next line. Returns `None` if none comes.
    pub fn next(&self) -> Option<String> {
        self.next_with("")
    }

    /// Waits for the next line that contains this text, and skips the lines before it. Returns `None` if none comes.
    pub fn next_with(&self, part: &str) -> Option<String> {
        let mut printed = self.0.wait_until(|printed| {
            let next = printed.lines.iter().skip(printed.passed).position(|line| line.contains(part));
            printed.passed = next.map_or(printed.lines.len(), |next| printed.passed + next);
            next.is_some()
        });
        let next = printed.lines.get(printed.passed).cloned()?;
        printed.passed += 1;
        Some(next)
    }

    /// Returns the lines that were printed so far.
    pub fn all(&self) -> Vec<String> {
        self.0.lock().lines.clone()
    }

    /// Returns the text that was printed so far.
    pub fn text(&self) -> String {
        self.0.lock().lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    /// Waits until the program has closed this output.
    pub(crate) fn wait(&self) {
        drop(self.0.wait_until(|_| false));
    }

    /// Returns the lines that were not asked for or skipped.
    pub(crate) fn rest(&self) -> Vec<String> {
        let printed = self.0.lock();
        printed.lines.iter().skip(printed.passed).cloned().collect()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Printed> {
        self.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this holds or the program has closed its output.
    fn wait_until(&self, mut holds: impl FnMut(&mut Printed) -> bool) -> MutexGuard<'_, Printed> {
        let waited =
            self.changed.wait_timeout_while(self.lock(), PATIENCE, |printed| !holds(printed) && !printed.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

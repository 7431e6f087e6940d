//! The log, on standard error.

use std::{env, io, panic};

use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// The default filter: one line for each refused request, and errors. Successful requests are logged at `debug`. The
/// frameworks would log all of this again.
const DEFAULT: &str = "info,poem=warn,rocket=off,rocket_http=warn";

/// Starts the log, which ends when the guard is dropped.
pub(crate) fn start() -> WorkerGuard {
    // Lines are dropped when their reader is too slow: a full pipe must not stop the service.
    let (writer, guard) = NonBlocking::new(io::stderr());
    let filter = match env::var("RUST_LOG") {
        Ok(wanted) if !wanted.is_empty() => EnvFilter::builder().parse_lossy(wanted),
        _ => EnvFilter::new(DEFAULT),
    };
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).init();
    // The message of a panic may contain a patient's data, so it is not logged.
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked");
    }));
    #[cfg(feature = "rocket")]
    take_over_rockets();
    guard
}

/// Takes Rocket's log lines and drops them, with every `RUST_LOG`. Rocket would print them to standard output, and even
/// its warnings show paths; lower levels show whole requests.
#[cfg(feature = "rocket")]
fn take_over_rockets() {
    let lines = tracing_log::LogTracer::builder().ignore_crate("rocket");
    let taken = lines.with_max_level(tracing_log::log::LevelFilter::Warn).init();
    if taken.is_err() {
        tracing::warn!("another logger is there already");
    }
}

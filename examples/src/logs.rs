//! The log, on standard error.

use std::{env, io, panic};

use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// One line for each request that was refused, and whatever goes wrong; what went well is said at
/// `debug`. The frameworks would say it all again.
const DEFAULT: &str = "info,poem=warn,rocket=off,rocket_http=warn";

/// Starts the log. It ends when the guard is dropped.
pub(crate) fn start() -> WorkerGuard {
    // Lines are dropped when nobody reads them: a full pipe must not stop the service.
    let (writer, guard) = NonBlocking::new(io::stderr());
    let filter = match env::var("RUST_LOG") {
        Ok(wanted) if !wanted.is_empty() => EnvFilter::builder().parse_lossy(wanted),
        _ => EnvFilter::new(DEFAULT),
    };
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).init();
    // The message of a panic may hold whatever the code had at hand.
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked");
    }));
    #[cfg(feature = "rocket")]
    take_over_rockets();
    guard
}

/// Rocket prints to standard output unless somebody takes its lines first. None of them is kept,
/// whatever `RUST_LOG` says: even its warnings show paths, and lower levels whole requests.
#[cfg(feature = "rocket")]
fn take_over_rockets() {
    let lines = tracing_log::LogTracer::builder().ignore_crate("rocket");
    let taken = lines.with_max_level(tracing_log::log::LevelFilter::Warn).init();
    if taken.is_err() {
        tracing::warn!("another logger is there already");
    }
}

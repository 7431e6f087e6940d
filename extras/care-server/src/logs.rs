//! The log, on standard error.

use std::{env, io, panic};

use clap::ValueEnum;
use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// The default filter: errors, and one line for each refused request. Successful requests are logged at `debug`. The
/// frameworks would log all of this again.
const DEFAULT: &str = "info,poem=warn,rocket=off,rocket_http=warn";

/// The form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
#[non_exhaustive]
pub enum LogFormat {
    /// A line of text for people.
    #[default]
    Text,
    /// A line of JSON for programs: one object with the time, the level, the fields and the message.
    Json,
}

/// The requests that get a line in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum RequestLog {
    /// All requests.
    All,
    /// Requests that were refused or failed. Those without a valid key are summed up in one line a second.
    Refused,
    /// No requests. Failures of the store still get lines of their own.
    None,
}

impl RequestLog {
    /// Returns the directive that this choice adds to the filter.
    const fn directive(self) -> &'static str {
        match self {
            Self::All => "care_core::request=debug",
            Self::Refused => "care_core::request=info",
            Self::None => "care_core::request=off",
        }
    }
}

/// Starts the log, which ends when the guard is dropped.
pub(crate) fn start(format: LogFormat, requests: Option<RequestLog>) -> WorkerGuard {
    // Lines are dropped if the reader is too slow: a full pipe must not stop the service.
    let (writer, guard) = NonBlocking::new(io::stderr());
    let wanted = env::var("RUST_LOG").ok().filter(|wanted| !wanted.is_empty());
    let wanted = wanted.as_deref().unwrap_or(DEFAULT);
    let filter = match requests {
        // If two directives have the same target, the last one wins.
        Some(requests) => format!("{wanted},{}", requests.directive()),
        None => wanted.to_owned(),
    };
    let log = tracing_subscriber::fmt().with_env_filter(EnvFilter::builder().parse_lossy(filter)).with_writer(writer);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).with_current_span(false).with_span_list(false).init(),
    }
    // The message of a panic may contain a patient's data, so it is not logged.
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked");
    }));
    #[cfg(feature = "rocket")]
    take_over_rockets();
    guard
}

/// Captures and drops Rocket's log lines, whatever `RUST_LOG` says. Rocket would print them to standard output, and
/// even its warnings show paths; lower levels show whole requests.
#[cfg(feature = "rocket")]
fn take_over_rockets() {
    let lines = tracing_log::LogTracer::builder().ignore_crate("rocket");
    let taken = lines.with_max_level(tracing_log::log::LevelFilter::Warn).init();
    if taken.is_err() {
        tracing::warn!("another logger is already installed");
    }
}

//! The task `run`.

use std::{env, io, num::NonZero, panic, path::Path, process::ExitCode, time::Duration};

use care_client::CareClient;
use tracing_subscriber::EnvFilter;
use zeroize::Zeroizing;

use super::{desk, failure::Failure, options::Run};
use crate::{Relay, State};

/// The default filter of the log.
const DEFAULT: &str = "info";
/// The libraries that are silent whatever RUST_LOG says: their lines show URLs.
const SILENT: &str = "reqwest=off,hyper=off,hyper_util=off,rustls=off,care_client=off";

pub(super) fn run(state: &Path, options: &Run) -> Result<ExitCode, Failure> {
    log();
    // One thread follows the service and answers probes; deliveries have their own.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(Failure::System)?;
    let done = runtime.block_on(relay(state, options));
    // A name's lookup cannot be interrupted.
    runtime.shutdown_background();
    done.map(|()| ExitCode::SUCCESS)
}

async fn relay(state: &Path, options: &Run) -> Result<(), Failure> {
    let stop = stopped().map_err(Failure::System)?;
    // The recorder comes first: it is what the relay describes its metrics to.
    let metrics = options.metrics.map(desk::Desk::listen).transpose()?;
    // A key among the arguments could be read by every user of the machine.
    let key = Zeroizing::new(env::var("CARE_KEY").map_err(|_| Failure::Key)?);
    let client = CareClient::new(&options.care.0, &key).map_err(Failure::Service)?;
    // The relay waits and tries again by itself.
    let client = client.with_tries(NonZero::<u32>::MIN);
    let give_up = Duration::from_secs(options.give_up * 24 * 60 * 60);
    let relay = Relay::new(client, State::open(state)?).with_give_up(give_up);
    if let Some(metrics) = metrics {
        metrics.serve(relay.probe());
    }
    relay.run(stop).await?;
    tracing::info!("stopped");
    Ok(())
}

/// Starts the log, on standard error.
fn log() {
    let wanted = env::var("RUST_LOG").ok().filter(|wanted| !wanted.is_empty());
    let filter = format!("{},{SILENT}", wanted.as_deref().unwrap_or(DEFAULT));
    tracing_subscriber::fmt().with_env_filter(EnvFilter::builder().parse_lossy(filter)).with_writer(io::stderr).init();
    // The message of a panic may contain a URL, so it is not logged.
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked");
    }));
}

/// Starts listening for the signals that tell the relay to stop.
#[cfg(unix)]
fn stopped() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
        tracing::info!("told to stop");
    })
}

#[cfg(not(unix))]
fn stopped() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

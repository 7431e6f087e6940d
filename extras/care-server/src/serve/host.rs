//! The life of a server from start to end, whatever the framework.

use std::{
    net::{SocketAddr, TcpListener},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use care_core::{model::Visible, rest::Api, service::CareService};
use clap::error::ErrorKind;

use super::{banner::Banner, metrics::Metrics, site::Site, socket};
use crate::{
    Options, StartError, Stop,
    logs::{self, LogFormat},
    unshown,
};

/// Everything that a framework needs to serve the service.
#[derive(Debug)]
pub struct Host {
    /// The service to mount.
    pub api: Api,
    /// The address to listen at, unless there is a [`listener`](Self::listener).
    pub bind: SocketAddr,
    /// A socket that the parent process passed to the server, and that outlives the server.
    pub listener: Option<TcpListener>,
    /// Longest time that a client may take to send a body.
    pub body_timeout: Duration,
    /// Most open connections.
    pub connections: usize,
    /// The signal to stop.
    pub stop: Stop,
    banner: Banner,
}

impl Host {
    /// Prints the server's address. Call it once requests to this address are answered.
    pub fn listening(&self, address: SocketAddr) {
        self.api.listens_at(address);
        self.banner.print(address);
    }
}

/// Runs the server with this name on a framework: reads the options, opens the store, lets `serve` answer requests
/// until the server is told to stop, and closes everything again.
pub fn run<F>(name: &'static str, framework: &str, serve: impl FnOnce(Host) -> F) -> ExitCode
where
    F: Future<Output = Result<(), StartError>>,
{
    let options = match Options::read(name) {
        Ok(options) => options,
        Err(asked) if matches!(asked.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return match asked.print() {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            };
        }
        Err(wrong) => {
            // This keeps only the first line: the error without clap's hints.
            let text = wrong.to_string();
            let sentence = text.split("\n\n").next().unwrap_or_default();
            let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
            // A message about options that exclude each other names them and shows no value.
            let shows_values = wrong.kind() != ErrorKind::ArgumentConflict;
            match shows_values && Visible::may_hold_a_password(&sentence) {
                true => eprintln!("{}", unshown(&wrong)),
                false => eprintln!("{}", Visible(&sentence)),
            }
            return ExitCode::from(2);
        }
    };
    let _log = logs::start(options.log_format, options.request_log);
    match start(&options, framework, serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match options.log_format {
                LogFormat::Text => eprintln!("error: {}", error.sentence()),
                LogFormat::Json => tracing::error!("{}", error.sentence()),
            }
            ExitCode::FAILURE
        }
    }
}

fn start<F>(options: &Options, framework: &str, serve: impl FnOnce(Host) -> F) -> Result<(), StartError>
where
    F: Future<Output = Result<(), StartError>>,
{
    // This runs before the first thread starts, because it changes the environment.
    let listener = socket::inherited()?;
    let connections = socket::allow(options.connections.get()).ok_or(StartError::OpenFiles)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // The store is dropped after the runtime, so that it is closed here and not by a task.
    let mut opened: Option<CareService> = None;
    let ended = runtime.block_on(async {
        let stop = Stop::on_signals()?;
        // The recorder must be installed before the first metric.
        let metrics = options.metrics.map(Metrics::listen).transpose()?;
        let site = tokio::select! {
            site = Site::open(options, framework) => site?,
            () = stop.requested() => return Ok(()),
        };
        opened = Some(site.care.clone());
        let waiting = (site.care.clone(), stop.clone());
        tokio::spawn(async move {
            let (care, stop) = waiting;
            stop.requested().await;
            care.stop_waiting();
        });
        if let Some(metrics) = metrics {
            metrics.serve(site.api.clone(), site.care.clone(), Arc::clone(&site.store), stop.clone());
        }
        let banner = Banner::new(&site, options).await?;
        serve(Host {
            api: site.api,
            bind: options.bind,
            listener,
            body_timeout: options.body_timeout,
            connections,
            stop,
            banner,
        })
        .await
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    drop(opened);
    ended
}

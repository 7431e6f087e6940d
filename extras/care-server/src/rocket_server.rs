//! The Patient Care Service in Rocket.

use std::{collections::HashSet, io, net::SocketAddr};

use rocket::{
    Config,
    config::{Ident, LogLevel, Shutdown},
    error::ErrorKind,
    fairing::AdHoc,
    shield::Shield,
    tokio::time::sleep,
};

use crate::{Host, StartError, Stop};

/// Serves requests until the server is told to stop.
///
/// # Errors
/// When the server cannot listen, or Rocket does not start.
pub async fn serve(host: Host) -> Result<(), StartError> {
    if host.listener.is_some() {
        return Err(StartError::OwnSocket);
    }
    let (bind, stop, closing) = (host.bind, host.stop.clone(), host.stop.clone());
    // `custom` reads neither Rocket.toml nor the environment.
    let server = rocket::custom(config(bind))
        // Every answer has the service's own security headers; Rocket's would replace them.
        .attach(Shield::new())
        .attach(care_rocket::mount(host.api.clone()).everywhere().body_timeout(host.body_timeout))
        .attach(AdHoc::on_response("Last answers", move |request, _| {
            let is_last = closing.is_requested();
            Box::pin(async move {
                if is_last {
                    // From now on Rocket accepts no connections, and closes idle ones.
                    request.rocket().shutdown().await;
                    sleep(Stop::HOLD).await;
                }
            })
        }))
        .attach(AdHoc::on_liftoff("Listening", move |rocket| {
            let config = rocket.config();
            host.listening(SocketAddr::new(config.address, config.port));
            let shutdown = rocket.shutdown();
            Box::pin(async move {
                rocket::tokio::spawn(async move {
                    stop.after(Stop::LINGER).await;
                    shutdown.notify();
                });
            })
        }));
    match server.launch().await {
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            // Some connections were cut at the end, which is expected.
            ErrorKind::Shutdown(_, None) => Ok(()),
            ErrorKind::Bind(cause) | ErrorKind::Io(cause) => {
                Err(StartError::Listen { address: bind, source: again(cause) })
            }
            other => Err(StartError::Framework(other.to_string())),
        },
    }
}

/// Makes Rocket's configuration from the options alone.
fn config(bind: SocketAddr) -> Config {
    let grace = Stop::PATIENCE.as_secs();
    let mercy = (Stop::END - Stop::PATIENCE).as_secs();
    Config {
        address: bind.ip(),
        port: bind.port(),
        ident: Ident::none(),
        ip_header: None,
        log_level: LogLevel::Off,
        cli_colors: false,
        shutdown: Shutdown {
            // The server handles signals itself.
            ctrlc: false,
            signals: HashSet::new(),
            grace: u32::try_from(grace).unwrap_or(u32::MAX),
            mercy: u32::try_from(mercy).unwrap_or(u32::MAX),
            force: false,
            ..Shutdown::default()
        },
        ..Config::release_default()
    }
}

/// Clones the error, because Rocket only lends its own.
fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}

//! The Patient Care Service in Poem.

mod http1;
mod tcp;

use std::time::Duration;

use poem::{
    EndpointExt, Response, Server,
    http::{HeaderValue, header::CONNECTION},
};
use tokio::{net::TcpListener, time::sleep};

use crate::{Host, StartError, Stop};
use tcp::Tcp;

/// So long a connection may be idle.
const IDLE: Duration = Duration::from_secs(75);

/// Serves until it is told to stop.
///
/// # Errors
/// It cannot listen.
pub async fn serve(host: Host) -> Result<(), StartError> {
    let refused = |source| StartError::Listen { address: host.bind, source };
    let listener = TcpListener::bind(host.bind).await.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    host.listening(address);

    let Host { api, body_timeout, stop, .. } = host;
    let closing = stop.clone();
    // Not under a route: the service answers 404 outside its base path too.
    let endpoint = care_poem::endpoint(api)
        .body_timeout(body_timeout)
        .give_up_after(stop.clone().after(Stop::PATIENCE))
        .after(move |answer| last(answer, closing.is_requested()));
    Server::new_with_acceptor(Tcp::new(listener, address, stop.clone()))
        .idle_timeout(IDLE)
        .run_with_graceful_shutdown(endpoint, stop.after(Stop::LINGER), Some(Stop::END - Stop::LINGER))
        .await?;
    Ok(())
}

/// An answer, the last one over its connection if the server ends.
async fn last(answer: poem::Result<Response>, is_last: bool) -> poem::Result<Response> {
    let mut answer = answer?;
    if is_last {
        sleep(Stop::HOLD).await;
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(CONNECTION, close);
    }
    Ok(answer)
}

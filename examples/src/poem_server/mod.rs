//! The Patient Care Service in Poem.

mod connection;
mod crowd;
mod http1;
mod idle;
mod tcp;

use poem::{
    Endpoint, Request, Response, Server,
    http::{HeaderValue, header::CONNECTION},
};
use tokio::{net::TcpListener, time::sleep};

use crate::{Host, StartError, Stop};
use care_poem::CareEndpoint;
use tcp::Tcp;

/// Serves until it is told to stop.
///
/// # Errors
/// It cannot listen.
pub async fn serve(host: Host) -> Result<(), StartError> {
    let refused = |source| StartError::Listen { address: host.bind, source };
    let listener = TcpListener::bind(host.bind).await.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    host.listening(address);

    let Host { api, body_timeout, connections, stop, .. } = host;
    // Not under a route: the service answers 404 outside its base path too.
    let service = care_poem::endpoint(api).body_timeout(body_timeout).give_up_after(stop.clone().after(Stop::PATIENCE));
    let endpoint = Closing { service, stop: stop.clone() };
    Server::new_with_acceptor(Tcp::new(listener, address, connections, stop.clone()))
        .run_with_graceful_shutdown(endpoint, stop.after(Stop::LINGER), Some(Stop::END - Stop::LINGER))
        .await?;
    Ok(())
}

/// The service, whose answers are the last ones over their connections if the server ends.
struct Closing {
    service: CareEndpoint,
    stop: Stop,
}

impl Endpoint for Closing {
    type Output = Response;

    fn call(&self, request: Request) -> impl Future<Output = poem::Result<Response>> + Send {
        // Boxed, since Poem copies the whole of it several times otherwise.
        let answer = Box::pin(self.service.call(request));
        async {
            let mut answer = answer.await?;
            if self.stop.is_requested() {
                sleep(Stop::HOLD).await;
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok(answer)
        }
    }
}

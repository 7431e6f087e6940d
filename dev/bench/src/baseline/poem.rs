//! The hand-written server in Poem.

use std::io;

use poem::{
    Body, EndpointExt, Response, Route, Server, get, handler,
    http::{StatusCode, uri::Scheme},
    listener::Acceptor,
    put,
    web::{Data, LocalAddr, Path, RemoteAddr},
};
use tokio::net::{TcpListener, TcpStream};

use super::access::Access;
use crate::Failure;

pub(crate) async fn serve(access: Access) -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}/1.0.0", listener.local_addr()?);
    let app = Route::new()
        .at("/1.0.0/patient/:id", get(patient))
        .at("/1.0.0/prescriptions/:id", get(prescription))
        .at("/1.0.0/patient", put(update))
        .data(access);
    Server::new_with_acceptor(NoDelay(listener)).run(app).await?;
    Ok(())
}

#[handler]
fn patient(Path(id): Path<i64>, Data(access): Data<&Access>) -> Response {
    answer(access.patient(id))
}

#[handler]
fn prescription(Path(id): Path<i64>, Data(access): Data<&Access>) -> Response {
    answer(access.prescription(id))
}

#[handler]
async fn update(body: Body, Data(access): Data<&Access>) -> Response {
    match body.into_vec().await {
        Ok(body) => answer(access.update(&body).await),
        Err(_) => StatusCode::BAD_REQUEST.into(),
    }
}

fn answer(answer: Result<Option<Vec<u8>>, Failure>) -> Response {
    match answer {
        Ok(Some(body)) => Response::builder().content_type("application/json").body(body),
        Ok(None) => StatusCode::NOT_FOUND.into(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into(),
    }
}

/// A listener with `TCP_NODELAY`: Poem's own delays small answers, which would distort the comparison.
struct NoDelay(TcpListener);

impl Acceptor for NoDelay {
    type Io = TcpStream;

    fn local_addr(&self) -> Vec<LocalAddr> {
        Vec::new()
    }

    async fn accept(&mut self) -> io::Result<(TcpStream, LocalAddr, RemoteAddr, Scheme)> {
        let (stream, peer) = self.0.accept().await?;
        stream.set_nodelay(true)?;
        Ok((stream, LocalAddr(peer.into()), RemoteAddr(peer.into()), Scheme::HTTP))
    }
}

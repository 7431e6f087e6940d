//! The targets of the cases.

use std::{any::Any, net::SocketAddr, sync::Barrier, thread};

use bytes::Bytes;
use care_core::rest::Api;
use futures_executor::block_on;

use super::{
    client::Client,
    judge::answer::Answer,
    text::request::Request,
    world::{Setting, World},
};

/// A frontend that can be started. See the [module](super) for an example.
pub trait Target: Sync {
    /// Starts a frontend that serves this contract. It is called once for every case.
    fn start(&self, api: Api) -> RunningTarget;

    /// Returns the world that a case starts in: in memory, unless the target runs on another store.
    fn world(&self, setting: &Setting) -> World {
        World::new(setting)
    }
}

/// A running frontend. Dropping it stops the server.
pub struct RunningTarget(Kind);

enum Kind {
    InProcess(Api),
    At(SocketAddr, #[expect(dead_code, reason = "kept for its Drop")] Box<dyn Any + Send>),
}

/// The contract itself, without a frontend or a socket.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

impl Target for InProcess {
    fn start(&self, api: Api) -> RunningTarget {
        RunningTarget(Kind::InProcess(api))
    }
}

impl RunningTarget {
    /// Returns a frontend that listens at this address. Dropping the guard stops it.
    pub fn at(address: SocketAddr, guard: impl Send + 'static) -> Self {
        Self(Kind::At(address, Box::new(guard)))
    }

    pub(super) const fn has_sockets(&self) -> bool {
        matches!(self.0, Kind::At(..))
    }

    /// Sends these requests at the same moment, each over a connection of its own. Returns their answers in the same
    /// order.
    pub(super) fn at_once(&self, requests: &[Request]) -> Result<Vec<Answer>, String> {
        let mut connections: Vec<_> = requests.iter().map(|_| self.connect()).collect();
        connections.iter_mut().try_for_each(Connection::open)?;
        let start = Barrier::new(requests.len());
        let run = |mut connection: Connection<'_>, request: &Request| {
            start.wait();
            connection.exchange(request)
        };
        thread::scope(|scope| {
            let racers = connections.into_iter().zip(requests);
            let racers: Vec<_> = racers.map(|(connection, request)| scope.spawn(|| run(connection, request))).collect();
            racers.into_iter().map(|racer| racer.join().expect("a racer comes home")).collect()
        })
    }

    pub(crate) fn connect(&self) -> Connection<'_> {
        match &self.0 {
            Kind::InProcess(api) => Connection::InProcess(api),
            Kind::At(address, _) => Connection::Socket(Client::new(*address)),
        }
    }
}

impl std::fmt::Debug for RunningTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Kind::InProcess(_) => f.write_str("RunningTarget(in process)"),
            Kind::At(address, _) => write!(f, "RunningTarget({address})"),
        }
    }
}

/// A way to send requests one after the other.
pub(crate) enum Connection<'a> {
    InProcess(&'a Api),
    Socket(Client),
}

impl Connection<'_> {
    /// Opens the connection. Otherwise the first request does.
    pub(super) fn open(&mut self) -> Result<(), String> {
        match self {
            Self::InProcess(_) => Ok(()),
            Self::Socket(client) => client.open().map_err(|error| format!("no connection: {error}")),
        }
    }

    pub(crate) fn exchange(&mut self, request: &Request) -> Result<Answer, String> {
        match self {
            Self::InProcess(api) => hand_over(api, request).map_err(|error| error.to_string()),
            Self::Socket(client) => client.exchange(request).map_err(|error| format!("the connection failed: {error}")),
        }
    }
}

pub(super) fn hand_over(api: &Api, request: &Request) -> Result<Answer, http::Error> {
    let mut sent = http::Request::builder().method(request.method.as_str()).uri(request.target.as_str());
    for (name, value) in &request.headers {
        // Servers remove white space around a header's value, and so does this.
        sent = sent.header(name.as_str(), value.trim_ascii());
    }
    if let Some((name, value)) = request.framing() {
        sent = sent.header(name, value);
    }
    let body = Bytes::from(request.body.clone().unwrap_or_default());
    let (head, body) = block_on(api.handle(sent.body(body)?)).into_parts();
    let headers = head.headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes());
        (name.as_str().to_owned(), value.into_owned())
    });
    Ok(Answer { status: head.status.as_u16(), headers: headers.collect(), body: body.to_vec() })
}

//! Rocket and Poem side by side: both mount the service over one store and get the same requests. This program prints
//! where their answers differ, which is nowhere, and the cost of each.
//!
//! ```text
//! cargo run --release --example side_by_side -- 400
//! ```
//!
//! The argument says how often each request is sent to each framework, in turns of 50.

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use care_core::{
    keys::{KeyRing, Scopes},
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use care_server::demo;
use poem::{
    Server,
    listener::{Acceptor, Listener, TcpListener},
};
use rocket::{Config, fairing::AdHoc, figment::Figment};
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::oneshot;

/// The number of requests that one framework gets before it is the other's turn.
const TURN: u32 = 50;

/// The requests: method, target, further headers, body. A write goes to both frameworks, so each write is one whose
/// repetition changes nothing and has the same answer.
const REQUESTS: &[(&str, &str, &str, &str)] = &[
    ("GET", "/1.0.0/patient/1", "", ""),
    ("HEAD", "/1.0.0/patient/1", "", ""),
    ("GET", "/1.0.0/history/1", "Accept: application/xml\r\n", ""),
    ("GET", "/1.0.0/prescriptions/1", "", ""),
    ("GET", "/1.0.0/invoice/1", "Accept: text/xml;q=0.9, application/json;q=0.1\r\n", ""),
    ("GET", "/1.0.0/patient?limit=50", "", ""),
    ("GET", "/1.0.0/inventory", "", ""),
    ("GET", "/1.0.0/restock?limit=10", "", ""),
    ("GET", "/1.0.0/journal?limit=20", "", ""),
    ("OPTIONS", "/1.0.0/patient", "", ""),
    ("PUT", "/1.0.0/patient", "", r#"{"patientId":1,"age":37}"#),
    ("POST", "/1.0.0/patient", "Idempotency-Key: side-by-side\r\n", r#"{"name":"Ada Example"}"#),
    ("POST", "/1.0.0/patient", "", r#"{"patientId":1}"#),
    ("PUT", "/1.0.0/patient", "", r#"{"patientId":1,"age":151,"email":"none"}"#),
    ("PUT", "/1.0.0/patient", "If-Match: \"none\"\r\n", r#"{"patientId":1,"age":37}"#),
    ("PUT", "/1.0.0/patient", "Content-Encoding: gzip\r\n", "{}"),
    ("GET", "/1.0.0/patient/0", "", ""),
    ("GET", "/1.0.0/patient/99999999", "Accept: application/xml\r\n", ""),
    ("DELETE", "/1.0.0/inventory", "", ""),
    ("GET", "/1.0.0/%zz", "", ""),
    ("GET", "/elsewhere", "", ""),
];

/// An answer: its status, its headers by name, its body.
#[derive(Debug, PartialEq)]
struct Answer {
    status: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

/// A framework with a connection to it, and the cost of its answers so far.
struct Side {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
    wall: Duration,
    processor: Duration,
}

impl Side {
    fn new(address: SocketAddr) -> io::Result<Self> {
        Ok(Self { address, stream: connect(address)?, wall: Duration::ZERO, processor: Duration::ZERO })
    }

    /// Sends a request and reads its answer.
    fn ask(&mut self, request: &(&str, &str, &str, &str)) -> Result<Answer, Box<dyn Error + Send + Sync>> {
        let (method, target, headers, body) = request;
        let length = match body.len() {
            0 => String::new(),
            length => format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"),
        };
        let head = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\napi_key: example-key\r\n");
        let sent = format!("{head}X-Request-Id: side-by-side\r\n{headers}{length}\r\n{body}");
        self.stream.get_mut().write_all(sent.as_bytes())?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.trim_end().to_owned();
        let mut headers = BTreeMap::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").filter(|_| *method != "HEAD");
        let mut body = vec![0; length.map_or(Ok(0), |length| length.parse())?];
        self.stream.read_exact(&mut body)?;
        // The date differs by the clock, and the service decides whether the connection closes: each framework spells
        // these two in its own way.
        headers.remove("date");
        if headers.remove("connection").is_some_and(|connection| connection.eq_ignore_ascii_case("close")) {
            self.stream = connect(self.address)?;
        }
        Ok(Answer { status, headers, body })
    }

    /// Sends a request repeatedly, and adds up its cost.
    fn repeat(&mut self, request: &(&str, &str, &str, &str)) -> Result<(), Box<dyn Error + Send + Sync>> {
        let (wall, processor) = (Instant::now(), processor_time());
        for _ in 0..TURN {
            self.ask(request)?;
        }
        self.wall += wall.elapsed();
        self.processor += processor_time().saturating_sub(processor);
        Ok(())
    }

    /// Returns the cost of one of `answers` answers, in microseconds of wall-clock time and of processor time, and
    /// resets it.
    fn cost(&mut self, answers: u32) -> [f64; 2] {
        let each = |sum: &mut Duration| std::mem::take(sum).as_secs_f64() * 1e6 / f64::from(answers);
        [each(&mut self.wall), each(&mut self.processor)]
    }
}

fn connect(address: SocketAddr) -> io::Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    Ok(BufReader::new(stream))
}

/// Returns the processor time of this process, which runs the client and both servers.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

fn compare(poem: SocketAddr, rocket: SocketAddr, turns: u32) -> Result<usize, Box<dyn Error + Send + Sync>> {
    let (mut poem, mut rocket) = (Side::new(poem)?, Side::new(rocket)?);
    println!("{:<8}{:<28}{:<13}{:>18}{:>18}", "", "", "", "Poem", "Rocket");
    println!("{:<8}{:<28}{:<13}{:>18}{:>18}", "request", "", "answers", "µs, of processor", "µs, of processor");
    let mut differences = 0;
    for request in REQUESTS {
        let (one, other) = (poem.ask(request)?, rocket.ask(request)?);
        let verdict = if one == other { "the same" } else { "DIFFERENT" };
        for _ in 0..turns {
            poem.repeat(request)?;
            rocket.repeat(request)?;
        }
        let ([poem_wall, poem_time], [rocket_wall, rocket_time]) = (poem.cost(turns * TURN), rocket.cost(turns * TURN));
        let (method, target, ..) = request;
        println!(
            "{method:<8}{target:<28}{verdict:<13}{poem_wall:>9.1}{poem_time:>9.1}{rocket_wall:>9.1}{rocket_time:>9.1}"
        );
        if one != other {
            differences += 1;
            println!("Poem: {one:#?}\nRocket: {other:#?}");
        }
    }
    Ok(differences)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let times: u32 = env::args().nth(1).map_or(Ok(400), |times| times.parse())?;
    let turns = times.div_ceil(TURN).max(1);
    let care = CareService::new(MemoryStore::new());
    println!("the demo clinic has {}", demo::fill(&care).await?);
    let api = Api::new(care).with_keys(KeyRing::new().with_key("example-key", "front desk", Scopes::ALL));

    let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await?;
    let poem = acceptor.local_addr().iter().find_map(|address| address.as_socket_addr().copied());
    // The service is not mounted under a route, because it answers outside its base path too, as it does in Rocket with
    // `everywhere`.
    tokio::spawn(Server::new_with_acceptor(acceptor).run(care_poem::endpoint(api.clone())));

    let config = Figment::from(Config::default()).merge(("port", 0)).merge(("log_level", "off"));
    let (listening, rocket) = oneshot::channel();
    let listening = std::sync::Mutex::new(Some(listening));
    let server = rocket::custom(config)
        .attach(rocket::shield::Shield::new())
        .attach(care_rocket::mount(api).everywhere())
        .attach(AdHoc::on_liftoff("Address", move |rocket| {
            let address = SocketAddr::new(rocket.config().address, rocket.config().port);
            if let Some(listening) = listening.lock().ok().and_then(|mut listening| listening.take()) {
                // The main thread is waiting for this.
                let _ = listening.send(address);
            }
            Box::pin(async {})
        }))
        .ignite()
        .await?;
    tokio::spawn(server.launch());

    let (poem, rocket) = (poem.ok_or("Poem has no address")?, rocket.await?);
    let differences = tokio::task::spawn_blocking(move || compare(poem, rocket, turns)).await??;
    match differences {
        0 => println!("{} requests, {} times each: no answer differs", REQUESTS.len(), turns * TURN),
        _ => return Err(format!("{differences} answers differ").into()),
    }
    Ok(())
}

//! Clients that are slow in every way, beside one that is not.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use care_testkit::until;

use crate::{
    base::{
        attempt::{Attempt, Outcome, Request},
        failure::{Failure, ensure},
        process::Server,
        programs::Program,
        wire::Wire,
    },
    work::{clients::ask, clinic::Clinic},
};

/// The time within which a body must arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(4);
/// Time between two bytes of a slow head.
const BEAT: Duration = Duration::from_millis(100);
/// The number of requests that the healthy client measures in a round.
const MEASURED: u64 = 500;
/// The number of answers that are left unread on one connection: more than its buffers hold.
const UNREAD: usize = 200;
/// The number of patients that make each of those answers long.
const PATIENTS: u64 = 150;
/// Longest time until a server must close a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// The cost of slow clients to a healthy one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slowdown {
    /// The number of the healthy client's requests that were answered beside the slow ones.
    pub answered: u64,
    /// For each round, the 99th percentile of its times beside the slow clients, as a multiple of that without them.
    pub ratios: Vec<f64>,
}

/// Holds slow clients in rounds, each after a round without them: heads that arrive byte by byte, bodies that never
/// end, answers that are not read. Meanwhile a healthy client gets every answer.
///
/// # Errors
/// An answer that the healthy client did not get, an effect of a slow client, or a connection that was not closed.
pub fn hold(program: &Program, clients: usize, rounds: u64) -> Result<Slowdown, Failure> {
    let mut program = program.clone();
    program.args.extend(["--body-timeout".to_owned(), BODY_TIMEOUT.as_secs().to_string()]);
    let mut clinic = Clinic::new()?;
    let server = Server::start(&program, &clinic.database())?;
    let mut healthy = Wire::new(server.address);
    clinic.stock(&mut healthy)?;
    for id in 1..=PATIENTS {
        let patient = format!(r#"{{"patientId":{id},"name":"{}"}}"#, "Slow ".repeat(50));
        ask(&mut healthy, Request::new("POST", "/patient").body(patient))?;
    }
    let mut slowed = Slowdown::default();
    for round in 0..rounds {
        round_of(&mut clinic, &server, &mut healthy, clients)
            .map(|ratio| slowed.ratios.push(ratio))
            .map_err(|failure| failure.when(format!("round {round}")))?;
        slowed.answered += MEASURED;
    }
    server.end()?;
    clinic.prove()?;
    Ok(slowed)
}

impl Slowdown {
    /// Returns the median of the rounds.
    pub fn ratio(&self) -> f64 {
        let mut ratios = self.ratios.clone();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or_default()
    }
}

fn round_of(clinic: &mut Clinic, server: &Server, healthy: &mut Wire, clients: usize) -> Result<f64, Failure> {
    let quiet = measure(clinic, healthy)?;
    let before = server.open_files()?;
    let mut slow = Slow::start(clinic, server, clients)?;
    wait_for(server, |open| open >= before + clients, "slow clients are not let in")?;
    let is_over = AtomicBool::new(false);
    let beside = thread::scope(|scope| {
        let heads = &mut slow.heads;
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                heads.iter_mut().for_each(Head::go_on);
                thread::sleep(BEAT);
            }
        });
        let beside = measure(clinic, healthy);
        let ended = slow.bodies.drain(..).try_for_each(told_408);
        is_over.store(true, Ordering::Relaxed);
        ended.and(beside)
    })?;
    drop(slow);
    wait_for(server, |open| open <= before, "connections of slow clients are not let go")?;
    Ok(beside / quiet)
}

/// Returns the 99th percentile of the healthy client's times, in seconds.
fn measure(clinic: &mut Clinic, healthy: &mut Wire) -> Result<f64, Failure> {
    let mut times = Vec::new();
    while (times.len() as u64) < MEASURED {
        let (id, phone) = (clinic.storm.serial() % PATIENTS + 1, clinic.storm.serial());
        let update = Request::new("PUT", "/patient").body(format!(r#"{{"patientId":{id},"phone":{phone}}}"#));
        let sent = Instant::now();
        ask(healthy, update.clone())?;
        times.push(sent.elapsed().as_secs_f64());
        let marks = vec![format!("phone {phone}")];
        clinic.asked.push(Attempt { request: update, marks, outcome: Outcome::Done, sent, position: 0 });
        for _ in 0..4 {
            let sent = Instant::now();
            let shown = ask(healthy, Request::new("GET", format!("/patient/{id}")))?;
            times.push(sent.elapsed().as_secs_f64());
            let is_shown = shown.body.contains(&format!(r#""phone":{phone}"#));
            ensure(is_shown, || format!("patient {id} must show phone {phone}, but: {shown:?}"))?;
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() * 99 / 100])
}

/// The slow clients of a round. Dropping them closes their connections.
struct Slow {
    heads: Vec<Head>,
    bodies: Vec<TcpStream>,
    #[expect(dead_code, reason = "kept open, and never read")]
    unread: Vec<TcpStream>,
}

impl Slow {
    /// Opens the connections: one client in ten reads no answers; the others send heads or bodies slowly.
    fn start(clinic: &mut Clinic, server: &Server, clients: usize) -> Result<Self, Failure> {
        let (mut heads, mut bodies, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        for client in 0..clients {
            let mut connection = Wire::connected(server.address)?;
            let request = Request::registration(clinic.storm.serial());
            let text = Wire::written(&request);
            let end = text.find("\r\n\r\n").map_or(text.len(), |end| end + 4);
            let outcome = match client {
                _ if client % 10 == 0 => {
                    let list = Wire::written(&Request::new("GET", format!("/patient?limit={PATIENTS}")));
                    send_unread(&mut connection, &(text + &list.repeat(UNREAD)))?;
                    unread.push(connection);
                    Outcome::Unknown
                }
                _ if client % 2 == 0 => {
                    // Everything but the last byte.
                    connection.write_all(&text.as_bytes()[..text.len() - 1])?;
                    bodies.push(connection);
                    Outcome::Refused
                }
                _ => {
                    heads.push(Head { connection, text: text.as_bytes()[..end - 1].to_vec(), sent: 0 });
                    Outcome::Refused
                }
            };
            let marks = vec![format!("reply {}", request.key.as_deref().unwrap_or_default())];
            clinic.asked.push(Attempt { request, marks, outcome, sent: Instant::now(), position: 0 });
        }
        Ok(Self { heads, bodies, unread })
    }
}

/// A head that is sent byte by byte, except for its last byte.
struct Head {
    connection: TcpStream,
    text: Vec<u8>,
    sent: usize,
}

impl Head {
    fn go_on(&mut self) {
        // The server may already have closed the connection.
        if self.sent < self.text.len() && self.connection.write_all(&self.text[self.sent..=self.sent]).is_ok() {
            self.sent += 1;
        }
    }
}

/// Sends as much as the connection accepts at once, and reads nothing.
fn send_unread(connection: &mut TcpStream, text: &str) -> Result<(), Failure> {
    connection.set_nonblocking(true)?;
    match connection.write(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error.into()),
        _ => Ok(()),
    }
}

/// Reads the answer to a body that never ended: 408.
fn told_408(mut connection: TcpStream) -> Result<(), Failure> {
    let mut status = [0; "HTTP/1.1 408".len()];
    connection.read_exact(&mut status).map_err(|error| Failure::new(format!("a body without an end: {error}")))?;
    let status = String::from_utf8_lossy(&status);
    ensure(status == "HTTP/1.1 408", || format!("a body without an end is answered {status}"))
}

fn wait_for(server: &Server, holds: impl Fn(usize) -> bool, otherwise: &str) -> Result<(), Failure> {
    ensure(until(PATIENCE, || server.open_files().is_ok_and(&holds)), || otherwise.to_owned())
}

//! Kills of the relay of webhooks, and of the server that it follows: its receiver gets every event, in order.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use care_testkit::{Program as Process, until};

use crate::{
    Failure, Finding, Place, Port as _, Program, Request, Run, Server, Wire, ask, beside, ensure, lock, moment,
    programs,
};

/// The number of kills of the relay for each kill of the server.
const SERVER_EVERY: u64 = 10;
/// The number of clients that write at once.
const CLIENTS: usize = 2;
/// The longest pause between two kills.
const PAUSE: Duration = Duration::from_millis(150);
/// The time by which a receiver may be late with what a killed relay has sent.
const LATE: Duration = Duration::from_millis(50);
/// The longest wait for what is still to come.
const PATIENCE: Duration = Duration::from_secs(300);

/// The entries as the receiver got them, with the instants.
pub(crate) type Received = Arc<Mutex<Vec<(Instant, u64)>>>;

/// Kills a relay (SIGKILL) at random moments, while clients write to the server, which is killed now and then too.
pub(crate) fn kill(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (place, received, program) = (Place::on_disk()?, Received::default(), Program::poem()?);
    let state = place.path("relay.db");
    add(&state, "receiver", listen(&received)?)?;
    // Each server of the run listens on an address that was free a moment ago.
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    let mut server = serve(&program, &place.database(), address)?;
    let (mut kills, mut restarts, written) = (Vec::new(), 0, AtomicU64::new(0));
    beside(
        CLIENTS,
        |_, over| {
            let mut wire = Wire::new(address);
            while !over.is() {
                // Also while there is no server.
                match wire.ask(&Request::new("POST", "/patient").body("{}")).status() {
                    Some(200..300) => drop(written.fetch_add(1, Ordering::Relaxed)),
                    Some(_) => {}
                    None => thread::sleep(Duration::from_millis(5)),
                }
            }
            Ok(())
        },
        || {
            run.play(|round, dice| {
                let relay = start(&state, address, &[])?;
                thread::sleep(moment(dice, PAUSE));
                drop(relay);
                kills.push(Instant::now());
                if (round + 1) % SERVER_EVERY == 0 {
                    server.kill()?;
                    server = serve(&program, &place.database(), address)?;
                    restarts += 1;
                }
                Ok(())
            })?;
            // A busy machine writes less in the rounds.
            let is_enough = until(PATIENCE, || written.load(Ordering::Relaxed) > 10 * run.rounds);
            ensure(is_enough, || "the clients write hardly anything".to_owned())
        },
    )?;
    let news = ask(&mut server.port(), Request::get("/news"))?.document()?;
    let events = news["seq"].as_u64().ok_or_else(|| Failure::new("the news has no number"))?;
    let relay = start(&state, address, &[])?;
    let is_all = until(PATIENCE, || lock(&received).last().is_some_and(|&(_, seq)| seq >= events));
    ensure(is_all, || format!("the receiver has {:?} of {events}", lock(&received).last()))?;
    drop(relay);
    let repeated = judge(&lock(&received), events, &kills)?;
    let often = format!("{} times, and {restarts} kills of the server; {events} events", run.rounds);
    let found = format!("all received, first receipts in order; {repeated} repeated, each by a kill");
    let mut finding = Finding::new(often).found(found);
    finding.bar(events > 10 * run.rounds, || format!("only {events} events"));
    Ok(vec![finding])
}

/// Checks that all events were received, first receipts in order, and each repetition around a kill. Returns the number
/// of repetitions.
fn judge(received: &[(Instant, u64)], events: u64, kills: &[Instant]) -> Result<u64, Failure> {
    let (mut next, mut repeated) = (1, 0);
    let mut before: Option<Instant> = None;
    for &(at, seq) in received {
        if seq == next {
            next += 1;
        } else {
            let is_last = seq + 1 == next;
            // The receiver's thread may have read the first one a moment after the relay was killed.
            let is_between = |&kill: &Instant| before.is_some_and(|before| before < kill + LATE) && kill < at;
            let is_explained = is_last && kills.iter().any(is_between);
            ensure(is_explained, || {
                let since = kills.iter().filter(|&&kill| kill < at).map(|&kill| at - kill).min();
                format!("{seq} came where {next} was due, {since:?} after the last kill")
            })?;
            repeated += 1;
        }
        before = Some(at);
    }
    ensure(next == events + 1, || format!("{} of {events} events were received", next - 1))?;
    Ok(repeated)
}

/// Starts a relay with these further arguments. Dropping it kills it.
pub(crate) fn start(state: &Path, server: SocketAddr, more: &[&str]) -> Result<Process, Failure> {
    let mut command = Command::new(programs::relay()?);
    command.env_clear().env("CARE_KEY", "secret").args(["run", "--care"]).arg(format!("http://{server}/1.0.0"));
    Ok(Process::start(command.args(more).arg("--state").arg(state).stdin(Stdio::null()))?)
}

/// Adds an endpoint that gets everything.
pub(crate) fn add(state: &Path, name: &str, receiver: SocketAddr) -> Result<(), Failure> {
    let mut command = Command::new(programs::relay()?);
    command.args(["add", name, "--allow-net", "127.0.0.0/8", "--from", "0", "--url"]);
    let output = command.arg(format!("http://{receiver}/")).arg("--state").arg(state).env_clear().output()?;
    ensure(output.status.success(), || String::from_utf8_lossy(&output.stderr).into_owned())
}

fn serve(program: &Program, database: &Path, address: SocketAddr) -> Result<Server, Failure> {
    let mut command = Command::new(&program.path);
    command.env_clear().args(&program.args).arg("--bind").arg(address.to_string()).args(["--api-key", "secret"]);
    Server::run(command.arg("--database").arg(database))
}

/// Starts a receiver that takes everything.
pub(crate) fn listen(received: &Received) -> Result<SocketAddr, Failure> {
    let received = Arc::clone(received);
    // The relay is killed at any moment, also within a message.
    serve_each(move |stream| take(&stream, &received).unwrap_or_default())
}

/// Starts a receiver that does this with each connection, on threads that end with the process.
pub(crate) fn serve_each(with: impl Fn(TcpStream) + Send + Sync + 'static) -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let (address, with) = (listener.local_addr()?, Arc::new(with));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let with = Arc::clone(&with);
            thread::spawn(move || with(stream));
        }
    });
    Ok(address)
}

/// Takes the messages of a connection.
fn take(mut stream: &TcpStream, received: &Received) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let (mut seq, mut length) = (None, 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
            match line.trim_end().split_once(": ") {
                Some(("webhook-id", id)) => seq = id.rsplit_once('-')?.1.parse().ok(),
                Some(("content-length", bytes)) => length = bytes.parse().ok()?,
                None if line.trim_end().is_empty() => break,
                _ => {}
            }
        }
        reader.read_exact(&mut vec![0; length]).ok()?;
        lock(received).push((Instant::now(), seq?));
        stream.write_all(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n").ok()?;
    }
}

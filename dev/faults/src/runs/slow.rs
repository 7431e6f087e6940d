//! Clients that are slow in every way, beside one that is not.

use std::{
    io::Write,
    net::TcpStream,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use care_testkit::until;

use crate::{
    Attempt, Clinic, Context as _, Finding, Outcome, Over, Request, Result, Run, Server, Wire, ask, beside, ensure,
    lock, post,
};

/// The time within which a body must arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(4);
/// Time between two bytes of a slow head.
const BEAT: Duration = Duration::from_millis(100);
/// The number of slow clients that are held at once.
const CLIENTS: usize = 500;
/// The number of requests that the healthy client measures in a round.
const MEASURED: u64 = 500;
/// The number of answers that are left unread on one connection: more than its buffers hold.
const UNREAD: usize = 200;
/// The number of patients that make each of those answers long.
const PATIENTS: u64 = 150;
/// Longest time until a server must close a connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// Holds slow clients in rounds, each after a round without them: heads that arrive byte by byte, bodies that never
/// end, answers that are not read. Meanwhile a healthy client gets every answer.
pub(crate) fn hold(run: &Run) -> Result<Vec<Finding>> {
    let clients = CLIENTS / run.sizes.part as usize;
    let mut found = Vec::new();
    for (name, program) in &run.programs {
        let program = program.with(&["--body-timeout", &BODY_TIMEOUT.as_secs().to_string()]);
        let mut clinic = Clinic::new()?;
        let server = clinic.serve(&program)?;
        let mut healthy = server.port();
        for id in 1..=PATIENTS {
            let patient = format!(r#"{{"patientId":{id},"name":"{}"}}"#, "Slow ".repeat(50));
            post(&mut healthy, "/patient", patient)?;
        }
        let mut ratios = Vec::new();
        for round in 0..run.each() {
            let ratio = round_of(&mut clinic, &server, &mut healthy, clients);
            ratios.push(ratio.when(format!("{name}, round {round}"))?);
        }
        server.end()?;
        clinic.prove()?;
        ratios.sort_by(f64::total_cmp);
        found.push(format!("{:.1} times ({name})", ratios[ratios.len() / 2]));
    }
    let answered = run.each() * MEASURED * run.programs.len() as u64;
    let often = format!("{clients} at once, {} times; {answered} requests of a healthy client", run.rounds);
    let found = format!(
        "all answered, 0 effects of half a request, all let go; its p99 {} that without them",
        found.join(" and ")
    );
    Ok(vec![Finding::new(often).found(found)])
}

fn round_of(clinic: &mut Clinic, server: &Server, healthy: &mut Wire, clients: usize) -> Result<f64> {
    let quiet = measure(clinic, healthy)?;
    let before = server.open_files()?;
    let Slow { heads, bodies, unread } = Slow::start(clinic, server, clients)?;
    wait_for(server, |open| open >= before + clients, "slow clients are not let in")?;
    let heads = Mutex::new(heads);
    let go_on = |_, over: &Over| {
        while !over.is() {
            lock(&heads).iter_mut().for_each(Head::go_on);
            thread::sleep(BEAT);
        }
        Ok(())
    };
    let (_, crowded) = beside(1, go_on, || {
        let crowded = measure(clinic, healthy);
        for body in bodies {
            let status = Wire::status(&body);
            ensure!(status == Some(408), "a body without an end is answered {status:?}");
        }
        crowded
    })?;
    drop((heads, unread));
    wait_for(server, |open| open <= before, "connections of slow clients are not let go")?;
    Ok(crowded / quiet)
}

/// Returns the 99th percentile of the healthy client's times, in seconds.
fn measure(clinic: &mut Clinic, healthy: &mut Wire) -> Result<f64> {
    let mut times = Vec::new();
    while (times.len() as u64) < MEASURED {
        let (id, phone) = (clinic.storm.serial() % PATIENTS + 1, clinic.storm.serial());
        let update = Request::new("PUT", "/patient").body(format!(r#"{{"patientId":{id},"phone":{phone}}}"#));
        let sent = Instant::now();
        ask(healthy, update.clone())?;
        times.push(sent.elapsed().as_secs_f64());
        clinic.asked.push(Attempt::new(update, vec![format!("phone {phone}")], Outcome::Done));
        for _ in 0..4 {
            let sent = Instant::now();
            let shown = ask(healthy, Request::get(format!("/patient/{id}")))?;
            times.push(sent.elapsed().as_secs_f64());
            let is_shown = shown.body.contains(&format!(r#""phone":{phone}"#));
            ensure!(is_shown, "patient {id} must show phone {phone}, but: {shown:?}");
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() * 99 / 100])
}

/// The slow clients of a round, by what they do slowly. Dropping them closes their connections.
struct Slow {
    heads: Vec<Head>,
    bodies: Vec<TcpStream>,
    unread: Vec<TcpStream>,
}

impl Slow {
    /// Opens the connections: one client in ten reads no answers; the others send heads or bodies slowly.
    fn start(clinic: &mut Clinic, server: &Server, clients: usize) -> Result<Self> {
        let (mut heads, mut bodies, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        for client in 0..clients {
            let number = clinic.storm.serial();
            let request = Request::registration(number);
            let text = request.written("secret");
            let outcome = if client % 10 == 0 { Outcome::Unknown } else { Outcome::Refused };
            if client % 10 == 0 {
                let list = Request::get(format!("/patient?limit={PATIENTS}")).written("secret");
                unread.push(Wire::left(server.address, &(text + &list.repeat(UNREAD)))?);
            } else if client % 2 == 0 {
                let mut connection = Wire::connected(server.address)?;
                // Everything but the last byte.
                connection.write_all(&text.as_bytes()[..text.len() - 1])?;
                bodies.push(connection);
            } else {
                let connection = Wire::connected(server.address)?;
                let end = text.find("\r\n\r\n").map_or(text.len(), |end| end + 4);
                heads.push(Head { connection, text: text.as_bytes()[..end - 1].to_vec(), sent: 0 });
            }
            clinic.asked.push(Attempt::new(request, vec![format!("reply k{number}")], outcome));
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

fn wait_for(server: &Server, holds: impl Fn(usize) -> bool, otherwise: &str) -> Result<()> {
    ensure!(until(PATIENCE, || server.open_files().is_ok_and(&holds)), "{}", otherwise.to_owned());
    Ok(())
}

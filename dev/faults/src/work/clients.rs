//! Clients that disconnect at every stage, and clients that race.

use std::{
    io::{Read, Write},
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use care_conformance::Dice;

use super::{clinic::Clinic, storm::Storm};
use crate::base::{
    attempt::{Answer, Attempt, Ending, Outcome, Port, Request},
    failure::{Failure, ensure},
    process::Server,
    programs::Program,
    wire::Wire,
};

/// The number of clients that work at once.
const CROWD: usize = 8;

/// Sends this many requests, each from a client that disconnects: before the first byte, within the head, within the
/// body, after the whole request, or within the answer. A request that did not arrive completely must have no effect,
/// any other has one or none, and the server continues.
///
/// # Errors
/// An effect that must not be there, or what is wrong with the server afterwards.
pub fn leave(program: &Program, rounds: u64, seed: u64) -> Result<u64, Failure> {
    let mut dice = Dice::new(seed);
    let mut clinic = Clinic::new()?;
    let server = Server::start(program, &clinic.database())?;
    clinic.stock(&mut *server.ports(1).remove(0))?;
    let each = rounds.div_ceil(CROWD as u64);
    let left: Result<Vec<Vec<Attempt>>, Failure> = thread::scope(|scope| {
        let (storm, server) = (&clinic.storm, &server);
        let leavers: Vec<_> = (0..CROWD)
            .map(|_| {
                let mut dice = Dice::new(dice.roll(u64::MAX));
                scope.spawn(move || (0..each).map(|_| leave_once(server, storm, &mut dice)).collect())
            })
            .collect();
        let joined = leavers.into_iter().map(|leaver| leaver.join().map_err(|_| Failure::new("a client panicked"))?);
        joined.collect()
    });
    clinic.asked.extend(left?.into_iter().flatten());
    // Other clients are served as before.
    clinic.write_for(Duration::from_millis(200), server.ports(CROWD), &mut dice)?;
    server.end()?;
    clinic.prove()?;
    Ok(each * CROWD as u64)
}

fn leave_once(server: &Server, storm: &Storm, dice: &mut Dice) -> Result<Attempt, Failure> {
    let number = storm.serial();
    let request = Request::registration(number);
    let text = Wire::written(&request);
    let mut connection = Wire::connected(server.address)?;
    let sent = Instant::now();
    let length = match dice.roll(4) {
        0 => text.len(),
        1 => text.find("\r\n\r\n").map_or(0, |end| end + 4),
        _ => dice.roll(text.len() as u64) as usize,
    };
    connection.write_all(&text.as_bytes()[..length])?;
    let is_whole = length == text.len();
    if is_whole && dice.one_in(2) {
        // The system resets a connection that is closed with part of the answer unread.
        let mut first = [0; 1];
        connection.read_exact(&mut first)?;
    }
    drop(connection);
    let outcome = if is_whole { Outcome::Unknown } else { Outcome::Refused };
    Ok(Attempt { request, marks: vec![format!("reply k{number}")], outcome, sent, position: 0 })
}

/// Makes several clients pay each of this many invoices at once, half of them under one `Idempotency-Key`: each invoice
/// is paid once, and all answers are equal.
///
/// # Errors
/// The payments that were counted twice, or answered differently.
pub fn race(program: &Program, rounds: u64) -> Result<u64, Failure> {
    let mut clinic = Clinic::new()?;
    let server = Server::start(program, &clinic.database())?;
    let mut port = server.ports(1).remove(0);
    clinic.stock(&mut *port)?;
    for round in 0..rounds {
        let patient = clinic.storm.serial();
        ask(&mut *port, Request::new("POST", "/patient").body(format!(r#"{{"patientId":{patient}}}"#)))?;
        let body = format!(r#"{{"patientId":{patient},"medicine":"Ibuprofen"}}"#);
        let prescription = ask(&mut *port, Request::new("POST", "/prescriptions").body(body))?.number();
        let invoice = format!("/prescriptions/{}/invoice", prescription.unwrap_or_default());
        let invoice = ask(&mut *port, Request::new("POST", invoice))?.number().unwrap_or_default();
        let mut request = Request::new("POST", format!("/invoice/{invoice}/payment"));
        if round % 2 == 0 {
            request = request.key(format!("pay {invoice}").replace(' ', "-"));
        }
        let mut wires: Vec<_> = (0..CROWD).map(|_| Wire::new(server.address)).collect();
        let answers = at_once(&mut wires, &request)?;
        let first = &answers[0];
        let is_paid = answers.iter().all(|answer| answer == first) && first.body.contains(r#""visits":1"#);
        ensure(is_paid, || format!("round {round}: {request:?} at once is answered {answers:?}"))?;
        let marks = vec![format!("paid {invoice}"), format!("handed out for {invoice}")];
        clinic.asked.push(Attempt { request, marks, outcome: Outcome::Done, sent: Instant::now(), position: 0 });
    }
    server.kill()?;
    clinic.prove()?;
    Ok(rounds)
}

/// Sends a request over all of these connections at the same moment, and returns the answers.
pub(crate) fn at_once(wires: &mut [Wire], request: &Request) -> Result<Vec<Answer>, Failure> {
    let start = &Barrier::new(wires.len());
    thread::scope(|scope| {
        let mut racers = Vec::new();
        for wire in wires {
            racers.push(scope.spawn(move || {
                start.wait();
                ask(wire, request.clone())
            }));
        }
        racers.into_iter().map(|racer| racer.join().map_err(|_| Failure::new("a racer panicked"))?).collect()
    })
}

/// Sends a request that must succeed, and returns its answer.
pub(crate) fn ask(port: &mut dyn Port, request: Request) -> Result<Answer, Failure> {
    match port.ask(&request) {
        Ending::Answer(answer) if answer.status < 300 => Ok(answer),
        said => Err(Failure::new(format!("{request:?} is answered {said:?}"))),
    }
}

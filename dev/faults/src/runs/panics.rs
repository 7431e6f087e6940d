//! Panics: each costs only the request that met it.

use std::{path::Path, time::Instant};

use care_conformance::Dice;

use crate::{
    base::{
        attempt::{Attempt, Outcome, Port, Request},
        failure::{Failure, ensure},
        process::Server,
        programs::Program,
        wire::Wire,
    },
    planted::{Frontend, Plant},
    work::clinic::Clinic,
};

/// Causes panics in decisions, and one in the store, in the middle of a storm: each leads to one answer with 500.
/// `harness` is the path of this harness's own program.
///
/// # Errors
/// Any other effect of a panic.
pub fn panic(harness: &Path, frontend: Frontend, rounds: u64, seed: u64) -> Result<u64, Failure> {
    let mut clinic = Clinic::new()?;
    let program = Program::planted(harness, Plant::Panic).on(frontend);
    let server = Server::start(&program, &clinic.database())?;
    clinic.stock(&mut *server.ports(1).remove(0))?;
    let mut port = Wire::new(server.address);
    let mut panicked = Vec::new();
    let (failure, ()) = clinic.beside(server.ports(8), &mut Dice::new(seed), |_| {
        (0..rounds).try_for_each(|round| {
            // The store panics after the commit, so the outcome is unknown.
            let (number, outcome) = if round == 0 { (667, Outcome::Unknown) } else { (666, Outcome::Refused) };
            let key = format!("panic-{round}");
            let marks = vec![format!("reply {key}")];
            let body = format!(r#"{{"patientId":{number}}}"#);
            let request = Request::new("POST", "/patient").body(body).key(key);
            let sent = Instant::now();
            let said = port.ask(&request);
            let is_told = said.status() == Some(500);
            panicked.push(Attempt { request, marks, outcome, sent, position: 0 });
            ensure(is_told, || format!("a panic is answered {said:?}"))
        })
    })?;
    failure.map_or(Ok(()), Err)?;
    let cost = clinic.asked.iter().find(|asked| asked.outcome != Outcome::Done);
    ensure(cost.is_none(), || format!("a panic cost another client its answer: {cost:?}"))?;
    clinic.asked.extend(panicked);
    server.kill()?;
    clinic.prove()?;
    Ok(rounds)
}

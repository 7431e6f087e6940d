//! Panics: each costs only the request that met it.

use crate::{Attempt, Clinic, Failure, Finding, Outcome, Port, Program, Request, Run, ensure};

/// Causes panics in decisions, and one in the store, in the middle of a storm: each leads to one answer with 500.
pub(crate) fn panic(run: &Run) -> Result<Vec<Finding>, Failure> {
    for frontend in ["poem", "rocket"] {
        on(frontend, run).map_err(|failure| failure.when(frontend))?;
    }
    Ok(vec![Finding::new(format!("{} panics", run.rounds)).found("one answer 500 each, and nothing else")])
}

fn on(frontend: &str, run: &Run) -> Result<(), Failure> {
    let mut clinic = Clinic::new()?;
    let program = Program::planted(&run.harness, "panic").with(&["--frontend", frontend]);
    let server = clinic.serve(&program)?;
    let (mut port, mut panicked) = (server.port(), Vec::new());
    clinic.beside(server.ports(8), &mut run.dice(), |_, _| {
        (0..run.rounds.div_ceil(2)).try_for_each(|round| {
            // The store panics after the commit, so the outcome is unknown.
            let (number, outcome) = if round == 0 { (667, Outcome::Unknown) } else { (666, Outcome::Refused) };
            let request = Request::registration(number).key(format!("panic-{round}"));
            let one = Attempt::new(request, vec![format!("reply panic-{round}")], outcome);
            let said = port.ask(&one.request);
            panicked.push(one);
            ensure(said.status() == Some(500), || format!("a panic is answered {said:?}"))
        })
    })?;
    let cost = clinic.asked.iter().find(|asked| asked.outcome != Outcome::Done);
    ensure(cost.is_none(), || format!("a panic cost another client its answer: {cost:?}"))?;
    clinic.asked.extend(panicked);
    server.kill()?;
    clinic.prove()
}

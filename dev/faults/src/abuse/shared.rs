//! Two servers that share a file and race.

use std::{sync::Barrier, thread, time::Duration};

use care_conformance::Dice;

use super::{Bars, crowd::end};
use crate::{
    base::{
        attempt::{Answer, Attempt, Outcome, Port, Request},
        failure::{Failure, ensure},
        finding::Finding,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    work::{
        clients::ask,
        clinic::{Clinic, wait},
    },
};

/// Clients of each server.
const CLIENTS: usize = 4;
/// Invoices that are paid on both servers at once.
const PAYMENTS: u64 = 20;

/// Runs a storm over two servers of one file, and payments that race between them.
///
/// # Errors
/// The writes that are lost, half done or done twice. Bars that are missed are in the findings.
pub fn shared(
    a_while: Duration,
    seed: u64,
    bars: &Bars,
    programs: &[(&str, Program)],
) -> Result<Vec<Finding>, Failure> {
    let mut acknowledged = 0;
    let mut finding = Finding::of("two servers with `--shared` on one file race", "");
    for (name, program) in programs {
        let mut program = program.clone();
        program.args.push("--shared".to_owned());
        let mut clinic = Clinic::new()?;
        let servers = [Server::start(&program, &clinic.database())?, Server::start(&program, &clinic.database())?];
        clinic.stock(&mut Wire::new(servers[0].address))?;
        let ports = servers.iter().flat_map(|server| server.ports(CLIENTS)).collect();
        let (storm, mut dice) = (&clinic.storm, Dice::new(seed));
        let (account, ()) = storm.run_clients(
            ports,
            &mut dice,
            || 0,
            || {
                wait(storm, storm.acknowledged(), a_while, || false);
                storm.end();
            },
        );
        clinic.asked.extend(account.asked);
        account.failure.map_or(Ok(()), Err)?;
        race(&mut clinic, &servers)?;
        for server in servers {
            let ended = end(server)?;
            finding.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
        }
        let refused = clinic.asked.iter().filter(|asked| asked.outcome != Outcome::Done).count();
        finding.bar(refused == 0, || format!("{name}: {refused} writes are not acknowledged"));
        clinic.prove()?;
        acknowledged += clinic.storm.acknowledged();
    }
    finding.often = format!("{acknowledged} writes and {} payments", PAYMENTS * programs.len() as u64);
    "0 lost, 0 half there, 0 there twice; each invoice paid once, equal answers".clone_into(&mut finding.found);
    Ok(vec![finding])
}

fn race(clinic: &mut Clinic, servers: &[Server; 2]) -> Result<(), Failure> {
    let mut wires = servers.each_ref().map(|server| Wire::new(server.address));
    for _ in 0..PAYMENTS {
        let patient = clinic.storm.serial();
        ask(&mut wires[0], Request::new("POST", "/patient").body(format!(r#"{{"patientId":{patient}}}"#)))?;
        // Each server sees the writes that the other has acknowledged.
        let body = format!(r#"{{"patientId":{patient},"medicine":"Ibuprofen"}}"#);
        let prescription = ask(&mut wires[1], Request::new("POST", "/prescriptions").body(body))?.number();
        let invoice = Request::new("POST", format!("/prescriptions/{}/invoice", prescription.unwrap_or_default()));
        let invoice = ask(&mut wires[0], invoice)?.number().unwrap_or_default();
        let payment = Request::new("POST", format!("/invoice/{invoice}/payment"));
        let start = Barrier::new(wires.len());
        let answers: Result<Vec<Answer>, Failure> = thread::scope(|scope| {
            let racers = wires.each_mut().map(|wire| {
                let (start, payment) = (&start, payment.clone());
                scope.spawn(move || {
                    start.wait();
                    ask(wire as &mut dyn Port, payment)
                })
            });
            let joined = racers.into_iter().map(|racer| racer.join().map_err(|_| Failure::new("a racer panicked"))?);
            joined.collect()
        });
        let answers = answers?;
        ensure(answers[0] == answers[1], || format!("one payment on two servers is answered {answers:?}"))?;
        let marks = vec![format!("paid {invoice}")];
        let sent = std::time::Instant::now();
        clinic.asked.push(Attempt { request: payment, marks, outcome: Outcome::Done, sent, position: 0 });
    }
    Ok(())
}

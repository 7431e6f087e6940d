//! Two servers that share a file and race.

use std::time::{Duration, Instant};

use care_conformance::Dice;

use super::Bars;
use crate::{
    base::{
        attempt::{Attempt, Outcome, Request},
        failure::{Failure, ensure},
        finding::Finding,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    work::{
        clients::{ask, at_once},
        clinic::Clinic,
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
        clinic.write_for(a_while, ports, &mut Dice::new(seed))?;
        race(&mut clinic, &servers)?;
        for server in servers {
            let ended = server.end()?.after;
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
        let answers = at_once(&mut wires, &payment)?;
        ensure(answers[0] == answers[1], || format!("one payment on two servers is answered {answers:?}"))?;
        let marks = vec![format!("paid {invoice}")];
        let sent = Instant::now();
        clinic.asked.push(Attempt { request: payment, marks, outcome: Outcome::Done, sent, position: 0 });
    }
    Ok(())
}

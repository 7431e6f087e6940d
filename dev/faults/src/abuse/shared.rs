//! Two servers that share a file and race.

use std::time::Duration;

use crate::{
    Attempt, Clinic, Failure, Finding, NOTHING, Outcome, Request, Run, Server, billed, runs::clients::racing, stock,
};

/// Clients of each server.
const CLIENTS: usize = 4;
/// Invoices that are paid on both servers at once.
const PAYMENTS: u64 = 20;

/// Runs a storm over two servers of one file, and payments that race between them.
pub(crate) fn shared(run: &Run) -> Result<Vec<Finding>, Failure> {
    let mut acknowledged = 0;
    let mut finding = Finding::of("two servers with `--shared` on one file race", "")
        .found(format!("{NOTHING}; each invoice paid once, equal answers"));
    for (name, program) in &run.programs {
        let program = program.with(&["--shared"]);
        let mut clinic = Clinic::new()?;
        let servers = [Server::start(&program, &clinic.database())?, Server::start(&program, &clinic.database())?];
        stock(&mut servers[0].port())?;
        let ports = servers.iter().flat_map(|server| server.ports(CLIENTS)).collect();
        clinic.write_for(Duration::from_secs_f64(run.sizes.seconds), ports, &mut run.dice())?;
        let mut wires = servers.each_ref().map(Server::port);
        for _ in 0..PAYMENTS {
            // Each server sees the writes that the other has acknowledged.
            let [one, other] = &mut wires;
            let invoice = billed(&mut [one, other], clinic.storm.serial())?;
            let payment = Request::new("POST", format!("/invoice/{invoice}/payment"));
            racing(&mut wires, &payment)?;
            clinic.asked.push(Attempt::new(payment, vec![format!("paid {invoice}")], Outcome::Done));
        }
        for server in servers {
            finding.takes(name, "ended after", server.end()?.after, run.bars.stop);
        }
        let refused = clinic.asked.len() as u64 - clinic.count(Outcome::Done);
        finding.bar(refused == 0, || format!("{name}: {refused} writes are not acknowledged"));
        clinic.prove()?;
        acknowledged += clinic.storm.acknowledged();
    }
    finding.often = format!("{acknowledged} writes and {} payments", PAYMENTS * run.programs.len() as u64);
    Ok(vec![finding])
}

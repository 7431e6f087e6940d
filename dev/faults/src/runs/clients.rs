//! Clients that disconnect at every stage.

use std::{
    io::{Read, Write},
    time::Duration,
};

use care_conformance::Dice;

use crate::{Attempt, Clinic, Finding, Front as _, Outcome, Request, Result, Run, Server, Storm, Wire, at_once};

/// The number of clients that work at once.
const CROWD: usize = 8;

/// Sends requests, each from a client that disconnects: before the first byte, within the head, within the body, after
/// the whole request, or within the answer. A request that did not arrive completely must have no effect, any other has
/// one or none, and the server continues.
pub(crate) fn leave(run: &Run) -> Result<Vec<Finding>> {
    let each = run.each().div_ceil(CROWD as u64);
    for (_, program) in &run.programs {
        let mut clinic = Clinic::new()?;
        let server = clinic.serve(program)?;
        let left = at_once(CROWD, |client| {
            let mut dice = Dice::new(run.seed + client);
            (0..each).map(|_| leave_once(&server, &clinic.storm, &mut dice)).collect::<Result<Vec<_>, _>>()
        })?;
        clinic.asked.extend(left.into_iter().flatten());
        // Other clients are served as before.
        clinic.write_for(Duration::from_millis(200), server.ports(CROWD), &mut run.dice())?;
        server.end()?;
        clinic.prove()?;
    }
    let requests = each * (CROWD * run.programs.len()) as u64;
    Ok(vec![Finding::new(format!("{requests} requests")).found("0 effects of half a request, 0 done twice")])
}

fn leave_once(server: &Server, storm: &Storm, dice: &mut Dice) -> Result<Attempt> {
    let number = storm.serial();
    let mut one = Attempt::new(Request::registration(number), vec![format!("reply k{number}")], Outcome::Refused);
    let text = one.request.written("secret");
    let mut connection = Wire::connected(server.address)?;
    let length = match dice.roll(4) {
        0 => text.len(),
        1 => text.find("\r\n\r\n").map_or(0, |end| end + 4),
        _ => dice.roll(text.len() as u64) as usize,
    };
    connection.write_all(&text.as_bytes()[..length])?;
    if length == text.len() {
        one.outcome = Outcome::Unknown;
        if dice.one_in(2) {
            // The system resets a connection that is closed with part of the answer unread.
            connection.read_exact(&mut [0; 1])?;
        }
    }
    Ok(one)
}

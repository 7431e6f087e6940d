//! Clients that disconnect at every stage, and clients that race.

use std::{
    io::{Read, Write},
    sync::Barrier,
    thread,
    time::Duration,
};

use care_conformance::Dice;

use crate::{
    Answer, Attempt, Clinic, Failure, Finding, Outcome, Request, Run, Server, Storm, Wire, ask, at_once, billed,
    ensure, joined,
};

/// The number of clients that work at once.
const CROWD: usize = 8;

/// Sends requests, each from a client that disconnects: before the first byte, within the head, within the body, after
/// the whole request, or within the answer. A request that did not arrive completely must have no effect, any other has
/// one or none, and the server continues.
pub(crate) fn leave(run: &Run) -> Result<Vec<Finding>, Failure> {
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

fn leave_once(server: &Server, storm: &Storm, dice: &mut Dice) -> Result<Attempt, Failure> {
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

/// Makes several clients pay each invoice at once, half of them under one `Idempotency-Key`: each invoice is paid once,
/// and all answers are equal.
pub(crate) fn race(run: &Run) -> Result<Vec<Finding>, Failure> {
    run.lives(
        u64::MAX,
        |program| {
            let clinic = Clinic::new()?;
            Ok((clinic.serve(program)?, clinic))
        },
        |(server, clinic), _, dice| {
            let invoice = billed(&mut [&mut server.port()], clinic.storm.serial())?;
            let mut request = Request::new("POST", format!("/invoice/{invoice}/payment"));
            if dice.one_in(2) {
                request = request.key(format!("pay-{invoice}"));
            }
            let mut wires: Vec<_> = (0..CROWD).map(|_| server.port()).collect();
            let answers = racing(&mut wires, &request)?;
            let is_paid = answers[0].body.contains(r#""visits":1"#);
            ensure(is_paid, || format!("{request:?} at once is answered {answers:?}"))?;
            let marks = vec![format!("paid {invoice}"), format!("handed out for {invoice}")];
            clinic.asked.push(Attempt::new(request, marks, Outcome::Done));
            Ok(())
        },
        |(server, clinic)| {
            server.kill()?;
            clinic.prove()
        },
    )?;
    Ok(vec![Finding::new(format!("{} invoices", run.rounds)).found("each paid once, equal answers")])
}

/// Sends a request over all of these connections at the same moment, and returns the answers, which must be equal.
fn racing(wires: &mut [Wire], request: &Request) -> Result<Vec<Answer>, Failure> {
    let start = &Barrier::new(wires.len());
    let answers: Vec<_> = thread::scope(|scope| {
        let mut racers = Vec::new();
        for wire in wires {
            racers.push(scope.spawn(move || {
                start.wait();
                ask(wire, request.clone())
            }));
        }
        racers.into_iter().map(joined).collect::<Result<_, _>>()
    })?;
    let is_equal = answers.iter().all(|answer| *answer == answers[0]);
    ensure(is_equal, || format!("{request:?} at once is answered {answers:?}"))?;
    Ok(answers)
}

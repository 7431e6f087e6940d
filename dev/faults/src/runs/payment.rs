//! A payment, its refund and the correction of its method, killed at each of their system calls in turn.

use crate::{
    Attempt, Clinic, Ending, Failure, Finding, Outcome, Port, Program, Request, Run, Server, ask, billed, can_trace,
    ensure, left_out, traced,
};

/// Most kills at one kind of call; the three requests and a start make fewer calls.
const MOST: usize = 500;

/// Kills a server at each call that writes or syncs while it takes a payment, refunds it and corrects the refund; the
/// rounds are the step from one of these calls to the next. The client repeats each request without an answer. Each is
/// done once, and the receipts have no gap.
pub(crate) fn each_call(run: &Run) -> Result<Vec<Finding>, Failure> {
    if !can_trace() {
        return left_out("strace cannot trace here");
    }
    let mut kills = 0;
    for (name, program) in &run.programs {
        for call in ["pwrite64", "fsync"] {
            for at in (1..=MOST).step_by(run.rounds as usize) {
                let reached = killed(program, &format!("{call}:signal=KILL:when={at}"));
                if !reached.map_err(|failure| failure.when(format!("{name}, killed at {call} {at}")))? {
                    break;
                }
                kills += 1;
            }
        }
    }
    let mut finding = Finding::new(format!("{kills} kills")).found("each done once, 3 receipts without a gap");
    finding.bar(kills > 3, || format!("only {kills} kills"));
    Ok(vec![finding])
}

/// Returns whether the server reached the call.
fn killed(program: &Program, fault: &str) -> Result<bool, Failure> {
    let mut clinic = Clinic::new()?;
    let server = clinic.serve(program)?;
    let invoice = billed(&mut [&mut server.port()], 7)?;
    server.kill()?;

    let steps = [
        (format!("/invoice/{invoice}/payment"), "{}", format!("paid {invoice}")),
        (
            format!("/invoice/{invoice}/refund"),
            r#"{"reason":"returned","restock":true}"#,
            format!("refunded {invoice}"),
        ),
        ("/receipts/2/correction".to_owned(), r#"{"method":"card"}"#, "step2 put Receipt 3".to_owned()),
    ];
    for (number, (path, body, mark)) in steps.into_iter().enumerate() {
        let key = format!("step{number}");
        let marks = vec![format!("reply {key}"), format!("{key} put Receipt {}", number + 1), mark];
        clinic.asked.push(Attempt::new(Request::new("POST", path).body(body).key(key), marks, Outcome::Unknown));
    }
    // The call may come before the server listens.
    if let Ok(server) = Server::run(&mut traced(program, &clinic.database(), fault)) {
        let mut port = server.port();
        for step in &mut clinic.asked {
            match port.ask(&step.request) {
                Ending::Answer(answer) if answer.status < 300 => step.outcome = Outcome::Done,
                Ending::Answer(answer) => return Err(Failure::new(format!("it is answered {answer:?}"))),
                Ending::Lost | Ending::Gone => break,
            }
        }
        server.kill()?;
    }
    let reached = clinic.count(Outcome::Unknown) > 0;
    clinic.prove()?;
    let server = Server::start(program, &clinic.database())?;
    clinic.repeat_unanswered(&mut server.port())?;
    let receipts = ask(&mut server.port(), Request::get("/receipts"))?.body;
    server.kill()?;
    ensure(receipts.matches("receiptId").count() == 3, || format!("the receipts are {receipts}"))?;
    clinic.prove()?;
    Ok(reached)
}

//! A payment, its refund and the correction of its method, killed at each of their system calls in turn.

use std::time::Instant;

use super::syscall::traced;
use crate::{
    base::{
        attempt::{Attempt, Ending, Outcome, Request},
        failure::{Failure, ensure},
        process::Server,
        programs::Program,
    },
    work::{clients::ask, clinic::Clinic},
};

/// Most kills at one kind of call; the three requests and a start make fewer calls.
const MOST: usize = 500;

/// Kills a server at each call that writes or syncs, or at every `every`-th one, while it takes a payment, refunds it
/// and corrects the refund. The client repeats each request without an answer. Checks that each is done once and that
/// the receipts have no gap. Returns the number of kills.
///
/// # Errors
/// A change that is lost, half done or done twice, with the call.
pub fn each_call(program: &Program, every: usize) -> Result<u64, Failure> {
    let mut kills = 0;
    for call in ["pwrite64", "fsync"] {
        for at in (1..=MOST).step_by(every.max(1)) {
            let reached = killed(program, &format!("{call}:signal=KILL:when={at}"));
            if !reached.map_err(|failure| failure.when(format!("killed at {call} {at}")))? {
                break;
            }
            kills += 1;
        }
    }
    Ok(kills)
}

/// Returns whether the server reached the call.
fn killed(program: &Program, fault: &str) -> Result<bool, Failure> {
    let mut clinic = Clinic::new()?;
    let server = Server::start(program, &clinic.database())?;
    let mut port = server.ports(1).remove(0);
    clinic.stock(&mut *port)?;
    ask(&mut *port, Request::new("POST", "/patient").body(r#"{"patientId":7}"#))?;
    let medicine = r#"{"patientId":7,"medicine":"Ibuprofen"}"#;
    let prescription = ask(&mut *port, Request::new("POST", "/prescriptions").body(medicine))?.number();
    let issue = format!("/prescriptions/{}/invoice", prescription.unwrap_or_default());
    let invoice = ask(&mut *port, Request::new("POST", issue))?.number().unwrap_or_default();
    drop(port);
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
        let request = Request::new("POST", path).body(body).key(key);
        let (outcome, sent) = (Outcome::Unknown, Instant::now());
        clinic.asked.push(Attempt { request, marks, outcome, sent, position: 0 });
    }
    // The call may come before the server listens.
    if let Ok(server) = Server::run(&mut traced(program, &clinic.database(), fault)) {
        let mut port = server.ports(1).remove(0);
        for step in &mut clinic.asked {
            match port.ask(&step.request) {
                Ending::Answer(answer) if answer.status < 300 => step.outcome = Outcome::Done,
                Ending::Answer(answer) => return Err(Failure::new(format!("it is answered {answer:?}"))),
                Ending::Lost | Ending::Gone => break,
            }
        }
        drop(port);
        server.kill()?;
    }
    let reached = clinic.asked.iter().any(|step| step.outcome == Outcome::Unknown);
    clinic.prove()?;
    let server = Server::start(program, &clinic.database())?;
    clinic.repeat_unanswered(&mut *server.ports(1).remove(0))?;
    let receipts = ask(&mut *server.ports(1).remove(0), Request::new("GET", "/receipts"))?.body;
    server.kill()?;
    ensure(receipts.matches("receiptId").count() == 3, || format!("the receipts are {receipts}"))?;
    clinic.prove()?;
    Ok(reached)
}

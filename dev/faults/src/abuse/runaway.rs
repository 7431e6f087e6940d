//! During any request a key can be revoked, and the server stops in time.

use std::{thread, time::Duration};

use super::{Sizes, cost::heavy, other::flooded};
use crate::{Finding, Place, Request, Result, Run, Server, Wire, becomes, bodies, issue, ms};

/// Clients that send the most expensive requests at once.
const CLIENTS: usize = 12;
/// The longest time for `care-admin keys revoke`, and until the server follows.
const REVOKE: Duration = Duration::from_secs(1);
/// More records than this make the service refuse to void a patient, once it has looked at that many.
const LIMIT: u64 = 9_000;

/// Sends the most expensive requests without a pause, revokes a key meanwhile, and tells the server to stop.
pub(crate) fn runaway(run: &Run) -> Result<Vec<Finding>> {
    let what = "`care-admin keys revoke`, and SIGTERM, while twelve clients ask for the dearest without a pause";
    let sizes = run.sizes;
    let finding = run.measured(Finding::of(what, "once on each server"), |part| {
        let place = Place::new()?;
        heavy::fill(&place.database(), &Sizes { entries: sizes.entries.min(2000), ..sizes })?;
        let server = Server::start(part.program, &place.database())?;
        let (id, key) = issue(place.folder(), "care.db", "Runner", "all")?;
        let request = |client, turn| dear(client, heavy::FREE + client * 1_000_000 + turn * 100, &sizes);
        let (revoked, followed, ended) = flooded(&server, CLIENTS, "secret", request, || {
            thread::sleep(sizes.time(Duration::from_secs(2)));
            let revoked = place.done(&["keys", "revoke", &id, "--database", "care.db"])?.after;
            let item = Request::get("/inventory/Ibuprofen");
            let followed = becomes(&mut Wire::with_key(server.address, &key), &item, 401, Duration::from_secs(20))?;
            Ok((revoked, followed, part.ends(&server)?))
        })?;
        part.note(&format!(
            "revoked after {:.0} ms, refused after {:.0} ms more, ended after {:.1} s",
            ms(revoked),
            ms(followed),
            ended.as_secs_f64()
        ));
        part.takes("revoked after", revoked, REVOKE);
        part.takes("the key is refused after", followed, REVOKE);
        Ok(())
    })?;
    Ok(vec![finding])
}

/// Returns the most expensive requests in turn.
fn dear(client: u64, number: u64, sizes: &Sizes) -> Request {
    match client % 6 {
        4 if sizes.prescriptions > LIMIT => Request::new("DELETE", format!("/patient/{}", heavy::PRESCRIBED)),
        5 => Request::get(format!("/patient/{}?version={}", heavy::CHANGED, number % 1000 + 1)),
        0 => {
            let body = bodies::consultation(heavy::PRESCRIBED, number, heavy::AT_ONCE, 20);
            Request::new("POST", "/consultations").body(body)
        }
        1 => Request::get("/journal?limit=500").header("Accept", "application/xml"),
        2 => Request::get(format!("/history/{}", heavy::VISITED)).header("Accept", "application/xml"),
        _ => Request::get("/restock?from=01/01/1900&to=31/12/9999"),
    }
}

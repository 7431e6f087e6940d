//! During any request a key can be revoked, and the server stops in time.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{
    Bars, Sizes,
    cost::{bodies, heavy},
};
use crate::{
    base::{
        admin::admin,
        attempt::{Ending, Port, Request},
        failure::{Failure, ensure},
        finding::Finding,
        process::Server,
        programs::Program,
        wire::Wire,
    },
    runs::power::in_memory,
};

/// Clients that send the most expensive requests at once.
const CLIENTS: u64 = 12;

/// More records than this make the service refuse to void a patient, once it has looked at that many.
const LIMIT: u64 = 9_000;

/// Sends the most expensive requests without a pause, revokes a key meanwhile, and tells the server to stop.
///
/// # Errors
/// The reason why it cannot be measured. Bars that are missed are in the findings.
pub fn runaway(sizes: &Sizes, bars: &Bars, programs: &[(&str, Program)]) -> Result<Vec<Finding>, Failure> {
    let what = "`care-admin keys revoke`, and SIGTERM, while twelve clients ask for the dearest without a pause";
    let mut finding = Finding::of(what, "once on each server");
    for (name, program) in programs {
        let folder = in_memory()?;
        let database = folder.path().join("care.db");
        heavy::fill(&database, &Sizes { entries: sizes.entries.min(2000), ..*sizes })?;
        let server = Server::start(program, &database)?;
        let issued =
            admin(folder.path(), &["keys", "issue", "--name", "Runner", "--scope", "all", "--database", "care.db"])?;
        ensure(issued.is_done(), || format!("no key is issued: {issued:?}"))?;
        let id = issued.out.split('_').nth(1).unwrap_or_default().to_owned();
        let is_over = AtomicBool::new(false);
        let (revoked, followed, ended) = thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (address, is_over) = (server.address, &is_over);
                scope.spawn(move || {
                    let mut wire = Wire::new(address);
                    for turn in 0_u64.. {
                        let number = heavy::FREE + client * 1_000_000 + turn * 100;
                        // The request is refused, done, or ended with the server.
                        let said = wire.ask(&dear(client, number, sizes));
                        if is_over.load(Ordering::Relaxed) || matches!(said, Ending::Gone | Ending::Lost) {
                            break;
                        }
                    }
                });
            }
            let warming = Duration::from_secs(2) / sizes.part as u32;
            let measured = measure(&server, &folder, (&id, &issued.out), warming);
            let ended = measured.and_then(|(revoked, followed)| Ok((revoked, followed, server.end()?.after)));
            is_over.store(true, Ordering::Relaxed);
            ended
        })?;
        let [revoked_ms, followed_ms] = [revoked, followed].map(|time| time.as_secs_f64() * 1e3);
        let separator = if finding.found.is_empty() { "" } else { "; " };
        finding.found += &format!(
            "{separator}{name}: revoked after {revoked_ms:.0} ms, refused after {followed_ms:.0} ms more, ended after \
             {:.1} s",
            ended.as_secs_f64()
        );
        finding.bar(revoked <= bars.revoke, || format!("{name}: revoked after {revoked:?}"));
        finding.bar(followed <= bars.revoke, || format!("{name}: the key is refused {followed:?} later"));
        finding.bar(ended <= bars.stop, || format!("{name}: ended after {ended:?}"));
    }
    Ok(vec![finding])
}

/// Returns the most expensive requests in turn.
fn dear(client: u64, number: u64, sizes: &Sizes) -> Request {
    match client % 6 {
        4 if sizes.prescriptions > LIMIT => Request::new("DELETE", format!("/patient/{}", heavy::PRESCRIBED)),
        5 => Request::new("GET", format!("/patient/{}?version={}", heavy::CHANGED, number % 1000 + 1)),
        0 => {
            let body = bodies::consultation(heavy::PRESCRIBED, number, sizes.at_once, 20);
            Request::new("POST", "/consultations").body(body)
        }
        1 => Request::new("GET", "/journal?limit=500").header("Accept", "application/xml"),
        2 => Request::new("GET", format!("/history/{}", heavy::VISITED)).header("Accept", "application/xml"),
        _ => Request::new("GET", "/restock?from=01/01/1900&to=31/12/9999"),
    }
}

fn measure(
    server: &Server,
    folder: &tempfile::TempDir,
    (id, key): (&str, &str),
    warming: Duration,
) -> Result<(Duration, Duration), Failure> {
    thread::sleep(warming);
    let revoked = admin(folder.path(), &["keys", "revoke", id, "--database", "care.db"])?;
    ensure(revoked.is_done(), || format!("the key is not revoked after {:?}: {}", revoked.after, revoked.err))?;
    let since = Instant::now();
    let mut wire = Wire::with_key(server.address, key);
    loop {
        let said = wire.ask(&Request::new("GET", "/inventory/Ibuprofen"));
        if said.status() == Some(401) {
            return Ok((revoked.after, since.elapsed()));
        }
        ensure(since.elapsed() < Duration::from_secs(20), || format!("a revoked key is answered {said:?}"))?;
        thread::sleep(Duration::from_millis(10));
    }
}

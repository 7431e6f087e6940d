//! Rotating keys while clients write, and rotations that are killed.

use std::time::{Duration, Instant};

use crate::{Clinic, Failure, Finding, Place, Request, Run, Server, Wire, becomes, ensure, issue, moment, ms};

/// The number of clients that write meanwhile.
const WRITERS: usize = 8;
/// Longest time in which a server must follow a change of keys: a second, and slack for slow machines.
const FOLLOWS: Duration = Duration::from_millis(1500);
/// Longest time before a rotation is killed.
const WITHIN: Duration = Duration::from_millis(25);

/// Rotates a key without an overlap while clients write; one rotation in four is killed. Within a second, the server
/// accepts, of the old and the new key, exactly the one that `care-admin` calls valid.
pub(crate) fn rotations(run: &Run) -> Result<Vec<Finding>, Failure> {
    let (mut killed, mut slowest) = (0, Duration::ZERO);
    for (name, program) in &run.programs {
        let mut clinic = Clinic::at(Place::new()?);
        let server = clinic.serve(program)?;
        let (mut dice, mut key) = (run.dice(), issued(&clinic.place, 0)?);
        clinic.beside(server.ports(WRITERS), &mut run.dice(), |storm, place| {
            storm.wait(Duration::from_millis(50), || false);
            for round in 0..run.each() {
                let kill = dice.one_in(4).then(|| moment(&mut dice, WITHIN));
                match rotate(place, &server, &mut key, round + 1, kill)
                    .map_err(|failure| failure.when(format!("{name}, seed {}, round {round}", run.seed)))?
                {
                    Some(took) => slowest = slowest.max(took),
                    None => killed += 1,
                }
            }
            Ok(())
        })?;
        server.kill()?;
        clinic.prove()?;
    }
    let found = format!(
        "always one valid key, and {killed} that were cut off are rotated or not at all; a server follows within \
         {:.0} ms",
        ms(slowest)
    );
    Ok(vec![Finding::new(format!("{} times", run.rounds)).found(found)])
}

/// Rotates a key, or issues another one if the new key was lost with the killed process that printed it. Returns how
/// long the server took to follow; `None` if the rotation was killed.
fn rotate(
    place: &Place,
    server: &Server,
    key: &mut String,
    clerk: u64,
    kill: Option<Duration>,
) -> Result<Option<Duration>, Failure> {
    let id = key.split('_').nth(1).unwrap_or_default().to_owned();
    let done = place.cut_off(&["keys", "rotate", &id, "--overlap", "0", "--database", "care.db"], kill)?;
    let since = Instant::now();
    if done.is_done() {
        is_answered(server, &done.out, 200)?;
        is_answered(server, key, 401)?;
        key.clone_from(&done.out);
        return Ok(Some(since.elapsed()));
    }
    ensure(done.code.is_none(), || format!("not rotated: {}", done.err))?;
    let list = place.done(&["keys", "list", "--database", "care.db"])?.out;
    let is_valid = list.lines().any(|line| line.starts_with(&id) && line.contains("valid"));
    is_answered(server, key, if is_valid { 200 } else { 401 })?;
    if !is_valid {
        for line in list.lines().filter(|line| line.contains(" valid ")) {
            let lost = line.split(' ').next().unwrap_or_default();
            place.done(&["keys", "revoke", lost, "--database", "care.db"])?;
        }
        *key = issued(place, clerk)?;
        is_answered(server, key, 200)?;
    }
    Ok(None)
}

fn issued(place: &Place, clerk: u64) -> Result<String, Failure> {
    Ok(issue(place.folder(), "care.db", &format!("Clerk {clerk}"), "inventory:read")?.1)
}

/// Waits until the server answers a request with this key with this status.
fn is_answered(server: &Server, key: &str, status: u16) -> Result<(), Failure> {
    let request = Request::get("/inventory/Ibuprofen");
    becomes(&mut Wire::with_key(server.address, key), &request, status, FOLLOWS).map(drop)
}

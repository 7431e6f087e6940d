//! Another client, beside those who ask for much, and its waits.

use std::{
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use super::cost::heavy::ORDINARY;
use crate::{Ending, Over, Port, Request, Result, Server, Wire, ask, beside, lock, ms, percentile};

/// Pause of the other client between two turns.
const PAUSE: Duration = Duration::from_millis(2);

/// Makes the request of a turn.
pub(super) type Turn = fn(u64) -> Request;

/// Asks for each of these in turn, with a pause after each turn, while something else is done. Returns the waits for
/// each of them, sorted.
pub(super) fn other<const N: usize, T>(
    port: impl Port,
    requests: [Turn; N],
    act: impl FnOnce() -> Result<T>,
) -> Result<([Vec<Duration>; N], T)> {
    let port = Mutex::new(port);
    let asking = |_, over: &Over| {
        let mut waits = [const { Vec::new() }; N];
        for turn in 0.. {
            for (request, waits) in requests.iter().zip(&mut waits) {
                let sent = Instant::now();
                ask(&mut *lock(&port), request(turn))?;
                waits.push(sent.elapsed());
            }
            if over.is() {
                break;
            }
            thread::sleep(PAUSE);
        }
        waits.iter_mut().for_each(|waits| waits.sort_unstable());
        Ok(waits)
    };
    let (mut waits, done) = beside(1, asking, act)?;
    Ok((waits.remove(0), done))
}

/// Makes this many clients with this key ask without a pause, each for the request of its number and its turn, until
/// `act` has ended. Returns its result.
pub(super) fn flooded<T>(
    server: &Server,
    clients: usize,
    key: &str,
    request: impl Fn(u64, u64) -> Request + Sync,
    act: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let asking = |client, over: &Over| {
        let mut wire = Wire::with_key(server.address, key);
        for turn in 0.. {
            // A request that is refused, or waits for too long, is followed by the next one.
            let said = wire.ask(&request(client, turn));
            if over.is() || matches!(said, Ending::Gone) {
                break;
            }
        }
        Ok(())
    };
    Ok(beside(clients, asking, act)?.1)
}

/// Does nothing for this time.
pub(super) fn for_a_while(time: Duration) -> Result<()> {
    thread::sleep(time);
    Ok(())
}

/// Reads the ordinary patient.
pub(super) fn read(_: u64) -> Request {
    Request::get(format!("/patient/{ORDINARY}"))
}

/// Changes the ordinary patient.
pub(super) fn change(turn: u64) -> Request {
    Request::new("PUT", "/patient").body(format!(r#"{{"patientId":{ORDINARY},"phone":{}}}"#, turn % 999 + 1))
}

/// Puts the half of the waits, 99 in 100 and the longest into words.
pub(super) fn spread(waits: &[Duration]) -> String {
    let [half, most, all] = [50, 99, 100].map(|share| ms(percentile(waits, share)));
    format!("{half:.1} / {most:.0} / {all:.0} ms")
}

/// Puts the median and the longest wait into words.
pub(super) fn median(waits: &[Duration]) -> String {
    format!("{:.1} ms, {:.0} ms at most", ms(percentile(waits, 50)), ms(percentile(waits, 100)))
}

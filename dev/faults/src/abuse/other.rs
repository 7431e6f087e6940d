//! Another client, beside those who ask for much, and its waits.

use std::{
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use super::cost::heavy::ORDINARY;
use crate::{Over, Port, Request, Result, ask, beside, lock, ms, percentile};

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

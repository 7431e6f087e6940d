//! The writes of the running relay: the outcome of each attempt, and the places of endpoints.

use care_core::{model::Timestamp, store::Seq};
use rusqlite::{Connection, params};

use super::{
    endpoint::{Endpoint, Place, Replay, Sent},
    rows::{stored, stored_time},
};
use crate::{
    message::random_id,
    schedule::{Progress, Reason, Step},
    types::EventTypes,
};

/// The attempts that are kept of an endpoint.
const ATTEMPTS: i64 = 100;
/// The dead letters that are kept of an endpoint. With one more it is disabled.
const DEAD: i64 = 10_000;
/// The messages about other endpoints that may wait for an endpoint.
const NOTICES: i64 = 100;

/// The message that an attempt was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The next entry in the endpoint's order.
    Ordinary(Sent),
    /// An entry that is sent again. The range is what remains behind it.
    Replay { seq: Seq, rest: Replay },
    /// A message of the relay's own: the number of its row.
    Notice(i64),
}

/// An attempt and what follows from it.
#[derive(Debug, Clone)]
pub(crate) struct Delivered {
    pub(crate) turn: Turn,
    pub(crate) message: String,
    pub(crate) epoch: String,
    pub(crate) step: Step,
    pub(crate) progress: Progress,
    pub(crate) status: String,
    pub(crate) at: Timestamp,
    pub(crate) millis: i64,
}

impl Delivered {
    /// Writes the outcome. Returns why the endpoint is disabled by it, if it is.
    pub(crate) fn store(&self, conn: &Connection, endpoint: &Endpoint) -> rusqlite::Result<Option<Reason>> {
        self.note_attempt(conn, endpoint)?;
        let trying = (self.step == Step::Again).then_some(&self.message);
        let Progress { first_failure, tried, failures, refusals, dead_run, next, pause } = self.progress;
        conn.prepare_cached(
            "UPDATE endpoint SET first_failure = ?, tried = ?, failures = ?, refusals = ?, dead_run = ?, next = ?, \
             pause = ?, trying = ?, dead_from = CASE WHEN ? = 0 THEN NULL ELSE dead_from END \
             WHERE id = ? AND generation = ? AND resumed = ?",
        )?
        .execute(params![
            first_failure.map(Timestamp::unix_millis),
            stored_time(tried),
            failures,
            refusals,
            dead_run,
            next.map(Timestamp::unix_millis),
            stored_time(pause),
            trying,
            dead_run,
            endpoint.id,
            endpoint.generation,
            endpoint.resumed,
        ])?;
        match self.step {
            Step::Onward => self.leave_behind(conn, endpoint)?,
            Step::Again => {}
            Step::Bury => {
                self.bury(conn, endpoint)?;
                if endpoint.dead(conn)? >= DEAD {
                    disable(conn, endpoint, Reason::DeadLetters, self.at)?;
                    return Ok(Some(Reason::DeadLetters));
                }
            }
            Step::Disable(reason) => {
                if reason == Reason::Refusing {
                    go_back(conn, endpoint)?;
                }
                disable(conn, endpoint, reason, self.at)?;
                return Ok(Some(reason));
            }
        }
        Ok(None)
    }

    fn note_attempt(&self, conn: &Connection, endpoint: &Endpoint) -> rusqlite::Result<()> {
        let seq = match &self.turn {
            Turn::Ordinary(Sent { seq, .. }) | Turn::Replay { seq, .. } => Some(stored(*seq)),
            Turn::Notice(_) => None,
        };
        conn.prepare_cached(
            "INSERT INTO attempt (endpoint, seq, at, status, millis) \
             SELECT id, ?, ?, ?, ? FROM endpoint WHERE id = ?",
        )?
        .execute(params![seq, self.at.unix_millis(), self.status, self.millis, endpoint.id])?;
        conn.prepare_cached(
            "DELETE FROM attempt WHERE endpoint = ?1 AND id <= \
             (SELECT id FROM attempt WHERE endpoint = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute((endpoint.id, ATTEMPTS))?;
        Ok(())
    }

    /// Moves the endpoint past the message.
    fn leave_behind(&self, conn: &Connection, endpoint: &Endpoint) -> rusqlite::Result<()> {
        match &self.turn {
            Turn::Ordinary(Sent { seq, at, r#type }) => {
                conn.prepare_cached(
                    "UPDATE endpoint SET seq = ?1, sent = ?1, at = ?2, type = ?3 WHERE id = ?4 AND generation = ?5",
                )?
                .execute(params![
                    stored(*seq),
                    at.unix_millis(),
                    r#type,
                    endpoint.id,
                    endpoint.generation
                ])?;
            }
            Turn::Replay { rest, .. } => move_replay(conn, *rest)?,
            Turn::Notice(row) => {
                conn.prepare_cached("DELETE FROM notice WHERE id = ?")?.execute([row])?;
            }
        }
        Ok(())
    }

    /// Keeps the number of a message that was given up, and moves the endpoint past it.
    fn bury(&self, conn: &Connection, endpoint: &Endpoint) -> rusqlite::Result<()> {
        if let Turn::Ordinary(Sent { seq, .. }) | Turn::Replay { seq, .. } = &self.turn {
            conn.prepare_cached(
                "INSERT OR REPLACE INTO dead (endpoint, epoch, seq, status, at) \
                 SELECT id, ?, ?, ?, ? FROM endpoint WHERE id = ? AND generation = ?",
            )?
            .execute(params![
                self.epoch,
                stored(*seq),
                self.status,
                self.at.unix_millis(),
                endpoint.id,
                endpoint.generation,
            ])?;
        }
        if let Turn::Ordinary(Sent { seq, .. }) = &self.turn {
            // It was not delivered, so it does not become the entry by which the past is recognised.
            conn.prepare_cached(
                "UPDATE endpoint SET seq = ?1, dead_from = coalesce(dead_from, ?1) WHERE id = ?2 AND generation = ?3",
            )?
            .execute((stored(*seq), endpoint.id, endpoint.generation))?;
            return Ok(());
        }
        self.leave_behind(conn, endpoint)
    }
}

/// Stores how far an endpoint has passed over entries of other types.
pub(crate) fn pass_over(conn: &Connection, endpoint: &Endpoint, seq: Seq) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE endpoint SET seq = ? WHERE id = ? AND generation = ?")?.execute((
        stored(seq),
        endpoint.id,
        endpoint.generation,
    ))?;
    Ok(())
}

/// Stores where an endpoint begins in a journal. Deletes the ranges of any other journal that were to be sent again,
/// and returns their number.
pub(crate) fn begin(conn: &Connection, endpoint: &Endpoint, place: &Place) -> rusqlite::Result<usize> {
    conn.execute(
        "UPDATE endpoint SET epoch = ?, seq = ? WHERE id = ? AND generation = ?",
        params![place.epoch, place.seq.map(stored), endpoint.id, endpoint.generation],
    )?;
    conn.execute("DELETE FROM replay WHERE endpoint = ? AND epoch <> ?", params![endpoint.id, place.epoch])
}

/// Stores what remains of a range that is sent again.
pub(crate) fn move_replay(conn: &Connection, rest: Replay) -> rusqlite::Result<()> {
    match rest.next > rest.until {
        true => conn.prepare_cached("DELETE FROM replay WHERE id = ?")?.execute([rest.row])?,
        false => {
            conn.prepare_cached("UPDATE replay SET next = ? WHERE id = ?")?.execute((stored(rest.next), rest.row))?
        }
    };
    Ok(())
}

/// Stores the end of the journal, for tools that tell the lag.
pub(crate) fn note_end(conn: &Connection, epoch: &str, seq: Seq) -> rusqlite::Result<()> {
    conn.execute("INSERT OR REPLACE INTO feed (only, epoch, seq) VALUES (1, ?, ?)", (epoch, stored(seq)))?;
    Ok(())
}

/// Pauses an endpoint whose place is in another journal. An operator says from where it goes on.
pub(crate) fn pause_in_another_past(
    conn: &Connection,
    endpoint: &Endpoint,
    suggestion: Option<Seq>,
    now: Timestamp,
) -> rusqlite::Result<()> {
    conn.execute(
        "UPDATE endpoint SET state = 'paused', reason = ?, suggestion = ?, since = ?, revision = revision + 1 \
         WHERE id = ? AND generation = ? AND state = 'active'",
        params![
            Reason::AnotherPast.name(),
            suggestion.map(stored),
            now.unix_millis(),
            endpoint.id,
            endpoint.generation,
        ],
    )?;
    Ok(())
}

/// Moves an endpoint back to the first dead letter of the row, all of which are sent again once it is resumed.
fn go_back(conn: &Connection, endpoint: &Endpoint) -> rusqlite::Result<()> {
    conn.execute(
        "DELETE FROM dead WHERE endpoint = ?1 AND epoch = (SELECT epoch FROM endpoint WHERE id = ?1) \
         AND seq >= (SELECT dead_from FROM endpoint WHERE id = ?1 AND generation = ?2)",
        (endpoint.id, endpoint.generation),
    )?;
    conn.execute(
        "UPDATE endpoint SET seq = coalesce(dead_from - 1, seq) WHERE id = ? AND generation = ?",
        (endpoint.id, endpoint.generation),
    )?;
    Ok(())
}

/// Disables an endpoint, and tells the others that ask for it.
fn disable(conn: &Connection, endpoint: &Endpoint, reason: Reason, now: Timestamp) -> rusqlite::Result<()> {
    let disabled = conn.execute(
        "UPDATE endpoint SET state = 'disabled', reason = ?, since = ?, revision = revision + 1 \
         WHERE id = ? AND generation = ? AND resumed = ? AND state = 'active'",
        params![reason.name(), now.unix_millis(), endpoint.id, endpoint.generation, endpoint.resumed],
    )?;
    if disabled == 0 {
        return Ok(());
    }
    let message = random_id();
    for other in Endpoint::all(conn)?.into_iter().flatten() {
        if other.id == endpoint.id || !takes_notices(&other.types) {
            continue;
        }
        conn.execute(
            "INSERT INTO notice (endpoint, message, about, reason, seq, at) \
             SELECT ?1, ?2, name, ?3, coalesce(seq, 0), ?4 FROM endpoint WHERE id = ?5 \
             AND (SELECT count(*) FROM notice WHERE endpoint = ?1) < ?6",
            params![other.id, message, reason.name(), now.unix_millis(), endpoint.id, NOTICES],
        )?;
        conn.execute("UPDATE endpoint SET revision = revision + 1 WHERE id = ?", [other.id])?;
    }
    Ok(())
}

fn takes_notices(types: &EventTypes) -> bool {
    types.takes(crate::message::DISABLED)
}

//! The operator's changes, beside a running relay or without one.

use std::{
    fmt, io,
    time::{Duration, SystemTime},
};

use care_core::{model::Timestamp, store::Seq};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{
    State, StateError,
    endpoint::{Condition, Endpoint, is_name},
    rows::{seq, spoilt, stored},
};
use crate::{
    RelayError,
    policy::Network,
    schedule::Reason,
    signature::Secret,
    target::{Address, Target},
    tls,
    types::EventTypes,
};

/// The most endpoints of a relay.
const ENDPOINTS: i64 = 100;
/// The most entries that may wait to be sent again to an endpoint.
const REPLAYED: u64 = 10_000;
/// The most secrets that sign for an endpoint.
const SECRETS: i64 = 10;

/// An endpoint that is to be added.
#[derive(Clone)]
pub struct NewEndpoint {
    /// The name: 1 to 64 letters, digits, full stops, hyphens and underscores.
    pub name: String,
    /// The URL to which messages go.
    pub url: String,
    /// The types of events that it asks for.
    pub types: EventTypes,
    /// The networks to which its messages may go beside all that is globally routable.
    pub networks: Vec<Network>,
    /// The certificates to trust instead of the system's, in PEM.
    pub ca: Option<String>,
    /// The proxy that makes its connections, and decides where they may go.
    pub proxy: Option<String>,
    /// The entry with which it begins.
    pub start: Start,
}

impl NewEndpoint {
    /// Returns an endpoint that asks for all events of the clinic from now on.
    pub fn new(name: impl Into<String>, url: impl Into<String>) -> Self {
        let (types, networks, ca, proxy) = (EventTypes::default(), Vec::new(), None, None);
        Self { name: name.into(), url: url.into(), types, networks, ca, proxy, start: Start::Now }
    }

    /// Checks everything that can be checked without a connection, and returns the URL as it is stored.
    fn check(&self) -> Result<String, RelayError> {
        if !is_name(&self.name) {
            return Err(
                StateError::Refused("a name is 1 to 64 letters, digits, full stops, hyphens or underscores").into()
            );
        }
        let target = Target::new(&self.url, &self.networks)?;
        match &self.proxy {
            Some(proxy) => drop(Address::proxy(proxy).ok_or(RelayError::Proxy)?),
            None => target.check_literal()?,
        }
        if let Some(pem) = &self.ca {
            tls::only(pem)?;
        }
        Ok(target.url().to_string())
    }
}

impl fmt::Debug for NewEndpoint {
    /// Shows the name alone: the URLs may hold tokens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewEndpoint").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The entry with which an endpoint begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// With the first entry after the running relay has heard of it.
    Now,
    /// With this entry.
    At(Seq),
}

impl Start {
    /// Returns the last entry that is not sent; `None` for wherever the journal ends.
    fn after(self) -> Option<i64> {
        match self {
            Self::Now => None,
            Self::At(first) => Some(stored(first).saturating_sub(1).max(0)),
        }
    }
}

impl State {
    /// Adds an endpoint, and returns its secret, which the receiver needs and which is not shown again.
    ///
    /// # Errors
    /// The endpoint is refused, or the file.
    pub fn add(&mut self, new: &NewEndpoint) -> Result<Secret, RelayError> {
        let url = new.check()?;
        let secret = random_secret()?;
        let networks: Vec<_> = new.networks.iter().map(ToString::to_string).collect();
        self.change(|conn| {
            let count: i64 = conn.query_row("SELECT count(*) FROM endpoint", [], |row| row.get(0))?;
            if count >= ENDPOINTS {
                return Err(StateError::Refused("there are 100 endpoints, and no more are possible"));
            }
            if id_of(conn, &new.name).is_ok() {
                return Err(StateError::Refused("there is an endpoint of this name"));
            }
            conn.execute(
                "INSERT INTO endpoint (name, url, types, networks, ca, proxy, state, since, seq) \
                 VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?)",
                params![
                    new.name,
                    url,
                    new.types.to_string(),
                    networks.join(","),
                    new.ca,
                    new.proxy,
                    now().unix_millis(),
                    new.start.after(),
                ],
            )?;
            let id = conn.last_insert_rowid();
            conn.execute("INSERT INTO secret (endpoint, bytes) VALUES (?, ?)", (id, secret.as_bytes()))?;
            Ok(())
        })?;
        Ok(secret)
    }

    /// Removes an endpoint with its secrets and its dead letters, also one that is damaged. One whose name cannot be
    /// read is called `#` and its number.
    ///
    /// # Errors
    /// There is no such endpoint, or the file cannot be written.
    pub fn remove(&mut self, name: &str) -> Result<(), StateError> {
        self.change(|conn| match conn.execute("DELETE FROM endpoint WHERE name = ?1 OR '#' || id = ?1", [name])? {
            0 => Err(StateError::NoEndpoint),
            _ => Ok(()),
        })
    }

    /// Pauses an endpoint. One that the relay has paused or disabled stays so.
    ///
    /// # Errors
    /// There is no such endpoint, its state does not allow it, or the file cannot be written.
    pub fn pause(&mut self, name: &str) -> Result<(), StateError> {
        self.change(|conn| {
            let endpoint = named(conn, name)?;
            if endpoint.condition == Condition::Disabled {
                return Err(StateError::Refused("the endpoint is disabled"));
            }
            conn.execute(
                "UPDATE endpoint SET state = 'paused', since = ?, revision = revision + 1 \
                 WHERE id = ? AND state = 'active'",
                (now().unix_millis(), endpoint.id),
            )?;
            Ok(())
        })
    }

    /// Resumes an endpoint, from where it stands or from another entry, and forgets its failures. It is tried at once,
    /// also one that is active and waits for its next attempt.
    ///
    /// # Errors
    /// There is no such endpoint, its state does not allow it, or the file cannot be written.
    pub fn resume(&mut self, name: &str, start: Option<Start>) -> Result<(), StateError> {
        self.change(|conn| {
            let endpoint = named(conn, name)?;
            if start.is_none() && endpoint.reason.as_deref() == Some(Reason::AnotherPast.name()) {
                let sentence = "the journal is another one: say from where, with --from SEQ or --from now";
                return Err(StateError::Refused(sentence));
            }
            if start.is_none() && endpoint.condition == Condition::Active && endpoint.progress.next.is_none() {
                return Err(StateError::Refused("the endpoint is active, and waits for no further attempt"));
            }
            conn.execute(
                "UPDATE endpoint SET state = 'active', reason = NULL, suggestion = NULL, since = ?, \
                 revision = revision + 1, resumed = resumed + 1, first_failure = NULL, tried = 0, failures = 0, \
                 refusals = 0, dead_run = 0, dead_from = NULL, next = NULL, pause = 0, trying = NULL WHERE id = ?",
                (now().unix_millis(), endpoint.id),
            )?;
            if let Some(start) = start {
                conn.execute(
                    "UPDATE endpoint SET epoch = NULL, seq = ?, sent = NULL, at = NULL, type = NULL, \
                     generation = generation + 1 WHERE id = ?",
                    (start.after(), endpoint.id),
                )?;
            }
            Ok(())
        })
    }

    /// Gives an endpoint a new secret, and returns it. The others sign as well until the end of the overlap. An
    /// endpoint whose secrets are damaged is whole again.
    ///
    /// # Errors
    /// There is no such endpoint, its state does not allow it, or the file cannot be written.
    pub fn rotate(&mut self, name: &str, overlap: Duration) -> Result<Secret, StateError> {
        let secret = random_secret()?;
        let now = now();
        let until = now.unix_millis().saturating_add(i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX));
        self.change(|conn| {
            let endpoint = id_of(conn, name)?;
            conn.execute(
                "DELETE FROM secret WHERE endpoint = ? AND (until <= ? OR length(bytes) <> ?)",
                (endpoint, now.unix_millis(), Secret::LENGTH as i64),
            )?;
            conn.execute(
                "UPDATE secret SET until = min(coalesce(until, ?1), ?1) WHERE endpoint = ?2",
                (until, endpoint),
            )?;
            conn.execute("INSERT INTO secret (endpoint, bytes) VALUES (?, ?)", (endpoint, secret.as_bytes()))?;
            let count: i64 =
                conn.query_row("SELECT count(*) FROM secret WHERE endpoint = ?", [endpoint], |row| row.get(0))?;
            if count > SECRETS {
                return Err(StateError::Refused("too many secrets overlap: wait until one has ended"));
            }
            touch(conn, endpoint)
        })?;
        Ok(secret)
    }

    /// Lets entries from the first to the last number be sent again, with the same ids.
    ///
    /// # Errors
    /// There is no such endpoint, its state does not allow it, or the file cannot be written.
    pub fn replay(&mut self, name: &str, first: Seq, last: Seq) -> Result<(), StateError> {
        self.change(|conn| {
            let endpoint = in_this_past(conn, name)?;
            if first.value() == 0 || first > last {
                return Err(StateError::Refused("--from must be an entry, and --to must not be before it"));
            }
            if endpoint.place.epoch.is_none() || endpoint.place.seq.is_none_or(|place| place < last) {
                return Err(StateError::Refused("the endpoint has not got as far as --to: it will get those entries"));
            }
            check_room(conn, &endpoint, last.value() - first.value() + 1)?;
            enqueue(conn, &endpoint, first, last)?;
            touch(conn, endpoint.id)
        })
    }

    /// Lets a dead letter be sent again, or all of this journal's, and returns how many.
    ///
    /// # Errors
    /// There is no such endpoint, its state does not allow it, or the file cannot be written.
    pub fn bring_back(&mut self, name: &str, which: Option<Seq>) -> Result<u64, StateError> {
        self.change(|conn| {
            let endpoint = in_this_past(conn, name)?;
            let mut query = conn.prepare(
                "SELECT seq FROM dead WHERE endpoint = ?1 AND epoch = ?2 AND (?3 IS NULL OR seq = ?3) ORDER BY seq",
            )?;
            let found: Vec<Seq> = query
                .query_map(params![endpoint.id, endpoint.place.epoch, which.map(stored)], |row| {
                    seq(row, 0)?.ok_or_else(spoilt)
                })?
                .collect::<Result<_, _>>()?;
            if found.is_empty() && which.is_some() {
                return Err(StateError::Refused("there is no such dead letter of this journal"));
            }
            check_room(conn, &endpoint, found.len() as u64)?;
            for &seq in &found {
                enqueue(conn, &endpoint, seq, seq)?;
            }
            conn.execute(
                "DELETE FROM dead WHERE endpoint = ?1 AND epoch = ?2 AND (?3 IS NULL OR seq = ?3)",
                params![endpoint.id, endpoint.place.epoch, which.map(stored)],
            )?;
            touch(conn, endpoint.id)?;
            Ok(found.len() as u64)
        })
    }

    /// Makes a change as a whole or not at all.
    fn change<T>(&mut self, change: impl FnOnce(&Connection) -> Result<T, StateError>) -> Result<T, StateError> {
        let transaction = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let changed = change(&transaction)?;
        transaction.commit()?;
        Ok(changed)
    }
}

/// Returns the endpoint with this name, unless it is damaged.
pub(super) fn named(conn: &Connection, name: &str) -> Result<Endpoint, StateError> {
    Endpoint::named(conn, name)?.ok_or(StateError::NoEndpoint)?.map_err(|_| StateError::Damaged)
}

/// Returns the number of the endpoint with this name, also if it is damaged.
fn id_of(conn: &Connection, name: &str) -> Result<i64, StateError> {
    let id = conn.query_row("SELECT id FROM endpoint WHERE name = ?", [name], |row| row.get(0)).optional()?;
    id.ok_or(StateError::NoEndpoint)
}

/// Returns the endpoint with this name, unless its place is in another journal.
fn in_this_past(conn: &Connection, name: &str) -> Result<Endpoint, StateError> {
    let endpoint = named(conn, name)?;
    match endpoint.reason.as_deref() == Some(Reason::AnotherPast.name()) {
        true => Err(StateError::Refused("the journal is another one: resume the endpoint first")),
        false => Ok(endpoint),
    }
}

fn now() -> Timestamp {
    SystemTime::now().into()
}

fn random_secret() -> Result<Secret, StateError> {
    Secret::random().map_err(|error| StateError::System(io::Error::other(error.to_string())))
}

/// Lets the running relay read the endpoint again.
fn touch(conn: &Connection, endpoint: i64) -> Result<(), StateError> {
    conn.execute("UPDATE endpoint SET revision = revision + 1 WHERE id = ?", [endpoint])?;
    Ok(())
}

/// Refuses more entries than may wait to be sent again.
fn check_room(conn: &Connection, endpoint: &Endpoint, more: u64) -> Result<(), StateError> {
    let query = "SELECT coalesce(sum(until - next + 1), 0) FROM replay WHERE endpoint = ?";
    let waiting: i64 = conn.query_row(query, [endpoint.id], |row| row.get(0))?;
    match u64::try_from(waiting).unwrap_or_default().saturating_add(more) > REPLAYED {
        true => Err(StateError::Refused("at most 10000 entries may wait to be sent again")),
        false => Ok(()),
    }
}

fn enqueue(conn: &Connection, endpoint: &Endpoint, first: Seq, last: Seq) -> Result<(), StateError> {
    let mut insert = conn.prepare_cached("INSERT INTO replay (endpoint, epoch, next, until) VALUES (?, ?, ?, ?)")?;
    insert.execute((endpoint.id, &endpoint.place.epoch, stored(first), stored(last)))?;
    Ok(())
}

//! An endpoint with everything that its delivery needs.

use std::str::FromStr;

use care_core::{model::Timestamp, store::Seq};
use rusqlite::{Connection, Error, OptionalExtension as _, Row};

use super::rows::{instant, seq, spoilt, time};
use crate::{
    message::Notice,
    policy::Network,
    schedule::Progress,
    signature::Secret,
    target::{Address, Target},
    tls,
    types::EventTypes,
};

/// An endpoint: where its messages go, and how far it is.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) types: EventTypes,
    pub(crate) networks: Vec<Network>,
    pub(crate) ca: Option<String>,
    pub(crate) proxy: Option<String>,
    pub(crate) condition: Condition,
    pub(crate) reason: Option<String>,
    pub(crate) revision: i64,
    pub(crate) resumed: i64,
    pub(crate) generation: i64,
    pub(crate) place: Place,
    pub(crate) progress: Progress,
    /// The id of the message that is being tried.
    pub(crate) trying: Option<String>,
}

/// An endpoint whose rows hold what no relay writes. It gets nothing until the operator has mended or removed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Damaged {
    pub(crate) id: i64,
    /// The name; `#` and the number if that cannot be read either.
    pub(crate) name: String,
}

/// A secret that signs, until an instant if it was replaced.
#[derive(Debug, Clone)]
pub(crate) struct Signing {
    pub(crate) secret: Secret,
    pub(crate) until: Option<Timestamp>,
}

/// Whether an endpoint gets messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// It does.
    Active,
    /// It does not until it is resumed.
    Paused,
    /// It does not, because of its receiver.
    Disabled,
    /// It does not, because its rows are damaged. This is found and never stored.
    Damaged,
}

/// The place of an endpoint in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Place {
    /// The epoch; `None` before the relay has seen the journal.
    pub(crate) epoch: Option<String>,
    /// The last entry that was delivered or passed over; `None` for the end of the journal, wherever the relay finds
    /// it.
    pub(crate) seq: Option<Seq>,
    /// The last entry that was delivered.
    pub(crate) sent: Option<Sent>,
}

/// An entry that was delivered, by which the past is recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) seq: Seq,
    pub(crate) at: Timestamp,
    pub(crate) r#type: String,
}

/// A range of entries to be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Replay {
    pub(crate) row: i64,
    pub(crate) next: Seq,
    pub(crate) until: Seq,
}

impl Signing {
    pub(crate) fn is_valid(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

impl Condition {
    pub(crate) const ALL: [Self; 4] = [Self::Active, Self::Paused, Self::Disabled, Self::Damaged];

    /// Returns the name in the state, in lists and in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Disabled => "disabled",
            Self::Damaged => "damaged",
        }
    }
}

/// The columns of an endpoint, in the order in which [`Endpoint::read`] takes them.
const COLUMNS: &str = "id, name, url, types, networks, ca, proxy, state, reason, revision, \
    generation, epoch, seq, sent, at, type, first_failure, failures, refusals, dead_run, next, trying, \
    resumed, tried, pause";

impl Endpoint {
    /// Returns all endpoints, by name. One that is damaged hides no other.
    pub(crate) fn all(conn: &Connection) -> rusqlite::Result<Vec<Result<Self, Damaged>>> {
        let mut query = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM endpoint ORDER BY name, id"))?;
        query.query_map([], |row| Self::find(conn, row))?.collect()
    }

    pub(crate) fn named(conn: &Connection, name: &str) -> rusqlite::Result<Option<Result<Self, Damaged>>> {
        let query = format!("SELECT {COLUMNS} FROM endpoint WHERE name = ?");
        conn.query_row(&query, [name], |row| Self::find(conn, row)).optional()
    }

    /// Returns the endpoint with this number, if it still gets messages.
    pub(crate) fn active(conn: &Connection, id: i64) -> rusqlite::Result<Option<Self>> {
        let query = format!("SELECT {COLUMNS} FROM endpoint WHERE id = ? AND state = 'active'");
        conn.query_row(&query, [id], Self::read).optional()
    }

    /// Reads an endpoint and everything that its delivery needs, and tells damage from a failure of SQLite.
    fn find(conn: &Connection, row: &Row<'_>) -> rusqlite::Result<Result<Self, Damaged>> {
        let id = row.get(0)?;
        let found = Self::read(row).and_then(|endpoint| {
            endpoint.check(conn)?;
            Ok(endpoint)
        });
        match found {
            Ok(endpoint) => Ok(Ok(endpoint)),
            Err(Error::SqliteFailure(code, message)) => Err(Error::SqliteFailure(code, message)),
            Err(_) => {
                let name = row.get_ref(1)?.as_str().ok().filter(|name| is_name(name));
                Ok(Err(Damaged { id, name: name.map_or_else(|| format!("#{id}"), str::to_owned) }))
            }
        }
    }

    /// Checks what is not in the endpoint's own row, or not read from it as what it is.
    fn check(&self, conn: &Connection) -> rusqlite::Result<()> {
        let is_whole = is_name(&self.name)
            && Target::new(&self.url, &self.networks).is_ok()
            && self.ca.as_deref().is_none_or(|pem| tls::only(pem).is_ok())
            && self.proxy.as_deref().is_none_or(|proxy| Address::proxy(proxy).is_some())
            // One secret always stays valid. Without it messages would not be signed.
            && self.secrets(conn)?.iter().any(|signing| signing.until.is_none());
        self.replays(conn)?;
        self.notices(conn)?;
        if is_whole { Ok(()) } else { Err(spoilt()) }
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let condition: String = row.get(7)?;
        let sent = match (seq(row, 13)?, instant(row, 14)?, row.get(15)?) {
            (Some(seq), Some(at), Some(r#type)) => Some(Sent { seq, at, r#type }),
            _ => None,
        };
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            url: row.get(2)?,
            types: parsed(&row.get::<_, String>(3)?)?,
            networks: row.get::<_, String>(4)?.split_terminator(',').map(parsed).collect::<Result<_, _>>()?,
            ca: row.get(5)?,
            proxy: row.get(6)?,
            condition: Condition::ALL.into_iter().find(|known| known.name() == condition).ok_or_else(spoilt)?,
            reason: row.get(8)?,
            revision: row.get(9)?,
            generation: row.get(10)?,
            place: Place { epoch: row.get(11)?, seq: seq(row, 12)?, sent },
            progress: Progress {
                first_failure: instant(row, 16)?,
                failures: row.get(17)?,
                refusals: row.get(18)?,
                dead_run: row.get(19)?,
                next: instant(row, 20)?,
                tried: time(row, 23)?,
                pause: time(row, 24)?,
            },
            trying: row.get(21)?,
            resumed: row.get(22)?,
        })
    }

    /// Returns the secrets with the instants at which they end, newest first.
    pub(crate) fn secrets(&self, conn: &Connection) -> rusqlite::Result<Vec<Signing>> {
        let mut query = conn.prepare_cached("SELECT bytes, until FROM secret WHERE endpoint = ? ORDER BY id DESC")?;
        let secrets = query.query_map([self.id], |row| {
            let secret = Secret::from_bytes(row.get(0)?).ok_or_else(spoilt)?;
            Ok(Signing { secret, until: instant(row, 1)? })
        })?;
        secrets.collect()
    }

    /// Returns the number of dead letters.
    pub(crate) fn dead(&self, conn: &Connection) -> rusqlite::Result<i64> {
        let query = "SELECT count(*) FROM dead WHERE endpoint = ?";
        conn.prepare_cached(query)?.query_row([self.id], |row| row.get(0))
    }

    /// Returns the ranges that are to be sent again, oldest first.
    pub(crate) fn replays(&self, conn: &Connection) -> rusqlite::Result<Vec<Replay>> {
        let mut query = conn.prepare_cached("SELECT id, next, until FROM replay WHERE endpoint = ? ORDER BY id")?;
        let replays = query.query_map([self.id], |row| {
            let (next, until) = (seq(row, 1)?.ok_or_else(spoilt)?, seq(row, 2)?.ok_or_else(spoilt)?);
            Ok(Replay { row: row.get(0)?, next, until })
        })?;
        replays.collect()
    }

    /// Returns the relay's own messages that the endpoint has not got yet, oldest first.
    pub(crate) fn notices(&self, conn: &Connection) -> rusqlite::Result<Vec<Notice>> {
        let mut query = conn
            .prepare_cached("SELECT id, message, about, reason, seq, at FROM notice WHERE endpoint = ? ORDER BY id")?;
        let notices = query.query_map([self.id], |row| {
            Ok(Notice {
                row: row.get(0)?,
                id: row.get(1)?,
                endpoint: row.get(2)?,
                reason: row.get(3)?,
                seq: seq(row, 4)?.ok_or_else(spoilt)?,
                at: instant(row, 5)?.ok_or_else(spoilt)?,
            })
        })?;
        notices.collect()
    }
}

/// Returns whether an endpoint can have this name.
pub(super) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(is_part)
}

fn parsed<T: FromStr>(text: &str) -> rusqlite::Result<T> {
    text.parse().map_err(|_| spoilt())
}

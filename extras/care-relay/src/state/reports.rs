//! The operator's questions.

use care_core::{model::Timestamp, store::Seq};
use rusqlite::OptionalExtension as _;

use super::{
    State, StateError,
    endpoint::{Damaged, Endpoint, Signing},
    operator::named,
    rows::{instant, seq, spoilt},
};

/// An attempt of the last hundred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttemptRow {
    /// The entry; `None` for a message of the relay's own.
    pub(crate) seq: Option<Seq>,
    pub(crate) at: Timestamp,
    pub(crate) status: String,
    pub(crate) millis: i64,
}

/// A message that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeadRow {
    pub(crate) epoch: String,
    pub(crate) seq: Seq,
    pub(crate) status: String,
    pub(crate) at: Timestamp,
}

impl State {
    pub(crate) fn endpoints(&self) -> Result<Vec<Result<Endpoint, Damaged>>, StateError> {
        Ok(Endpoint::all(&self.conn)?)
    }

    pub(crate) fn endpoint(&self, name: &str) -> Result<Endpoint, StateError> {
        named(&self.conn, name)
    }

    /// Returns since when an endpoint is in its state, and the entry from which to resume one in another past whose
    /// last delivered entry stands.
    pub(crate) fn standing(&self, endpoint: &Endpoint) -> Result<(Timestamp, Option<Seq>), StateError> {
        let query = "SELECT since, suggestion FROM endpoint WHERE id = ?";
        let standing = |row: &rusqlite::Row<'_>| Ok((instant(row, 0)?.ok_or_else(spoilt)?, seq(row, 1)?));
        Ok(self.conn.query_row(query, [endpoint.id], standing)?)
    }

    /// Returns the secrets of an endpoint, newest first.
    pub(crate) fn secrets(&self, endpoint: &Endpoint) -> Result<Vec<Signing>, StateError> {
        Ok(endpoint.secrets(&self.conn)?)
    }

    /// Returns the dead letters of an endpoint, oldest first.
    pub(crate) fn dead(&self, endpoint: &Endpoint) -> Result<Vec<DeadRow>, StateError> {
        let mut query =
            self.conn.prepare("SELECT epoch, seq, status, at FROM dead WHERE endpoint = ? ORDER BY at, seq")?;
        let dead = query.query_map([endpoint.id], |row| {
            Ok(DeadRow {
                epoch: row.get(0)?,
                seq: seq(row, 1)?.ok_or_else(spoilt)?,
                status: row.get(2)?,
                at: instant(row, 3)?.ok_or_else(spoilt)?,
            })
        })?;
        Ok(dead.collect::<Result<_, _>>()?)
    }

    /// Returns the number of an endpoint's dead letters.
    pub(crate) fn count_dead(&self, endpoint: &Endpoint) -> Result<i64, StateError> {
        Ok(endpoint.dead(&self.conn)?)
    }

    /// Returns the last attempts of an endpoint, newest first.
    pub(crate) fn attempts(&self, endpoint: &Endpoint) -> Result<Vec<AttemptRow>, StateError> {
        let mut query =
            self.conn.prepare("SELECT seq, at, status, millis FROM attempt WHERE endpoint = ? ORDER BY id DESC")?;
        let attempts = query.query_map([endpoint.id], |row| {
            let at = instant(row, 1)?.ok_or_else(spoilt)?;
            Ok(AttemptRow { seq: seq(row, 0)?, at, status: row.get(2)?, millis: row.get(3)? })
        })?;
        Ok(attempts.collect::<Result<_, _>>()?)
    }

    /// Returns the epoch and the end of the journal as the running relay last stored them.
    pub(crate) fn end(&self) -> Result<Option<(String, Seq)>, StateError> {
        let end = self
            .conn
            .query_row("SELECT epoch, seq FROM feed", [], |row| Ok((row.get(0)?, seq(row, 1)?.ok_or_else(spoilt)?)));
        Ok(end.optional()?)
    }
}

//! Whether the standbys have a commit.
//!
//! If a commit is cancelled while it waits for its standbys, PostgreSQL still answers as if it had succeeded, with a
//! warning that a setting can hide. So the store asks how far the standbys are after each commit that had to wait for
//! them.

use std::time::Duration;

use care_core::store::rows::RowReader;
use tokio_postgres::Row;

use super::session::{Request, Session};
use crate::base::{
    cells::Cells,
    error::Fault,
    open_error::{OpenError, OpenErrorKind},
};

/// Pause between two questions to the standbys. They lag behind the primary for a moment when other writers are busy
/// too.
pub(crate) const AGAIN: Duration = Duration::from_millis(2);

/// The start time of a server, which tells it from the server that replaces it.
macro_rules! start {
    () => {
        "(pg_catalog.date_part('epoch'::text, pg_catalog.pg_postmaster_start_time()) * 1000000::float8)::int8"
    };
}

/// Columns for a statement in a writing transaction. They force its commit to wait, whatever the settings of the role,
/// the database or the pooler say. They also return the start time of the server whose standbys it waits for, if it has
/// any, and whether this role may see how far the standbys are.
macro_rules! durably {
    () => {
        concat!(
            "CASE WHEN pg_catalog.current_setting('synchronous_commit'::text) IN ('on'::text, 'remote_apply'::text) \
             THEN NULL ELSE pg_catalog.set_config('synchronous_commit'::text, 'on'::text, true) END, \
             CASE WHEN pg_catalog.current_setting('synchronous_standby_names'::text) = ''::text THEN NULL ELSE ",
            $crate::connect::synchronous::start!(),
            " END, pg_catalog.pg_has_role(current_user, 'pg_read_all_stats'::name, 'USAGE'::text)"
        )
    };
}

pub(crate) use {durably, start};

/// Whether enough standbys, by `synchronous_standby_names`, have flushed everything that this server had flushed when
/// it was first asked; and the position up to which it had flushed. By then the commit is flushed. A different server
/// cannot answer, and a server whose setting was emptied since the transaction began has no standby that can.
const ASK: &str = concat!(
    "SELECT target::text, $2::int8 = ",
    start!(),
    " AND due <= ( \
         SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_get_wal_senders() AS s \
         WHERE s.sync_state IN ('sync'::text, 'quorum'::text) AND s.flush_lsn >= target \
     ) FROM ( \
         SELECT coalesce($1::text::pg_lsn, pg_catalog.pg_current_wal_flush_lsn()) AS target, \
             coalesce((pg_catalog.regexp_match( \
                 pg_catalog.current_setting('synchronous_standby_names'::text), \
                 '^[[:space:]]*(?:any|first)?[[:space:]]*([0-9]+)[[:space:]]*[(]'::text, 'i'::text \
             ))[1]::int8, 1::int8) AS due \
     ) AS sought"
);

/// The settings that decide whether commits wait, how many standbys are streaming out of how many that commits wait
/// for, and whether this user may see that.
const STATE: &str = "SELECT pg_catalog.current_setting('synchronous_standby_names'::text), \
     pg_catalog.current_setting('synchronous_commit'::text), ( \
         SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication \
         WHERE state = 'streaming'::text AND sync_state IN ('sync'::text, 'quorum'::text) \
     ), pg_catalog.pg_has_role(current_user, 'pg_read_all_stats'::name, 'USAGE'::text)";

/// The machines whose disks make a commit durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durable {
    /// The server's own disk: commits wait for no standby.
    ByItself,
    /// The standbys of the server with this start time.
    ByStandbys(i64),
}

/// The standbys' answer to whether they have a commit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standbys {
    HaveIt,
    /// They have not yet confirmed everything up to this position.
    LackUpTo(String),
}

impl Durable {
    /// Reads the columns of [`durably`] on this connection. Fails if the standbys cannot be asked, or there are none
    /// and one is required, because then nothing may be written.
    pub(crate) fn read(cells: &mut Cells<'_>, session: &Session) -> Result<Self, Fault> {
        cells.maybe_str()?;
        match (cells.maybe_integer()?, cells.get::<bool>()?) {
            (None, _) if session.requires_standby() => Err(Fault::Alone),
            (None, _) => Ok(Self::ByItself),
            (Some(server), true) => Ok(Self::ByStandbys(server)),
            (Some(_), false) => Err(Fault::Hidden),
        }
    }

    /// Returns the question to ask after a commit was answered, or to repeat after an earlier answer; none if nothing
    /// is open.
    pub(crate) fn question(self, asked: Option<Standbys>) -> Option<Request> {
        let Self::ByStandbys(server) = self else {
            return None;
        };
        let target = match asked {
            Some(Standbys::HaveIt) => return None,
            Some(Standbys::LackUpTo(target)) => Some(target),
            None => None,
        };
        Some(Request::new(ASK, [target.as_deref().into(), server.into()]))
    }
}

impl Standbys {
    /// Reads the answer to a [question](Durable::question).
    pub(crate) fn read(rows: &[Row]) -> Result<Self, Fault> {
        let mut cells = Cells::first("pg_stat_replication", rows)?;
        let target = cells.get::<String>()?;
        Ok(if cells.get::<bool>()? { Self::HaveIt } else { Self::LackUpTo(target) })
    }
}

/// Refuses a server whose standbys cannot be asked and, if a standby is required, a server that acknowledges commits
/// before a standby has them. The error names the first thing that is missing.
pub(crate) async fn check(session: &Session, is_required: bool) -> Result<(), OpenError> {
    let rows = session.query(Request::new(STATE, [])).await?;
    let mut cells = Cells::first("pg_settings", &rows)?;
    let names = cells.get::<String>()?;
    let commit = cells.get::<String>()?;
    let standbys = cells.get::<i64>()?;
    let may_know = cells.get::<bool>()?;
    match names.trim().is_empty() {
        true if is_required => return Err(OpenErrorKind::NotSynchronous.into()),
        true => return Ok(()),
        false => {}
    }
    if is_required && !["on", "remote_apply"].contains(&commit.as_str()) {
        return Err(OpenErrorKind::CommitsAhead.into());
    }
    match (standbys, may_know) {
        (_, false) => Err(OpenErrorKind::StandbysHidden.into()),
        (0, true) if is_required => Err(OpenErrorKind::NoStandby.into()),
        (_, true) => Ok(()),
    }
}

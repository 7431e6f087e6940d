//! The holders of what others wait for: the watchdog of an opening logs them and ends the opening when it takes too
//! long, and they are logged when a lock has made a read or a write fail.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use care_core::{model::Visible, store::rows::RowReader};

use super::{
    schema::lock_of_writers,
    session::{Request, Session},
    wire::{Attempt, Wire},
};
use crate::base::{
    cells::Cells,
    error::Fault,
    open_error::{OpenError, OpenErrorKind},
    settings::Settings,
};

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(2);

/// Whether the opening's PostgreSQL process waits for a standby, and the processes that hold a lock it waits for, one a
/// row. PostgreSQL hides from many roles what another role's process is doing, but not the role's and the program's
/// names.
const LOOK: &str = "SELECT w.wait_event = 'SyncRep'::text, b.pid, a.usename::text, a.application_name, \
     pg_catalog.date_part('epoch'::text, pg_catalog.clock_timestamp() - a.state_change)::int8 \
     FROM pg_catalog.pg_stat_activity AS w \
     LEFT JOIN LATERAL pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) AS b (pid) ON true \
     LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = b.pid WHERE w.pid = $1::int4 LIMIT 3";

/// Watches an opening.
pub(crate) struct Waiting<'a> {
    pub(crate) wire: &'a Wire,
    /// The PostgreSQL process that serves the opening; zero until it is known.
    pub(crate) process: &'a AtomicI64,
    /// Longest total time spent waiting for others.
    pub(crate) limit: Duration,
}

impl Waiting<'_> {
    /// Looks every few seconds, and logs what the opening waits for. Returns the error that ends the opening once it
    /// has waited too long. Time that the opening spends on its own work does not count.
    pub(crate) async fn watch(self) -> OpenError {
        let mut waited = Duration::ZERO;
        let mut session = None;
        loop {
            let since = Instant::now();
            if let Err(fault) = self.wire.pause(EVERY.min(self.limit / 4)).await {
                return fault.into();
            }
            let holder = match self.look(&mut session).await {
                Ok(Some(holder)) => holder,
                Ok(None) => continue,
                Err(fault) => {
                    session = None;
                    match fault.is_silence() {
                        true => "an answer of PostgreSQL".to_owned(),
                        // The server does answer, just not this query.
                        false => continue,
                    }
                }
            };
            waited += since.elapsed();
            if waited >= self.limit {
                return OpenError::with(OpenErrorKind::Waited, format!("waited {} s for {holder}", waited.as_secs()));
            }
            tracing::warn!(seconds = waited.as_secs(), "the opening of the database waits for {holder}");
        }
    }

    /// Returns what the opening waits for.
    async fn look(&self, session: &mut Option<Session>) -> Result<Option<String>, Fault> {
        let process = self.process.load(Ordering::SeqCst);
        let session = match session {
            Some(session) => session,
            none => none.insert(self.wire.attempt(&Settings::default().with("statement_timeout", "5s")).await?),
        };
        let rows = session.single(Request::new(LOOK, [process.into()])).await?;
        let mut holders = Vec::new();
        for row in &rows {
            let mut cells = Cells::new("pg_stat_activity", row);
            if cells.maybe_boolean()? == Some(true) {
                return Ok(Some("a synchronous standby, which the commit needs".to_owned()));
            }
            holders.extend(holder(&mut cells)?);
        }
        Ok((!holders.is_empty()).then(|| holders.join(" and ")))
    }
}

/// Describes a process that holds a lock.
pub(crate) fn holder(cells: &mut Cells<'_>) -> Result<Option<String>, Fault> {
    let words = match cells.maybe_integer()? {
        None => return Ok(None),
        Some(0) => return Ok(Some("a prepared transaction, which holds a lock".to_owned())),
        Some(process) => format!("the process {process} of PostgreSQL, which holds a lock"),
    };
    let mut shown = |name: &str| -> Result<String, Fault> {
        let text = cells.maybe_str()?.filter(|text| !text.is_empty());
        Ok(text.map(|text| format!(", {name} {}", Visible(text))).unwrap_or_default())
    };
    let (role, program) = (shown("role")?, shown("application")?);
    let idle = cells.maybe_integer()?.map(|seconds| format!(", in its state for {seconds} s")).unwrap_or_default();
    Ok(Some(format!("{words}{role}{program}{idle}")))
}

/// Shortest time between two looks.
const SELDOM: Duration = Duration::from_secs(5);
/// Longest time that one look may take.
const LIMIT: Duration = Duration::from_secs(10);

/// The processes that hold the writers' lock, or a table lock that reads or writes wait for.
const LOCKS: &str = concat!(
    "SELECT l.pid, a.usename::text, a.application_name, \
     pg_catalog.date_part('epoch'::text, pg_catalog.clock_timestamp() - a.state_change)::int8 \
     FROM pg_catalog.pg_locks AS l LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid \
     WHERE l.granted AND l.database = (SELECT oid FROM pg_catalog.pg_database \
         WHERE datname = pg_catalog.current_database()) \
     AND (l.locktype = 'advisory'::text AND l.classid = ",
    lock_of_writers!(),
    "::oid \
         AND l.objid = 'journal'::regclass::oid \
         OR l.locktype = 'relation'::text AND l.mode IN ('ShareLock'::text, 'ShareRowExclusiveLock'::text, \
             'ExclusiveLock'::text, 'AccessExclusiveLock'::text) \
         AND l.relation IN (SELECT oid FROM pg_catalog.pg_class WHERE relkind = 'r'::\"char\" \
             AND relnamespace = (SELECT relnamespace FROM pg_catalog.pg_class \
                 WHERE oid = 'journal'::regclass::oid))) \
     LIMIT 3"
);

/// Finds out who holds locks, at most once in five seconds.
#[derive(Debug, Default)]
pub(crate) struct Holders {
    looked: Mutex<Option<Instant>>,
}

impl Holders {
    /// Logs in the background who holds a lock that others wait for.
    pub(crate) fn look(&self, wire: &Wire) {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.is_some_and(|at| at.elapsed() < SELDOM) {
            return;
        }
        *looked = Some(Instant::now());
        let settings = Settings::default().with("statement_timeout", "5s");
        let attempt = wire.attempt(&settings);
        wire.spawn(async move {
            match tokio::time::timeout(LIMIT, find(attempt)).await.unwrap_or(Err(Fault::NoConnection)) {
                Ok(holders) if holders.is_empty() => {}
                Ok(holders) => tracing::warn!("requests were refused because of {}", holders.join(" and ")),
                Err(fault) => tracing::debug!(error = %fault, "the holder of a lock was not found"),
            }
        });
    }
}

async fn find(attempt: Attempt) -> Result<Vec<String>, Fault> {
    let rows = attempt.await?.single(Request::new(LOCKS, [])).await?;
    let mut holders = Vec::new();
    for row in &rows {
        holders.extend(holder(&mut Cells::new("pg_locks", row))?);
    }
    Ok(holders)
}

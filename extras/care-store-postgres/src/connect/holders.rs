//! Logging who holds a lock that made a read or a write fail.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{
    schema::lock_of_writers,
    session::Request,
    waiting::holder,
    wire::{Attempt, Wire},
};
use crate::base::{error::Fault, records::Cells, settings::Settings};

/// Shortest time between two looks.
const EVERY: Duration = Duration::from_secs(5);
/// Longest time that one look may take.
const LIMIT: Duration = Duration::from_secs(10);

/// The processes that hold the writers' lock, or a table lock that reads or writes wait for.
const LOOK: &str = concat!(
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
        if looked.is_some_and(|at| at.elapsed() < EVERY) {
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
    let rows = attempt.await?.single(Request::new(LOOK, [])).await?;
    let mut holders = Vec::new();
    for row in &rows {
        holders.extend(holder(&mut Cells::new("pg_locks", row))?);
    }
    Ok(holders)
}

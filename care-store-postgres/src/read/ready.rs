//! Whether a read and a write would succeed now.

use std::time::{Duration, Instant};

use care_core::error::StoreErrorKind;
use tokio::sync::Mutex;

use super::journal;
use crate::{
    base::error::Fault,
    connect::{pool::Pool, schema::lock_of_writers, session::Request, strangers},
};

/// The time for which a finding stays valid. However often a server is probed, it looks at most five times a second.
const FRESH: Duration = Duration::from_millis(200);
/// Waits until no other transaction writes, and releases the lock at once.
const TURN: &str =
    concat!("SELECT pg_catalog.pg_advisory_xact_lock_shared(", lock_of_writers!(), ", 'journal'::regclass::oid::int4)");

/// The last finding, and when it was made.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    found: Mutex<Option<(Instant, Result<(), StoreErrorKind>)>>,
}

impl Probe {
    /// Returns a finding if it is recent, or else makes a new one with `find`.
    pub(crate) async fn found<F>(&self, find: impl FnOnce() -> F + Send) -> Result<(), StoreErrorKind>
    where
        F: Future<Output = Result<(), StoreErrorKind>> + Send,
    {
        let mut last = self.found.lock().await;
        if let Some((at, found)) = *last
            && at.elapsed() < FRESH
        {
            return found;
        }
        let found = find().await;
        *last = Some((Instant::now(), found));
        found
    }
}

/// Reads on a pooled connection, takes the table locks that a read and a write take, and waits for the writers' lock as
/// a write does.
pub(crate) async fn probe(pool: &Pool) -> Result<(), Fault> {
    let lent = pool.lend().await?;
    let tables = strangers::tables().collect::<Vec<_>>().join(", ");
    let locked = Request::plain(format!("LOCK TABLE {tables} IN ROW EXCLUSIVE MODE"));
    let read = Request::new(journal::LAST, []);
    lent.run(&[lent.beginning("BEGIN READ ONLY", ""), locked, read, Request::plain("COMMIT")]).await?;
    let limit = pool.wait().as_millis().max(1);
    let turn = Request::plain(format!("SET LOCAL lock_timeout = {limit}; {TURN}"));
    lent.run(&[lent.beginning("BEGIN READ ONLY", ""), turn, Request::plain("COMMIT")]).await.map(drop)
}

//! Whether a read and a write would succeed now.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use care_core::{
    error::StoreErrorKind,
    store::{RecordKind, sql::LAST},
};
use tokio::sync::Mutex;

use super::journal;
use crate::{
    base::{cells::Cells, error::Fault, statements::sql},
    connect::{
        pool::Pool,
        schema::lock_of_writers,
        session::{Request, Session},
        synchronous::{AGAIN, Durable, Standbys, durably},
    },
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

/// The statements of a read and a write of every table, for no row: PostgreSQL takes the locks, and looks up the
/// columns and what the role may do.
static NOTHING: LazyLock<String> = LazyLock::new(|| {
    let sqls = RecordKind::ALL
        .iter()
        .map(|kind| sql(*kind))
        .flat_map(|sql| [format!("{} LIMIT 0", sql.select), for_no_row(&sql.put)]);
    let others = ["UPDATE care SET resolved = resolved WHERE false", "LOCK TABLE api_key IN ROW EXCLUSIVE MODE"];
    let others = others.map(str::to_owned).into_iter().chain([for_no_row(journal::APPEND)]);
    sqls.chain(others).collect::<Vec<_>>().join("; ")
});

/// Returns a statement whose parameters are arrays, with none in their places.
fn for_no_row(sql: &str) -> String {
    // The highest number first, because `$1` begins `$10` too.
    (1..=sql.matches('$').count()).rev().fold(sql.to_owned(), |sql, number| sql.replace(&format!("${number}"), "NULL"))
}

/// Adds an empty message to the write-ahead log, which standbys confirm like any other commit.
const MESSAGE: &str = "SELECT pg_catalog.pg_logical_emit_message(true, 'care'::text, ''::text)";

/// Reads and writes nothing in every table on a pooled connection, and waits for the writers' lock and for the standbys
/// as a write does.
pub(crate) async fn probe(pool: &Pool) -> Result<(), Fault> {
    let since = Instant::now();
    let lent = pool.lend().await?;
    let requests = [
        lent.beginning("BEGIN READ WRITE", ""),
        Request::plain(NOTHING.as_str()),
        Request::new(LAST, []),
        Request::new(concat!("SELECT ", durably!()), []),
        Request::plain("ROLLBACK"),
    ];
    let answers = lent.run(&requests).await?;
    let durable = answers.get(3).and_then(|rows| rows.first()).ok_or(Fault::Unexpected)?;
    let durable = Durable::read(&mut Cells::new("pg_settings", durable), &lent)?;
    let limit = pool.wait.as_millis().max(1);
    let turn = Request::plain(format!("SET LOCAL lock_timeout = {limit}; {TURN}"));
    lent.run(&[lent.beginning("BEGIN READ ONLY", ""), turn, Request::plain("COMMIT")]).await?;
    match durable {
        Durable::ByItself => Ok(()),
        Durable::ByStandbys(_) => reach_standbys(pool, &lent, durable, since).await,
    }
}

/// Waits until the standbys have a commit that changes nothing. The commit itself does not wait, because only a
/// cancellation from another connection could end its wait.
async fn reach_standbys(pool: &Pool, session: &Session, durable: Durable, since: Instant) -> Result<(), Fault> {
    let begin = session.beginning("BEGIN READ WRITE", "SET LOCAL synchronous_commit = local");
    session.run(&[begin, Request::plain(MESSAGE), Request::plain("COMMIT")]).await?;
    let mut asked = None;
    while let Some(question) = durable.question(asked) {
        asked = Some(Standbys::read(&session.single(question).await?)?);
        if asked != Some(Standbys::HaveIt) {
            if since.elapsed() >= pool.wait {
                return Err(Fault::NoConnection);
            }
            pool.wire.pause(AGAIN).await?;
        }
    }
    Ok(())
}

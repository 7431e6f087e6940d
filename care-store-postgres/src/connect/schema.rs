//! The schema, as the scripts that lead to it, and the one row that says what it is.

use std::sync::atomic::{AtomicI64, Ordering};

use care_core::{
    model::Visible,
    store::{Epoch, rows::RowReader},
};
use tokio_postgres::Row;

use super::{
    pool::Snapshot,
    session::{Request, Session},
    strangers,
};
use crate::base::{
    error::Fault,
    open_error::{OpenError, OpenErrorKind},
    records::Cells,
    settings::quoted,
};

/// The script at index `n` leads from version `n` to version `n + 1`. A released script is never changed.
pub(crate) const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/0001.sql")];

/// The version of the way in which writers write. Each batch compares it under the lock of the writers, so that an
/// older and a newer server never write beside each other: the migration that raises it ends the older one's writing.
pub(crate) const PROTOCOL: i64 = MIGRATIONS.len() as i64;

/// The lock of migrations. The number stands for the service, the schema's name for its database.
const LOCK: &str = "SELECT pg_catalog.pg_advisory_xact_lock(1128354374, pg_catalog.hashtext($1::text))";

/// The first key of the writers' lock, which stands for the service. The second is the journal.
macro_rules! lock_of_writers {
    () => {
        1128354373
    };
}
pub(crate) use lock_of_writers;

/// Waits for the lock that one writer at a time has. It is known by the journal, so that several databases of
/// the service may stand in one database of PostgreSQL; it is given up when the transaction ends, once the commit can
/// be seen by others and, where there is one, the standby has it.
pub(crate) const WRITERS: &str =
    concat!("SELECT pg_catalog.pg_advisory_xact_lock(", lock_of_writers!(), ", 'journal'::regclass::oid::int4)");

/// The identity of the database: its version and its epoch. The epoch tells its past from any other's. `alone` and
/// `resolved` are written by transactions without journal entries, and behind one whose outcome was not known.
const CARE: &str = "CREATE TABLE care ( \
         one      integer PRIMARY KEY CHECK (one = 1), \
         protocol bigint NOT NULL CHECK (protocol >= 1), \
         epoch    bigint NOT NULL CHECK (epoch BETWEEN 0 AND 4294967295), \
         alone    bigint, \
         resolved bigint NOT NULL DEFAULT 0 \
     ) WITH (fillfactor = 10)";

/// The tables of the schema.
const TABLES: &str = "SELECT c.relname::text FROM pg_catalog.pg_class AS c \
     JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
     WHERE n.nspname = $1::text AND c.relkind = 'r'::\"char\" ORDER BY 1";

/// Runs the scripts that the database lacks in one transaction, in an older version or, if it is to be filled, an empty
/// schema. Returns its epoch. Tells the process that serves it, before it waits for anything.
pub(crate) async fn migrate(
    session: &Session,
    schema: &str,
    fills: bool,
    scripts: &[&str],
    process: &AtomicI64,
) -> Result<Epoch, OpenError> {
    let begin = [session.beginning("BEGIN", ""), Request::new("SELECT pg_catalog.pg_backend_pid()", [])];
    let begun = session.run(&begin).await?;
    let row = begun.last().and_then(|rows| rows.first()).ok_or(Fault::Unexpected)?;
    process.store(Cells::new("pg_stat_activity", row).get::<i64>()?, Ordering::SeqCst);
    let migrated = steps(session, schema, fills, scripts).await;
    match migrated {
        Ok(epoch) => {
            session.execute("COMMIT").await?;
            Ok(epoch)
        }
        Err(error) => {
            session.send("ROLLBACK");
            Err(error)
        }
    }
}

async fn steps(session: &Session, schema: &str, fills: bool, scripts: &[&str]) -> Result<Epoch, OpenError> {
    let due = scripts.len() as i64;
    // Another server may be at it: then it is done once the lock is there.
    session.query(Request::new(LOCK, [schema.into()])).await?;
    strangers::refuse_creators(session, schema).await?;
    let names = texts(&session.query(Request::new(TABLES, [schema.into()])).await?)?;
    let has = |name: &str| names.iter().any(|found| found == name);
    if let Some((stranger, tables)) = found(&session.query(strangers::search(schema)).await?)? {
        // The tables of a newer version are not known here. Its version is read only from a table that is beyond doubt.
        let is_sound = has("care") && !tables.iter().any(|name| name == "care");
        return Err(match is_sound && version(session).await?.0 > due {
            true => OpenErrorKind::Newer.into(),
            false => OpenError::with(OpenErrorKind::Foreign, stranger),
        });
    }
    if names.is_empty() {
        if !fills {
            return Err(OpenErrorKind::Empty.into());
        }
        make_here(session, schema).await?;
        session.execute(CARE).await?;
        let epoch = i64::from(Epoch::random().value());
        let insert = "INSERT INTO care (one, protocol, epoch) VALUES (1, $1, $2)";
        // Before the first script nothing is of any version.
        session.query(Request::new(insert, [due.into(), epoch.into()])).await?;
        for script in scripts {
            session.execute(script).await?;
        }
    } else if !has("care") || !has("journal") {
        return Err(OpenErrorKind::Foreign.into());
    }
    let (protocol, epoch) = version(session).await?;
    let Ok(from @ 1..) = usize::try_from(protocol) else {
        return Err(OpenErrorKind::Foreign.into());
    };
    if protocol > due {
        return Err(OpenErrorKind::Newer.into());
    }
    if protocol < due {
        // No batch is under way while the scripts run, and none that was begun before is committed after them.
        session.execute(WRITERS).await?;
        make_here(session, schema).await?;
        for script in &scripts[from..] {
            session.execute(script).await?;
        }
        session.query(Request::new("UPDATE care SET protocol = $1", [due.into()])).await?;
    }
    Ok(epoch)
}

/// Lets the rest of the transaction make tables in the schema, where PostgreSQL makes them in the first one that is
/// named. Names are looked up in PostgreSQL's own schema first all the same.
async fn make_here(session: &Session, schema: &str) -> Result<(), Fault> {
    session.execute(&format!("SET LOCAL search_path = {}, pg_temp", quoted(schema))).await
}

/// Returns the version of the database and its epoch.
async fn version(session: &Session) -> Result<(i64, Epoch), Fault> {
    let rows = session.query(Request::new("SELECT protocol, epoch FROM care", [])).await?;
    let mut cells = Cells::new("care", rows.first().ok_or(Fault::Unexpected)?);
    let protocol = cells.get::<i64>()?;
    let epoch = u32::try_from(cells.get::<u64>()?).map_err(|_| cells.damaged())?;
    Ok((protocol, Epoch::new(epoch)))
}

/// Returns what the schema holds and should not, and the tables that it should hold and does not.
pub(crate) async fn differences(snapshot: &mut Snapshot<'_>, schema: &str) -> Result<Vec<String>, Fault> {
    let requests = vec![Request::new(TABLES, [schema.into()]), strangers::search(schema)];
    let mut answers = snapshot.run(requests).await?;
    let stranger = found(&answers.pop().unwrap_or_default())?.map(|(stranger, _)| stranger);
    let there = texts(&answers.pop().unwrap_or_default())?;
    let missing = strangers::tables().filter(|name| !there.iter().any(|found| found == name));
    Ok(stranger.into_iter().chain(missing.map(str::to_owned)).collect())
}

/// Returns the first stranger by name, and the tables that there are strangers about.
fn found(rows: &[Row]) -> Result<Option<(String, Vec<String>)>, Fault> {
    let mut first: Option<String> = None;
    let mut tables = Vec::new();
    for row in rows {
        let mut cells = Cells::new("pg_depend", row);
        let stranger = cells.get::<String>()?;
        if first.as_ref().is_none_or(|first| stranger < *first) {
            first = Some(stranger);
        }
        tables.extend(cells.maybe_str()?.map(str::to_owned));
    }
    Ok(first.map(|first| (Visible(&first).to_string(), tables)))
}

fn texts(rows: &[Row]) -> Result<Vec<String>, Fault> {
    rows.iter().map(|row| Cells::new("pg_class", row).get::<String>()).collect()
}

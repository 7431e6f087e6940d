//! The schema, as the scripts that lead to it, and the one row that says what it is.

use std::collections::BTreeSet;

use care_core::store::{Epoch, rows::RowReader};
use tokio_postgres::Row;

use crate::{
    error::Fault,
    open_error::{OpenError, OpenErrorKind},
    pool::Snapshot,
    records::{Cells, KINDS},
    session::{Request, Session},
};

/// The script at index `n` leads from version `n` to version `n + 1`. A released script is never changed.
const MIGRATIONS: [&str; 1] = [include_str!("../migrations/0001.sql")];

/// The version of the way in which writers write. Each batch compares it under the lock of the writers, so that an older
/// and a newer server never write beside each other: the migration that raises it ends the older one's writing.
pub(crate) const PROTOCOL: i64 = MIGRATIONS.len() as i64;

/// The lock of migrations. The number stands for the service, the schema's name for its database.
const LOCK: &str = "SELECT pg_advisory_xact_lock(1128354374, hashtext(current_schema()))";

/// The identity of the database: its version and its epoch. The epoch tells its past from any other's. `alone` and
/// `resolved` are written by transactions without journal entries, and behind one whose outcome was not known.
const CARE: &str = "CREATE TABLE care ( \
         one      integer PRIMARY KEY CHECK (one = 1), \
         protocol bigint NOT NULL CHECK (protocol >= 1), \
         epoch    bigint NOT NULL CHECK (epoch BETWEEN 0 AND 4294967295), \
         alone    bigint, \
         resolved bigint NOT NULL DEFAULT 0 \
     ) WITH (fillfactor = 10)";

/// The names of all that the schema holds beside indexes and types.
const RELATIONS: &str = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = current_schema() AND c.relkind NOT IN ('i', 'I', 't', 'c') ORDER BY 1";

/// Brings the database to [`PROTOCOL`] in one transaction, from an older version or, if it is to be filled, an empty schema.
/// Returns its epoch.
pub(crate) async fn migrate(session: &Session, fills: bool) -> Result<Epoch, OpenError> {
    // Another server may be at it: then it is done once the lock is there.
    session.run(&[session.beginning("BEGIN", ""), Request::new(LOCK, [])]).await?;
    let migrated = steps(session, fills).await;
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

async fn steps(session: &Session, fills: bool) -> Result<Epoch, OpenError> {
    let relations = session.query(Request::new(RELATIONS, [])).await?;
    let names = relations.iter().map(|row| Cells::new("pg_class", row).string());
    let names = names.collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        let rows = session.query(Request::new("SELECT current_schema()::text", [])).await?;
        let mut cells = Cells::new("pg_class", rows.first().ok_or(Fault::Unexpected)?);
        if cells.maybe_str()?.is_none() {
            return Err(OpenErrorKind::NoSchema.into());
        }
        if !fills {
            return Err(OpenErrorKind::Empty.into());
        }
        session.execute(CARE).await?;
        let epoch = i64::from(Epoch::random().value());
        let insert = "INSERT INTO care (one, protocol, epoch) VALUES (1, $1, $2)";
        // Before the first script nothing is of any version.
        session.query(Request::new(insert, [PROTOCOL.into(), epoch.into()])).await?;
        for script in MIGRATIONS {
            session.execute(script).await?;
        }
    } else if !names.iter().any(|name| name == "care") || !names.iter().any(|name| name == "journal") {
        return Err(OpenErrorKind::Foreign.into());
    }
    let (protocol, epoch) = version(session).await?;
    let Ok(from @ 1..) = usize::try_from(protocol) else {
        return Err(OpenErrorKind::Foreign.into());
    };
    if protocol > PROTOCOL {
        return Err(OpenErrorKind::Newer.into());
    }
    if protocol < PROTOCOL {
        // No batch is under way while the scripts run, and none that was begun before is committed after them.
        session.execute("SELECT pg_advisory_xact_lock(1128354373, 'journal'::regclass::oid::int4)").await?;
        for script in &MIGRATIONS[from..] {
            session.execute(script).await?;
        }
        session.query(Request::new("UPDATE care SET protocol = $1", [PROTOCOL.into()])).await?;
    }
    Ok(epoch)
}

/// Returns the version of the database and its epoch.
async fn version(session: &Session) -> Result<(i64, Epoch), Fault> {
    let rows = session.query(Request::new("SELECT protocol, epoch FROM care", [])).await?;
    let mut cells = Cells::new("care", rows.first().ok_or(Fault::Unexpected)?);
    let protocol = cells.integer()?;
    let epoch = u32::try_from(cells.count()?).map_err(|_| cells.damaged())?;
    Ok((protocol, Epoch::new(epoch)))
}

/// The triggers and rules of the schema. They would change what statements mean.
const TRIGGERS: &str = "SELECT t.tgname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND NOT t.tgisinternal \
     UNION ALL SELECT r.rulename::text FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class \
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()";

/// Returns the names of tables that the schema holds and should not, or should and does not, and of triggers and rules, of
/// which there is none.
pub(crate) async fn differences(snapshot: &mut Snapshot<'_>) -> Result<Vec<String>, Fault> {
    let mut found = snapshot.run(vec![Request::new(RELATIONS, []), Request::new(TRIGGERS, [])]).await?;
    let names = |rows: Vec<Row>| {
        let names = rows.iter().map(|row| Cells::new("pg_class", row).string());
        names.collect::<Result<Vec<_>, _>>()
    };
    let mut differences = names(found.pop().unwrap_or_default())?;
    let there: BTreeSet<_> = names(found.pop().unwrap_or_default())?.into_iter().collect();
    let due = KINDS.iter().map(|kind| kind.table.name).chain(["api_key", "care", "journal"]);
    let due: BTreeSet<_> = due.map(str::to_owned).collect();
    differences.extend(there.symmetric_difference(&due).cloned());
    Ok(differences)
}

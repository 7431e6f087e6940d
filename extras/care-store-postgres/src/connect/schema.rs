//! The schema: its migration scripts, and the row that identifies the database.

use std::sync::atomic::{AtomicI64, Ordering};

use care_core::{
    model::Visible,
    store::{
        Epoch,
        rows::{RowError, RowReader},
    },
};
use tokio_postgres::Row;

use super::{
    pool::Snapshot,
    session::{Request, Session},
    strangers,
};
use crate::base::{
    cells::Cells,
    error::Fault,
    open_error::{OpenError, OpenErrorKind},
    settings::quoted,
};

/// The script at index `n` migrates from version `n` to version `n + 1`. A released script never changes.
pub(crate) const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/0001.sql")];

/// The version of the write protocol. Each batch compares it under the writers' lock, so that an older and a newer
/// server never write at the same time: the migration that raises it stops the older server's writing.
pub(crate) const PROTOCOL: i64 = MIGRATIONS.len() as i64;

/// The lock of migrations. The number stands for this service; the schema's name tells its databases apart.
const LOCK: &str = "SELECT pg_catalog.pg_advisory_xact_lock(1128354374, pg_catalog.hashtext($1::text))";

/// The first key of the writers' lock, which stands for this service. The second is the journal table.
macro_rules! lock_of_writers {
    () => {
        1128354373
    };
}
pub(crate) use lock_of_writers;

/// Waits for the writers' lock, which one writer at a time holds. The lock is named after the journal table, so one
/// PostgreSQL database can hold several databases of the service. PostgreSQL releases it at the end of the transaction,
/// when other sessions can see the commit and the standby, if there is one, has it.
pub(crate) const WRITERS: &str =
    concat!("SELECT pg_catalog.pg_advisory_xact_lock(", lock_of_writers!(), ", 'journal'::regclass::oid::int4)");

/// The identity of the database: its version and its epoch, which tells its history from any other's, and the last
/// entry that another database's journal brought, whose keys this one does not have. Transactions
/// without journal entries write `unjournaled_batch`, and transactions that follow one with an unknown outcome write
/// `resolved`.
const CARE: &str = "CREATE TABLE care ( \
         one      integer PRIMARY KEY CHECK (one = 1), \
         protocol bigint NOT NULL CHECK (protocol >= 1), \
         epoch    bigint NOT NULL CHECK (epoch BETWEEN 0 AND 4294967295), \
         replayed bigint NOT NULL DEFAULT 0, \
         unjournaled_batch bigint, \
         resolved bigint NOT NULL DEFAULT 0 \
     ) WITH (fillfactor = 10)";

/// The tables in the schema.
const TABLES: &str = "SELECT c.relname::text FROM pg_catalog.pg_class AS c \
     JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
     WHERE n.nspname = $1::text AND c.relkind = 'r'::\"char\" ORDER BY 1";

/// The numbers of indexes and constraints of the schema that work. Constraints that are only `NOT NULL` are left out,
/// because PostgreSQL 18 is the first to list them.
const PARTS: &str = "SELECT (SELECT pg_catalog.count(*) FROM pg_catalog.pg_index AS i \
         JOIN pg_catalog.pg_class AS c ON c.oid = i.indrelid \
         WHERE c.relnamespace = n.oid AND i.indisvalid AND i.indislive), \
     (SELECT pg_catalog.count(*) FROM pg_catalog.pg_constraint AS t \
         WHERE t.connamespace = n.oid AND t.contype <> 'n'::\"char\" AND t.convalidated) \
     FROM pg_catalog.pg_namespace AS n WHERE n.nspname = $1::text";

/// Returns the numbers that [`PARTS`] finds after the scripts. A key is an index and a constraint.
fn all_parts() -> (i64, i64) {
    let named = |word| MIGRATIONS.iter().chain([&CARE]).map(|script| script.matches(word).count() as i64).sum::<i64>();
    let keys = named("PRIMARY KEY");
    (named(" INDEX ") + keys, named(" CHECK (") + keys)
}

/// Runs in one transaction the migration scripts that the database lacks, in an older schema or, if it may be filled,
/// an empty one. Returns the epoch. Reports the PostgreSQL process that serves it before it waits for anything.
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
    // Another server may be migrating; once this lock is granted, it has finished.
    session.query(Request::new(LOCK, [schema.into()])).await?;
    strangers::refuse_creators(session, schema).await?;
    let names = texts(&session.query(Request::new(TABLES, [schema.into()])).await?)?;
    let has = |name: &str| names.iter().any(|found| found == name);
    if let Some((stranger, tables)) = found(&session.query(strangers::search(schema)).await?)? {
        // A newer version may have tables that this one does not know. Its version is read only if the table `care` is
        // beyond doubt.
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
        // Before the first script there is no version.
        session.query(Request::new(insert, [due.into(), epoch.into()])).await?;
        for script in scripts {
            session.execute(script).await?;
        }
        strangers::revoke_defaults(session, schema).await?;
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
        // No batch runs while the scripts do, and none that began earlier commits after them.
        session.execute(WRITERS).await?;
        make_here(session, schema).await?;
        for script in &scripts[from..] {
            session.execute(script).await?;
        }
        session.query(Request::new("UPDATE care SET protocol = $1", [due.into()])).await?;
        strangers::revoke_defaults(session, schema).await?;
    }
    Ok(epoch)
}

/// Lets the rest of the transaction create tables in the schema: PostgreSQL creates them in the first schema of the
/// search path. Names still resolve in `pg_catalog` first.
async fn make_here(session: &Session, schema: &str) -> Result<(), Fault> {
    session.execute(&format!("SET LOCAL search_path = {}, pg_temp", quoted(schema))).await
}

/// Reads the database's version and epoch.
async fn version(session: &Session) -> Result<(i64, Epoch), Fault> {
    let rows = session.query(Request::new("SELECT protocol, epoch FROM care", [])).await?;
    let mut cells = Cells::first("care", &rows)?;
    let protocol = cells.get::<i64>()?;
    let epoch = cells.epoch()?;
    Ok((protocol, epoch))
}

/// Returns the objects that the schema should not hold, and the tables, indexes and constraints that it lacks.
pub(crate) async fn differences(snapshot: &mut Snapshot<'_>, schema: &str) -> Result<Vec<String>, Fault> {
    let one = |sql| Request::new(sql, [schema.into()]);
    let mut answers = snapshot.run(vec![one(PARTS), one(TABLES), strangers::search(schema)]).await?;
    let stranger = found(&answers.pop().unwrap_or_default())?.map(|(stranger, _)| stranger);
    let there = texts(&answers.pop().unwrap_or_default())?;
    let missing = strangers::tables().filter(|name| !there.iter().any(|found| found == name)).map(str::to_owned);
    let rows = answers.pop().unwrap_or_default();
    let mut cells = Cells::first("pg_class", &rows)?;
    let parts = (cells.get::<i64>()?, cells.get::<i64>()?);
    let all_parts = all_parts();
    let parts = (parts != all_parts).then(|| {
        let ((indexes, constraints), (all_indexes, all_constraints)) = (parts, all_parts);
        format!("part of the indexes ({indexes} of {all_indexes}) or constraints ({constraints} of {all_constraints})")
    });
    Ok(stranger.into_iter().chain(missing).chain(parts).collect())
}

/// Returns the first foreign object by name, and the tables that foreign objects are attached to.
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

fn texts(rows: &[Row]) -> Result<Vec<String>, RowError> {
    rows.iter().map(|row| Cells::new("pg_class", row).get::<String>()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use care_core::store::{INDEXES, Index};

    use super::*;

    #[test]
    fn every_index_is_a_declared_one() {
        // Those of names, of terms and of the demand for one medicine are no selection's.
        const OTHERS: [&str; 3] = ["patient_by_name", "patient_term_of_patient", "demand_by_medicine"];
        let indexes = MIGRATIONS.iter().flat_map(|script| script.lines()).filter(|line| line.contains(" INDEX "));
        let found: BTreeSet<_> = indexes
            .filter(|line| !OTHERS.iter().any(|name| line.contains(&format!(" {name} "))))
            .map(|line| line.trim_end_matches(';').to_owned())
            .collect();
        // A unique index needs no order; the primary key gives it to the others.
        let last = |one: &Index| if one.is_unique { &[][..] } else { one.kind.table().key };
        let declared = INDEXES.iter().filter(|index| !index.is_primary).map(|index| index.definition(last(index)));
        assert_eq!(found, declared.collect());
    }
}

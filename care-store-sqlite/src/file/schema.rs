//! The schema, and the scripts that migrate to it.

use std::collections::BTreeMap;

use rusqlite::{Connection, Transaction, TransactionBehavior::Immediate};

use crate::base::connect::setting;

/// The application id of this service's databases: `CARE` in ASCII.
pub(crate) const APPLICATION_ID: i32 = 0x4341_5245;

/// The script at index `n` migrates from version `n` to version `n + 1`. Released scripts are never changed.
const MIGRATIONS: [&str; 1] = [include_str!("../../migrations/0001.sql")];

/// The version that this code reads and writes.
pub(crate) const VERSION: i32 = MIGRATIONS.len() as i32;

/// Returns the result of SQLite's checks in one line, without its heading.
pub(crate) fn in_one_line(verdict: &str) -> String {
    let findings: Vec<_> = verdict.lines().filter(|line| !line.starts_with("***")).collect();
    findings.join("; ")
}

/// Returns the version of a database.
pub(crate) fn version(conn: &Connection) -> rusqlite::Result<i32> {
    setting(conn, "user_version")
}

/// Brings a database to [`VERSION`], each step in a transaction of its own.
pub(crate) fn migrate(conn: &Connection) -> rusqlite::Result<()> {
    while version(conn)? < VERSION {
        let step = Transaction::new_unchecked(conn, Immediate)?;
        // The version is read again, because another process may have taken the step meanwhile.
        let from = version(&step)?;
        let script = usize::try_from(from).ok().and_then(|n| MIGRATIONS.get(n));
        if let Some(script) = script {
            step.execute_batch(script)?;
            step.pragma_update(None, "user_version", from + 1)?;
        }
        step.commit()?;
    }
    Ok(())
}

/// The differences between a schema and that of its version.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Differences {
    /// The objects of others: the kind of each, such as `table`, and its name.
    pub(crate) foreign: Vec<(String, String)>,
    /// The names of our objects that are absent, or have another form.
    pub(crate) ours: Vec<String>,
}

/// Compares the schema with that of the database's version.
pub(crate) fn differences(conn: &Connection) -> rusqlite::Result<Differences> {
    let fresh = Connection::open_in_memory()?;
    let steps = usize::try_from(version(conn)?).unwrap_or(usize::MAX).min(MIGRATIONS.len());
    MIGRATIONS[..steps].iter().try_for_each(|script| fresh.execute_batch(script))?;
    let (found, due) = (objects(conn)?, objects(&fresh)?);
    let ours = due.iter().filter(|(object, sql)| found.get(*object) != Some(sql));
    let ours: Vec<_> = ours.map(|((name, _), _)| name.clone()).collect();
    // One of another kind in the place of ours is no object beside it.
    let foreign = found.keys().filter(|object| !due.contains_key(*object) && !ours.contains(&object.0));
    let foreign = foreign.map(|(name, kind)| (kind.clone(), name.clone())).collect();
    Ok(Differences { foreign, ours })
}

/// Returns the objects by name and kind, with the statement that made each: a trigger may have the name of a table or
/// an index. Those that SQLite makes for a table are left out: an index goes with it, and nothing drops
/// `sqlite_sequence` when it is gone. A file can hold a trigger of such a name, so they are known by more than that.
fn objects(conn: &Connection) -> rusqlite::Result<BTreeMap<(String, String), Option<String>>> {
    let mut all = conn.prepare(
        "SELECT name, type, sql FROM sqlite_schema \
         WHERE NOT (type = 'index' AND sql IS NULL AND name GLOB 'sqlite_autoindex_*') \
         AND NOT (type = 'table' AND name = 'sqlite_sequence' AND sql = 'CREATE TABLE sqlite_sequence(name,seq)')",
    )?;
    all.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use care_core::{
        model::Date,
        store::{INDEXES, Index},
    };

    use super::*;

    /// Returns a database in the form of version `version`.
    fn made_by(version: usize) -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        for script in &MIGRATIONS[..version] {
            conn.execute_batch(script).unwrap();
        }
        conn.pragma_update(None, "user_version", version as i64).unwrap();
        conn
    }

    #[test]
    fn every_older_file_is_brought_up_to_date() {
        let newest = objects(&made_by(MIGRATIONS.len())).unwrap();
        assert!(newest.contains_key(&("journal".to_owned(), "table".to_owned())));
        for older in 0..=MIGRATIONS.len() {
            let conn = made_by(older);
            migrate(&conn).unwrap();
            assert_eq!(version(&conn).unwrap(), VERSION, "from {older}");
            assert_eq!(objects(&conn).unwrap(), newest, "from {older}");
            assert_eq!(differences(&conn).unwrap(), Differences::default());
        }
    }

    #[test]
    fn every_index_is_a_declared_one() {
        // Neither that of names nor that of a foreign key is a selection's.
        const OTHERS: [&str; 2] = ["patient_by_name", "prescription_by_consultation"];
        let objects = objects(&made_by(MIGRATIONS.len())).unwrap().into_iter();
        let indexes = objects.filter(|((name, kind), _)| kind == "index" && !OTHERS.contains(&name.as_str()));
        let found: BTreeSet<_> = indexes.filter_map(|(_, sql)| sql).collect();
        // The rows of terms find patients by phone and email.
        const BY_TERMS: [&str; 2] = ["patient_by_phone", "patient_by_email"];
        let is_here = |index: &&&Index| !index.is_primary && !BY_TERMS.contains(&index.name);
        let declared = INDEXES.iter().filter(is_here).map(|index| index.definition(&[]));
        assert_eq!(found, declared.collect());
    }

    #[test]
    fn an_object_of_others_has_no_name_that_hides_it() {
        let trigger = |name: &str| format!("CREATE TRIGGER {name} AFTER INSERT ON journal BEGIN SELECT 1; END;");
        let index = "CREATE INDEX reply_by_age ON reply (at);";
        for (name, before, after) in [
            ("sqlite_autoindex_journal_9", "PRAGMA writable_schema = 1;", ""),
            ("sqlite_sequence", "PRAGMA writable_schema = 1;", ""),
            ("journal", "", ""),
            ("reply_by_age", "", ""),
            ("reply_by_age", "DROP INDEX reply_by_age;", index),
        ] {
            let conn = made_by(MIGRATIONS.len());
            conn.execute_batch(&format!("{before}{}{after}", trigger(name))).unwrap();
            let foreign = vec![("trigger".to_owned(), name.to_owned())];
            assert_eq!(differences(&conn).unwrap(), Differences { foreign, ours: Vec::new() }, "{name}");
        }
        let conn = made_by(MIGRATIONS.len());
        conn.execute_batch("DROP INDEX reply_by_age; CREATE VIEW reply_by_age AS SELECT 1").unwrap();
        let ours = vec!["reply_by_age".to_owned()];
        assert_eq!(differences(&conn).unwrap(), Differences { foreign: Vec::new(), ours });
        // SQLite makes both of these for a table, and one stays when the table is gone.
        let conn = made_by(MIGRATIONS.len());
        let own = "CREATE TABLE own (id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE); DROP TABLE own;";
        conn.execute_batch(own).unwrap();
        assert_eq!(differences(&conn).unwrap(), Differences::default());
    }

    #[test]
    fn a_verdict_is_one_line() {
        let verdict = "*** in database main ***\nTree 2 page 2: a\nTree 3 page 4: b";
        assert_eq!(in_one_line(verdict), "Tree 2 page 2: a; Tree 3 page 4: b");
        assert_eq!(in_one_line("row 1 missing from index x"), "row 1 missing from index x");
    }

    #[test]
    fn the_days_in_the_checks_are_the_models() {
        for (day, days) in [("01/01/1900", -25_567), ("31/12/9999", 2_932_896)] {
            assert_eq!(day.parse::<Date>().unwrap().unix_days(), days);
        }
    }
}

//! `verify` accepts everything that the service writes, and names the row that was changed by hand.

use std::fs;

use care_core::{
    audit,
    store::{Maintenance, RecordKind},
};
use futures_executor::block_on;
use rusqlite::Connection;

use crate::bench::Bench;

/// Returns the output of `verify` after a change by hand to the clinic's database.
fn after(sql: &str) -> String {
    let bench = Bench::with_clinic();
    let conn = Connection::open(bench.path("care.db")).unwrap();
    conn.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    let changed = conn.execute(sql, []).unwrap();
    assert_eq!(changed, 1, "{sql}");
    conn.close().unwrap();
    bench.admin(&["verify", "--database", "care.db"]).refused()
}

#[test]
fn the_clinic_is_sound() {
    let bench = Bench::with_clinic_after_a_year();
    let said = bench.admin(&["verify", "--database", "care.db"]).done();
    assert!(said.ends_with(" agree\n") && said.contains(" journal entries and "), "{said}");
}

#[test]
fn an_empty_database_is_sound() {
    let bench = Bench::new();
    drop(bench.store("care.db"));
    let said = bench.admin(&["verify", "--database", "care.db"]).done();
    let head = format!("0:{}", "0".repeat(64));
    let lines = [
        format!("the chain of 0 journal entries is whole, with the head {head}"),
        "every value is the one committed to, or in the list of an erasure".to_owned(),
        "0 journal entries and 0 records agree".to_owned(),
    ];
    assert!(said.lines().eq(lines), "{said}");
}

#[test]
fn a_missing_database_is_not_created() {
    let bench = Bench::new();
    for task in ["verify", "export", "stats"] {
        let said = bench.admin(&[task]).refused();
        assert_eq!(said, "care-admin: the database care.db does not exist\n");
    }
    assert!(!bench.path("care.db").exists());
}

#[test]
fn sqlites_own_findings_are_quoted() {
    let bench = Bench::with_clinic();
    let conn = Connection::open(bench.path("care.db")).unwrap();
    conn.execute_batch("PRAGMA ignore_check_constraints = 1; UPDATE patient SET age = 200 WHERE patient_id = 1")
        .unwrap();
    conn.close().unwrap();
    let said = bench.admin(&["verify", "--database", "care.db"]).refused();
    assert_eq!(said, "care-admin: the database care.db is damaged: CHECK constraint failed in patient\n");
}

/// Returns a condition that selects one row of each table of records, with the name of the table.
fn rows(conn: &Connection) -> Vec<(String, String)> {
    let columns = "SELECT m.name, group_concat(c.name) FROM sqlite_master m, pragma_table_info(m.name) c \
                   WHERE m.type = 'table' AND c.pk > 0 GROUP BY m.name \
                   HAVING EXISTS (SELECT 1 FROM pragma_table_info(m.name) v WHERE v.name = 'version')";
    let mut columns = conn.prepare(columns).unwrap();
    let row = |row: &rusqlite::Row<'_>| {
        let (table, key): (String, String) = (row.get(0)?, row.get(1)?);
        let first = format!("WHERE ({key}) = (SELECT {key} FROM {table} ORDER BY {key} LIMIT 1)");
        Ok((table, first))
    };
    columns.query_map([], row).unwrap().map(Result::unwrap).collect()
}

/// Returns whether the library that `verify` calls finds anything in a copy of the database after this change.
fn is_found(bench: &Bench, sql: &str) -> bool {
    fs::copy(bench.path("care.db"), bench.path("changed.db")).unwrap();
    let conn = Connection::open(bench.path("changed.db")).unwrap();
    conn.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    assert_eq!(conn.execute(sql, []).unwrap(), 1, "{sql}");
    conn.close().unwrap();
    let store = bench.store("changed.db");
    block_on(store.check()).is_err() || block_on(audit::verify(&store)).is_err()
}

#[test]
fn a_row_that_was_changed_or_removed_is_found_in_every_table() {
    let bench = Bench::with_clinic();
    bench.admin(&["keys", "issue", "--name", "a", "--scope", "patient:read"]).done();
    let conn = Connection::open(bench.path("care.db")).unwrap();
    let rows = rows(&conn);
    conn.close().unwrap();
    assert_eq!(rows.len(), RecordKind::ALL.len(), "a table for each kind of record");
    for (table, row) in rows {
        for sql in [format!("UPDATE {table} SET version = version + 1 {row}"), format!("DELETE FROM {table} {row}")] {
            assert!(is_found(&bench, &sql), "{sql}");
        }
    }
}

#[test]
fn a_contradiction_is_named_with_its_record_and_its_field() {
    let said = after("UPDATE patient SET age = 77 WHERE patient_id = 1");
    assert!(said.starts_with("care-admin: the database contradicts itself: Patient 1: age is not as entry "), "{said}");
}

/// Returns the message without the words that every contradiction begins with.
fn contradiction(sql: &str) -> String {
    let said = after(sql);
    let what = said.strip_prefix("care-admin: the database contradicts itself: ");
    what.unwrap_or(&said).to_owned()
}

#[test]
fn journal() {
    let link = "the link is not the one that this entry has behind the one before it";
    for change in ["at = at + 1", "actor = 'x'", "operation = 'addItem'"] {
        let said = contradiction(&format!("UPDATE journal SET {change} WHERE seq = 7"));
        assert!(said.starts_with(&format!("the chain is broken: Journal 7: {link}")), "{change}: {said}");
    }
    let said = after("UPDATE journal SET changes = changes || ' ' WHERE seq = 7");
    let expected = "care-admin: the database is damaged: table journal, row 7: is not as the service writes it\n";
    assert_eq!(said, expected);
    let said = contradiction("DELETE FROM journal WHERE seq = 7");
    assert_eq!(said, "the chain is broken: Journal 7: the entry is missing\n");
    let said = contradiction("DELETE FROM journal WHERE seq = (SELECT min(abs(seq)) FROM skip_pointer)");
    assert!(said.starts_with("the chain is broken: Journal ") && said.ends_with(": the entry is missing\n"), "{said}");
    // The last entry voids a patient.
    let said = contradiction("DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)");
    assert!(said.starts_with("Patient 9223372036854775807: is not stored, but entry "), "{said}");
}

#[test]
fn api_key() {
    for change in ["name = 'x'", "scopes = 'admin'", "expires = NULL", "revoked = 1", "digest = zeroblob(32)"] {
        let bench = Bench::with_clinic();
        let issue = ["keys", "issue", "--name", "a", "--scope", "patient:read", "--expires", "2099-01-01"];
        let key = bench.admin(&issue).done();
        let id = key.split('_').nth(1).unwrap();
        let conn = Connection::open(bench.path("care.db")).unwrap();
        assert_eq!(conn.execute(&format!("UPDATE api_key SET {change}"), []).unwrap(), 1);
        conn.close().unwrap();
        let said = bench.admin(&["verify", "--database", "care.db"]).refused();
        let expected =
            format!("care-admin: the database is damaged: table api_key, row {id}: was changed after it was written\n");
        assert_eq!(said, expected);
    }
}

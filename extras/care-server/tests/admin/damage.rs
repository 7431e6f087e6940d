//! `verify` accepts everything that the service writes, and names the row that was changed by hand.

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
    let bench = Bench::with_clinic();
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

/// A table, and the name of its records.
struct Table {
    name: &'static str,
    kind: &'static str,
    key: &'static str,
    /// A change of one field, and the name of the field in the record.
    change: &'static str,
    field: &'static str,
}

impl Table {
    /// Returns a condition that selects the first row.
    fn first(&self) -> String {
        let Self { name, key, .. } = self;
        format!("WHERE {key} = (SELECT min({key}) FROM {name})")
    }

    /// Returns the beginning of the identifier of the row's record.
    fn id(&self) -> String {
        let bench = Bench::with_clinic();
        let conn = Connection::open(bench.path("care.db")).unwrap();
        let Self { name, key, .. } = self;
        let first = format!("SELECT CAST(min({key}) AS TEXT) FROM {name}");
        conn.query_row(&first, [], |row| row.get(0)).unwrap()
    }

    fn prove(&self) {
        let Self { name, kind, change, field, .. } = self;
        let (first, id) = (self.first(), self.id());
        let at = |what: &str| format!("care-admin: the database contradicts itself: {kind} {id}: {what}");
        let said = after(&format!("UPDATE {name} SET {change} {first}"));
        assert!(said.starts_with(&at(&format!("{field} is not as entry "))), "{said}");
        let said = after(&format!("UPDATE {name} SET version = version + 1 {first}"));
        assert!(said.starts_with(&at("says that entry ")), "{said}");
        let said = after(&format!("DELETE FROM {name} {first}"));
        // Other records may refer to it; then `verify` names those.
        let is_missed = said.starts_with(&at("is not stored, but entry "))
            || said.contains(&format!(": refers to a {name} that does not exist"))
            || said.contains(&format!(": holds a term that no {name} has"));
        assert!(is_missed, "{said}");
    }
}

macro_rules! tables {
    ($($name:ident $kind:ident by $key:ident: $change:literal is $field:literal)*) => {
        $(
            #[test]
            fn $name() {
                let table = Table {
                    name: stringify!($name),
                    kind: stringify!($kind),
                    key: stringify!($key),
                    change: $change,
                    field: $field,
                };
                table.prove();
            }
        )*
    };
}

tables! {
    patient Patient by patient_id: "age = 77" is "age"
    history History by patient_id: "visits = visits + 1" is "visits"
    consultation Consultation by consultation_id: "date = date - 1" is "date"
    diagnosis Diagnosis by consultation_id: "visit = visit + 1" is "visit"
    prescription Prescription by prescription_id: "price = 77" is "price"
    invoice Invoice by invoice_id: "price = 77" is "price"
    item Item by medicine_key: "is_available = 1 - is_available" is "isAvailable"
    counter Counter by series: "last = 77777" is "last"
}

/// Returns the message without the words that every contradiction begins with.
fn contradiction(sql: &str) -> String {
    let said = after(sql);
    let what = said.strip_prefix("care-admin: the database contradicts itself: ");
    what.unwrap_or(&said).to_owned()
}

#[test]
fn voided() {
    let said = contradiction("UPDATE voided SET patient_id = 77777 WHERE patient_id = 9223372036854775807");
    assert_eq!(said, "Voided 77777: is stored, but according to the journal there is none\n");
    let said = contradiction("UPDATE voided SET version = 1 WHERE patient_id = 9223372036854775807");
    assert!(said.starts_with("Voided 9223372036854775807: says that entry 1 put it"), "{said}");
    let said = contradiction("DELETE FROM voided WHERE patient_id = 9223372036854775807");
    assert!(said.starts_with("Voided 9223372036854775807: is not stored"), "{said}");
}

#[test]
fn demand() {
    let first = "WHERE (day, medicine_key) = (SELECT day, medicine_key FROM demand ORDER BY 1, 2)";
    for (sql, expected) in [
        ("UPDATE demand SET prescribed = 77", ": prescribed is not as entry "),
        ("UPDATE demand SET version = version + 1", ": says that entry "),
        ("DELETE FROM demand", ": is not stored, but entry "),
    ] {
        let said = contradiction(&format!("{sql} {first}"));
        assert!(said.starts_with("Demand ") && said.contains(expected), "{said}");
    }
}

#[test]
fn regular_demand() {
    let first =
        "WHERE (medicine_key, every_days) = (SELECT medicine_key, every_days FROM regular_demand ORDER BY 1, 2)";
    for (sql, expected) in [
        ("UPDATE regular_demand SET active_regular = 77", ": activeRegular is not as entry "),
        ("UPDATE regular_demand SET wanted_units = 77", ": wanted is not as entry "),
        ("UPDATE regular_demand SET version = version + 1", ": says that entry "),
        ("DELETE FROM regular_demand", ": is not stored, but entry "),
    ] {
        let said = contradiction(&format!("{sql} {first}"));
        assert!(said.starts_with("RegularDemand 90 amlodipine") && said.contains(expected), "{said}");
    }
}

#[test]
fn reply() {
    for (sql, expected) in [
        ("UPDATE reply SET fingerprint = 'x'", "fingerprint is not as entry "),
        ("UPDATE reply SET version = 1", "says that entry 1 put it"),
        ("DELETE FROM reply", "is not stored, but entry "),
    ] {
        let said = contradiction(sql);
        // The identifier has 32 random digits.
        let said = said.strip_prefix("Reply ").and_then(|said| said.split_once(": "));
        assert!(said.is_some_and(|(id, said)| id.len() == 32 && said.starts_with(expected)), "{said:?}");
    }
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

#[test]
fn key_record() {
    for (sql, expected) in [
        ("UPDATE key_record SET scopes = 'admin'", "scopes is not as entry "),
        ("UPDATE key_record SET version = 1", "says that entry 1 put it"),
        ("DELETE FROM key_record", "is not stored, but entry "),
    ] {
        let bench = Bench::with_clinic();
        let key = bench.admin(&["keys", "issue", "--name", "a", "--scope", "patient:read"]).done();
        let conn = Connection::open(bench.path("care.db")).unwrap();
        assert_eq!(conn.execute(sql, []).unwrap(), 1);
        conn.close().unwrap();
        let said = bench.admin(&["verify", "--database", "care.db"]).refused();
        let id = key.split('_').nth(1).unwrap();
        let found = format!("care-admin: the database contradicts itself: Key {id}: {expected}");
        assert!(said.starts_with(&found), "{said}");
    }
}

#[test]
fn columns_that_no_record_has() {
    let said = after("UPDATE patient SET folded_name = 'x' WHERE patient_id = 1");
    assert_eq!(
        said,
        "care-admin: the database is damaged: table patient, row 1: folded_name is not as the service writes it\n"
    );
}

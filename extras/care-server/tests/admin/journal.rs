//! `export` and `import`: the same bytes again, exactly once, also after an interruption.

use std::{fs, sync::Arc, time::SystemTime};

use care_core::{
    model::{MedicineName, PatientDetails, Prescription},
    operation::JournalOperation,
    service::{CareService, ExpectedVersion, NewPrescription},
    store::{Act, Change, Journal, Limit, MemoryStore, Query, Records, Seen, Seq},
};
use care_store_sqlite::SqliteStore;
use care_testkit::{PATIENCE, until};
use futures_executor::block_on;

use crate::bench::{Bench, entries};

fn export(bench: &Bench, database: &str) -> String {
    bench.admin(&["export", "--database", database]).done()
}

/// Returns the first `count` lines.
fn lines(text: &str, count: usize) -> String {
    text.split_inclusive('\n').take(count).collect()
}

fn records(store: &SqliteStore) -> impl PartialEq + std::fmt::Debug + use<> {
    block_on(store.list(&Query::All { after: None }, Limit::ALL)).unwrap().items
}

#[test]
fn what_was_exported_and_imported_is_exported_the_same() {
    let bench = Bench::with_clinic_after_a_year();
    let said = bench.admin(&["export", "--database", "care.db", "--out", "one.ndjson"]).done();
    assert_eq!(said, "");
    let one = bench.read("one.ndjson");
    let count = one.lines().count();
    assert!(count > 400);
    let said = bench.admin(&["import", "--database", "copy.db", "--in", "one.ndjson"]).done();
    assert_eq!(said, format!("{count} entries imported, 0 were already there\n"));
    bench.admin(&["export", "--database", "copy.db", "--out", "two.ndjson"]).done();
    assert_eq!(bench.read("two.ndjson"), one);
    assert_eq!(records(&bench.store("copy.db")), records(&bench.store("care.db")));
    bench.admin(&["verify", "--database", "copy.db"]).done();
}

#[test]
fn standard_input_and_output_do_as_well() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
    assert_eq!(export(&bench, "copy.db"), journal);
}

#[test]
fn an_exported_file_is_its_owners_alone_and_leaves_no_other() {
    let bench = Bench::with_clinic();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // An existing file that all users may read, with a name that a draft could have.
        bench.write("journal.ndjson", "old");
        fs::set_permissions(bench.path("journal.ndjson"), PermissionsExt::from_mode(0o666)).unwrap();
        std::os::unix::fs::symlink("precious", bench.path("journal.ndjson.unfinished")).unwrap();
    }
    for _ in 0..2 {
        bench.admin(&["export", "--database", "care.db", "--out", "journal.ndjson", "--overwrite"]).done();
    }
    assert!(!bench.path("precious").exists());
    let unfinished = fs::read_dir(bench.path("")).unwrap().map(|file| file.unwrap().file_name());
    assert!(!unfinished.into_iter().any(|name| name.to_string_lossy().contains("-unfinished")));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let permissions = bench.path("journal.ndjson").metadata().unwrap().permissions();
        assert_eq!(permissions.mode() & 0o777, 0o600);
    }
}

#[test]
fn an_import_gives_a_database_another_epoch() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    bench.admin_reading(&["import", "--database", "copy.db"], &lines(&journal, 40)).done();
    // A server with the database open follows the import.
    let server = bench.store("copy.db");
    let before = server.epoch();
    assert_ne!(before, bench.store("care.db").epoch());
    bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
    assert!(until(PATIENCE, || server.epoch() != before), "it is never another");
    let after = server.epoch();
    drop(server);
    // Entries that are there already do not make another past, and an export contains no epoch.
    bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
    assert_eq!(bench.store("copy.db").epoch(), after);
    assert_eq!(export(&bench, "copy.db"), journal);
}

#[test]
#[cfg(unix)]
fn nothing_is_exported_through_a_link() {
    let bench = Bench::with_clinic();
    bench.write("precious", "precious");
    std::os::unix::fs::symlink("precious", bench.path("journal.ndjson")).unwrap();
    let said = bench.admin(&["export", "--database", "care.db", "--out", "journal.ndjson"]).refused();
    assert_eq!(said, "care-admin: journal.ndjson is a symbolic link, and care-admin does not write through one\n");
    assert_eq!(bench.read("precious"), "precious");
}

#[test]
fn an_interrupted_import_is_run_again() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    let count = journal.lines().count();
    bench.admin_reading(&["import", "--database", "copy.db"], &lines(&journal, 40)).done();
    for there in [40, count] {
        let said = bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
        let expected = format!("{} entries imported, {there} were already there\n", count - there);
        assert_eq!(said, expected);
        assert_eq!(export(&bench, "copy.db"), journal);
    }
}

#[test]
fn a_line_that_is_cut_off_is_named_and_the_others_stand() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    let whole = lines(&journal, 41);
    let cut = &journal[..whole.len() + 30];
    let said = bench.admin_reading(&["import", "--database", "copy.db"], cut).refused();
    assert_eq!(said, "care-admin: line 42 is cut off: the file ends in the middle of it\n");
    assert_eq!(export(&bench, "copy.db"), whole);
    // Only the line end is missing.
    let whole = lines(&journal, 50);
    bench.admin_reading(&["import", "--database", "copy.db"], whole.trim_end()).done();
    assert_eq!(export(&bench, "copy.db"), whole);
}

/// Returns a third entry, with a further member in its record.
fn entry(actor: &str, operation: &str, more: &str) -> String {
    let salt = "0".repeat(32);
    let value = format!(r#""value":{{"patientId":999{more}}},"salt":"{salt}""#);
    line(actor, operation, &format!(r#"{{"change":"put","record":"Voided","id":"999",{value}}}"#))
}

/// Returns a third entry with these changes, which follows no other.
fn line(actor: &str, operation: &str, changes: &str) -> String {
    let head = format!(r#""seq":3,"at":"2026-01-31T08:15:00.000Z","actor":"{actor}","operation":"{operation}""#);
    format!("{{{head},\"changes\":[{changes}],\"link\":\"{}\"}}\n", "0".repeat(64))
}

#[test]
fn a_line_that_is_no_entry_is_named() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    for (bad, what) in [
        ("\n", "is not a journal entry"),
        ("{\"seq\":3}\n", "is not a journal entry"),
        ("{\"seq\":3\n", "is not a journal entry"),
        ("\u{0}\n", "is not a journal entry"),
        (&line("a", "o", ""), "is an entry that changes nothing"),
        (&entry("a\\u0001", "addPatient", ""), "is an entry whose actor breaks the rule for names"),
        (&entry("", "addPatient", ""), "is an entry whose actor breaks the rule for names"),
        (&entry("a", "addPatients", ""), "is an entry of an unknown operation"),
        (&entry("a", "addPatient", ",\"more\":1"), "is an entry with unknown members"),
    ] {
        let name = format!("{}-{}.db", what.len(), bad.len());
        let text = lines(&journal, 2) + bad;
        let said = bench.admin_reading(&["import", "--database", &name], &text).refused();
        assert_eq!(said, format!("care-admin: line 3 {what}\n"), "{bad:?}");
        assert_eq!(export(&bench, &name), lines(&journal, 2));
    }
}

#[test]
fn a_second_active_prescription_of_one_medicine_is_refused_with_its_journal() {
    let store = Arc::new(MemoryStore::new());
    let care = CareService::new(Arc::clone(&store));
    let medicine = || NewPrescription::of(MedicineName::new("Ibuprofen").unwrap());
    let patient = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
    let first = block_on(care.prescribe(patient, medicine())).unwrap().prescription.clone();
    block_on(care.withdraw_prescription(first.prescription_id, ExpectedVersion::Any)).unwrap();
    let again = block_on(care.prescribe(patient, medicine())).unwrap().prescription.clone();
    let second = Prescription { prescription_id: 9.try_into().unwrap(), ..again };
    let act = Act::new("a", JournalOperation::ImportPatients, SystemTime::now().into());
    let decision = move |_: &Seen| Ok(vec![Change::put(second.clone())].into());
    block_on(store.transact(act, Box::new(decision))).unwrap();
    let lines: Vec<_> = entries(&store).iter().map(|entry| serde_json::to_string(entry).unwrap() + "\n").collect();
    let bench = Bench::new();
    let said = bench.admin_reading(&["import", "--database", "copy.db"], &lines.concat()).refused();
    let found = format!("care-admin: line {} cannot be imported: Prescription 9: ", lines.len());
    assert!(said.starts_with(&found), "{said}");
    assert!(!bench.path("copy.db").exists());
    // A withdrawn prescription is no second one.
    bench.admin_reading(&["import", "--database", "copy.db"], &lines[..lines.len() - 1].concat()).done();
}

#[test]
fn gaps_repetitions_and_another_order_leave_what_was_there() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    let all: Vec<_> = journal.split_inclusive('\n').collect();
    bench.admin_reading(&["import", "--database", "known.db"], all[0]).done();
    for order in [&[0, 1, 3][..], &[0, 1, 1], &[0, 1, 0], &[0, 1, 3, 2]] {
        let text: String = order.iter().map(|line| all[*line]).collect();
        for database in ["known.db", "new.db"] {
            let said = bench.admin_reading(&["import", "--database", database], &text).refused();
            assert_eq!(said, "care-admin: line 3 is not the next entry\n");
        }
        assert_eq!(export(&bench, "known.db"), all[0]);
        assert!(!bench.path("new.db").exists());
    }
}

#[test]
fn a_file_may_begin_where_the_database_ends() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    let all: Vec<_> = journal.split_inclusive('\n').collect();
    let import = |text: String| bench.admin_reading(&["import", "--database", "copy.db"], &text);
    import(all[..10].concat()).done();
    assert_eq!(import(all[11..].concat()).refused(), "care-admin: line 1 is not the next entry\n");
    let changed = all[10].replace("\"at\":\"2", "\"at\":\"3");
    let said = import(changed).refused();
    assert_eq!(said, "care-admin: line 1 does not follow the line before it in the chain\n");
    let said = import(all[10..].concat()).done();
    assert_eq!(said, format!("{} entries imported, 10 were already there\n", all.len() - 10));
    assert_eq!(export(&bench, "copy.db"), journal);
}

#[test]
fn the_journal_of_another_clinic_is_refused_at_the_first_difference() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    bench.admin_reading(&["import", "--database", "copy.db"], &lines(&journal, 10)).done();
    let care = CareService::new(bench.store("copy.db"));
    block_on(care.register_patient(PatientDetails::default())).unwrap();
    drop(care);
    let said = bench.admin_reading(&["import", "--database", "copy.db"], &journal).refused();
    let what = "differs from the entry that the database has under this number";
    assert_eq!(said, format!("care-admin: line 11 {what}\n"));
    assert_eq!(entries(&bench.store("copy.db")).len(), 11);
}

#[test]
fn a_journal_shorter_than_the_databases_changes_nothing() {
    let bench = Bench::with_clinic();
    let journal = export(&bench, "care.db");
    let said = bench.admin_reading(&["import", "--database", "care.db"], &lines(&journal, 7)).done();
    assert_eq!(said, "0 entries imported, 7 were already there\n");
    let store = bench.store("care.db");
    assert_eq!(block_on(store.journal(Seq::new(7), Limit::items(1))).unwrap().items.len(), 1);
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let bench = Bench::with_clinic();
    let said = bench.admin(&["import", "--database", "care.db", "--in", "absent"]).refused();
    assert!(said.starts_with("care-admin: absent cannot be read: "), "{said}");
    let said = bench.admin(&["export", "--database", "care.db", "--out", "absent/out"]).refused();
    assert!(said.starts_with("care-admin: absent/out cannot be written: "), "{said}");
}

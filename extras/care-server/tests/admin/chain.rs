//! The head of the journal, and exports whose chain was broken.

use care_core::{
    model::{Invoice, Name, Patient, Receipt, ReceiptKind},
    store::{Change, Entry, Erased, Record},
};
use rusqlite::Connection;

use crate::bench::{Bench, chain_of};

fn verify(bench: &Bench, database: &str, head: &str) -> crate::bench::ProgramEnd {
    bench.admin(&["verify", "--database", database, "--from-head", head])
}

#[test]
fn a_head_proves_later_that_nothing_before_it_was_changed() {
    let bench = Bench::with_clinic();
    let head = bench.admin(&["head", "--database", "care.db"]).done();
    let head = head.trim_end();
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    assert!(chain_of(&journal).is_none_or(|found| found.unwrap() == head));
    let said = verify(&bench, "care.db", head).done();
    let seq = head.split(':').next().unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[0], format!("the chain of {seq} journal entries is whole, with the head {head}"));
    assert_eq!(lines[1], format!("nothing up to entry {seq} was changed or cut off since its head was printed"));
    assert_eq!(lines[2], "every value is the one committed to, or in the list of an erasure");
    assert!(lines[3].ends_with(" records agree") && lines.len() == 4, "{said}");

    // The same history without its last entry: sound in itself, and not the one of the head.
    let cut: String = journal.split_inclusive('\n').take(journal.lines().count() - 1).collect();
    bench.admin_reading(&["import", "--database", "cut.db"], &cut).done();
    bench.admin(&["verify", "--database", "cut.db"]).done();
    let said = verify(&bench, "cut.db", head).refused();
    let what = format!("the chain is broken: Journal {seq}: the journal ends before the given head");
    assert_eq!(said, format!("care-admin: the database contradicts itself: {what}\n"));

    for wrong in ["7", "7:00", "x"] {
        let refused = verify(&bench, "care.db", wrong);
        assert!(!refused.is_success && refused.err.contains("not SEQ:LINK"), "{refused:?}");
    }
}

#[test]
fn an_erasure_keeps_the_head_of_before() {
    let bench = Bench::with_clinic();
    let before = bench.admin(&["head", "--database", "care.db"]).done();
    bench.admin(&["erase-patient", "1"]).done();
    let said = verify(&bench, "care.db", before.trim_end()).done();
    assert!(said.contains("nothing up to entry "), "{said}");
    let after = bench.admin(&["head", "--database", "care.db"]).done();
    assert_ne!(after, before);
    // An import of what was exported before agrees link by link with the erased database, and brings nothing back.
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
    assert_eq!(bench.admin(&["head", "--database", "copy.db"]).done(), after);
}

#[test]
fn an_export_from_after_an_erasure_is_not_added_to_what_was_erased() {
    let bench = Bench::with_clinic();
    let before = bench.admin(&["export", "--database", "care.db"]).done();
    bench.admin_reading(&["import", "--database", "older.db"], &before).done();
    bench.admin(&["erase-patient", "1"]).done();
    let after = bench.admin(&["export", "--database", "care.db"]).done();
    let there = before.lines().count();
    // The whole export, and only what is new.
    for there in [0, there] {
        let lines: String = after.split_inclusive('\n').skip(there).collect();
        let said = bench.admin_reading(&["import", "--database", "older.db"], &lines).refused();
        let line = lines.lines().count();
        let what = "cannot be imported: it erases values that the database has; import into an empty database\n";
        assert_eq!(said, format!("care-admin: line {line} {what}"));
        assert_eq!(bench.admin(&["export", "--database", "older.db"]).done(), before);
    }
}

#[test]
fn an_older_export_agrees_with_an_erased_database_and_brings_nothing_back() {
    let bench = Bench::with_clinic();
    let older = bench.admin(&["export", "--database", "care.db"]).done();
    bench.admin(&["erase-patient", "1"]).done();
    let erased = bench.admin(&["export", "--database", "care.db"]).done();
    let said = bench.admin_reading(&["import", "--database", "care.db"], &older).done();
    assert_eq!(said, format!("0 entries imported, {} were already there\n", older.lines().count()));
    assert_eq!(bench.admin(&["export", "--database", "care.db"]).done(), erased);
    bench.admin(&["verify", "--database", "care.db"]).done();
}

#[test]
fn lines_from_before_an_erasure_are_not_joined_with_lines_after_it() {
    let bench = Bench::with_clinic();
    let before = bench.admin(&["export", "--database", "care.db"]).done();
    bench.admin_reading(&["import", "--database", "older.db"], &before).done();
    bench.admin(&["erase-patient", "1"]).done();
    let after = bench.admin(&["export", "--database", "care.db"]).done();
    let [before, after] = [&before, &after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let first = (0..before.len()).find(|line| before[*line] != after[*line]).unwrap();
    let joined = [&before[..], &after[before.len()..]].concat().concat();
    let stands_again = " is listed as erased, and stands again";
    let fault = chain_of(&joined).map(Result::unwrap_err);
    let at = format!("entry {}: the value of change ", first + 1);
    assert!(fault.is_none_or(|fault| fault.contains(&at) && fault.contains(stands_again)));
    // Into no database, one that was erased, and one that is the beginning of it.
    bench.admin_reading(&["import", "--database", "part.db"], &after[..first].concat()).done();
    for database in ["copy.db", "care.db", "part.db"] {
        let said = bench.admin_reading(&["import", "--database", database], &joined).refused();
        let at = format!("care-admin: line {} cannot be imported: ", first + 1);
        assert!(said.starts_with(&at) && said.trim_end().ends_with(stands_again), "{database}: {said}");
    }
    assert!(!bench.path("copy.db").exists());
    assert_eq!(bench.admin(&["export", "--database", "part.db"]).done(), after[..first].concat());
    assert_eq!(bench.admin(&["export", "--database", "care.db"]).done(), after.concat());
    // A database that has what was erased is judged together with the lines.
    let said = bench.admin_reading(&["import", "--database", "older.db"], &joined).refused();
    assert!(said.contains("import into an empty database"), "{said}");
    assert_eq!(bench.admin(&["export", "--database", "older.db"]).done(), before.concat());
}

#[test]
fn the_other_program_takes_nothing_that_the_chain_does_not_cover() {
    let bench = Bench::with_clinic();
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    let first = journal.lines().next().unwrap();
    let (begin, rest) = first.split_once("\"actor\":").unwrap();
    for (forged, fault) in [
        (format!("{first}{{\"actor\":\"another\"}}"), "Extra data"),
        (format!("{begin}\"actor\":\"another\",\"actor\":{rest}"), "a member is repeated or unknown"),
        (format!("{begin}\"note\":\"another\",\"actor\":{rest}"), "a member is repeated or unknown"),
    ] {
        let forged = journal.replacen(first, &forged, 1);
        assert!(chain_of(&forged).is_none_or(|found| found.unwrap_err().contains(fault)), "{fault}");
        bench.admin_reading(&["import", "--database", "copy.db"], &forged).refused();
    }
}

#[test]
fn the_first_line_that_does_not_follow_is_refused() {
    let bench = Bench::with_clinic();
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    let lines: Vec<_> = journal.split_inclusive('\n').collect();
    let changed = journal.replacen(lines[6], &lines[6].replace("\"at\":\"2", "\"at\":\"3"), 1);
    assert_ne!(changed, journal);
    assert!(chain_of(&changed).is_none_or(|found| found.unwrap_err().contains("entry 7 does not follow")));
    let said = bench.admin_reading(&["import", "--database", "copy.db"], &changed).refused();
    assert_eq!(said, "care-admin: line 7 does not follow the line before it in the chain\n");
    assert!(!bench.path("copy.db").exists(), "nothing of a changed journal is imported");
    bench.admin_reading(&["import", "--database", "copy.db"], &lines[..3].concat()).done();
    let said = bench.admin_reading(&["import", "--database", "copy.db"], &changed).refused();
    assert_eq!(said, "care-admin: line 7 does not follow the line before it in the chain\n");
    assert_eq!(bench.admin(&["export", "--database", "copy.db"]).done(), lines[..3].concat());
    bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
    assert_eq!(bench.admin(&["export", "--database", "copy.db"]).done(), journal);
}

#[test]
fn three_things_are_said_apart() {
    let bench = Bench::with_clinic();
    bench.admin(&["erase-patient", "1"]).done();
    let conn = Connection::open(bench.path("care.db")).unwrap();
    // The salt of a value that an erasure left, the actor of an entry, and a record.
    let salt = "substr(changes, instr(changes, '\",\"commitment\"') - 32, 32)";
    let erased = "(SELECT seq FROM journal WHERE instr(changes, '\"commitment\"') > 0 LIMIT 1)";
    for change in [
        format!("UPDATE journal SET changes = replace(changes, {salt}, '{}') WHERE seq IN {erased}", "0".repeat(32)),
        "UPDATE journal SET actor = 'x' WHERE seq = 9".to_owned(),
        "UPDATE item SET is_available = 1 - is_available WHERE medicine_key = (SELECT min(medicine_key) FROM item)"
            .to_owned(),
    ] {
        assert!(conn.execute(&change, []).unwrap() > 0, "{change}");
    }
    conn.close().unwrap();
    let said = bench.admin(&["verify", "--database", "care.db"]).refused();
    let parts: Vec<_> = said.trim_end().split("; ").collect();
    assert!(
        parts[0].starts_with("care-admin: the database contradicts itself: the chain is broken: Journal 9: "),
        "{said}"
    );
    assert!(parts[1].starts_with("a value was changed: Journal "), "{said}");
    assert!(
        parts[2].starts_with("Item ") && parts[2].contains(": isAvailable is not as entry ") && parts.len() == 3,
        "{said}"
    );
}

fn lines_of(entries: &[Entry]) -> String {
    let line = |entry| serde_json::to_string(entry).unwrap() + "\n";
    entries.iter().map(line).collect()
}

/// Returns the journal with other values beside the old commitments, and the list of these.
fn forged(journal: &str, other: impl Fn(&Record) -> Option<Record>) -> (Vec<Entry>, Vec<Erased>) {
    let mut entries: Vec<Entry> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut list = Vec::new();
    for entry in &mut entries {
        for (revision, change) in entry.revisions.iter_mut().zip(0..) {
            let Change::Put(record) = &revision.change else { continue };
            if let Some(other) = other(record).filter(|_| revision.commitment.is_none()) {
                list.push(Erased { seq: entry.seq, change, left: revision.erase(other).unwrap() });
            }
        }
    }
    (entries, list)
}

#[test]
fn no_value_is_imported_that_the_chain_does_not_commit_to() {
    let bench = Bench::with_clinic();
    bench.admin(&["erase-patient", "1"]).done();
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    let known: String = journal.split_inclusive('\n').take(1).collect();
    bench.admin_reading(&["import", "--database", "known.db"], &known).done();

    // The true commitment beside a false value.
    let (false_value, list) = forged(&journal, |record| match record {
        Record::Patient(patient) if patient.patient_id.value() == 2 => {
            Some(Patient { name: Name::new("Mallory").ok(), ..patient.clone() }.into())
        }
        _ => None,
    });
    let first = list[0].seq.value();
    // The payment of another person, covered by the list of a further erasure of the first one.
    let (mut covered, list) = forged(&journal, |record| match record {
        Record::Receipt(receipt) if receipt.kind == ReceiptKind::Payment => {
            Some(Receipt { amount: None, ..receipt.clone() }.into())
        }
        _ => None,
    });
    let payment = list[0].seq.value();
    let mut further = covered.iter().rfind(|entry| entry.erased.is_some()).unwrap().clone();
    further.revisions.retain(|revision| matches!(revision.change, Change::Put(Record::Voided(_))));
    further.revisions[0].replaced = further.seq;
    further.erased = Some(list);
    let last = covered.last().unwrap().head();
    further.seq = last.seq.next();
    Entry::link(std::slice::from_mut(&mut further), last).unwrap();
    covered.push(further);

    for (entries, line) in [(false_value, first), (covered, payment)] {
        // A short program without this project finds them too.
        let text = lines_of(&entries);
        assert!(chain_of(&text).is_none_or(|found| found.unwrap_err().contains(&format!("entry {line}: the value"))));
        for (database, lines, line) in [("copy.db", text.as_str(), line), ("known.db", &text[known.len()..], line - 1)]
        {
            let said = bench.admin_reading(&["import", "--database", database], lines).refused();
            let found = format!("care-admin: line {line} cannot be imported: a value was changed: Journal ");
            assert!(said.starts_with(&found), "{said}");
        }
        // The database stays as it was, and is not made where there was none.
        assert!(!bench.path("copy.db").exists());
        assert_eq!(bench.admin(&["export", "--database", "known.db"]).done(), known);
    }
    bench.admin_reading(&["import", "--database", "known.db"], &journal[known.len()..]).done();
    bench.admin(&["verify", "--database", "known.db"]).done();
}

#[test]
fn a_false_value_is_refused_where_the_database_has_the_true_one() {
    let bench = Bench::with_clinic();
    let before = bench.admin(&["export", "--database", "care.db"]).done();
    let whole = before.split_inclusive('\n').take(before.lines().count() - 1).collect::<String>();
    bench.admin_reading(&["import", "--database", "shorter.db"], &whole).done();
    bench.admin(&["erase-patient", "1"]).done();
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    let (false_value, list) = forged(&journal, |record| match record {
        Record::Patient(patient) if patient.patient_id.value() == 2 => {
            Some(Patient { name: Name::new("Mallory").ok(), ..patient.clone() }.into())
        }
        _ => None,
    });
    let found = format!(
        "care-admin: line {} cannot be imported: the value of change {} is not the one committed to, and no erasure \
         left it\n",
        list[0].seq, list[0].change
    );
    // Nothing is new to one database, and the last lines are to the other.
    for (database, there) in [("care.db", &journal), ("shorter.db", &whole)] {
        let said = bench.admin_reading(&["import", "--database", database], &lines_of(&false_value)).refused();
        assert_eq!(said, found, "{database}");
        assert_eq!(bench.admin(&["export", "--database", database]).done(), *there);
    }
}

#[test]
fn no_entry_is_imported_that_contradicts_another() {
    let bench = Bench::with_clinic();
    bench.admin(&["erase-patient", "1"]).done();
    let journal = bench.admin(&["export", "--database", "care.db"]).done();
    let erased = 1.try_into().unwrap();
    // The invoices of all others, said to be of the person who was erased, whose erasure lists them. The chain follows.
    let (mut entries, list) = forged(&journal, |record| match record {
        Record::Invoice(invoice) if invoice.patient_id != erased => {
            let emptied = Invoice { name: None, age: None, gender: None, phone: None, ..invoice.clone() };
            Some(Invoice { patient_id: erased, email: None, dosage: None, ..emptied }.into())
        }
        _ => None,
    });
    let first = list[0].seq;
    let (erasure, before) = entries.split_last_mut().unwrap();
    erasure.erased.as_mut().unwrap().extend(list);
    Entry::link(std::slice::from_mut(erasure), before.last().unwrap().head()).unwrap();
    let text = lines_of(&entries);
    assert!(chain_of(&text).is_none_or(|found| found.is_ok()));
    let said = bench.admin_reading(&["import", "--database", "copy.db"], &text).refused();
    let found = format!("care-admin: line {first} cannot be imported: Invoice ");
    assert!(said.starts_with(&found) && said.ends_with(&format!(" (journal entry {first})\n")), "{said}");
    assert!(!bench.path("copy.db").exists());
}

//! Changes by hand are found.

use care_conformance::samples;
use care_core::{
    audit::{self, AuditError},
    store::{Change, Counter, Maintenance, Series, Voided},
};
use care_store_sqlite::CheckError;
use futures_executor::block_on;

use crate::bench::{Bench, commit};

/// Returns a closed store with a record of each kind.
fn filled() -> Bench {
    let bench = Bench::new();
    let store = bench.open();
    let name = samples::medicine("Ibuprofen");
    let of = samples::prescription(3, 7, &name);
    let mut changes = vec![
        Change::put(samples::patient(7)),
        Change::put(samples::consultation(&of)),
        Change::put(samples::diagnosis_forms(3, 7).swap_remove(1)),
        Change::put(of.clone()),
        Change::put(samples::invoice(5, &of)),
        Change::put(samples::item(&name)),
        Change::put(samples::demand(&name, samples::date("31/01/2026"))),
        Change::put(samples::regular_demand(&name, 3)),
        Change::put(Counter { series: Series::Invoice, last: 5 }),
        Change::put(Voided { patient_id: samples::patient_id(8) }),
    ];
    changes.extend(samples::history_forms(7).pop().map(Change::put));
    changes.extend(samples::replies().pop().map(Change::put));
    commit(&store, changes).unwrap();
    commit(&store, vec![Change::put(samples::patient(9))]).unwrap();
    commit(&store, (10..40).map(|number| Change::put(samples::patient(number))).collect()).unwrap();
    block_on(store.check()).unwrap();
    bench
}

/// Returns the finding after this change of the database.
fn after(sql: &str) -> String {
    let bench = filled();
    let stranger = bench.stranger();
    stranger.execute_batch(sql).unwrap();
    drop(stranger);
    match block_on(bench.open().check()) {
        Err(CheckError::Damage(damage)) => damage.to_string(),
        other => panic!("{sql}: {other:?}"),
    }
}

#[test]
fn values_that_the_model_refuses() {
    assert_eq!(
        after("UPDATE patient SET email = 'no' || char(7) || 'mail' WHERE patient_id = 9"),
        "table patient, row 9: email is not as the service writes it"
    );
    assert_eq!(
        after("UPDATE invoice SET name = char(7)"),
        "table invoice, row 5: name is not as the service writes it"
    );
    assert_eq!(
        after("UPDATE diagnosis SET diseases = '[7]'"),
        "table diagnosis, row 3: diseases is not as the service writes it"
    );
}

#[test]
fn values_that_do_not_belong_together() {
    assert_eq!(
        after("UPDATE patient SET folded_name = 'x' WHERE patient_id = 7"),
        "table patient, row 7: folded_name is not as the service writes it"
    );
    for (table, row) in [("item", "x"), ("regular_demand", "x 30")] {
        assert_eq!(
            after(&format!("UPDATE {table} SET medicine_key = 'x'")),
            format!("table {table}, row {row}: medicine is not as the service writes it")
        );
    }
    assert_eq!(
        after("UPDATE demand SET medicine = 'Aspirin'"),
        "table demand, row 20484 ibuprofen: medicine is not as the service writes it"
    );
    assert_eq!(
        after("UPDATE consultation SET prescription_ids = '[ 3 ]'"),
        "table consultation, row 3: prescription_ids is not as the service writes it"
    );
}

#[test]
fn journal_entries() {
    let otherwise = "table journal, row 2: is not as the service writes it";
    for column in ["changes", "reads"] {
        assert_eq!(after(&format!("UPDATE journal SET {column} = {column} || ' ' WHERE seq = 2")), otherwise);
    }
    assert_eq!(after("UPDATE journal SET erased = '[ ]' WHERE seq = 2"), otherwise);
    let unknown = "UPDATE journal SET changes = replace(changes, '\"record\"', '\"more\":1,\"record\"') WHERE seq = 2";
    assert_eq!(after(unknown), otherwise);
    assert_eq!(after("UPDATE journal SET changes = '{' WHERE seq = 2"), "table journal, row 2: is no entry");
    // The third one is long enough to be packed.
    let no_entry = "table journal, row 3: is no entry";
    for damage in ["changes || ' '", "zeroblob(5)", "x''", "x'ffffffff00'", "substr(changes, 1, length(changes) - 1)"] {
        assert_eq!(after(&format!("UPDATE journal SET changes = {damage} WHERE seq = 3")), no_entry, "{damage}");
    }
}

#[test]
fn the_chain_of_the_journal() {
    for change in ["actor = 'x'", "operation = 'x'", "at = at + 1", "erased = '[]'", "link = zeroblob(32)"] {
        let bench = filled();
        bench.stranger().execute_batch(&format!("UPDATE journal SET {change} WHERE seq = 1")).unwrap();
        match block_on(audit::verify(&bench.open())) {
            Err(AuditError::Contradiction(found)) => {
                let found = found.chain.unwrap().to_string();
                assert!(found.starts_with("Journal 1: "), "{change}: {found}");
            }
            other => panic!("{change}: {other:?}"),
        }
    }
}

#[test]
fn what_is_referred_to_and_is_not_there() {
    assert_eq!(
        after("PRAGMA foreign_keys = 0; DELETE FROM patient WHERE patient_id = 7"),
        "table consultation, row 3: refers to a patient that does not exist"
    );
}

#[test]
fn terms_that_patients_lack_or_do_not_have() {
    assert_eq!(
        after("DELETE FROM patient_term WHERE patient_id = 7 AND term LIKE '@%'"),
        "table patient_term, row 7: lacks a term of this patient"
    );
    assert_eq!(
        after("INSERT INTO patient_term VALUES ('x', 7)"),
        "table patient_term: holds a term that no patient has"
    );
}

#[test]
fn the_schema() {
    for (sql, name) in [("DROP INDEX invoice_unpaid", "invoice_unpaid"), ("CREATE TABLE notes (note TEXT)", "notes")] {
        let bench = filled();
        // A database that is damaged like this before it is opened is refused.
        let store = bench.open();
        bench.stranger().execute_batch(sql).unwrap();
        match block_on(store.check()) {
            Err(CheckError::Damage(damage)) => {
                assert_eq!(damage.to_string(), format!("table {name}: is not in the schema, or not as it should be"));
            }
            other => panic!("{sql}: {other:?}"),
        }
    }
}

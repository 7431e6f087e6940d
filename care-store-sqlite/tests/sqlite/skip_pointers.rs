//! Old versions are found by skip pointers, without a walk through all that came later.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use care_core::{
    error::StoreError,
    model::{Patch, Patient, PatientDetails, PatientId, Phone},
    service::{CareService, ExpectedVersion},
    store::{Entity, Entry, Journal, Limit, Maintenance, Portion, Seq},
};
use care_store_sqlite::{CheckError, SqliteStore};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;

use crate::bench::Bench;

/// A store that counts how often its journal is read.
#[derive(Debug)]
struct Counting {
    store: SqliteStore,
    reads: Arc<AtomicUsize>,
}

#[async_trait]
impl Hooks for Counting {
    type Store = SqliteStore;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.store.journal(after, limit).await
    }
}

/// The number of changes of the patient in the tests: entry 1 registers it, entry `n` gives it the phone number `n`.
const CHANGES: i64 = 600;

fn changed(bench: &Bench) -> (CareService, Arc<AtomicUsize>) {
    let reads = Arc::new(AtomicUsize::new(0));
    let care = CareService::new(Wrap(Counting { store: bench.open(), reads: Arc::clone(&reads) }));
    block_on(care.register_patient_as(PatientId::FIRST, PatientDetails::default())).unwrap();
    for number in 2..=CHANGES {
        let phone = Patch::Set(Phone::try_from(number).unwrap());
        let details = PatientDetails { phone, ..PatientDetails::default() };
        block_on(care.update_patient(PatientId::FIRST, details, ExpectedVersion::Any)).unwrap();
    }
    (care, reads)
}

#[test]
fn an_old_version_is_found_without_a_read_for_each_one_since() {
    let bench = Bench::new();
    let (care, reads) = changed(&bench);
    let (mut total, all) = (0, 1..=CHANGES);
    for number in all.clone() {
        reads.store(0, Ordering::Relaxed);
        let past = block_on(care.as_of::<Patient>(PatientId::FIRST, Seq::new(number.unsigned_abs()))).unwrap().unwrap();
        assert_eq!(past.found.version, Seq::new(number.unsigned_abs()));
        assert_eq!(past.before, Seq::new(number.unsigned_abs() - 1));
        assert_eq!(past.found.record.phone, (number > 1).then(|| Phone::try_from(number).unwrap()));
        total += reads.load(Ordering::Relaxed);
    }
    // Sixteen for each on average; without skip pointers it would be half of all.
    assert!(total < 600 * 40, "{total} reads");
}

#[test]
fn an_erasure_and_a_replay_leave_each_entry_its_skip_pointers() {
    let bench = Bench::new();
    drop(changed(&bench));
    let store = bench.open();
    block_on(store.check()).unwrap();
    let entries = block_on(store.journal(Seq::ZERO, Limit::ALL)).unwrap().items;
    let other = Bench::new();
    let replica = other.open();
    block_on(replica.replay(entries)).unwrap();
    block_on(replica.check()).unwrap();
    let key = Patient::key(PatientId::FIRST);
    for at in [1, 100, 599] {
        let near = |store: &SqliteStore| block_on(store.skip_pointer(&key, Seq::new(at))).unwrap();
        assert_eq!(near(&store), near(&replica));
    }
    let care = CareService::new(store);
    block_on(care.erase_patient(PatientId::FIRST)).unwrap();
    drop(care);
    block_on(bench.open().check()).unwrap();
}

#[test]
fn one_that_was_added_or_taken_away_by_hand_is_named() {
    for (sql, said) in [
        ("DELETE FROM skip_pointer WHERE seq = (SELECT min(seq) FROM skip_pointer)", " is missing"),
        ("INSERT INTO skip_pointer VALUES ('Patient', '9', 9)", "table skip_pointer: holds what no entry has made"),
    ] {
        let bench = Bench::new();
        drop(changed(&bench));
        bench.stranger().execute_batch(sql).unwrap();
        match block_on(bench.open().check()) {
            Err(CheckError::Damage(damage)) => assert!(damage.to_string().ends_with(said), "{damage}"),
            other => panic!("{sql}: {other:?}"),
        }
    }
}

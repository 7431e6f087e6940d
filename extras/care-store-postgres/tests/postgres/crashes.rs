//! PostgreSQL killed under load: each acknowledged write is there, exactly once.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    thread,
};

use care_core::{
    audit,
    model::PatientId,
    store::{Journal, Limit, Maintenance, Query, Records, Seq},
};
use care_scratch_postgres::{Cluster, Durability};
use care_store_postgres::PostgresStore;
use care_testkit::{PATIENCE, until};
use futures_executor::block_on;

use super::{
    number,
    opening::put,
    scratch::{Test, test},
};

/// The number of writing clients.
const CLIENTS: usize = 8;

pub(super) fn tests() -> Vec<Test> {
    vec![test("acknowledged_writes_outlive_a_crash", |server| {
        let cluster = Cluster::start(server.installation(), Durability::Full, &[]);
        let mut cluster = cluster.expect("PostgreSQL starts");
        let address = cluster.address("public");
        let store = PostgresStore::open(&address).expect("an empty schema");
        let next = AtomicI64::new(1);
        for _ in 0..number("CARE_CRASHES", 3) {
            let acknowledged = crash(&mut cluster, &store, &next);
            prove(&store, &acknowledged);
        }
        drop(store);
        let store = PostgresStore::open(&address).expect("the schema");
        block_on(store.check()).expect("every row is as it was written");
        block_on(audit::verify(&store)).expect("records and journal agree");
    })]
}

/// Kills the server while clients write, and restarts it. Returns the numbers whose writes were acknowledged.
fn crash(cluster: &mut Cluster, store: &PostgresStore, next: &AtomicI64) -> Vec<(i64, Seq)> {
    let (is_over, count) = (AtomicBool::new(false), AtomicUsize::new(0));
    // Every client is in the middle of something by then.
    let written = || {
        let enough = count.load(Ordering::SeqCst) + 8 * CLIENTS;
        assert!(until(PATIENCE, || count.load(Ordering::SeqCst) >= enough), "nothing is written");
    };
    thread::scope(|scope| {
        let client = || {
            let mut acknowledged = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                let number = next.fetch_add(1, Ordering::SeqCst);
                // No failure promises anything.
                if let Ok(Some(seq)) = put(store, number) {
                    acknowledged.push((number, seq));
                    count.fetch_add(1, Ordering::SeqCst);
                }
            }
            acknowledged
        };
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        written();
        cluster.kill().expect("the server is killed");
        cluster.restart().expect("the server recovers");
        written();
        is_over.store(true, Ordering::SeqCst);
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect()
    })
}

fn prove(store: &PostgresStore, acknowledged: &[(i64, Seq)]) {
    let entries = block_on(store.journal(Seq::ZERO, Limit::ALL)).expect("the journal").items;
    assert!(entries.iter().zip(1..).all(|(entry, number)| entry.seq == Seq::new(number)), "numbers have no gaps");
    let records = block_on(store.list(&Query::All { after: None }, Limit::ALL)).expect("a list").items;
    let there: BTreeSet<_> = records.iter().map(|found| (found.record.key(), found.version)).collect();
    assert_eq!(there.len(), entries.len(), "each entry put one patient");
    for (number, seq) in acknowledged {
        let id = PatientId::try_from(*number).expect("a number");
        assert!(there.contains(&(care_core::store::RecordKey::Patient(id), *seq)), "patient {number} is lost");
    }
}

//! Several servers on one database.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use care_core::{
    model::{MedicineName, RegularDemand, Supply, Timestamp},
    operation::Operation,
    service::CareService,
    store::{Act, Change, Journal, Limit, Records, Seen, Seq},
};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;

use super::{
    opening::put,
    scratch::{Test, test},
};

/// The number of racers on each of two servers, and how many increments each makes.
const RACERS: u64 = 32;
const EACH: u64 = 4;

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("every_increment_counts_whichever_server_it_comes_to", |server| {
            let address = server.schema();
            let stores = [1, 2].map(|_| PostgresStore::open(&address).expect("a schema"));
            thread::scope(|scope| {
                for racer in 0..2 * RACERS {
                    let store = &stores[usize::try_from(racer % 2).expect("one of two")];
                    scope.spawn(move || (0..EACH).for_each(|_| increment(store)));
                }
            });
            for store in &stores {
                assert_eq!(count(store), 2 * RACERS * EACH);
                let entries = block_on(store.journal(Seq::ZERO, Limit::ALL)).expect("the journal").items;
                assert!(entries.iter().zip(1..).all(|(entry, number)| entry.seq == Seq::new(number)));
                assert_eq!(entries.len() as u64, 2 * RACERS * EACH);
            }
        }),
        test("a_write_is_seen_by_the_other_server_at_once", |server| {
            let address = server.schema();
            let [one, other] = [1, 2].map(|_| PostgresStore::open(&address).expect("a schema"));
            for number in 1..=20 {
                let seq = put(&one, number).expect("a write").expect("an entry");
                assert_eq!(block_on(other.last()).expect("a read"), seq);
            }
        }),
        test("a_listener_hears_of_the_other_server", |server| {
            let address = server.schema();
            let [one, other] = [1, 2].map(|_| PostgresStore::open(&address).expect("a schema"));
            let other = CareService::new(Arc::new(other));
            let mut news = other.subscribe(Seq::ZERO);
            thread::scope(|scope| {
                let heard = scope.spawn(move || {
                    let entries = block_on(news.next(10)).expect("the journal");
                    (entries.len(), Instant::now())
                });
                // By now the listener waits, or it sees the entry when it starts to: both keep the promise.
                thread::sleep(Duration::from_millis(300));
                put(&one, 1).expect("a write");
                let written = Instant::now();
                let (count, at) = heard.join().expect("the listener");
                assert_eq!(count, 1);
                // It takes a tenth of a second on an idle machine; tests share theirs.
                assert!(at.saturating_duration_since(written) < Duration::from_secs(2));
            });
        }),
    ]
}

fn medicine() -> MedicineName {
    MedicineName::new("Paracetamol").expect("a name")
}

fn increment(store: &PostgresStore) {
    let at = Timestamp::from_unix_millis(0).expect("1970");
    let act = Act::new("tests", Operation::AddPrescription, at);
    let decision = move |seen: &Seen| {
        let found = seen.get::<RegularDemand>((medicine().key().clone(), Supply::EVERY_DAYS))?;
        let before = found.map_or(0, |found| found.record.active_regular);
        Ok(vec![Change::put(RegularDemand {
            active_regular: before + 1,
            ..RegularDemand::new(medicine(), Supply::EVERY_DAYS)
        })]
        .into())
    };
    block_on(store.transact(act, Box::new(decision))).expect("a write");
}

fn count(store: &PostgresStore) -> u64 {
    let mut count = 0;
    let question = &mut |seen: &mut Seen| {
        let found = seen.get::<RegularDemand>((medicine().key().clone(), Supply::EVERY_DAYS))?;
        count = found.map_or(0, |found| found.record.active_regular);
        Ok(())
    };
    block_on(store.read(question)).expect("a read");
    count
}

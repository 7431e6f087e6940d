//! Other sessions' locks: on a table, and on the writers' lock.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_core::{
    error::{Error, StoreErrorKind},
    model::{MedicineName, PatientId},
    service::CareService,
    store::{Journal, Limit, Seq},
};
use care_store_postgres::PostgresStore;
use care_testkit::until;
use futures_executor::block_on;

use super::{
    opening::put,
    scratch::{Server, Test, pooled, test},
};

/// The number of reads of the locked table that run at once: more than there are connections.
const READERS: usize = 24;
/// The time for which the lock is held: longer than a probe and a write after it wait.
const HELD: Duration = Duration::from_secs(6);
/// Longest time that a read of another table may take meanwhile.
const LIMIT: Duration = Duration::from_millis(1_500);

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_locked_table_stops_no_read_of_another", |server| {
            let address = server.schema();
            let schema = address.rsplit("%3D").next().expect("a schema").to_owned();
            locked_table(server, &address, &schema);
        }),
        pooled("a_locked_table_stops_no_read_of_another_behind_a_pooler", |server| {
            let address = server.pooled_schema();
            let schema = address.split_once("user=").expect("a user").1.split('&').next().expect("a user").to_owned();
            locked_table(server, &address, &schema);
        }),
        test("a_store_whose_writers_are_locked_out_is_not_ready", |server| {
            let address = server.schema();
            let schema = address.rsplit("%3D").next().expect("a schema").to_owned();
            let store = PostgresStore::open(&address).expect("an empty schema");
            put(&store, 1).expect("an entry");
            finds(&store, Ok(()), "nobody holds a lock");
            let lock =
                hold(&schema, &format!("SELECT pg_advisory_lock(1128354373, '{schema}.journal'::regclass::oid::int4)"));
            thread::scope(|scope| {
                let holder = scope.spawn(|| server.cluster().execute(&lock).expect("a lock"));
                server.cluster().until_asleep(&schema).expect("the lock");
                // Earlier findings stay valid for a moment.
                thread::sleep(Duration::from_millis(300));
                let since = Instant::now();
                // All these probes share one connection, and leave the others to reads.
                let probes: Vec<_> = (0..READERS).map(|_| scope.spawn(|| block_on(store.ready()))).collect();
                thread::sleep(Duration::from_millis(200));
                let read = Instant::now();
                let entries = block_on(store.journal(Seq::ZERO, Limit::ALL)).expect("a read");
                assert_eq!(entries.items.len(), 1);
                assert!(read.elapsed() < LIMIT, "{:?}", read.elapsed());
                for probe in probes {
                    let found = probe.join().expect("an answer").map_err(|error| error.kind());
                    assert_eq!(found, Err(StoreErrorKind::Busy));
                }
                assert!(since.elapsed() < HELD, "{:?}", since.elapsed());
                assert!(matches!(put(&store, 2), Err(Error::Store(error)) if error.kind() == StoreErrorKind::Busy));
                holder.join().expect("the holder");
            });
            finds(&store, Ok(()), "the lock is gone");
        }),
        test("a_store_that_could_not_write_every_table_is_not_ready", |server| {
            for (harm, mend) in [
                ("ALTER TABLE journal RENAME actor TO other", "ALTER TABLE journal RENAME other TO actor"),
                ("ALTER TABLE movement RENAME TO other", "ALTER TABLE other RENAME TO movement"),
                ("ALTER TABLE patient RENAME name TO other", "ALTER TABLE patient RENAME other TO name"),
            ] {
                let address = server.schema();
                let store = PostgresStore::open(&address).expect("an empty schema");
                finds(&store, Ok(()), "before the harm");
                server.execute(&address, harm).expect(harm);
                finds(&store, Err(StoreErrorKind::Broken), harm);
                server.execute(&address, mend).expect(mend);
                finds(&store, Ok(()), mend);
            }
        }),
    ]
}

/// Waits until a probe finds this. A finding stays valid for a moment, and a probe may find a server with too much to
/// do.
fn finds(store: &PostgresStore, expected: Result<(), StoreErrorKind>, when: &str) {
    let mut found = Ok(());
    let is_found = until(HELD, || {
        found = block_on(store.ready()).map_err(|error| error.kind());
        found == expected
    });
    assert!(is_found, "{when}: {found:?}");
}

fn locked_table(server: &Server, address: &str, schema: &str) {
    let care = CareService::new(PostgresStore::open(address).expect("an empty schema"));
    let medicine = MedicineName::new("Paracetamol").expect("a name");
    block_on(care.item(medicine.key().clone())).expect_err("there is none");
    let lock = hold(schema, &format!("BEGIN; LOCK TABLE {schema}.patient"));
    thread::scope(|scope| {
        let holder = scope.spawn(|| server.cluster().execute(&lock).expect("a lock"));
        server.cluster().until_asleep(schema).expect("the lock");
        let since = Instant::now();
        let readers: Vec<_> = (0..READERS).map(|_| scope.spawn(|| block_on(care.patient(PatientId::FIRST)))).collect();
        thread::sleep(Duration::from_millis(200));
        let read = Instant::now();
        let found = block_on(care.item(medicine.key().clone()));
        assert!(!matches!(found, Err(Error::Store(_))), "{found:?}");
        assert!(read.elapsed() < LIMIT, "{:?}", read.elapsed());
        let ready = block_on(care.ready()).map_err(|error| error.kind());
        assert_eq!(ready, Err(StoreErrorKind::Busy), "no patient can be read");
        for reader in readers {
            let found = reader.join().expect("an answer").map(drop);
            assert!(matches!(&found, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Busy), "{found:?}");
        }
        assert!(since.elapsed() < HELD, "{:?}", since.elapsed());
        holder.join().expect("the holder");
    });
    assert!(until(HELD, || block_on(care.ready()).is_ok()), "the lock is gone");
    assert!(!matches!(block_on(care.patient(PatientId::FIRST)), Err(Error::Store(_))));
}

/// Returns a script that holds this lock, in a session with this application name.
fn hold(name: &str, lock: &str) -> String {
    format!("SET application_name = '{name}'; {lock}; SELECT pg_sleep({})", HELD.as_secs())
}

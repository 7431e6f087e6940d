//! Openings and reads that wait for others.

use std::{
    sync::{Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use care_core::{
    error::Error,
    model::{Item, PatientId},
    service::CareService,
    store::{Limit, List},
};
use care_scratch_postgres::{Deed, Proxy, Statement};
use care_store_postgres::{OpenErrorKind, PostgresStore};
use futures_executor::block_on;

use super::scratch::{Server, Test, test};

/// Longest wait of an opening in these tests.
const LIMIT: Duration = Duration::from_millis(1_200);

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_start_that_stands_still_holds_up_no_other_for_long", stands_still),
        test("lists_leave_connections_to_reads_of_single_records", |server| {
            for (connections, lists) in [(8, 6), (3, 2), (2, 1)] {
                lists_stand_still(server, connections, lists);
            }
        }),
        test("an_opening_that_waits_ends_and_says_for_whom", |server| {
            for lock in ["SELECT pg_advisory_lock(1128354374, hashtext('{}'))", "BEGIN; LOCK TABLE {}.care"] {
                let address = server.schema();
                drop(PostgresStore::open(&address).expect("an empty schema"));
                let schema = address.rsplit("%3D").next().expect("a schema").to_owned();
                let hold =
                    format!("SET application_name = 'a holder'; {}; SELECT pg_sleep(4)", lock.replace("{}", &schema));
                thread::scope(|scope| {
                    let holder = scope.spawn(|| server.cluster().execute(&hold).expect("a lock"));
                    server.cluster().until_asleep("a holder").expect("the lock");
                    let since = Instant::now();
                    let refused = PostgresStore::options().opening_wait(LIMIT).open(&address);
                    let refused = refused.expect_err("it is locked");
                    assert_eq!(refused.kind(), OpenErrorKind::Waited, "{refused}");
                    let said = refused.to_string();
                    assert!(said.contains("role postgres, application a holder"), "{said}");
                    assert!(since.elapsed() >= LIMIT && since.elapsed() < 4 * LIMIT, "{:?}", since.elapsed());
                    // The opening stops waiting in PostgreSQL too; otherwise the table's readers and writers would
                    // queue behind it.
                    let left = format!(
                        "NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND (relation = '{schema}.care'::regclass \
                         OR (locktype = 'advisory' AND objid = hashtext('{schema}')::oid)))"
                    );
                    server.cluster().until(&left).expect("no wait is left");
                    assert!(!holder.is_finished(), "it waited until it had the lock");
                });
                drop(PostgresStore::open(&address).expect("nobody holds it"));
            }
        }),
    ]
}

/// Freezes the first start while it creates the schema, as a hanging machine would.
fn stands_still(server: &Server) {
    let (reached, is_reached) = mpsc::channel();
    let (go_on, gone) = mpsc::channel::<()>();
    let (reached, gone) = (Mutex::new(reached), Mutex::new(gone));
    let rule = move |statement: &Statement| {
        if statement.text.contains("CREATE TABLE care") {
            let _ = reached.lock().expect("a channel").send(());
            let _ = gone.lock().expect("a channel").recv_timeout(Duration::from_secs(60));
        }
        Deed::Pass
    };
    let proxy = Proxy::before(server.cluster(), rule).expect("a socket");
    let schema = server.cluster().schema().expect("an empty schema");
    thread::scope(|scope| {
        let frozen = scope.spawn(|| PostgresStore::open(&proxy.address(&schema)));
        is_reached.recv_timeout(Duration::from_secs(30)).expect("it makes the schema");
        let since = Instant::now();
        let other = PostgresStore::open(&server.cluster().address(&schema));
        let waited = since.elapsed();
        let _ = go_on.send(());
        other.expect("PostgreSQL ends what stands still");
        assert!(waited < Duration::from_secs(15), "it waited for {waited:?}");
        frozen.join().expect("a thread").expect_err("its transaction was ended");
    });
}

/// Freezes every list of items that reaches PostgreSQL, and reads a patient meanwhile.
fn lists_stand_still(server: &Server, connections: usize, lists: usize) {
    let (reached, is_reached) = mpsc::channel();
    let (go_on, gone) = mpsc::channel::<()>();
    let (reached, gone) = (Mutex::new(reached), Mutex::new(gone));
    let rule = move |statement: &Statement| {
        if statement.text.contains("FROM item") && statement.text.contains("ORDER BY medicine_key") {
            let _ = reached.lock().expect("a channel").send(());
            // The first one waits for the end of the test, and the others for the first one.
            let _ = gone.lock().map(|gone| gone.recv_timeout(Duration::from_secs(60)));
        }
        Deed::Pass
    };
    let proxy = Proxy::before(server.cluster(), rule).expect("a socket");
    let schema = server.cluster().schema().expect("an empty schema");
    let options = PostgresStore::options().readers(connections.try_into().expect("some connections"));
    let care = CareService::new(options.open(&proxy.address(&schema)).expect("an empty schema"));
    thread::scope(|scope| {
        for _ in 0..2 * connections {
            scope.spawn(|| block_on(care.store().list(&List::<Item>::all(None), Limit::ALL)));
        }
        for _ in 0..lists {
            is_reached.recv_timeout(Duration::from_secs(30)).expect("a list");
        }
        is_reached.recv_timeout(Duration::from_millis(500)).expect_err("no further list has a connection");
        let found = block_on(care.patient(PatientId::FIRST));
        drop(go_on);
        assert!(!matches!(found, Err(Error::Store(_))), "{connections} connections: {found:?}");
    });
}

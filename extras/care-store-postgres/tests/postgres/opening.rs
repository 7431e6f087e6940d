//! Databases that the store opens, and databases that it refuses.

use std::time::{Duration, Instant};

use care_core::{
    error::{Error, StoreErrorKind},
    model::{Patient, PatientId, Timestamp},
    operation::Operation,
    store::{Act, Change, Journal, Seq},
};
use care_store_postgres::{OpenErrorKind, PostgresStore};

use super::scratch::{Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_schema_of_something_else_is_refused", |server| {
            let address = server.schema();
            server.execute(&address, "CREATE TABLE other (number integer)").expect("a table");
            let refused = PostgresStore::open(&address).expect_err("a foreign schema");
            assert_eq!(refused.kind(), OpenErrorKind::Foreign);
            server.execute(&address, "INSERT INTO other VALUES (1)").expect("the table is as it was");
        }),
        test("a_missing_schema_is_refused", |server| {
            let refused = PostgresStore::open(&server.cluster().address("nowhere")).expect_err("no schema");
            assert_eq!(refused.kind(), OpenErrorKind::NoSchema);
        }),
        test("a_newer_schema_is_refused", |server| {
            let address = server.schema();
            drop(PostgresStore::open(&address).expect("an empty schema"));
            server.execute(&address, "UPDATE care SET protocol = protocol + 1").expect("a newer schema");
            let refused = PostgresStore::open(&address).expect_err("a newer schema");
            assert_eq!(refused.kind(), OpenErrorKind::Newer);
        }),
        test("a_server_without_a_standby_is_refused_where_one_is_required", |server| {
            let options = PostgresStore::options().require_synchronous(true);
            let refused = options.open(&server.schema()).expect_err("no standby");
            assert_eq!(refused.kind(), OpenErrorKind::NotSynchronous);
        }),
        test("an_absent_server_is_unreachable", |_| {
            let since = Instant::now();
            let refused = PostgresStore::open("postgres:///care?host=/nowhere").expect_err("no server");
            assert_eq!(refused.kind(), OpenErrorKind::Unreachable);
            assert!(since.elapsed() < Duration::from_secs(10));
        }),
        test("two_servers_may_make_the_schema_at_once", |server| {
            let address = server.schema();
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| PostgresStore::open(&address).expect("an empty schema, or a filled one"));
                }
            });
        }),
        test("a_newer_server_ends_the_writing_of_an_older_one", |server| {
            let address = server.schema();
            let store = PostgresStore::open(&address).expect("an empty schema");
            assert!(matches!(put(&store, 1), Ok(Some(seq)) if seq == Seq::new(1)));
            server.execute(&address, "UPDATE care SET protocol = protocol + 1").expect("a newer schema");
            let refused = put(&store, 2);
            assert!(matches!(refused, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Stopped));
            // Reads continue.
            assert_eq!(futures_executor::block_on(store.last()).expect("a read"), Seq::new(1));
        }),
    ]
}

/// Puts the patient with this number.
pub(super) fn put(store: &PostgresStore, number: i64) -> Result<Option<Seq>, Error> {
    let patient = Patient::new(PatientId::try_from(number).expect("a number"));
    futures_executor::block_on(store.transact(act(), Box::new(move |_| Ok(vec![Change::put(patient.clone())].into()))))
}

/// Returns an act for the tests.
pub(super) fn act() -> Act {
    let at = Timestamp::from_unix_millis(0).expect("1970");
    Act::new("tests", Operation::AddPatient, at)
}

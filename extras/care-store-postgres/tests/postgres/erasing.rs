//! Erasing a person from the places outside of rows where PostgreSQL keeps data.

use std::sync::Arc;

use care_core::{
    error::Error,
    model::{Name, PatientDetails, PatientId},
    service::CareService,
    store::Maintenance,
};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;

use super::scratch::{Test, test};

/// Fails if the name occurs in a column's statistics.
const IN_NO_STATISTICS: &str = "DO $$ BEGIN IF EXISTS ( \
         SELECT FROM pg_stats WHERE schemaname = current_schema() \
         AND concat(most_common_vals::text, histogram_bounds::text) ILIKE '%xanthippe%' \
     ) THEN RAISE 'it is there'; END IF; END $$";

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_scrub_takes_the_person_out_of_the_statistics", |server| {
            let address = server.schema();
            let store = Arc::new(PostgresStore::open(&address).expect("an empty schema"));
            let care = CareService::new(Arc::clone(&store));
            let people = ["Ada", "Xanthippe", "Bob"].map(|name| register(&care, name).expect("a patient"));
            server.execute(&address, "ANALYZE patient").expect("statistics");
            server.execute(&address, IN_NO_STATISTICS).expect_err("the name is a bound of the histogram");

            block_on(care.erase_patient(people[1])).expect("an erasure");
            block_on(store.scrub()).expect("a scrub");
            server.execute(&address, IN_NO_STATISTICS).expect("the name is gone");
            block_on(store.check()).expect("a sound store");
        }),
        test("a_scrub_waits_for_no_reader_and_no_writer", |server| {
            let store = Arc::new(server.store());
            let care = CareService::new(Arc::clone(&store));
            let people: Vec<_> = (0..50).map(|_| register(&care, "Ada").expect("a patient")).collect();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..5 {
                        block_on(store.scrub()).expect("a scrub");
                    }
                });
                for patient in &people {
                    block_on(care.patient(*patient)).expect("a read");
                    register(&care, "Bob").expect("a write");
                }
            });
        }),
    ]
}

fn register(care: &CareService, name: &str) -> Result<PatientId, Error> {
    let details = PatientDetails { name: Name::new(name).expect("a name").into(), ..PatientDetails::default() };
    block_on(care.register_patient(details)).map(|registered| registered.patient_id)
}

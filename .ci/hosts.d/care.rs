//! The part of each host that uses the service: it keeps a patient in the service's own file.

use care_core::{CareService, model::PatientDetails};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

pub fn works() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(directory.path().join("care.db")).expect("a database");
    let care = CareService::new(store);
    let details = PatientDetails::named("Ada Example").expect("a name");
    let ada = block_on(care.register_patient(details)).expect("a patient");
    assert_eq!(block_on(care.patient(ada.patient_id)).expect("the patient"), ada);
}

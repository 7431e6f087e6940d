//! Every task works while a server is running on the database.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use care_core::{
    error::{Error, StoreErrorKind},
    model::{MedicineName, PatientDetails, PatientId},
    service::{CareService, NewPrescription},
};
use care_testkit::{PATIENCE, until};
use futures_executor::block_on;

use crate::bench::Bench;

/// Runs the whole flow of one patient.
fn work(care: &CareService) {
    let patient = answered(|| care.register_patient(PatientDetails::default()));
    let new = NewPrescription::of(MedicineName::new("Ibuprofen").unwrap());
    let prescribed = answered(|| care.prescribe(patient.patient_id, new.clone()));
    let issued = answered(|| care.issue_invoice(prescribed.prescription.prescription_id));
    answered(|| care.pay_invoice(issued.invoice.invoice_id));
}

/// Calls again while the task writes for longer than the store waits for it, as a client does.
fn answered<T, F: Future<Output = Result<T, Error>>>(call: impl Fn() -> F) -> T {
    for _ in 0..20 {
        match block_on(call()) {
            Err(Error::Store(error)) if error.kind() == StoreErrorKind::Busy => {}
            other => return other.unwrap(),
        }
    }
    panic!("the store is never free");
}

/// Calls `run` while a service in this process works with the database, as a server would.
fn beside<T>(bench: &Bench, run: impl FnOnce(&CareService) -> T) -> T {
    let care = CareService::new(bench.store("care.db"));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let busy = scope.spawn(|| {
            let mut rounds = 0;
            while !over.load(Ordering::SeqCst) {
                work(&care);
                rounds += 1;
            }
            rounds
        });
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&care)));
        over.store(true, Ordering::SeqCst);
        assert!(busy.join().unwrap() > 0, "the service was kept from its work");
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[test]
fn verify_takes_what_is_written_meanwhile_into_account() {
    let bench = Bench::with_clinic();
    beside(&bench, |_| {
        for _ in 0..3 {
            bench.admin(&["verify", "--database", "care.db"]).done();
        }
    });
}

#[test]
fn an_export_during_writes_is_a_prefix_of_the_journal() {
    let bench = Bench::with_clinic();
    let journal = beside(&bench, |_| bench.admin(&["export", "--database", "care.db"]).done());
    bench.admin_reading(&["import", "--database", "copy.db"], &journal).done();
    bench.admin(&["verify", "--database", "copy.db"]).done();
}

#[test]
fn imported_patients_are_seen_by_the_server() {
    let bench = Bench::with_clinic();
    let rows = (1..=3000).map(|number| format!("{},Patient\n", number + 1_000_000));
    bench.write("patients.csv", "patientId,name\n".to_owned() + &rows.collect::<String>());
    beside(&bench, |care| {
        bench.admin(&["import-patients", "--database", "care.db", "patients.csv"]).done();
        let last = PatientId::try_from(1_003_000).unwrap();
        assert!(until(PATIENCE, || block_on(care.patient(last)).is_ok()), "it is never seen");
    });
    bench.admin(&["verify", "--database", "care.db"]).done();
}

//! The audit of reads notes every answer that holds a patient's record.

use bytes::Bytes;
use http::Request;
use serde_json::Value;

use crate::{
    clinic::{Clinic, JSON},
    description::{Described, operation, operations},
    needs::before,
};

/// The members of which a patient's record has at least one, and other records none.
const OF_A_PATIENT: [&str; 4] = ["patientId", "name", "phone", "diseases"];

fn clinic(operation: Described) -> Clinic {
    let Clinic { api } = Clinic::after(&before(operation.id()));
    Clinic { api: api.with_read_audit() }
}

/// Sends the request, and returns whether its answer holds a patient's record.
fn shows_a_patient(clinic: &Clinic, request: Request<Bytes>) -> bool {
    let answer = clinic.send(request);
    assert!(answer.status().is_success(), "{answer:?}");
    let record: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
    OF_A_PATIENT.iter().any(|member| record.get(member).is_some())
}

/// Returns whether the last entry of the journal is a read under this operation.
fn is_noted(clinic: &Clinic, read: Described) -> bool {
    let journal = clinic.send(clinic.example(operation("listJournal"), JSON));
    let journal: Value = serde_json::from_slice(journal.body()).unwrap();
    let last = journal["items"].as_array().unwrap().last();
    last.is_some_and(|last| last["operation"] == read.id() && last["changes"][0]["change"] == "read")
}

#[test]
fn a_read_of_a_patients_record_is_noted() {
    let mut noted = 0;
    for operation in operations() {
        if operation.method == "get" && operation.path.contains('{') {
            let clinic = clinic(operation);
            let shows = shows_a_patient(&clinic, clinic.example(operation, JSON));
            assert!(!shows || is_noted(&clinic, operation), "{} is not noted", operation.id());
            noted += usize::from(shows);
        }
    }
    assert!(noted >= 5, "{noted}");
}

#[test]
fn a_repeated_change_that_answers_a_patients_record_is_noted() {
    let mut noted = 0;
    for operation in operations() {
        if operation.method == "put" || operation.method == "post" {
            let clinic = clinic(operation);
            let request = || {
                let mut request = clinic.example(operation, JSON);
                request.headers_mut().insert("Idempotency-Key", "\"a\"".parse().unwrap());
                request
            };
            let shows = [(); 2].map(|()| shows_a_patient(&clinic, request()))[1];
            assert!(!shows || is_noted(&clinic, operation), "{} is not noted", operation.id());
            noted += usize::from(shows);
        }
    }
    assert!(noted >= 7, "{noted}");
}

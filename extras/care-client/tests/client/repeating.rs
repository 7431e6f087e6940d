//! Requests whose answers are lost are done once.

use std::{num::NonZero, time::Duration};

use care_client::ClientError;
use care_core::{
    model::{Age, MedicineName, Patient, PatientDetails, PatientId},
    service::NewPrescription,
    store::{InvoiceFilter, PatientFilter},
};
use futures_util::TryStreamExt as _;
use http::StatusCode;

use crate::{
    cutter::Cutter,
    world::{KEY, World, at},
};

fn ibuprofen() -> NewPrescription {
    NewPrescription::of(MedicineName::new("Ibuprofen 400").unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_after_a_lost_answer_does_nothing_twice() {
    let world = World::start().await;
    let cutter = Cutter::before(world.address, 3).await;
    let client = at(cutter.address, KEY).with_tries(NonZero::new(20).unwrap());
    let mut writes = 0;
    for round in 1..=15 {
        let patient = client.register_patient(&PatientDetails::default()).await.unwrap().record;
        let prescribed = client.prescribe(patient.patient_id, &ibuprofen()).await.unwrap();
        let invoice = client.issue_invoice(prescribed.number().unwrap()).await.unwrap();
        let history = client.pay_invoice(invoice.number().unwrap()).await.unwrap();
        assert_eq!(history.record.visits, 1);
        writes += 4;
        assert_eq!(world.entries().await, writes, "in round {round}");
    }
    assert!(cutter.lost() >= 20, "only {} answers were lost", cutter.lost());
    // The client retries reads too, page by page.
    let patients: Vec<Patient> =
        client.patients(&PatientFilter::default()).limit(4).stream().try_collect().await.unwrap();
    assert_eq!(patients.len(), 15);
    let invoices: Vec<_> = client.invoices(&InvoiceFilter::default()).stream().try_collect().await.unwrap();
    assert_eq!(invoices.len(), 15);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_whose_answer_is_lost_is_left_to_the_caller() {
    let world = World::start().await;
    let id = PatientId::try_from(7).unwrap();
    world.client().register_patient_as(id, &PatientDetails::default()).await.unwrap();
    let cutter = Cutter::before(world.address, 1).await;
    let details = PatientDetails { age: Age::try_from(40).unwrap().into(), ..PatientDetails::default() };
    let lost = at(cutter.address, KEY).update_patient(id, &details).await.unwrap_err();
    assert!(matches!(lost, ClientError::Lost(_)), "{lost:?}");
    assert_eq!(cutter.lost(), 1);
    // The service ran it once, and the record shows it.
    assert_eq!(world.entries().await, 2);
    assert_eq!(world.client().patient(id).await.unwrap().record.age, Age::try_from(40).ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_callers_own_key_is_kept_over_two_calls() {
    let world = World::start().await;
    let client = world.client();
    let one = client.register_patient(&PatientDetails::default()).once("monday").await.unwrap();
    let other = client.register_patient(&PatientDetails::default()).once("monday").await.unwrap();
    assert_eq!((one.record, world.entries().await), (other.record, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_service_is_retried_and_then_reported() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let client = at(address, KEY).with_tries(NonZero::new(3).unwrap());
    let begun = std::time::Instant::now();
    let failure = client.void_patient(PatientId::FIRST).await.unwrap_err();
    assert!(matches!(failure, ClientError::Unreachable(_)), "{failure:?}");
    assert!(begun.elapsed() >= Duration::from_millis(150), "it was not tried again");
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_are_compared() {
    let world = World::start().await;
    let client = world.client();
    let id = client.register_patient(&PatientDetails::default()).await.unwrap().record.patient_id;
    let read = client.patient(id).await.unwrap();
    let tag = read.tag.unwrap();
    assert!(client.patient(id).unless(&tag).await.unwrap().is_none());
    let details = PatientDetails { age: Age::try_from(40).unwrap().into(), ..PatientDetails::default() };
    let updated = client.update_patient(id, &details).expecting(&tag).await.unwrap();
    let stale = client.update_patient(id, &details).expecting(&tag).await.unwrap_err();
    assert_eq!(stale.status(), Some(StatusCode::PRECONDITION_FAILED));
    let changed = client.patient(id).unless(&tag).await.unwrap().unwrap();
    assert_eq!((changed.record, changed.tag), (updated.record, updated.tag));
    let first = client.patient(id).as_of(care_core::store::Seq::new(1)).await.unwrap();
    assert_eq!(first.record, read.record);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_what_is_at_fault() {
    let world = World::start().await;
    let missing = world.client().patient(PatientId::FIRST).await.unwrap_err();
    let refusal = missing.refusal().unwrap();
    assert_eq!((refusal.status, refusal.kind.as_str()), (StatusCode::NOT_FOUND, "not-found"));
    assert!(refusal.request_id.is_some());
    let unknown = at(world.address, "another").patient(PatientId::FIRST).await.unwrap_err();
    assert_eq!(unknown.status(), Some(StatusCode::UNAUTHORIZED));
}

//! Several use cases in one commit.

use care_core::{
    error::{Conflict, Error, StoreErrorKind},
    model::{ItemDetails, PatientDetails, PatientId},
    service::{CareService, ExpectedVersion, Idempotency, NewPrescription, Page},
    store::{Limit, MemoryStore, PatientFilter, RecordKey, RecordKind, Seq},
};
use futures_executor::block_on;
use futures_util::{TryStreamExt as _, future::join};

use crate::clinic::{Clinic, medicine, named};

fn failure<T>(result: Result<T, Error>) -> StoreErrorKind {
    match result {
        Err(Error::Store(error)) => error.kind(),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it is refused"),
    }
}

#[test]
fn each_use_case_has_its_entry_and_sees_those_before() {
    let care = CareService::new(MemoryStore::new()).acting_as("desk");
    let visit = care.together(async |care| {
        care.add_item(medicine("a"), ItemDetails::default()).await?;
        let ada = care.acting_as("doctor").register_patient(named("Ada")).await?;
        assert_eq!(care.patient(ada.patient_id).await?, ada);
        let prescribed = care.prescribe(ada.patient_id, NewPrescription::of(medicine("a"))).await?;
        let invoice = care.issue_invoice(prescribed.prescription.prescription_id).await?.invoice;
        let history = care.pay_invoice(invoice.invoice_id).await?;
        assert_eq!(care.last().await?, Seq::new(5));
        let entries = care.store().journal(Seq::ZERO, Limit::ALL).await?.items;
        let everybody = Page::stream(|after| care.patients(PatientFilter::default(), after, 1));
        let everybody = everybody.try_collect::<Vec<_>>().await?;
        Ok((entries, everybody, history))
    });
    let (entries, everybody, history) = block_on(visit).unwrap();
    assert_eq!(block_on(care.store().journal(Seq::ZERO, Limit::ALL)).unwrap().items, entries);
    let told: Vec<_> = entries.iter().map(|entry| (&*entry.actor, &*entry.operation)).collect();
    let desk = ["addPrescription", "issueInvoice", "payInvoice"].map(|operation| ("desk", operation));
    assert_eq!(told[..2], [("desk", "addMedicine"), ("doctor", "addPatient")]);
    assert_eq!(told[2..], desk);
    assert_eq!(everybody.len(), 1);
    assert_eq!(block_on(care.history(PatientId::FIRST)).unwrap(), history);
}

#[test]
fn one_refusal_refuses_all_whatever_is_made_of_it() {
    let clinic = Clinic::new();
    let ada = clinic.patient();
    let before = clinic.journal();
    let passed_on = clinic.care.together(async move |care| {
        care.update_patient(ada, named("Eve"), ExpectedVersion::Any).await?;
        care.prescribe(ada, NewPrescription::of(medicine("a"))).await?;
        care.prescribe(ada, NewPrescription::of(medicine("A"))).await
    });
    assert!(matches!(block_on(passed_on), Err(Error::Conflict(Conflict::AlreadyPrescribed))));
    let swallowed = clinic.care.together(async move |care| {
        care.update_patient(ada, named("Eve"), ExpectedVersion::Any).await?;
        let stale = ExpectedVersion::OneOf(vec![Seq::new(99)]);
        assert!(care.update_patient(ada, named("Zoe"), stale).await.is_err());
        Ok(())
    });
    assert!(matches!(block_on(swallowed), Err(Error::Stale(RecordKind::Patient))));
    let own = clinic.care.together(async move |care| {
        care.update_patient(ada, named("Eve"), ExpectedVersion::Any).await?;
        Err::<(), _>(Error::field("ours", "is not so"))
    });
    assert!(matches!(block_on(own), Err(Error::Invalid(_))));
    assert_eq!(clinic.journal(), before);
    // The closure itself judges a read that finds nothing.
    let absent = clinic.care.together(async move |care| {
        assert!(care.patient(PatientId::try_from(99).unwrap()).await.is_err());
        care.update_patient(ada, named("Eve"), ExpectedVersion::Any).await
    });
    assert_eq!(block_on(absent).unwrap().version, Seq::new(before.len() as u64 + 1));
}

#[test]
fn what_is_no_use_case_is_refused() {
    let care = CareService::new(MemoryStore::new());
    let waits = care.together(async |care| {
        care.register_patient(named("Ada")).await?;
        std::future::pending::<()>().await;
        Ok(())
    });
    assert_eq!(failure(block_on(waits)), StoreErrorKind::Unsupported);
    let erases = care.together(async |care| {
        let ada = care.register_patient(named("Ada")).await?;
        care.erase_patient(ada.patient_id).await
    });
    assert_eq!(failure(block_on(erases)), StoreErrorKind::Unsupported);
    let escaped = block_on(care.together(async |care| Ok(care))).unwrap();
    assert_eq!(failure(block_on(escaped.register_patient(named("Ada")))), StoreErrorKind::Unsupported);
    assert_eq!(block_on(care.last()).unwrap(), Seq::ZERO);
}

#[test]
fn a_key_is_for_one_of_them() {
    let care = CareService::new(MemoryStore::new());
    let key = |key: &str| Idempotency::new(key).unwrap();
    let once = care.once(key("job"));
    let for_all = once.together(async |care| care.register_patient(PatientDetails::default()).await);
    assert!(matches!(block_on(for_all), Err(Error::Invalid(faults)) if faults[0].field == "Idempotency-Key"));
    let job = || {
        care.together(async move |care| {
            let ada = care.once(key("job-1")).register_patient(named("Ada")).await?;
            care.once(key("job-2")).prescribe(ada.patient_id, NewPrescription::of(medicine("a"))).await
        })
    };
    let first = block_on(job()).unwrap();
    assert_eq!((block_on(job()).unwrap(), block_on(care.last()).unwrap()), (first, Seq::new(2)));
}

#[test]
fn several_may_be_awaited_at_once_and_are_heard_of() {
    let care = CareService::new(MemoryStore::new());
    let mut news = care.subscribe(Seq::ZERO);
    let both = care.together(async |care| {
        let (a, b) = join(care.register_patient(named("A")), care.register_patient(named("B"))).await;
        Ok([a?.patient_id, b?.patient_id])
    });
    let both = block_on(both).unwrap().map(RecordKey::Patient);
    let heard = block_on(news.next(9)).unwrap();
    let heard: Vec<_> = heard.iter().flat_map(|entry| entry.changes().map(|change| change.key())).collect();
    assert!(both.iter().all(|key| heard.contains(key)), "{heard:?}");
}

//! Several use cases in one commit. A store without [`Maintenance`](care_core::store::Maintenance) has none.

use std::{
    error::Error as _,
    future::{Future, pending, poll_fn},
    pin::Pin,
    sync::{Arc, Mutex},
    task::Poll,
    thread,
};

use care_core::{
    error::{Error, StoreErrorKind},
    model::{
        ItemDetails, LotId, MedicineKey, MovementId, MovementKind, PatientDetails, PatientId, PaymentMethod,
        PrescriptionDetails, ReceiptId, RefundReason, StockDetails, SupplyDetails, Timestamp, UnitName, Units,
        UtcOffset,
    },
    operation::Operation,
    service::{
        CareService, ExpectedVersion, Facility, Idempotency, NewConsultation, NewCorrection, NewMovement,
        NewPrescription, NewRefund, OpeningLot,
    },
    store::{Limit, MemoryStore, PatientFilter, RecordKey, Seq},
};

use crate::{
    samples,
    store::subject::{Subject, planted_panic},
};

type Attempt<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

/// Returns an attempt without what it answers.
fn attempt<'a, T>(run: impl Future<Output = Result<T, Error>> + Send + 'a) -> Attempt<'a> {
    Box::pin(async { run.await.map(drop) })
}

/// Calls the use case of an operation so that it is refused, and where that can be so that no record is needed for it;
/// `None` for a read.
fn refused(care: &CareService, operation: Operation) -> Option<Attempt<'_>> {
    let any = ExpectedVersion::Any;
    let known: PatientId = samples::patient_id(1);
    let unknown: PatientId = samples::patient_id(99);
    let medicine = || MedicineKey::from(samples::medicine("Sampleol 250"));
    let unit = UnitName::new("tablet").expect("a unit");
    let one = Units::try_from(1).expect("a number of units");
    Some(match operation {
        Operation::UpdatePatient => attempt(care.update_patient(unknown, PatientDetails::default(), any)),
        Operation::UpdatePrescription => {
            attempt(care.update_prescription(unknown, medicine(), PrescriptionDetails::default(), any))
        }
        Operation::DeletePrescription => attempt(care.withdraw_prescription(samples::prescription_id(99), any)),
        Operation::AddMedicine => attempt(care.add_item(samples::medicine("Known 1"), ItemDetails::default())),
        Operation::UpdateMedicine => attempt(care.update_item(medicine(), ItemDetails::default(), any)),
        Operation::AddPatient => attempt(care.register_patient_as(known, PatientDetails::default())),
        Operation::DeletePatient => attempt(care.void_patient(unknown, any)),
        Operation::AddConsultation => {
            attempt(care.record_consultation(NewConsultation::of(known).on("31/12/9998".parse().ok())))
        }
        Operation::AddPrescription => {
            attempt(care.prescribe(unknown, NewPrescription::of(samples::medicine("Sampleol 250"))))
        }
        Operation::IssueInvoice => attempt(care.issue_invoice(samples::prescription_id(99))),
        Operation::PayInvoice => attempt(care.pay_invoice(samples::invoice_id(99))),
        Operation::CancelInvoice => attempt(care.cancel_invoice(samples::invoice_id(99), any)),
        Operation::RefundInvoice => {
            let mute = NewRefund::of(RefundReason::Other);
            attempt(care.refund_invoice(samples::invoice_id(99), mute, any))
        }
        Operation::CorrectReceipt => {
            let new = NewCorrection { method: PaymentMethod::default(), note: None };
            attempt(care.correct_receipt(ReceiptId::FIRST, new))
        }
        Operation::DeleteMedicine => attempt(care.remove_item(medicine(), any)),
        Operation::StartStock => {
            let twice = vec![OpeningLot { lot: LotId::default(), units: one }; 2];
            attempt(care.start_stock(medicine(), unit, StockDetails::default(), twice))
        }
        Operation::UpdateStock => attempt(care.update_stock(medicine(), StockDetails::default(), any)),
        Operation::EndStock => attempt(care.end_stock(medicine(), any)),
        Operation::MoveStock => {
            let without_reason =
                NewMovement { kind: MovementKind::Removal, ..NewMovement::receipt(LotId::default(), one) };
            attempt(care.move_stock(medicine(), without_reason))
        }
        Operation::ReverseMovement => attempt(care.reverse_movement(MovementId::FIRST)),
        Operation::CountStock => attempt(care.count_stock(medicine(), Vec::new(), None, any)),
        Operation::UpdateSupply => {
            attempt(care.update_supply(samples::prescription_id(99), SupplyDetails::default(), any))
        }
        Operation::GetInvoice
        | Operation::GetPatient
        | Operation::GetHistory
        | Operation::GetPrescription
        | Operation::ListPatients
        | Operation::GetConsultation
        | Operation::ListConsultations
        | Operation::ListPrescriptions
        | Operation::ListInvoices
        | Operation::GetReceipt
        | Operation::ListReceipts
        | Operation::GetTakings
        | Operation::ListMedicines
        | Operation::GetMedicine
        | Operation::GetStock
        | Operation::ListStock
        | Operation::GetMovement
        | Operation::ListMovements
        | Operation::GetSupply
        | Operation::GetRestock
        | Operation::BacktestRestock
        | Operation::ListJournal
        | Operation::ListEvents
        | Operation::GetNews
        | Operation::GetToday
        | Operation::GetKey
        | Operation::GetOpenapi => return None,
    })
}

/// Returns a service of a store with a patient and a medicine.
fn clinic(subject: &Subject) -> CareService {
    let care = CareService::new(subject.shared());
    let known = samples::medicine("Known 1");
    let begun = async {
        care.register_patient(PatientDetails::default()).await?;
        care.add_item(known, ItemDetails::default()).await
    };
    subject.block_on(begun).expect("a new patient and a new medicine");
    care
}

/// Runs a change that is taken, and an attempt whose refusal the use cases do not pass on. All are refused with it.
fn refuses_all(
    subject: &Subject,
    care: &CareService,
    what: &str,
    attempt: impl for<'a> FnOnce(&'a CareService) -> Attempt<'a> + Send + 'static,
) {
    let before = subject.entries();
    let refusal = Arc::new(Mutex::new(None));
    let told = Arc::clone(&refusal);
    let all = care.together(async move |care| {
        care.register_patient(PatientDetails::default()).await?;
        let refused = attempt(&care).await;
        *told.lock().expect("nothing panics under it") = refused.err();
        Ok(())
    });
    let all = subject.block_on(all);
    let refusal = refusal.lock().expect("nothing panics under it").take();
    assert!(refusal.is_some(), "{what} is refused");
    assert_eq!(all.err(), refusal, "{what} refuses all");
    assert_eq!(subject.entries(), before, "nothing is written with {what}");
}

pub(in crate::store) fn one_refusal_refuses_all_use_cases_in_one_commit(subject: Subject) {
    if subject.store().maintenance().is_none() {
        return;
    }
    let care = clinic(&subject);
    // No actor has this name, and no day is before 1900.
    let nobody: fn(&CareService) -> CareService = |care| care.acting_as(" ");
    let never: fn(&CareService) -> CareService = |care| {
        let first = Timestamp::from_unix_millis(-2_208_988_800_000).expect("the first instant of 1900");
        let utc_offset = UtcOffset::from_minutes(-60).expect("an offset");
        care.clone().with_clock(move || first).with_facility(Facility { utc_offset, ..Facility::default() })
    };
    for operation in Operation::all().filter(|operation| refused(&care, *operation).is_some()) {
        for with in [CareService::clone, nobody, never] {
            refuses_all(&subject, &care, operation.id(), move |care| {
                let care = with(care);
                Box::pin(async move { refused(&care, operation).expect("a change").await })
            });
        }
    }
    let ada = samples::patient_id(1);
    refuses_all(&subject, &care, "the note of a read", move |care| {
        let care = nobody(care);
        Box::pin(async move { care.note_read(Operation::GetPatient, RecordKey::Patient(ada)).await })
    });
    refuses_all(&subject, &care, "an erasure", move |care| attempt(care.erase_patient(ada)));
    refuses_all(&subject, &care, "another commit", |care| attempt(care.together(async |_| Ok(()))));
    refuses_all(&subject, &care, "another commit under a key", |care| {
        let once = care.once(Idempotency::new("job").expect("a key"));
        attempt(async move { once.together(async |_| Ok(())).await })
    });
    refuses_all(&subject, &care, "a replay", |care| {
        Box::pin(async {
            care.store().replay(Vec::new()).await.map_err(|_| StoreErrorKind::Unsupported.into()).map_err(Error::Store)
        })
    });
}

pub(in crate::store) fn use_cases_in_one_commit_may_ask_their_own_service_alone(subject: Subject) {
    if subject.store().maintenance().is_none() {
        return;
    }
    type Misuse = for<'a> fn(&'a CareService, &'a CareService) -> Attempt<'a>;
    let misuses: [(&str, Misuse); 11] = [
        ("a future that never ends", |_, _| Box::pin(pending())),
        ("a future that wakes at once", |_, _| {
            let mut polls = 0;
            Box::pin(poll_fn(move |context| {
                polls += 1;
                context.waker().wake_by_ref();
                if polls > 1 { Poll::Ready(Ok(())) } else { Poll::Pending }
            }))
        }),
        ("a future that another thread wakes", |_, _| {
            let mut is_first = true;
            Box::pin(poll_fn(move |context| {
                let waker = context.waker().clone();
                let other = thread::spawn(move || waker.wake());
                other.join().expect("it wakes");
                if std::mem::take(&mut is_first) { Poll::Pending } else { Poll::Ready(Ok(())) }
            }))
        }),
        ("what panics without a runtime", |_, _| Box::pin(async { planted_panic() })),
        ("a read of the outer service", |outer, _| attempt(outer.patient(samples::patient_id(1)))),
        ("a list of the outer service", |outer, _| attempt(outer.patients(PatientFilter::default(), None, 1))),
        ("the journal of the outer service", |outer, _| {
            attempt(async { Ok(outer.store().journal(Seq::ZERO, Limit::items(1)).await?) })
        }),
        ("the last entry of the outer service", |outer, _| attempt(async { Ok(outer.last().await?) })),
        ("a write of the outer service", |outer, _| attempt(outer.register_patient(PatientDetails::default()))),
        ("a commit of the outer service", |outer, _| attempt(outer.together(async |_| Ok(())))),
        ("another store", |_, other| attempt(other.register_patient(PatientDetails::default()))),
    ];
    let care = clinic(&subject);
    let before = subject.entries();
    for (what, misuse) in misuses {
        let (outer, other) = (care.clone(), CareService::new(MemoryStore::new()));
        let ended = care.together(async move |care| {
            care.register_patient(PatientDetails::default()).await?;
            // The closure makes nothing of a refusal.
            drop(misuse(&outer, &other).await);
            Ok(())
        });
        match subject.block_on(ended) {
            Err(Error::Store(error)) if error.kind() == StoreErrorKind::Unsupported => {
                let why = error.source().expect("a sentence").to_string();
                assert!(why.starts_with("use cases in one commit "), "{what}: {why}");
            }
            ended => panic!("{what}: {ended:?}"),
        }
        assert_eq!(subject.entries(), before, "nothing is written with {what}");
    }
    let new = subject.block_on(care.register_patient(PatientDetails::default()));
    assert_eq!(new.expect("the store goes on").version, Seq::new(before.len() as u64 + 1));
}

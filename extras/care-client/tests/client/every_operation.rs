//! Every operation, called and answered.

use std::{collections::BTreeSet, time::Duration};

use care_client::{CareClient, RecordId};
use care_core::{
    model::{
        Amount, Date, Disease, FindText, InvoiceState, ItemDetails, LotId, LotText, MedicineName, MovementReason, Name,
        NamePrefix, PackUnits, PatientDetails, PatientId, PaymentMethod, PrescriptionDetails, PrescriptionState, Price,
        Quantity, ReceiptId, ReceiptKind, RefundReason, RestockLimit, ShortText, StockDetails, SupplyDetails, UnitName,
        Units,
    },
    rest::Operation,
    service::{
        BacktestQuery, DayPart, DayQuery, NewConsultation, NewCorrection, NewMovement, NewPrescription, NewRefund,
        OpeningLot, RestockQuery, TakingsQuery,
    },
    stock::LotCount,
    store::{
        ConsultationFilter, InvoiceFilter, ItemFilter, MovementFilter, PatientFilter, PrescriptionFilter,
        ReceiptFilter, Seq, StockFilter,
    },
};

use crate::world::World;

/// Sends a call and notes its operation.
macro_rules! called {
    ($operations:ident, $call:expr) => {{
        let call = $call;
        let operation = call.operation();
        $operations.insert(operation);
        call.await.unwrap_or_else(|error| panic!("{operation}: {error}"))
    }};
}

fn medicine(name: &str) -> MedicineName {
    MedicineName::new(name).unwrap()
}

fn units(units: i64) -> Units {
    Units::try_from(units).unwrap()
}

fn lot() -> LotId {
    LotId { lot: Some(LotText::new("A 1").unwrap()), expires: Some("31/12/2090".parse().unwrap()) }
}

type Called = BTreeSet<&'static str>;

#[tokio::test(flavor = "multi_thread")]
async fn the_client_has_every_operation_and_reads_every_answer() {
    let world = World::start().await;
    let (care, mut called) = (world.client(), Called::new());
    let patient = patients(&care, &mut called).await;
    inventory(&care, &mut called).await;
    flow(&care, &mut called, patient).await;
    stock(&care, &mut called).await;
    rest(&care, &mut called, patient).await;
    let table: Called = Operation::all().map(Operation::id).collect();
    assert_eq!(called, table);
}

async fn patients(care: &CareClient, called: &mut Called) -> PatientId {
    let name = Name::new("Ada Lovelace").unwrap();
    let details = PatientDetails { name: name.clone().into(), ..PatientDetails::default() };
    let added = called!(called, care.register_patient(&details)).record;
    assert_eq!(added.name, Some(name));
    let gender = PatientDetails { gender: ShortText::new("female").unwrap().into(), ..PatientDetails::default() };
    let updated = called!(called, care.update_patient(added.patient_id, &gender)).record;
    assert_eq!((updated.name, updated.gender.is_some()), (added.name, true));
    assert!(called!(called, care.patient(added.patient_id)).record.gender.is_some());
    let filter = PatientFilter { name_prefix: Some(NamePrefix::new("ada l")), ..PatientFilter::default() };
    assert_eq!(called!(called, care.patients(&filter).page(None)).record.items.len(), 1);
    let found = called!(called, care.find_patients(&FindText::new("love ada").unwrap()).limit(1).page(None)).record;
    assert_eq!((found.items.len(), found.more), (1, false));
    let similar = FindText::new("lovelcae").and_then(FindText::similar).unwrap();
    assert_eq!(called!(called, care.find_patients(&similar).page(None)).record.items.len(), 1);
    let other = called!(called, care.register_patient(&PatientDetails::default())).record.patient_id;
    called!(called, care.void_patient(other));
    added.patient_id
}

async fn inventory(care: &CareClient, called: &mut Called) {
    let strange = medicine("50% / ü &?#+");
    let price = |price| ItemDetails { price: Price::try_from(price).unwrap().into(), ..ItemDetails::default() };
    called!(called, care.add_item(&strange, &price(3)));
    assert_eq!(called!(called, care.item(&strange)).record.medicine, strange);
    let updated = called!(called, care.update_item(&strange, &price(4))).record;
    assert_eq!(updated.price, Price::try_from(4).ok());
    assert_eq!(called!(called, care.items(&ItemFilter { name: None }).page(None)).record.items, [updated]);
    called!(called, care.remove_item(&strange));
}

async fn flow(care: &CareClient, called: &mut Called, patient: PatientId) {
    let new = NewConsultation::of(patient)
        .diagnosing([Disease::new("migraine").unwrap()])
        .prescribing([NewPrescription::of(medicine("Ibuprofen 400"))]);
    let consultation = called!(called, care.record_consultation(&new)).record;
    assert_eq!(called!(called, care.consultation(consultation.consultation_id)).record, consultation);
    let filter = ConsultationFilter { patient_id: Some(patient), ..ConsultationFilter::default() };
    assert_eq!(
        called!(called, care.consultations(&filter).page(None)).record.items,
        std::slice::from_ref(&consultation)
    );
    let prescription = consultation.prescription_ids[0];
    let details = PrescriptionDetails { is_regular: true.into(), ..PrescriptionDetails::default() };
    let updated = called!(called, care.update_prescription(patient, &medicine("Ibuprofen 400"), &details)).record;
    assert_eq!(called!(called, care.prescription(prescription)).record, updated);
    let quantity = SupplyDetails { quantity: Quantity::try_from(20).unwrap().into(), ..SupplyDetails::default() };
    let supply = called!(called, care.update_supply(prescription, &quantity)).record;
    assert_eq!(called!(called, care.supply(prescription)).record, supply);
    let filter = PrescriptionFilter { state: Some(PrescriptionState::Active), ..PrescriptionFilter::default() };
    let listed = called!(called, care.prescriptions(&filter).page(None)).record.items;
    assert_eq!((listed[0].prescription_id, listed[0].quantity), (Some(prescription), Quantity::try_from(20).ok()));

    let cancelled = called!(called, care.issue_invoice(prescription)).number().unwrap();
    called!(called, care.cancel_invoice(cancelled));
    let invoice = called!(called, care.issue_invoice(prescription)).number().unwrap();
    assert_eq!(called!(called, care.invoice(invoice)).record.patient_id, patient);
    let paid = called!(called, care.pay_invoice(invoice)).record;
    assert_eq!(called!(called, care.history(patient)).record, paid);
    let filter = InvoiceFilter { state: Some(InvoiceState::Paid), ..InvoiceFilter::default() };
    let listed = called!(called, care.invoices(&filter).page(None)).record.items;
    assert_eq!(listed[0].invoice_id, Some(invoice));
    let newest = care.invoices(&InvoiceFilter { newest: true, ..filter.clone() }).page(None).send().await.unwrap();
    assert_eq!(newest.record.items, listed);
    let later = InvoiceFilter { from: Some(Date::MAX), ..filter.clone() };
    assert_eq!(care.invoices(&later).page(None).send().await.unwrap().record.items, []);
    let earlier = InvoiceFilter { to: Some(Date::MIN), ..filter };
    assert_eq!(care.invoices(&earlier).page(None).send().await.unwrap().record.items, []);

    let refunded = called!(called, care.refund_invoice(invoice, &NewRefund::of(RefundReason::WrongEntry))).record;
    assert_eq!((refunded.kind, refunded.receipt_id.value()), (ReceiptKind::Refund, 2));
    assert_eq!(called!(called, care.receipt(refunded.receipt_id)).record, refunded);
    let correction = NewCorrection { method: PaymentMethod::Card, note: None };
    called!(called, care.correct_receipt(refunded.receipt_id, &correction));
    let filter = ReceiptFilter { kind: Some(ReceiptKind::Refund), ..ReceiptFilter::default() };
    assert_eq!(called!(called, care.receipts(&filter).page(None)).record.items, [refunded]);
    let taken = called!(called, care.takings(&TakingsQuery::default())).record;
    assert_eq!((taken.sums.receipts, taken.items.len(), taken.more), (3, 1, false));
    let range = TakingsQuery { above: Some(0), upto: ReceiptId::try_from(2).ok(), ..TakingsQuery::default() };
    let numbered = called!(called, care.takings(&range)).record;
    assert_eq!((numbered.sums.receipts, numbered.upto), (2, Some(2)));

    let other = called!(called, care.prescribe(patient, &NewPrescription::of(medicine("Aspirin"))));
    called!(called, care.withdraw_prescription(other.number().unwrap()));
}

async fn stock(care: &CareClient, called: &mut Called) {
    let aspirin = medicine("Aspirin");
    called!(called, care.add_item(&aspirin, &ItemDetails::default()));
    let details = StockDetails { pack_units: PackUnits::try_from(10).unwrap().into(), ..StockDetails::default() };
    let opening = [OpeningLot { lot: lot(), units: units(50) }];
    let started = called!(called, care.start_stock(&aspirin, &UnitName::new("tablet").unwrap(), &details, &opening));
    assert_eq!((started.record.on_hand, started.record.settings.pack_units.value()), (50, 10));
    assert_eq!(called!(called, care.stock(&aspirin)).record, started.record);
    let held = StockDetails { held: true.into(), ..StockDetails::default() };
    assert!(called!(called, care.update_stock(&aspirin, &held)).record.settings.held);
    let before = StockFilter { expires_to: lot().expires, lot: lot().lot_key().cloned() };
    assert_eq!(called!(called, care.stocks(&before).page(None)).record.items.len(), 1);

    let receipt = NewMovement::receipt(lot(), units(5));
    let received = called!(called, care.move_stock(&aspirin, &receipt)).record;
    assert_eq!(called!(called, care.movement(received.movement_id)).record, received);
    let removal = NewMovement::removal(lot(), units(1), MovementReason::Damaged);
    called!(called, care.move_stock(&aspirin, &removal));
    let reversed = called!(called, care.reverse_movement(received.movement_id)).record;
    assert_eq!(reversed.reverses, Some(received.movement_id));
    let filter = MovementFilter {
        medicine: Some(aspirin.key().clone()),
        lot: Some(lot().lot_key().cloned()),
        ..MovementFilter::default()
    };
    assert_eq!(called!(called, care.movements(&filter).page(None)).record.items.len(), 4);
    let lines = [LotCount { lot: lot(), counted: Amount::try_from(0).unwrap() }];
    assert_eq!(called!(called, care.count_stock(&aspirin, &lines, None)).record.on_hand, 0);
    let query = BacktestQuery { medicine: Some(aspirin.key().clone()), ..BacktestQuery::default() };
    called!(called, care.backtest(&query, &StockDetails::default()));
    called!(called, care.restock(&RestockQuery { limit: RestockLimit::try_from(10).ok(), ..RestockQuery::default() }));
    called!(called, care.end_stock(&aspirin));
}

async fn rest(care: &CareClient, called: &mut Called, patient: PatientId) {
    let page = called!(called, care.journal(Seq::ZERO, Duration::ZERO).limit(1).page(None)).record;
    let first = &page.items[0];
    assert_eq!((&*first.operation, &*first.actor), ("addPatient", "test"));
    assert!(first.changes.iter().any(|change| change.id == RecordId::Number(i64::from(patient))), "{first:?}");
    assert!(page.epoch.is_some());
    let head = page.head.unwrap();
    assert!(head.seq > Seq::new(20) && head.link != first.link, "{head:?}");
    let page = called!(called, care.events(Seq::ZERO, Duration::ZERO).limit(1).page(None)).record;
    let first = &page.items[0];
    assert_eq!((&*first.r#type, first.more), ("patient.registered", false));
    assert_eq!(first.records[0].id, RecordId::Number(i64::from(patient)));
    assert_eq!((page.seq, page.next.as_deref()), (Some(first.seq), Some("1")));
    let news = called!(called, care.news(Seq::ZERO, Duration::from_secs(1))).record;
    assert!(news.seq > Seq::new(20));
    let today = called!(called, care.today(&DayQuery::default())).record;
    // No receipt has an amount.
    assert_eq!((today.taken, today.left), (Some(vec![]), vec![]));
    assert_eq!(today.open_visits.unwrap().count, 0);
    assert_eq!(today.without_invoice.unwrap().items, []);
    let unpaid = care.today(&DayQuery { part: Some(DayPart::Unpaid) }).send().await.unwrap().record;
    assert_eq!((unpaid.unpaid.unwrap().totals, unpaid.open_visits), (vec![], None));
    let key = called!(called, care.key()).record;
    assert_eq!((&*key.name, key.expires), ("test", None));
    assert!(key.scopes.iter().any(|scope| scope == "patient:read"), "{key:?}");
    let document = called!(called, care.openapi()).record;
    assert_eq!(document["openapi"], "3.1.0");
}

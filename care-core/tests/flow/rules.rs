//! Each rule of the audit is broken once, in a journal that is otherwise sound.

use std::sync::LazyLock;

use care_core::{
    model::{
        Amount, Consultation, ConsultationState, Demand, Diagnosis, Disease, Dispensing, History, Invoice,
        InvoiceState, Item, LotId, LotText, Movement, MovementId, MovementKind, OpenLot, Patient, PatientId,
        PaymentMethod, Prescription, PrescriptionState, Receipt, ReceiptKind, RefundReason, RegularDemand, Stock,
        StockDay, StockDetails, Takings, UnitName, Units,
    },
    service::{NewMovement, NewRefund},
    store::{Change, Counter, Entity as _, Entry, Record, RecordKey, Revision, Seq, Series, Voided},
};
use futures_executor::block_on;

use crate::{
    auditing::busy_clinic,
    clinic::{Clinic, lot, medicine},
    edits::{
        again, any, audited, check, first_again, kept, last, linked, put, removed, then, without, without_all,
        without_last,
    },
};

fn patient(number: i64) -> PatientId {
    number.try_into().unwrap()
}

static BUSY: LazyLock<Vec<Entry>> = LazyLock::new(|| busy_clinic().journal());

#[test]
fn numbers_counters_and_voided_patients() {
    let counter = |series, last| Change::put(Counter { series, last });
    check(
        &BUSY,
        rules! {
            put(8, |i: &mut Invoice| i.invoice_id = 2.try_into().unwrap())
                => "Invoice 2: is new, but the number before it was never given (journal entry 8)";
            // Invoice 2 was cancelled.
            put(14, |i: &mut Invoice| i.invoice_id = 2.try_into().unwrap())
                => "Invoice 2: is new, but its number was given before (journal entry 14)";
            put(13, |p: &mut Prescription| p.prescription_id = 9.try_into().unwrap())
                => "Prescription 9: is new, but the number before it was never given (journal entry 13)";
            put(7, |c: &mut Consultation| c.consultation_id = 9.try_into().unwrap())
                => "Consultation 9: is new, but the number before it was never given (journal entry 7)";
            put(8, |c: &mut Counter| c.last = 2) => "Counter invoice: is not the highest number that was given";
            without(13, "Counter")
                => "Counter consultation: is not the highest number that was given (journal entry 13)";
            then([counter(Series::Patient, 1)]) => "Counter patient: does not go up (journal entry 34)";
            then([counter(Series::Patient, 9)]) => "Counter patient: is a number that no patient has or had";
            removed(RecordKey::Counter(Series::Invoice))
                => "Counter invoice: is removed, but numbers are never given twice";
            then([Change::put(Patient::new(patient(3)))])
                => "Patient 3: is registered, but its number was voided before (journal entry 34)";
            removed(RecordKey::Patient(patient(4))) => "Patient 4: is removed, but its number is not voided";
            then([Change::put(Voided { patient_id: patient(4) })])
                => "Patient 4: is still there, but its patient is voided";
            removed(RecordKey::Voided(patient(3))) => "Voided 3: is removed, but a voided number stays voided";
            without(29, "History") => "History 3: is still there, but its patient is voided (journal entry 29)";
            removed(RecordKey::History(patient(1))) => "History 1: is removed, but its patient is not voided";
            without(29, "Consultation") => "Consultation 6: lists a prescription that is missing or not its own";
            then([
                Change::Remove(RecordKey::Patient(patient(2))),
                Change::Remove(RecordKey::History(patient(2))),
                Change::put(Voided { patient_id: patient(2) }),
            ]) => "Consultation 2: is there, but its patient is not";
            Box::new(|journal| journal[6].operation = "payInvoices".into())
                => "Journal 7: the entry is of an unknown operation";
            Box::new(|journal| journal[6].operation = "importPatients".into()) => "33 sound entries";
            // Items have no rules, and neither has a new patient.
            removed(Item::key(medicine("Ibuprofen").key().clone())) => "34 sound entries";
            then([Change::put(Patient::new(patient(50)))]) => "34 sound entries";
        },
    );
}

#[test]
fn visits_and_what_was_diagnosed() {
    let removal = |number: i64| Change::Remove(RecordKey::Consultation(number.try_into().unwrap()));
    check(
        &BUSY,
        rules! {
            put(10, |h: &mut History| h.visits = 2) => "History 1: visits is not the number of completed consultations";
            without(7, "History") => "History 2: is missing, but a visit or a payment belongs in it (journal entry 7)";
            put(25, |h: &mut History| h.lastvisit = None)
                => "History 2: lastvisit is not the latest day of a completed consultation (journal entry 25)";
            put(25, |h: &mut History| h.diseases += 1)
                => "History 2: diseases is not the number of those that were recorded (journal entry 25)";
            put(15, |h: &mut History| h.medicine = None)
                => "History 1: medicine and dosage are not those of the last payment that stands (journal entry 15)";
            again(25, |h: &mut History| h.visits = 3)
                => "History 2: visits is not the number of completed consultations";
            put(7, |d: &mut Diagnosis| d.visit = None) => "Diagnosis 2: is not counted when its consultation is";
            put(6, |d: &mut Diagnosis| d.visit = Some(1)) => "Diagnosis 1: is not counted when its consultation is";
            put(10, |d: &mut Diagnosis| d.visit = Some(2))
                => "Diagnosis 1: is not counted as the visit that its consultation is (journal entry 10)";
            without(10, "Diagnosis")
                => "Diagnosis 1: is not counted as the visit that its consultation is (journal entry 10)";
            put(10, |d: &mut Diagnosis| drop(d.diseases.pop())) => "Diagnosis 1: is changed after it was recorded";
            without(6, "Diagnosis") => "History 1: diseases is not the number of those that were recorded";
            put(6, |d: &mut Diagnosis| d.patient_id = patient(2))
                => "Diagnosis 1: is of no consultation of its patient";
            put(6, |d: &mut Diagnosis| d.diseases = vec![Disease::new("a").unwrap(); 31])
                => "Diagnosis 1: holds more diseases than a consultation can (journal entry 6)";
            again(10, |_: &mut Diagnosis| {})
                => "Diagnosis 1: is put, but its consultation is neither begun nor completed (journal entry 34)";
            again(10, |d: &mut Diagnosis| d.visit = Some(2)) => "Diagnosis 1: was counted as another visit before";
            removed(RecordKey::Diagnosis(1.try_into().unwrap()))
                => "Diagnosis 1: is removed, but its patient is not voided (journal entry 34)";
            without(29, "Diagnosis") => "Diagnosis 6: is there, but its consultation is not";
            again(33, |c: &mut Consultation| c.state = ConsultationState::Completed)
                => "Consultation 7: is completed, but no invoice of it was paid (journal entry 34)";
            put(10, |c: &mut Consultation| c.state = ConsultationState::Open)
                => "Consultation 1: is open, but an invoice of it was paid (journal entry 10)";
            put(12, |c: &mut Consultation| c.state = ConsultationState::Open)
                => "Consultation 1: is open again after it was completed (journal entry 12)";
            put(12, |c: &mut Consultation| c.patient_id = patient(2))
                => "Consultation 1: is of another patient, day or kind than before (journal entry 12)";
            then([removal(2)]) => "Consultation 2: is removed after it was counted (journal entry 34)";
            Box::new(move |journal| journal[23].revisions.push(Revision::of(removal(5), Seq::ZERO)))
                => "Consultation 5: is removed, but its patient is not voided (journal entry 24)";
        },
    );
}

#[test]
fn prescriptions_invoices_and_demand() {
    check(
        &BUSY,
        rules! {
            put(6, |c: &mut Consultation| c.prescription_ids.truncate(1))
                => "Prescription 2: is not in a consultation of its patient on its day (journal entry 6)";
            put(6, |c: &mut Consultation| c.prescription_ids.push(7.try_into().unwrap()))
                => "Consultation 1: lists a prescription that is missing or not its own (journal entry 6)";
            put(13, |p: &mut Prescription| p.patient_id = patient(2))
                => "Prescription 3: is not in a consultation of its patient on its day (journal entry 13)";
            without(12, "Consultation")
                => "Consultation 1: lists a prescription that is missing or not its own (journal entry 12)";
            put(20, |p: &mut Prescription| p.medicine = medicine("Aspirin"))
                   => "Prescription 3: is for another patient, medicine, consultation or day than before";
            put(20, |p: &mut Prescription| p.dispensed = false)
                => "Prescription 3: is regular and active, and no longer dispensed (journal entry 20)";
            again(10, |p: &mut Prescription| p.state = PrescriptionState::Active)
                => "Prescription 1: is active again or no longer dispensed, but no invoice of it was refunded";
            put(20, |p: &mut Prescription| p.state = PrescriptionState::Completed)
                => "Prescription 3: is dispensed or completed, but no invoice of it was paid (journal entry 20)";
            put(33, |p: &mut Prescription| p.dispensed = true)
                => "Prescription 9: is dispensed or completed, but no invoice of it was paid (journal entry 33)";
            put(10, |p: &mut Prescription| p.dispensed = false)
                => "Prescription 1: is not dispensed, but its invoice was paid (journal entry 10)";
            put(10, |p: &mut Prescription| p.state = PrescriptionState::Active)
                => "Prescription 1: is not regular and still active, but its invoice was paid (journal entry 10)";
            again(33, |p: &mut Prescription| p.prescription_id = 10.try_into().unwrap())
                => "Prescription 10: is active beside another one of its patient for its medicine (journal entry 34)";
            again(18, |i: &mut Invoice| i.invoice_id = 7.try_into().unwrap())
                => "Invoice 7: is unpaid beside another one of its prescription (journal entry 34)";
            again(18, |i: &mut Invoice| i.price = None)
                => "Invoice 5: is changed after it was issued (journal entry 34)";
            put(10, |i: &mut Invoice| i.price = None) => "Invoice 1: is paid, but it is not as it was issued";
            put(8, |i: &mut Invoice| i.state = InvoiceState::Paid)
                => "Invoice 1: is paid, but it was not unpaid before";
            put(8, |i: &mut Invoice| i.patient_id = patient(2))
                => "Invoice 1: is not of an active prescription of its patient and medicine (journal entry 8)";
            again(10, |i: &mut Invoice| i.state = InvoiceState::Unpaid)
                => "Invoice 1: is not of an active prescription of its patient and medicine (journal entry 34)";
            removed(RecordKey::Invoice(1.try_into().unwrap())) => "Invoice 1: is cancelled, but it is not unpaid";
            // It is withdrawn correctly, except that its invoice is unpaid.
            Box::new(|journal| {
                let mut consultation = BUSY[14].changes().find_map(kept::<Consultation>).unwrap().clone();
                consultation.prescription_ids.clear();
                let gone = Change::Remove(RecordKey::Prescription(3.try_into().unwrap()));
                then([gone, Change::put(consultation)])(journal);
            }) => "Prescription 3: is withdrawn, but an invoice of it is unpaid (journal entry 34)";
            put(10, |d: &mut Demand| d.dispensed = 0)
                => "Demand 14/03/2026 ibuprofen: does not count what was prescribed (journal entry 10)";
            without(12, "Demand") => "Demand 14/03/2026 aspirin: does not count what was prescribed (journal entry 12)";
            put(13, |d: &mut RegularDemand| d.active_regular = 2)
                => "RegularDemand 30 insulin: does not count what was prescribed (journal entry 13)";
            again(33, |d: &mut Demand| d.prescribed = 1)
                => "Demand 15/03/2026 ibuprofen: does not count what was prescribed (journal entry 34)";
        },
    );
}

/// Returns the journal of a clinic that opens with two lots, hands three units out and takes one back.
pub(crate) fn shelves() -> Vec<Entry> {
    let clinic = Clinic::new();
    let key = clinic.track("Ibuprofen");
    let (_, invoice_id) = clinic.paid(clinic.patient(), "Ibuprofen");
    let back = NewMovement::returned(lot("late", "01/01/2091"), units(1), invoice_id);
    block_on(clinic.care.move_stock(key, back)).unwrap();
    clinic.journal()
}

fn units(number: i64) -> Units {
    number.try_into().unwrap()
}

fn more(amount: Amount, units: i64) -> Amount {
    (amount.value() + units).try_into().unwrap()
}

#[test]
fn lots_movements_and_what_is_reserved() {
    check(
        &shelves(),
        rules! {
            any(|lot: &mut OpenLot| lot.on_hand = units(lot.on_hand.value() + 1)) => "is not what its movements make";
            last(|lot: &OpenLot| lot.on_hand.value() == 2, |lot| lot.lot = LotText::new("other").ok())
                => "is not what its movements make";
            any(|stock: &mut Stock| stock.moved = MovementId::FIRST.into())
                => "moved is not the number of its last movement";
            last(|stock: &Stock| stock.on_hand > Amount::ZERO, |stock| stock.on_hand = more(stock.on_hand, -1))
                => "is not that of its open lots";
            last(|stock: &Stock| stock.on_hand > Amount::ZERO, |stock| stock.expires = "31/12/2999".parse().ok())
                => "is not that of its open lots";
            without_all(|change| matches!(change, Change::Put(Record::OpenLot(_)))) => "is not what its movements make";
            without_all(|change| matches!(change, Change::Remove(RecordKey::OpenLot(_))))
                => "is not what its movements make";
            any(|movement: &mut Movement| movement.balance = more(movement.balance, 1)) => "balance is not the sum";
            last(|movement: &Movement| movement.units.value() < 0, |movement| movement.units = units(99).taken())
                => "takes more from its lot";
            any(|movement: &mut Movement| movement.movement_id = 99.try_into().unwrap())
                => "the number before it was never given";
            first_again(|_| true, |movement: &mut Movement| movement.note = "x".to_owned().try_into().ok())
                => "is changed after it was made";
            last(|stock: &Stock| stock.reserved > Amount::ZERO, |stock| stock.reserved = more(stock.reserved, 1))
                => "reserved is not the sum";
            removed(Item::key(medicine("Ibuprofen").key().clone()))
                => "is there, but its medicine is not in the inventory";
            any(|invoice: &mut Invoice| invoice.quantity = None) => "not as it was issued";
            last(|movement: &Movement| movement.units.value() == -1, |movement| movement.invoice_id = 9.try_into().ok())
                => "the entry does not pay its invoice";
            // All three units come from the later lot, although the earlier one has two.
            last(|movement: &Movement| movement.units.value() == -2, |movement| {
                let late = lot("late", "01/01/2091");
                (movement.lot, movement.expires) = (late.lot, late.expires);
            }) => "a lot that expires sooner kept units";
            last(|movement: &Movement| movement.units.value() == 1, |movement| movement.units = units(2).added())
                => "gives back more than its invoice took";
            any(|dispensing: &mut Dispensing| dispensing.lots[1].returned = Amount::ZERO)
                => "is not what its movements say";
            any(|day: &mut StockDay| day.dispensed += 1) => "does not count what was moved";
            removed(Stock::key(medicine("Ibuprofen").key().clone())) => "is missing, but units of its medicine are";
        },
    );
}

/// Returns a journal in which a delivery of 8 meets an order of 5, and is reversed.
fn reversed_delivery() -> Vec<Entry> {
    let clinic = Clinic::new();
    clinic.stock("Zinc", true);
    let key = medicine("Zinc").key().clone();
    let details = StockDetails { ordered: units(5).amount().into(), ..StockDetails::default() };
    block_on(clinic.care.start_stock(key.clone(), UnitName::new("tablet").unwrap(), details, Vec::new())).unwrap();
    let received = NewMovement::receipt(LotId::default(), units(8));
    let received = block_on(clinic.care.move_stock(key.clone(), received)).unwrap();
    let on_order = || block_on(clinic.care.stock(key.clone())).unwrap().record.stock.settings.ordered.value();
    assert_eq!((received.from_order, on_order()), (Some(units(5)), 0));
    block_on(clinic.care.reverse_movement(received.movement_id)).unwrap();
    assert_eq!(on_order(), 5);
    clinic.journal()
}

#[test]
fn what_a_receipt_takes_from_the_order_comes_back_with_its_reversal() {
    let receipt = |movement: &Movement| movement.kind == MovementKind::Receipt;
    let reversal = |movement: &Movement| movement.kind == MovementKind::Reversal;
    check(
        &reversed_delivery(),
        rules! {
            last(receipt, |movement| movement.from_order = None) => "fromOrder is not what it could take";
            last(receipt, |movement| movement.from_order = Some(units(4))) => "fromOrder is not what it could take";
            last(receipt, |movement| movement.from_order = Some(units(8))) => "fromOrder is not what it could take";
            last(reversal, |movement| movement.from_order = Some(units(1))) => "members that its kind has not";
            any(|stock: &mut Stock| stock.settings.ordered = Amount::ZERO)
                => "ordered is not what its movements leave of it";
        },
    );
}

/// Returns the journal of a clinic with a payment by card, its correction, a refund that reopens and restocks, and a
/// second payment.
fn money() -> Vec<Entry> {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    clinic.track("Ibuprofen");
    clinic.paid(patient, "other");
    let (prescription, paid) = clinic.paid(patient, "Ibuprofen");
    clinic.correct(2, PaymentMethod::Card).unwrap();
    let refund = NewRefund { restock: true, reopen: true, ..NewRefund::of(RefundReason::WrongEntry) };
    clinic.refund(paid, refund).unwrap();
    clinic.bill(prescription);
    clinic.journal()
}

#[test]
fn receipts_refunds_and_takings() {
    let payment = |receipt: &Receipt| receipt.kind == ReceiptKind::Payment;
    let refund = |receipt: &Receipt| receipt.kind == ReceiptKind::Refund;
    let correction = |receipt: &Receipt| receipt.kind == ReceiptKind::Correction;
    let paid = |invoice: &Invoice| invoice.state == InvoiceState::Paid;
    let refunded = |invoice: &Invoice| invoice.state == InvoiceState::Refunded;
    check(
        &money(),
        rules! {
            last(refund, |receipt| receipt.credit_note_id = 2.try_into().ok())
                => "the number before it was never given";
            first_again(refund, |receipt| receipt.method = PaymentMethod::Other) => "is changed after it was made";
            last(payment, |receipt| receipt.amount = 99.try_into().ok()) => "not of its amount";
            last(refund, |receipt| receipt.amount = 99.try_into().ok()) => "not of its amount";
            without_last(move |change| kept(change).is_some_and(refund)) => "is not the highest number that was given";
            last(refunded, |invoice| invoice.price = 99.try_into().ok()) => "is not as it was paid";
            last(refunded, |invoice| invoice.receipt_id = 1.try_into().ok()) => "is not as it was paid";
            last(paid, |invoice| invoice.state = InvoiceState::Refunded)
                => "is refunded, but it was not paid before";
            last(refund, |receipt| receipt.holder = "other".into()) => "holder is not the actor";
            last(refund, |receipt| receipt.day = "17/03/2026".parse().unwrap()) => "more than a day away";
            last(correction, |receipt| receipt.from_method = Some(PaymentMethod::Bank))
                => "from is not the method that held before";
            any(|takings: &mut Takings| takings.receipts += 1) => "does not count its receipts";
            without_last(|change| matches!(change, Change::Put(Record::Takings(_)))) => "does not count its receipts";
            any(|history: &mut History| history.medicine = Some(medicine("Ibuprofen")))
                => "not those of the last payment that stands";
            any(|history: &mut History| history.visits -= 1) => "visits is not the number";
            first_again(
                |prescription: &Prescription| prescription.state == PrescriptionState::Completed,
                |prescription| prescription.state = PrescriptionState::Active,
            ) => "no invoice of it was refunded";
        },
    );
    // The return of one unit of three and the refund without any, as if one entry had done both.
    let clinic = Clinic::new();
    let key = clinic.track("Ibuprofen");
    let (_, invoice_id) = clinic.paid(clinic.patient(), "Ibuprofen");
    let back = NewMovement::returned(lot("late", "01/01/2091"), units(1), invoice_id);
    block_on(clinic.care.move_stock(key, back)).unwrap();
    clinic.refund(invoice_id, NewRefund::of(RefundReason::WrongEntry)).unwrap();
    check(
        &clinic.journal(),
        rules! {
            Box::new(|journal| {
                let refund = journal.pop().unwrap();
                journal.last_mut().unwrap().revisions.extend(refund.revisions);
            }) => "comes back with a refund, but not all that was out does";
        },
    );
}

#[test]
fn every_version_leads_to_the_one_before() {
    assert_eq!(linked(BUSY.clone()), *BUSY);
    let mut wrong = BUSY.clone();
    wrong[12].revisions[0].replaced = Seq::new(12);
    let says = audited(wrong);
    assert!(says.contains("is said to replace entry 12, but the last to put it was entry"), "{says}");
}

#[test]
fn a_read_says_nothing_of_what_is_there() {
    for edit in [then([]), then([Change::put(Patient::new(patient(50)))])] {
        let mut journal = BUSY.clone();
        edit(&mut journal);
        journal[33].reads.push(RecordKey::Patient(patient(50)));
        assert_eq!(audited(journal), "34 sound entries");
    }
}

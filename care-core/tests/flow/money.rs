//! Receipts, refunds, corrections and takings (money.md), and each rule of the audit about them broken once.

use std::thread;

use care_core::{
    audit,
    error::{Conflict, Error, Kind},
    model::{
        Date, History, Invoice, InvoiceId, InvoiceState, LotId, MedicineKey, Note, PatientId, PaymentMethod,
        Prescription, PrescriptionId, PrescriptionState, Receipt, ReceiptId, ReceiptKind, RefundReason, StockDetails,
        Takings, UnitName,
    },
    service::{
        DayTakings, ExpectedVersion, NewCorrection, NewMovement, NewRefund, OpeningLot, TakingsPeriod, TakingsSums,
    },
    store::{Change, Entity, Entry, Limit, ReceiptFilter, Record, RecordKey, Revision, Seq},
};
use futures_executor::block_on;

use crate::{
    clinic::{Clinic, is_conflict, is_missing, medicine, regular},
    contradictions::{audited, put_in, says},
};

const WRONG: NewRefund = NewRefund::of(RefundReason::WrongEntry);
const REOPEN: NewRefund =
    NewRefund { reason: RefundReason::WrongEntry, note: None, method: None, restock: false, reopen: true };
const RESTOCK: NewRefund =
    NewRefund { reason: RefundReason::WrongEntry, note: None, method: None, restock: true, reopen: false };

impl Clinic {
    fn refund(&self, invoice: InvoiceId, new: NewRefund) -> Result<Receipt, Error> {
        block_on(self.care.refund_invoice(invoice, new, ExpectedVersion::Any)).map(|found| found.record)
    }

    fn correct(&self, receipt: i64, method: PaymentMethod) -> Result<Receipt, Error> {
        let id = receipt.try_into().unwrap();
        block_on(self.care.correct_receipt(id, NewCorrection { method, note: None })).map(|found| found.record)
    }

    fn state(&self, invoice: InvoiceId) -> InvoiceState {
        block_on(self.care.invoice(invoice)).unwrap().state
    }

    fn paid(&self, patient: PatientId, name: &str) -> (PrescriptionId, InvoiceId) {
        let prescription = self.prescribe(patient, name);
        let invoice = self.bill(prescription);
        self.pay(invoice);
        (prescription, invoice)
    }

    fn receipts(&self) -> Vec<Receipt> {
        let page = block_on(self.care.receipts(ReceiptFilter::default(), None, Limit::ALL)).unwrap();
        page.items.into_iter().map(|found| found.record).collect()
    }

    fn prescription(&self, id: PrescriptionId) -> Prescription {
        block_on(self.care.prescription(id)).unwrap().record.prescription
    }

    fn verified(&self) {
        block_on(audit::verify(self.care.store())).unwrap();
    }

    fn track(&self, name: &str) -> MedicineKey {
        let key = medicine(name).key().clone();
        self.stock(name, true);
        let opening = [("soon", "01/01/2090", 2), ("late", "01/01/2091", 9)];
        let opening = opening
            .map(|(text, expires, units)| OpeningLot { lot: lot(text, expires), units: units.try_into().unwrap() });
        let supply = 3.try_into().map(care_core::model::Patch::Set).unwrap();
        let details = StockDetails { supply_units: supply, ..StockDetails::default() };
        let unit = UnitName::new("tablets").unwrap();
        block_on(self.care.start_stock(key.clone(), unit, details, opening.into())).unwrap();
        key
    }

    fn on_hand(&self, key: &MedicineKey) -> i64 {
        block_on(self.care.stock(key.clone())).unwrap().stock.on_hand.value()
    }
}

fn lot(text: &str, expires: &str) -> LotId {
    LotId { lot: Some(text.to_owned().try_into().unwrap()), expires: expires.parse().ok() }
}

#[test]
fn a_payment_gives_one_receipt_whatever_is_paid_again() {
    let clinic = Clinic::new();
    clinic.stock("a", true);
    let invoice = clinic.bill(clinic.prescribe(clinic.patient(), "a"));
    block_on(clinic.care.pay_invoice_by(invoice, PaymentMethod::Card)).unwrap();
    block_on(clinic.care.pay_invoice_by(invoice, PaymentMethod::Bank)).unwrap();
    let [receipt] = &clinic.receipts()[..] else { panic!("one receipt") };
    assert_eq!(
        (receipt.kind, receipt.method, &*receipt.holder),
        (ReceiptKind::Payment, PaymentMethod::Card, "service")
    );
    let billed = block_on(clinic.care.invoice(invoice)).unwrap().record;
    assert_eq!(
        (receipt.amount, receipt.currency, Some(receipt.receipt_id)),
        (billed.price, billed.currency, billed.receipt_id)
    );
    clinic.verified();
}

#[test]
fn a_refund_is_final_and_the_visit_stays() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let (first, paid) = clinic.paid(patient, "a");
    let (_, later) = clinic.paid(patient, "b");
    let unpaid = clinic.bill(clinic.prescribe(patient, "c"));
    assert!(is_conflict(clinic.refund(unpaid, WRONG), Conflict::InvoiceUnpaid));
    assert!(is_missing(clinic.refund(99.try_into().unwrap(), WRONG), Kind::Invoice));
    let refund = clinic.refund(later, WRONG).unwrap();
    assert_eq!(
        (refund.kind, refund.credit_note_id.map(|id| id.value()), refund.receipt_id.value()),
        (ReceiptKind::Refund, Some(1), 3)
    );
    assert_eq!(clinic.state(later), InvoiceState::Refunded);
    let history = clinic.history(patient);
    assert_eq!((history.visits, history.medicine.map(|m| m.to_string()).as_deref()), (2, Some("a")));
    assert!(is_conflict(clinic.refund(later, WRONG), Conflict::AlreadyRefunded));
    assert!(is_conflict(block_on(clinic.care.pay_invoice(later)), Conflict::InvoiceRefunded));
    assert!(is_conflict(clinic.cancel(later), Conflict::InvoicePaid));
    clinic.refund(paid, WRONG).unwrap();
    assert_eq!((clinic.history(patient).medicine, clinic.history(patient).visits), (None, 2));
    let prescription = clinic.prescription(first);
    assert_eq!((prescription.state, prescription.dispensed), (PrescriptionState::Completed, true));
    clinic.verified();
    // The money of a voided patient is owed as well.
    let (_, owed) = clinic.paid(patient, "d");
    clinic.cancel(unpaid).unwrap();
    clinic.void(patient).unwrap();
    assert!(is_conflict(clinic.refund(owed, REOPEN), Conflict::NotReopenable));
    clinic.refund(owed, WRONG).unwrap();
    assert!(is_conflict(block_on(clinic.care.pay_invoice(owed)), Conflict::InvoiceRefunded));
    clinic.verified();
}

#[test]
fn another_reason_needs_a_note() {
    let clinic = Clinic::new();
    let (_, paid) = clinic.paid(clinic.patient(), "a");
    assert!(matches!(clinic.refund(paid, NewRefund::of(RefundReason::Other)), Err(Error::Invalid(_))));
    let noted = NewRefund { note: Some(Note::new("no longer needed").unwrap()), ..NewRefund::of(RefundReason::Other) };
    assert!(clinic.refund(paid, noted).unwrap().note.is_some());
}

#[test]
fn a_wrong_entry_is_put_right_by_reopening() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let (prescription, paid) = clinic.paid(patient, "a");
    clinic.refund(paid, REOPEN).unwrap();
    let reopened = clinic.prescription(prescription);
    assert_eq!((reopened.state, reopened.dispensed), (PrescriptionState::Active, false));
    clinic.verified();
    let again = clinic.bill(prescription);
    assert_eq!(clinic.pay(again).visits, 1);
    clinic.verified();
    // Another active one for the medicine is in the way.
    clinic.prescribe(patient, "a");
    assert!(is_conflict(clinic.refund(again, REOPEN), Conflict::NotReopenable));
    clinic.refund(again, WRONG).unwrap();
    clinic.verified();
}

#[test]
fn a_prescription_that_became_regular_after_its_payment_is_reopened() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let (prescription, paid) = clinic.paid(patient, "a");
    let key = medicine("a").key().clone();
    block_on(clinic.care.update_prescription(patient, key, regular(), ExpectedVersion::Any)).unwrap();
    assert_eq!(clinic.prescription(prescription).state, PrescriptionState::Completed);
    clinic.refund(paid, REOPEN).unwrap();
    let reopened = clinic.prescription(prescription);
    assert_eq!((reopened.state, reopened.dispensed), (PrescriptionState::Active, false));
    clinic.verified();
    let again = clinic.bill(prescription);
    clinic.pay(again);
    clinic.verified();
}

#[test]
fn a_regular_prescription_stays_as_it_is() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let recurring = clinic.prescribe_as(patient, "a", regular());
    let paid: Vec<_> = (0..2)
        .map(|_| {
            let bill = clinic.bill(recurring);
            clinic.pay(bill);
            bill
        })
        .collect();
    let before = clinic.prescription(recurring);
    clinic.refund(paid[0], REOPEN).unwrap();
    assert_eq!(clinic.prescription(recurring), before);
    clinic.withdraw(recurring).unwrap();
    assert!(is_conflict(clinic.refund(paid[1], REOPEN), Conflict::NotReopenable));
    clinic.verified();
}

#[test]
fn what_is_still_out_comes_back_to_its_lots() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let key = clinic.track("Ibuprofen");
    let (_, paid) = clinic.paid(patient, "Ibuprofen");
    let back = |units: i64| NewMovement::Return {
        lot: lot("late", "01/01/2091"),
        units: units.try_into().unwrap(),
        invoice_id: paid,
        note: None,
    };
    assert_eq!(clinic.on_hand(&key), 8);
    block_on(clinic.care.move_stock(key.clone(), back(1))).unwrap();
    clinic.refund(paid, RESTOCK).unwrap();
    assert_eq!(clinic.on_hand(&key), 11);
    assert!(matches!(
        block_on(clinic.care.move_stock(key.clone(), back(1))),
        Err(Error::Conflict(Conflict::NotDispensed))
    ));
    clinic.verified();
    // Nothing is out of an untracked medicine, nor after all came back, nor of one that is tracked anew since.
    let (_, untracked) = clinic.paid(patient, "b");
    assert!(is_conflict(clinic.refund(untracked, RESTOCK), Conflict::NotDispensed));
    let (_, kept) = clinic.paid(patient, "Ibuprofen");
    let lots = [("late", "01/01/2091", 8)];
    for (text, expires, units) in lots {
        let units = units.try_into().unwrap();
        let reason = care_core::model::MovementReason::Damaged;
        let lost = NewMovement::Removal { lot: lot(text, expires), units, reason, note: None };
        block_on(clinic.care.move_stock(key.clone(), lost)).unwrap();
    }
    block_on(clinic.care.end_stock(key.clone(), ExpectedVersion::Any)).unwrap();
    assert!(is_conflict(clinic.refund(kept, RESTOCK), Conflict::NotDispensed));
    block_on(clinic.care.start_stock(key, UnitName::new("tablets").unwrap(), StockDetails::default(), Vec::new()))
        .unwrap();
    assert!(is_conflict(clinic.refund(kept, RESTOCK), Conflict::NotDispensed));
    clinic.refund(kept, WRONG).unwrap();
    clinic.verified();
}

#[test]
fn a_method_is_corrected_for_payments_and_refunds() {
    let clinic = Clinic::new();
    clinic.stock("a", true);
    let (_, paid) = clinic.paid(clinic.patient(), "a");
    let corrected = clinic.correct(1, PaymentMethod::Card).unwrap();
    assert_eq!((corrected.corrects.map(ReceiptId::value), corrected.from_method), (Some(1), Some(PaymentMethod::Cash)));
    assert!(matches!(clinic.correct(1, PaymentMethod::Card), Err(Error::Invalid(_))));
    assert!(is_conflict(clinic.correct(2, PaymentMethod::Cash), Conflict::NotCorrectable));
    assert!(is_missing(clinic.correct(9, PaymentMethod::Cash), Kind::Receipt));
    let refund = clinic.refund(paid, WRONG).unwrap();
    assert_eq!(refund.method, PaymentMethod::Card);
    clinic.correct(3, PaymentMethod::Bank).unwrap();
    let (sums, days) = taken(&clinic, None, None);
    let nets: Vec<_> = sums.totals.iter().map(|total| (total.total.method.as_str(), total.total.net())).collect();
    let amount = clinic.receipts()[0].amount.unwrap().value();
    assert_eq!(nets, [("cash", 0), ("card", amount), ("bank", -amount)]);
    assert_eq!((sums.receipts, days.len()), (4, 1));
    clinic.verified();
}

fn taken(clinic: &Clinic, from: Option<&str>, to: Option<&str>) -> (TakingsSums, Vec<DayTakings>) {
    let mut days = Vec::new();
    let day = |text: &str| text.parse::<Date>().unwrap();
    let period = TakingsPeriod::new(from.map(day), to.map(day), day("15/03/2026")).unwrap();
    let sums = block_on(clinic.care.takings(period, None, |day| days.push(day))).unwrap();
    (sums, days)
}

#[test]
fn takings_by_numbers_are_those_by_days() {
    let clinic = Clinic::new();
    clinic.stock("a", true);
    let patient = clinic.patient();
    for (number, holder) in ["desk", "night", "desk"].into_iter().enumerate() {
        let invoice = clinic.bill(clinic.prescribe(patient, "a"));
        let method = PaymentMethod::ALL[number];
        block_on(clinic.care.acting_as(holder).pay_invoice_by(invoice, method)).unwrap();
    }
    block_on(clinic.care.acting_as("night").pay_invoice(clinic.bill(clinic.prescribe(patient, "free")))).unwrap();
    clinic.correct(2, PaymentMethod::Bank).unwrap();
    let (sums, days) = taken(&clinic, None, None);
    assert_eq!((sums.receipts, sums.unpriced), (5, 1));
    assert_eq!(
        days.iter().map(|day| (&*day.holder, day.sums.receipts)).collect::<Vec<_>>(),
        [("desk", 2), ("night", 2), ("service", 1)]
    );
    let mut by_number = Vec::new();
    let (range, numbered) = block_on(clinic.care.takings_of((None, None), None, |day| by_number.push(day))).unwrap();
    assert_eq!((range.above, range.upto, &numbered, &by_number), (0, 5, &sums, &days));
    let (range, some) = block_on(clinic.care.takings_of((Some(3), Some(99)), Some("night"), |_| {})).unwrap();
    assert_eq!((range.above, range.upto, some.receipts, some.unpriced), (3, 5, 1, 1));
    for beyond in [(Some(3), Some(2)), (Some(6), None)] {
        assert!(matches!(block_on(clinic.care.takings_of(beyond, None, |_| {})), Err(Error::Invalid(_))), "{beyond:?}");
    }
    assert_eq!(taken(&clinic, Some("01/03/2026"), Some("14/03/2026")).0, TakingsSums::default());
}

#[test]
fn two_hundred_refunds_of_one_invoice_give_one_credit_note() {
    let clinic = Clinic::new();
    let (_, paid) = clinic.paid(clinic.patient(), "a");
    let won = thread::scope(|scope| {
        let racers: Vec<_> = (0..200).map(|_| scope.spawn(|| clinic.refund(paid, WRONG).is_ok())).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).filter(|won| *won).count()
    });
    assert_eq!((won, clinic.receipts().len()), (1, 2));
    clinic.verified();
}

#[test]
fn an_erasure_takes_the_notes_of_refunds_and_corrections() {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    let (_, paid) = clinic.paid(patient, "a");
    let note = || Some(Note::new("Ada came back").unwrap());
    clinic.refund(paid, NewRefund { note: note(), ..WRONG }).unwrap();
    let correction = NewCorrection { method: PaymentMethod::Bank, note: note() };
    block_on(clinic.care.correct_receipt(1.try_into().unwrap(), correction)).unwrap();
    block_on(clinic.care.erase_patient(patient)).unwrap();
    assert!(clinic.receipts().iter().all(|receipt| receipt.note.is_none()));
    assert!(!format!("{:?}", clinic.journal()).contains("Ada"));
    clinic.verified();
}

/// Returns the journal of a clinic with a payment by card, its correction, a refund that reopens and restocks, and a
/// second payment.
fn journal() -> Vec<Entry> {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    clinic.track("Ibuprofen");
    clinic.paid(patient, "other");
    let (prescription, paid) = clinic.paid(patient, "Ibuprofen");
    clinic.correct(2, PaymentMethod::Card).unwrap();
    clinic.refund(paid, NewRefund { reopen: true, ..RESTOCK }).unwrap();
    clinic.bill(prescription);
    clinic.journal()
}

/// Returns the finding when the last record of this kind that meets the condition is put in another form.
fn put<E: Entity>(wanted: impl Fn(&E) -> bool, edit: impl Fn(&mut E)) -> String {
    put_in(journal(), wanted, edit)
}

/// Returns the finding when the first change that meets the condition is left out.
fn without(left_out: impl Fn(&Change) -> bool) -> String {
    let mut journal = journal();
    let entry = journal.iter_mut().rfind(|entry| entry.changes().any(&left_out)).unwrap();
    let place = entry.revisions.iter().position(|revision| left_out(&revision.change)).unwrap();
    entry.revisions.remove(place);
    audited(journal)
}

fn kind(kind: ReceiptKind) -> impl Fn(&Receipt) -> bool {
    move |receipt| receipt.kind == kind
}

#[test]
fn the_journal_itself_is_sound() {
    assert_eq!(audited(journal()), format!("{} sound entries", journal().len()));
}

#[test]
fn receipts_and_credit_notes_are_numbered_in_order_and_never_put_again() {
    let third = |receipt: &mut Receipt| receipt.credit_note_id = 2.try_into().ok();
    says(&put(kind(ReceiptKind::Refund), third), "the number before it was never given");
    let mut again = journal();
    let last = again.last().unwrap().clone();
    let refund = again.iter().flat_map(Entry::changes).find_map(|change| match change {
        Change::Put(Record::Receipt(receipt)) if receipt.kind == ReceiptKind::Refund => Some(receipt.clone()),
        _ => None,
    });
    let refund = Receipt { method: PaymentMethod::Other, ..refund.unwrap() };
    let replaced = again
        .iter()
        .rfind(|entry| entry.changes().any(|change| change.key() == Record::from(refund.clone()).key()))
        .unwrap()
        .seq;
    again.push(Entry { seq: last.seq.next(), revisions: vec![Revision::of(Change::put(refund), replaced)], ..last });
    says(&audited(again), "is changed after it was made");
}

#[test]
fn a_payment_and_a_refund_have_the_receipt_of_their_entry() {
    let more = |receipt: &mut Receipt| receipt.amount = 99.try_into().ok();
    says(&put(kind(ReceiptKind::Payment), more), "not of its amount");
    says(&put(kind(ReceiptKind::Refund), more), "not of its amount");
    let gone = |change: &Change| match change {
        Change::Put(Record::Receipt(receipt)) => receipt.kind == ReceiptKind::Refund,
        _ => false,
    };
    says(&without(gone), "is not the highest number that was given");
}

#[test]
fn a_refunded_invoice_is_as_it_was_paid() {
    let refunded = |invoice: &Invoice| invoice.state == InvoiceState::Refunded;
    says(&put::<Invoice>(refunded, |invoice| invoice.price = 99.try_into().ok()), "is not as it was paid");
    says(&put::<Invoice>(refunded, |invoice| invoice.receipt_id = 1.try_into().ok()), "is not as it was paid");
    let paid = |invoice: &Invoice| invoice.state == InvoiceState::Paid;
    says(
        &put::<Invoice>(paid, |invoice| invoice.state = InvoiceState::Refunded),
        "is refunded, but it was not paid before",
    );
}

#[test]
fn a_holder_is_the_actor_and_a_day_that_of_the_entry() {
    says(&put(kind(ReceiptKind::Refund), |receipt| receipt.holder = "other".into()), "holder is not the actor");
    let late = |receipt: &mut Receipt| receipt.day = "17/03/2026".parse().unwrap();
    says(&put(kind(ReceiptKind::Refund), late), "more than a day away");
}

#[test]
fn a_correction_says_the_method_that_held() {
    let wrong = |receipt: &mut Receipt| receipt.from_method = Some(PaymentMethod::Bank);
    says(&put(kind(ReceiptKind::Correction), wrong), "from is not the method that held before");
}

#[test]
fn takings_equal_a_recount() {
    says(&put::<Takings>(|_| true, |takings| takings.receipts += 1), "does not count its receipts");
    says(&without(|change| matches!(change, Change::Put(Record::Takings(_)))), "does not count its receipts");
}

#[test]
fn the_history_names_the_last_payment_that_stands() {
    let other = |history: &mut History| history.medicine = Some(medicine("Ibuprofen"));
    says(&put::<History>(|_| true, other), "not those of the last payment that stands");
    says(&put::<History>(|_| true, |history| history.visits -= 1), "visits is not the number");
}

#[test]
fn with_a_refund_all_that_was_out_comes_back() {
    let clinic = Clinic::new();
    let key = clinic.track("Ibuprofen");
    let (_, invoice_id) = clinic.paid(clinic.patient(), "Ibuprofen");
    let units = 1.try_into().unwrap();
    let back = NewMovement::Return { lot: lot("late", "01/01/2091"), units, invoice_id, note: None };
    block_on(clinic.care.move_stock(key, back)).unwrap();
    clinic.refund(invoice_id, WRONG).unwrap();
    // The return of one unit of three and the refund without any, as if one entry had done both.
    let mut journal = clinic.journal();
    let refund = journal.pop().unwrap();
    let entry = journal.last_mut().unwrap();
    entry.revisions.extend(refund.revisions);
    says(&audited(journal), "comes back with a refund, but not all that was out does");
}

#[test]
fn a_completed_prescription_becomes_active_in_a_refund_only() {
    let mut opened = journal();
    let last = opened.last().unwrap().clone();
    let mut first = opened.iter().flat_map(Entry::changes).filter_map(|change| match change {
        Change::Put(Record::Prescription(found)) if found.state == PrescriptionState::Completed => Some(found.clone()),
        _ => None,
    });
    let reopened = Prescription { state: PrescriptionState::Active, ..first.next().unwrap() };
    drop(first);
    let key = RecordKey::Prescription(reopened.prescription_id);
    let replaced = opened.iter().rfind(|entry| entry.changes().any(|change| change.key() == key)).unwrap().seq;
    opened.push(Entry {
        seq: Seq::new(last.seq.value() + 1),
        revisions: vec![Revision::of(Change::put(reopened), replaced)],
        ..last
    });
    says(&audited(opened), "no invoice of it was refunded");
}

//! Each rule of the audit about tracked medicines is broken once, in a journal that is otherwise sound.

use care_core::{
    error::{Conflict, Error},
    model::{
        Amount, Dispensing, Invoice, Item, LotId, LotText, Movement, MovementId, MovementKind, OpenLot, Stock,
        StockDay, StockDetails, UnitName, Units,
    },
    service::{NewMovement, OpeningLot},
    store::{Change, Entity, Entry, Record, RecordKey, Revision, Seq},
};
use futures_executor::block_on;

use crate::{
    clinic::{Clinic, medicine},
    contradictions::{audited, put_in, says},
};

fn lot(text: &str, expires: &str) -> care_core::model::LotId {
    care_core::model::LotId { lot: Some(text.to_owned().try_into().unwrap()), expires: expires.parse().ok() }
}

fn units(number: i64) -> Units {
    number.try_into().unwrap()
}

/// Returns the journal of a clinic that opens with two lots, hands three units out and takes one back.
pub(crate) fn journal() -> Vec<Entry> {
    let clinic = Clinic::new();
    let patient = clinic.patient();
    clinic.stock("Ibuprofen", true);
    let key = || medicine("Ibuprofen").key().clone();
    let care = &clinic.care;
    let opening = [("soon", "01/01/2090", 2), ("late", "01/01/2091", 9)];
    let opening = opening.map(|(text, expires, number)| OpeningLot { lot: lot(text, expires), units: units(number) });
    let details = StockDetails {
        supply_units: 3.try_into().map(care_core::model::Patch::Set).unwrap(),
        ..StockDetails::default()
    };
    block_on(care.start_stock(key(), UnitName::new("tablets").unwrap(), details, opening.into())).unwrap();
    let prescription = clinic.prescribe(patient, "Ibuprofen");
    let issued = block_on(care.issue_invoice(prescription)).unwrap();
    let invoice_id = issued.invoice.invoice_id;
    block_on(care.pay_invoice(invoice_id)).unwrap();
    let back = NewMovement::Return { lot: lot("late", "01/01/2091"), units: units(1), invoice_id, note: None };
    block_on(care.move_stock(key(), back)).unwrap();
    block_on(care.store().journal(Seq::ZERO, care_core::store::Limit::items(100))).unwrap().items
}

/// Returns the finding when the last record of this kind that meets the condition is put in another form.
fn put<E: Entity>(wanted: impl Fn(&E) -> bool, edit: impl Fn(&mut E)) -> String {
    put_in(journal(), wanted, edit)
}

#[test]
fn a_clinic_with_stock_is_sound() {
    assert_eq!(audited(journal()), format!("{} sound entries", journal().len()));
}

#[test]
fn the_movements_of_a_medicine_are_its_lots_and_each_balance_their_sum() {
    let more = |lot: &mut OpenLot| lot.on_hand = units(lot.on_hand.value() + 1);
    says(&put::<OpenLot>(|_| true, more), "is not what its movements make");
    let other = |lot: &mut OpenLot| lot.lot = LotText::new("other").ok();
    says(&put::<OpenLot>(|lot| lot.on_hand.value() == 2, other), "is not what its movements make");
    let earlier = |stock: &mut Stock| stock.moved = MovementId::FIRST.into();
    says(&put::<Stock>(|_| true, earlier), "moved is not the number of its last movement");
    let fewer = |stock: &mut Stock| stock.on_hand = Amount::try_from(stock.on_hand.value() - 1).unwrap();
    let later = |stock: &mut Stock| stock.expires = "31/12/2999".parse().ok();
    for edit in [fewer, later] {
        says(&put::<Stock>(|stock| stock.on_hand > Amount::ZERO, edit), "is not that of its open lots");
    }
    let kept = |change: &Change| matches!(change, Change::Put(Record::OpenLot(_)));
    let closed = |change: &Change| matches!(change, Change::Remove(RecordKey::OpenLot(_)));
    for left_out in [kept, closed] {
        let mut journal = journal();
        for entry in &mut journal {
            entry.revisions.retain(|revision| !left_out(&revision.change));
        }
        says(&audited(journal), "is not what its movements make");
    }
    let more = |movement: &mut Movement| movement.balance = Amount::try_from(movement.balance.value() + 1).unwrap();
    says(&put::<Movement>(|_| true, more), "balance is not the sum");
    let all = |movement: &mut Movement| movement.units = units(99).taken();
    says(&put::<Movement>(|movement| movement.units.value() < 0, all), "takes more from its lot");
}

/// Returns a journal in which a delivery of 8 meets an order of 5, and is reversed.
fn reversed_delivery() -> Vec<Entry> {
    let clinic = Clinic::new();
    clinic.stock("Zinc", true);
    let key = medicine("Zinc").key().clone();
    let details = StockDetails { ordered: units(5).amount().into(), ..StockDetails::default() };
    block_on(clinic.care.start_stock(key.clone(), UnitName::new("tablet").unwrap(), details, Vec::new())).unwrap();
    let received = NewMovement::Receipt { lot: LotId::default(), units: units(8), cost: None, note: None };
    let received = block_on(clinic.care.move_stock(key.clone(), received)).unwrap();
    assert_eq!(received.from_order, Some(units(5)));
    let on_order = || block_on(clinic.care.stock(key.clone())).unwrap().record.stock.settings.ordered.value();
    assert_eq!(on_order(), 0);
    block_on(clinic.care.reverse_movement(received.movement_id)).unwrap();
    assert_eq!(on_order(), 5);
    clinic.journal()
}

#[test]
fn what_a_receipt_takes_from_the_order_comes_back_with_its_reversal() {
    let journal = reversed_delivery;
    says(&audited(journal()), "sound entries");
    let receipt = |movement: &Movement| movement.kind == MovementKind::Receipt;
    for other in [None, Some(units(4)), Some(units(8))] {
        says(
            &put_in(journal(), receipt, |movement| movement.from_order = other),
            "fromOrder is not what it could take",
        );
    }
    let reversal = |movement: &Movement| movement.kind == MovementKind::Reversal;
    says(
        &put_in(journal(), reversal, |movement| movement.from_order = Some(units(1))),
        "members that its kind has not",
    );
    let kept = |stock: &mut Stock| stock.settings.ordered = Amount::ZERO;
    says(&put_in::<Stock>(journal(), |_| true, kept), "ordered is not what its movements leave of it");
}

#[test]
fn movements_have_no_gaps_and_stay_as_they_are() {
    let later = |movement: &mut Movement| movement.movement_id = 99.try_into().unwrap();
    says(&put::<Movement>(|_| true, later), "the number before it was never given");
    let mut changed = journal();
    let first = changed.iter().flat_map(Entry::changes).find_map(|change| match change {
        Change::Put(Record::Movement(movement)) => Some(movement.clone()),
        _ => None,
    });
    let noted = Movement { note: "x".to_owned().try_into().ok(), ..first.unwrap() };
    let last = changed.last().unwrap().clone();
    let revisions = vec![Revision::of(Change::put(noted), Seq::ZERO)];
    changed.push(Entry { seq: last.seq.next(), revisions, ..last });
    says(&audited(changed), "is changed after it was made");
}

#[test]
fn what_is_reserved_is_what_unpaid_invoices_name() {
    let more = |stock: &mut Stock| stock.reserved = Amount::try_from(stock.reserved.value() + 1).unwrap();
    says(&put::<Stock>(|stock| stock.reserved > Amount::ZERO, more), "reserved is not the sum");
}

#[test]
fn a_tracked_medicine_is_in_the_inventory() {
    let mut journal = journal();
    let item = Item::key(medicine("Ibuprofen").key().clone());
    let last = journal.last().unwrap().clone();
    let replaced = journal.iter().rev().find(|entry| entry.changes().any(|change| change.key() == item)).unwrap().seq;
    let revisions = vec![Revision::of(Change::Remove(item), replaced)];
    journal.push(Entry { seq: last.seq.next(), revisions, ..last });
    says(&audited(journal), "is there, but its medicine is not in the inventory");
}

#[test]
fn what_was_reserved_is_handed_out_by_the_entry_that_pays() {
    let none = |invoice: &mut Invoice| invoice.quantity = None;
    says(&put::<Invoice>(|_| true, none), "not as it was issued");
    let other = |movement: &mut Movement| movement.invoice_id = 9.try_into().ok();
    says(&put::<Movement>(|movement| movement.units.value() == -1, other), "the entry does not pay its invoice");
}

#[test]
fn what_expires_first_goes_out_first() {
    // All three units come from the later lot, although the earlier one has two.
    let mut journal = journal();
    for revision in journal.iter_mut().flat_map(|entry| &mut entry.revisions) {
        if let Change::Put(Record::Movement(movement)) = &mut revision.change
            && movement.units.value() == -2
        {
            let late = lot("late", "01/01/2091");
            (movement.lot, movement.expires) = (late.lot, late.expires);
        }
    }
    let said = audited(journal);
    says(&said, "a lot that expires sooner kept units");
}

#[test]
fn no_more_comes_back_than_was_handed_out() {
    let all = |movement: &mut Movement| movement.units = units(2).added();
    says(&put::<Movement>(|movement| movement.units.value() == 1, all), "gives back more than its invoice took");
    let none = |dispensing: &mut Dispensing| dispensing.lots[1].returned = Amount::ZERO;
    says(&put::<Dispensing>(|_| true, none), "is not what its movements say");
}

#[test]
fn the_counts_of_a_day_are_its_movements() {
    says(&put::<StockDay>(|_| true, |day| day.dispensed += 1), "does not count what was moved");
}

#[test]
fn a_medicine_is_tracked_while_its_stock_is_there() {
    let mut gone = journal();
    let last = gone.last().unwrap().clone();
    let key = Stock::key(medicine("Ibuprofen").key().clone());
    let replaced = gone.iter().rfind(|entry| entry.changes().any(|change| change.key() == key)).unwrap().seq;
    let revisions = vec![Revision::of(Change::Remove(key), replaced)];
    gone.push(Entry { seq: last.seq.next(), revisions, ..last });
    says(&audited(gone), "is missing, but units of its medicine are");
}

#[test]
fn lots_are_followed_back_by_ten_thousand_movements() {
    let clinic = Clinic::new();
    clinic.stock("Ibuprofen", true);
    let key = || medicine("Ibuprofen").key().clone();
    let opening = vec![OpeningLot { lot: lot("A", "01/01/2090"), units: units(5) }];
    let unit = UnitName::new("tablets").unwrap();
    let first = block_on(clinic.care.start_stock(key(), unit, StockDetails::default(), opening)).unwrap();
    let receive = || {
        let (lot, units) = (lot("B", "01/01/2090"), units(1));
        let received = NewMovement::Receipt { lot, units, cost: None, note: None };
        block_on(clinic.care.move_stock(key(), received)).unwrap();
    };
    let then = || block_on(clinic.care.stock_as_of(key(), first.version));
    for _ in 0..10_000 {
        receive();
    }
    let past = then().unwrap().unwrap();
    assert_eq!((past.found.version, &past.found.record.shelf), (first.version, &first.record.shelf));
    receive();
    assert!(matches!(then(), Err(Error::Conflict(Conflict::TooLongAgo))));
    let item = block_on(clinic.care.item_as_of(key(), first.version));
    assert!(matches!(item, Err(Error::Conflict(Conflict::TooLongAgo))));
}

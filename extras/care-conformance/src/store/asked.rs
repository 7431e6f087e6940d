//! Every key that a walk can touch, each with what the model says that its answer is.

use std::{collections::BTreeSet, sync::LazyLock};

use care_core::{
    model::{
        Diagnosis, Invoice, InvoiceState, Item, LotKey, Movement, OpenLot, Patient, Prescription, PrescriptionState,
        Receipt, Stock,
    },
    store::{Key, Lookup, Record, RecordKey, RecordKind, Reply, Versioned},
};

use super::{
    model::Model,
    universe::{Few, NUMBERS, PATIENTS, days, forms, medicines},
};
use crate::samples;

/// A key, and its answer of the model.
pub(super) struct Asked {
    pub(super) key: Key,
    pub(super) expected: Box<dyn Fn(&Model) -> Lookup>,
}

fn numbered(key: impl Into<Key>, expected: impl Fn(&Model) -> Option<u64> + 'static) -> Asked {
    let expected = move |model: &Model| expected(model).map_or(Lookup::None, Lookup::Number);
    Asked { key: key.into(), expected: Box::new(expected) }
}

fn asked(key: impl Into<Key>, expected: impl Fn(&Model) -> Vec<Versioned<Record>> + 'static) -> Asked {
    let expected = move |model: &Model| match expected(model) {
        none if none.is_empty() => Lookup::None,
        found => Lookup::Many(found),
    };
    Asked { key: key.into(), expected: Box::new(expected) }
}

/// Returns the last of these, if there is one.
fn last(mut found: Vec<Versioned<Record>>) -> Vec<Versioned<Record>> {
    found.pop().into_iter().collect()
}

/// Returns the first of these.
fn first(most: usize, mut found: Vec<Versioned<Record>>) -> Vec<Versioned<Record>> {
    found.truncate(most);
    found
}

/// Returns every key that a walk can touch.
pub(super) fn every_key() -> Vec<Asked> {
    let of_record = |key: RecordKey| asked(key.clone(), move |model| model.record(&key));
    let mut all: Vec<_> = every_record().into_iter().map(of_record).collect();
    for id in PATIENTS.map(samples::patient_id) {
        let is_active = move |p: &Prescription| p.patient_id == id && p.state == PrescriptionState::Active;
        let of_state = move |state| move |i: &Invoice| i.patient_id == id && i.state == state;
        let is_unpaid = of_state(InvoiceState::Unpaid);
        let (is_paid, newest) = (of_state(InvoiceState::Paid), |i: &Invoice| std::cmp::Reverse(i.receipt_id));
        all.extend([
            numbered(Prescription::count_active(id), move |model| Some(model.those(is_active).len() as u64)),
            asked(Diagnosis::of_patient(id), move |model| model.those(|d: &Diagnosis| d.patient_id == id)),
            asked(Invoice::unpaid_of(id), move |model| first(1, model.those(is_unpaid))),
            asked(Invoice::last_paid(id), move |model| first(2, model.sorted(is_paid, newest))),
            numbered(Patient::free_number(id.value() - 1), move |model| model.free_number(id.value() - 1)),
        ]);
        for name in medicines() {
            let key = name.key().clone();
            all.push(asked(Prescription::active(id, name.key()), move |model| model.active(id, &key)));
            let key = name.key().clone();
            let is_it = move |p: &Prescription| p.patient_id == id && *p.medicine.key() == key;
            all.push(asked(Prescription::newest(id, name.key()), move |model| last(model.those(&is_it))));
        }
    }
    for number in NUMBERS {
        let (id, prescription) = (samples::movement_id(number), samples::prescription_id(number));
        let receipt = samples::receipt_id(number);
        let is_paid = move |i: &Invoice| i.prescription_id == prescription && i.state == InvoiceState::Paid;
        all.extend([
            asked(Movement::reversal_of(id), move |model| model.those(|m: &Movement| m.reverses == Some(id))),
            asked(Invoice::unpaid(prescription), move |model| model.unpaid(prescription)),
            asked(Invoice::paid(prescription), move |model| first(2, model.those(is_paid))),
            asked(Receipt::last_correction(receipt), move |model| {
                last(model.those(|r: &Receipt| r.corrects == Some(receipt)))
            }),
        ]);
    }
    for name in medicines() {
        let key = name.key().clone();
        all.push(asked(Stock::or_item(key.clone()), move |model| {
            let stock = model.those(|stock: &Stock| *stock.medicine.key() == key);
            if stock.is_empty() { model.those(|item: &Item| *item.medicine.key() == key) } else { stock }
        }));
        let key = name.key().clone();
        all.push(asked(OpenLot::of_medicine(name.key()), move |model| {
            model.sorted(|lot: &OpenLot| *lot.medicine.key() == key, OpenLot::lot_id)
        }));
        for lot in LotKey::few() {
            let (medicine, text) = (name.key().clone(), lot.clone());
            let is_of = move |m: &Movement| *m.medicine.key() == medicine && m.lot_id().lot_key() == Some(&text);
            all.push(asked(Movement::first_of_lot(name.key(), &lot), move |model| first(1, model.those(&is_of))));
        }
        let key = name.key().clone();
        let is_it = move |p: &Prescription| *p.medicine.key() == key && p.state == PrescriptionState::Active;
        all.push(asked(Prescription::active_for(name.key()), move |model| first(1, model.those(&is_it))));
    }
    for kind in RecordKind::ALL {
        let patients = PATIENTS.iter().map(|id| (*id, kind.of_patient(samples::patient_id(*id))));
        let owned = patients.chain(NUMBERS.iter().map(|id| (*id, kind.of_invoice(samples::invoice_id(*id)))));
        for (number, key) in owned.filter_map(|(number, key)| Some((number, key?))) {
            all.push(asked(key, move |model| model.owned(*kind, number)));
        }
    }
    for reply in samples::replies() {
        let at = reply.at;
        let by = |reply: &Reply| (reply.at, reply.reply_id.clone());
        all.push(asked(Reply::oldest_before(at), move |model| {
            first(2, model.sorted(|reply: &Reply| reply.at < at, by))
        }));
        all.extend(reply.request.map(|request| {
            asked(Reply::to(&request), move |model| model.those(|r: &Reply| r.request.as_ref() == Some(&request)))
        }));
    }
    all
}

/// Returns the key of every record that a walk can touch.
pub(super) fn every_record() -> Vec<RecordKey> {
    static KEYS: LazyLock<BTreeSet<RecordKey>> = LazyLock::new(|| {
        let mut keys = BTreeSet::new();
        for id in PATIENTS.map(samples::patient_id) {
            keys.extend([RecordKey::Patient(id), RecordKey::Voided(id), RecordKey::History(id)]);
        }
        for number in NUMBERS {
            keys.extend([
                RecordKey::Consultation(samples::consultation_id(number)),
                RecordKey::Diagnosis(samples::consultation_id(number)),
                RecordKey::Prescription(samples::prescription_id(number)),
                RecordKey::Invoice(samples::invoice_id(number)),
            ]);
        }
        let names = medicines();
        let places = names.iter().flat_map(|name| days().map(|day| (name, day)));
        for ((name, day), kind) in places.flat_map(|place| RecordKind::ALL.iter().map(move |kind| (place, *kind))) {
            keys.extend(NUMBERS.into_iter().flat_map(|number| forms(kind, name, day, number)).map(|form| form.key()));
        }
        keys
    });
    KEYS.iter().cloned().collect()
}

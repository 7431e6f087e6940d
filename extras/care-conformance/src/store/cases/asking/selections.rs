//! Every list with each combination of conditions, and every key: each is answered by an index, and each index answers.

use std::collections::BTreeSet;

use care_core::{
    model::{
        Consultation, ConsultationState, Date, Demand, Email, Invoice, InvoiceState, Item, LotText, Movement,
        MovementKind, NamePrefix, OpenLot, Patient, Phone, Prescription, PrescriptionState, Receipt, ReceiptKind,
        RegularDemand, Stock, StockDay, Takings,
    },
    store::{
        ConsultationFilter, INDEXES, InvoiceFilter, Key, MovementFilter, PatientFilter, PrescriptionFilter, Query,
        ReceiptFilter, Rows, Selection, StockFilter, Term,
    },
};

use crate::{
    samples,
    store::{asked::every_key, subject::Subject},
};

/// Returns each of these values, and none.
fn or_none<T: Copy>(values: &[T]) -> impl Iterator<Item = Option<T>> {
    values.iter().copied().map(Some).chain([None])
}

/// Returns the lists with every combination of conditions.
fn lists() -> Vec<Query> {
    let (medicine, day) = (samples::medicine("m").key().clone(), Date::MAX);
    let days = (Date::MIN, Date::MAX);
    let mut all = vec![
        Prescription::single(None).into(),
        Item::list(None).into(),
        Demand::list(days, None).into(),
        Demand::of_medicine(medicine.clone(), days).into(),
        RegularDemand::list(None).into(),
        OpenLot::list(None).into(),
        Takings::list(days, Some("h"), None).into(),
        StockDay::list(days, Some(medicine.clone()), None).into(),
    ];
    for mask in 0..1_u32 << 7 {
        let has = |bit: u32| mask & 1 << bit != 0;
        let patient_id = has(0).then(|| samples::patient_id(1));
        let medicine = has(1).then(|| medicine.clone());
        let (from, to) = (has(2).then_some(day), has(3).then_some(day));
        if mask < 1 << 3 {
            let name_prefix = has(0).then(|| NamePrefix::new("a"));
            let phone = if has(1) { Phone::try_from(1).ok() } else { None };
            let email = if has(2) { Email::new("a@b").ok() } else { None };
            all.push(Patient::list(&PatientFilter { name_prefix, phone, email }, None).into());
            all.push(Stock::list(&StockFilter { expires_to: has(0).then_some(day) }, None).into());
        }
        if mask < 1 << 5 {
            for state in or_none(&[PrescriptionState::Active, PrescriptionState::Completed]) {
                let filter = PrescriptionFilter { patient_id, medicine: medicine.clone(), state };
                all.push(Prescription::list(&filter, None).into());
            }
            for state in or_none(&[ConsultationState::Open, ConsultationState::Completed]) {
                all.push(Consultation::list(&ConsultationFilter { patient_id, state }, None).into());
            }
            for state in or_none(InvoiceState::ALL) {
                let filter = InvoiceFilter { patient_id, state, from, to, newest: has(4) };
                all.push(Invoice::list(&filter, None).into());
            }
            for kind in or_none(ReceiptKind::ALL) {
                let invoice_id = has(0).then(|| samples::invoice_id(1));
                let filter = ReceiptFilter { invoice_id, holder: has(1).then(|| "h".into()), kind, from, to };
                all.push(Receipt::list(&filter, None).into());
            }
        }
        for lot in [None, Some(None), Some(LotText::try_from("A".to_owned()).ok())] {
            let (expires, invoice_id) = (has(4).then_some(day), has(5).then(|| samples::invoice_id(1)));
            let kind = has(6).then_some(MovementKind::Receipt);
            let filter = MovementFilter { medicine: medicine.clone(), lot, expires, kind, invoice_id, from, to };
            all.push(Movement::list(&filter, None).into());
        }
    }
    all
}

/// Notes the index of a selection, and returns whether all its columns are of its table.
fn note(selection: &Selection, used: &mut BTreeSet<&'static str>) -> bool {
    used.extend(selection.index.map(|index| index.name));
    let columns: Vec<_> = selection.kind.table().all().map(|column| column.name).collect();
    selection.terms.iter().map(Term::column).all(|column| columns.contains(&column))
}

pub(in crate::store) fn every_selection_is_answered_and_every_index_answers_one(subject: Subject) {
    let mut used = BTreeSet::new();
    for query in lists() {
        if let Query::Rows(Rows { selection, .. }) | Query::Named(Rows { selection, .. }, _) = &query {
            assert!(note(selection, &mut used), "{query:?}");
        }
        assert_eq!(subject.list(&query, 1), [], "{query:?}");
    }
    let mut keys: Vec<_> = every_key().into_iter().map(|asked| asked.key).collect();
    for key in &keys {
        if let Key::Rows(selection, _) = key {
            assert!(selection.index.is_some() && note(selection, &mut used), "{key:?}");
        }
    }
    let unused: Vec<_> = INDEXES.iter().map(|index| index.name).filter(|name| !used.contains(name)).collect();
    assert_eq!(unused, [""; 0], "no list and no key needs these indexes");
    // One key of each shape is enough, because the store has no records.
    let mut shapes = BTreeSet::new();
    keys.retain(|key| match key {
        Key::Rows(Selection { index, order, .. }, wanted) => shapes.insert(format!("{index:?} {order:?} {wanted:?}")),
        _ => false,
    });
    subject.read(|seen| {
        seen.need(keys.iter().cloned())?;
        keys.iter().try_for_each(|key| seen.lookup(key).map(drop))
    });
}

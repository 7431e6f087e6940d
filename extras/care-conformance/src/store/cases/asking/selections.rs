//! Every list with each combination of conditions, and every key: each is answered by an index, and each index answers.

use std::collections::BTreeSet;

use care_core::{
    model::{
        Consultation, Date, Demand, Invoice, Item, Movement, OpenLot, Patient, Prescription, Receipt, RegularDemand,
        Stock, StockDay, Takings,
    },
    store::{
        ConsultationFilter, Filter, INDEXES, InvoiceFilter, ItemFilter, Key, List, MovementFilter, PatientFilter,
        PrescriptionFilter, Query, ReceiptFilter, Rows, Selection, StockFilter, Term,
    },
};

use crate::{
    samples,
    store::{asked::every_key, subject::Subject, universe::Chosen},
};

/// Returns a list under each combination of the parameters of its filter, with each of the few values.
fn combined<F: Filter, E>(filled: fn(&mut Chosen) -> F, list: fn(&F) -> List<E>) -> Vec<Query> {
    let choices = (0..1 << F::PARAMETERS.len()).flat_map(|bits| (0..VALUES).map(move |place| Chosen { bits, place }));
    choices.map(|mut chosen| list(&filled(&mut chosen)).into()).collect()
}

/// The number of values that are tried of each parameter, among them each word that an index is for.
const VALUES: usize = 3;

/// Returns the lists, each with every combination of its parameters.
fn lists() -> Vec<Query> {
    let (medicine, days) = (samples::medicine("m").key().clone(), (Date::MIN, Date::MAX));
    let mut all = vec![
        Prescription::single(None).into(),
        Demand::list(days, None).into(),
        Demand::of_medicine(medicine.clone(), days).into(),
        List::<RegularDemand>::all(None).into(),
        List::<OpenLot>::all(None).into(),
        Takings::list(days, Some("h"), None).into(),
        StockDay::list(days, Some(medicine), None).into(),
    ];
    all.extend(combined(PatientFilter::filled, |filter| Patient::list(filter, None)));
    all.extend(combined(ItemFilter::filled, |filter| Item::list(filter, None)));
    all.extend(combined(PrescriptionFilter::filled, |filter| Prescription::list(filter, None)));
    all.extend(combined(ConsultationFilter::filled, |filter| Consultation::list(filter, None)));
    all.extend(combined(InvoiceFilter::filled, |filter| Invoice::list(filter, None)));
    all.extend(combined(StockFilter::filled, |filter| Stock::list(filter, None)));
    all.extend(combined(MovementFilter::filled, |filter| Movement::list(filter, None)));
    all.extend(combined(ReceiptFilter::filled, |filter| Receipt::list(filter, None)));
    all
}

/// Notes the index of a selection, and returns whether all its columns are of its table.
fn note(selection: &Selection, used: &mut BTreeSet<&'static str>) -> bool {
    used.extend(selection.index.map(|index| index.name));
    used.extend(selection.terms.iter().filter_map(|term| match term {
        Term::Among(_, index, _) => Some(index.name),
        Term::Compared(..) | Term::OneOf(..) | Term::Word(..) | Term::Null(_) | Term::Present(_) | Term::NotTrue(_) => {
            None
        }
    }));
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

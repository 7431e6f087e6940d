//! Filters of the lists of prescriptions and invoices, alone and together.

use care_core::{
    model::{Date, Invoice, InvoiceState, Prescription, PrescriptionState},
    store::{Change, InvoiceFilter, PrescriptionFilter, RecordKey},
};

use super::lists::numbers;
use crate::{
    samples,
    store::{clinic, subject::Subject},
};

pub(in crate::store) fn all_filters_of_prescriptions_must_hold(subject: Subject) {
    let names = ["Ibuprofen", "Paracetamol"].map(samples::medicine);
    subject.commit(clinic::patients([1, 2, 11]));
    let all: Vec<_> = (0..24)
        .map(|number| {
            let name = &names[usize::from(number % 2 == 1)];
            let patient = if number & 2 > 0 { 1 } else { 2 };
            let prescription = samples::prescription(number + 1, patient, name);
            // One active prescription for each patient and medicine, and one of another patient.
            if number < 4 { prescription } else { clinic::completed(&prescription) }
        })
        .chain([samples::prescription(30, 11, &names[0])])
        .collect();
    subject.commit(clinic::prescribe_all(&all));
    let ids = [None, Some(1), Some(2), Some(3)].map(|id| id.map(samples::patient_id));
    let medicines = [None, Some("IBUPROFEN"), Some("paracetamol "), Some("ibuprofe")];
    let states = [None, Some(PrescriptionState::Active), Some(PrescriptionState::Completed)];
    for patient_id in ids {
        for medicine in medicines.map(|name| name.map(|name| samples::medicine(name).key().clone())) {
            for state in states {
                let filter = PrescriptionFilter { patient_id, medicine: medicine.clone(), state };
                let expected: Vec<i64> = all
                    .iter()
                    .filter(|p| patient_id.is_none_or(|id| p.patient_id == id))
                    .filter(|p| medicine.as_ref().is_none_or(|key| p.medicine.key() == key))
                    .filter(|p| state.is_none_or(|state| p.state == state))
                    .map(|p| p.prescription_id.value())
                    .collect();
                let query = Prescription::list(&filter, None);
                assert_eq!(numbers(&subject.list(&query, 100)), expected, "{query:?}");
                let after = Some(samples::prescription_id(4));
                let page = Prescription::list(&filter, after);
                let above: Vec<_> = expected.into_iter().filter(|n| *n > 4).take(3).collect();
                assert_eq!(numbers(&subject.list(&page, 3)), above, "{page:?}");
            }
        }
    }
}

pub(in crate::store) fn prescriptions_that_do_not_recur_are_found_while_they_are_active(subject: Subject) {
    let names = ["Ibuprofen", "Paracetamol"].map(samples::medicine);
    subject.commit(clinic::patients([1, 2, 3]));
    let made = |number: i64, patient, medicine: usize, is_regular| Prescription {
        is_regular,
        ..samples::prescription(number, patient, &names[medicine])
    };
    let all = [
        made(1, 1, 0, Some(true)),
        made(2, 1, 1, Some(false)),
        made(3, 2, 1, None),
        clinic::completed(&made(4, 2, 0, None)),
        made(5, 3, 1, None),
    ];
    subject.commit(clinic::prescribe_all(&all));
    let single = |after: Option<i64>, limit| {
        numbers(&subject.list(&Prescription::single(after.map(samples::prescription_id)), limit))
    };
    let first = |medicine: usize| {
        let key = Prescription::active_for(names[medicine].key());
        subject.one::<Prescription>(key).map(|found| found.record.prescription_id.value())
    };
    assert_eq!((single(None, 9), single(None, 2), single(Some(2), 9)), (vec![2, 3, 5], vec![2, 3], vec![3, 5]));
    assert_eq!((first(0), first(1)), (Some(1), Some(2)));
    subject.commit(vec![Change::put(Prescription { is_regular: Some(true), ..all[1].clone() })]);
    subject.commit(vec![Change::put(clinic::completed(&all[0]))]);
    assert_eq!((single(None, 9), first(0), first(1)), (vec![3, 5], None, Some(2)));
    let removed = [2, 3].map(|number| Change::Remove(RecordKey::Prescription(samples::prescription_id(number))));
    subject.commit(removed.to_vec());
    assert_eq!((single(None, 9), first(1)), (vec![5], Some(5)));
}

/// Returns the day on which an invoice was issued: every third number has the day of another.
fn day_of(number: i64) -> Date {
    samples::first_day().plus_days(number - number % 3).expect("a day soon after the first")
}

pub(in crate::store) fn all_filters_of_invoices_must_hold(subject: Subject) {
    let name = samples::medicine("Ibuprofen");
    let of = [1, 2, 11].map(|number| samples::prescription(number, number, &name));
    subject.commit(clinic::patients([1, 2, 11]));
    subject.commit(clinic::prescribe_all(&of));
    let all: Vec<Invoice> = (1..=12)
        .map(|number| {
            let invoice = samples::invoice(number, &of[number as usize % 3]);
            // The last three invoices, one of each patient, are unpaid.
            let state = if number > 9 { InvoiceState::Unpaid } else { InvoiceState::Paid };
            Invoice { state, invoice_date: day_of(number), ..invoice }
        })
        .collect();
    subject.commit(all.iter().cloned().map(Change::put).collect());
    let mut filters = Vec::new();
    for patient_id in [None, Some(1), Some(2), Some(3)].map(|id| id.map(samples::patient_id)) {
        for state in [None, Some(InvoiceState::Unpaid), Some(InvoiceState::Paid)] {
            for (from, to) in [(None, None), (Some(3), None), (None, Some(10)), (Some(4), Some(6)), (Some(9), Some(2))]
            {
                let (from, to) = (from.map(day_of), to.map(day_of));
                filters.extend([false, true].map(|newest| InvoiceFilter { patient_id, state, from, to, newest }));
            }
        }
    }
    for filter in filters {
        let InvoiceFilter { patient_id, state, from, to, newest } = filter;
        let mut expected: Vec<i64> = all
            .iter()
            .filter(|invoice| patient_id.is_none_or(|id| invoice.patient_id == id))
            .filter(|invoice| state.is_none_or(|state| invoice.state == state))
            .filter(|invoice| from.is_none_or(|day| invoice.invoice_date >= day))
            .filter(|invoice| to.is_none_or(|day| invoice.invoice_date <= day))
            .map(|invoice| invoice.invoice_id.value())
            .collect();
        if newest {
            expected.reverse();
        }
        let query = Invoice::list(&filter, None);
        assert_eq!(numbers(&subject.list(&query, 100)), expected, "{query:?}");
        let page = Invoice::list(&filter, Some(samples::invoice_id(5)));
        let follows = |n: &i64| if newest { *n < 5 } else { *n > 5 };
        let beyond: Vec<_> = expected.into_iter().filter(follows).take(2).collect();
        assert_eq!(numbers(&subject.list(&page, 2)), beyond, "{page:?}");
    }
}

//! Filters of the lists of prescriptions and invoices, alone and together.

use care_core::{
    model::{Date, Invoice, InvoiceState, PrescriptionState},
    store::{Change, InvoiceFilter, PrescriptionFilter, Query},
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
                let query = Query::Prescriptions { filter: filter.clone(), after: None };
                assert_eq!(numbers(&subject.list(&query, 100)), expected, "{query:?}");
                let after = Some(samples::prescription_id(4));
                let page = Query::Prescriptions { filter, after };
                let above: Vec<_> = expected.into_iter().filter(|n| *n > 4).take(3).collect();
                assert_eq!(numbers(&subject.list(&page, 3)), above, "{page:?}");
            }
        }
    }
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
            for (from, to) in [(None, None), (Some(3), None), (None, Some(10)), (Some(4), Some(6)), (Some(9), Some(2))] {
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
        let query = Query::Invoices { filter: filter.clone(), after: None };
        assert_eq!(numbers(&subject.list(&query, 100)), expected, "{query:?}");
        let page = Query::Invoices { filter, after: Some(samples::invoice_id(5)) };
        let follows = |n: &i64| if newest { *n < 5 } else { *n > 5 };
        let beyond: Vec<_> = expected.into_iter().filter(follows).take(2).collect();
        assert_eq!(numbers(&subject.list(&page, 2)), beyond, "{page:?}");
    }
}

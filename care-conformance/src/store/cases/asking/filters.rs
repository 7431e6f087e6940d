//! Filters of the lists of prescriptions and invoices, alone and together.

use care_core::{
    model::{Invoice, InvoiceState, PrescriptionState},
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
            Invoice { state, ..invoice }
        })
        .collect();
    subject.commit(all.iter().cloned().map(Change::put).collect());
    for patient_id in [None, Some(1), Some(2), Some(3)].map(|id| id.map(samples::patient_id)) {
        for state in [None, Some(InvoiceState::Unpaid), Some(InvoiceState::Paid)] {
            let filter = InvoiceFilter { patient_id, state };
            let expected: Vec<i64> = all
                .iter()
                .filter(|invoice| patient_id.is_none_or(|id| invoice.patient_id == id))
                .filter(|invoice| state.is_none_or(|state| invoice.state == state))
                .map(|invoice| invoice.invoice_id.value())
                .collect();
            let query = Query::Invoices { filter: filter.clone(), after: None };
            assert_eq!(numbers(&subject.list(&query, 100)), expected, "{query:?}");
            let page = Query::Invoices { filter, after: Some(samples::invoice_id(5)) };
            let above: Vec<_> = expected.into_iter().filter(|n| *n > 5).take(2).collect();
            assert_eq!(numbers(&subject.list(&page, 2)), above, "{page:?}");
        }
    }
}

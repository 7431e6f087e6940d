//! Filters of the lists of prescriptions, invoices and movements together, which walks meet too seldom.

use care_core::{
    model::{Date, Invoice, InvoiceState, Movement, MovementKind, Prescription, PrescriptionState},
    store::{Change, InvoiceFilter, MovementFilter, PrescriptionFilter, RecordKey},
};

use crate::{
    samples,
    store::{
        clinic::{self, numbers},
        subject::Subject,
    },
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

pub(in crate::store) fn all_filters_of_movements_must_hold(subject: Subject) {
    let names = ["Ibuprofen", "Paracetamol"].map(samples::medicine);
    let all: Vec<_> = (1..=40_i64)
        .map(|number| {
            let form = number.rem_euclid(5) as usize;
            let mut movement = samples::movement_forms(number, &names[(number % 3 == 0) as usize]).swap_remove(form);
            movement.invoice_id = movement.invoice_id.map(|_| samples::invoice_id(number % 2 + 1));
            movement.day = samples::date(["31/01/2026", "01/02/2026", "02/02/2026"][(number / 14) as usize]);
            movement
        })
        .collect();
    subject.commit(all.iter().cloned().map(Change::put).collect());
    let text = samples::lot("A1", None).lot;
    let filters = [
        MovementFilter::default(),
        MovementFilter { medicine: Some(names[1].key().clone()), ..MovementFilter::default() },
        MovementFilter { medicine: Some(names[0].key().clone()), lot: Some(None), ..MovementFilter::default() },
        MovementFilter {
            medicine: Some(names[0].key().clone()),
            lot: Some(text.as_ref().map(|text| text.key().clone())),
            ..MovementFilter::default()
        },
        MovementFilter {
            medicine: Some(names[0].key().clone()),
            expires: Some(samples::date("31/12/2026")),
            kind: Some(MovementKind::Receipt),
            ..MovementFilter::default()
        },
        MovementFilter { kind: Some(MovementKind::Dispense), ..MovementFilter::default() },
        MovementFilter { invoice_id: Some(samples::invoice_id(1)), ..MovementFilter::default() },
        MovementFilter { from: Some(samples::date("01/02/2026")), ..MovementFilter::default() },
        MovementFilter {
            medicine: Some(names[0].key().clone()),
            invoice_id: Some(samples::invoice_id(2)),
            from: Some(samples::date("31/01/2026")),
            to: Some(samples::date("01/02/2026")),
            ..MovementFilter::default()
        },
    ];
    for filter in filters {
        for after in [None, Some(12)] {
            let expected: Vec<_> = all
                .iter()
                .filter(|m| after.is_none_or(|after| m.movement_id.value() > after))
                .filter(|m| filter.medicine.as_ref().is_none_or(|key| m.medicine.key() == key))
                .filter(|m| filter.lot.as_ref().is_none_or(|lot| m.lot_id().lot_key() == lot.as_ref()))
                .filter(|m| filter.expires.is_none_or(|day| m.expires == Some(day)))
                .filter(|m| filter.kind.is_none_or(|kind| m.kind == kind))
                .filter(|m| filter.invoice_id.is_none_or(|id| m.invoice_id == Some(id)))
                .filter(|m| filter.from.is_none_or(|day| m.day >= day) && filter.to.is_none_or(|day| m.day <= day))
                .take(5)
                .map(|m| RecordKey::Movement(m.movement_id))
                .collect();
            assert!(!expected.is_empty(), "{filter:?} finds nothing to check");
            let query = Movement::list(&filter, after.map(samples::movement_id));
            let found: Vec<_> = subject.list(&query, 5).into_iter().map(|found| found.record.key()).collect();
            assert_eq!(found, expected, "{query:?}");
        }
    }
}

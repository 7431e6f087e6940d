//! Lists read page by page.

use care_core::store::{Change, InvoiceFilter, PrescriptionFilter, Query, RecordKey};

use super::lists::{numbers, patients};
use crate::{
    samples,
    store::{StoreFixture, clinic, subject::Subject},
};

pub(in crate::store) fn a_cursor_is_not_in_its_page<F: StoreFixture>(subject: Subject<F>) {
    let name = samples::medicine("Ibuprofen");
    let all: Vec<_> = [2, 4, 6].map(|number| samples::prescription(number, number, &name)).into();
    subject.commit(clinic::patients([2, 4, 6]));
    subject.commit(clinic::prescribe_all(&all));
    subject.commit(all.iter().map(|of| Change::put(samples::invoice(of.prescription_id.value(), of))).collect());
    // A cursor need not be a record that is there.
    let pages: [(i64, &[i64]); 7] =
        [(1, &[2, 4, 6]), (2, &[4, 6]), (3, &[4, 6]), (4, &[6]), (6, &[]), (7, &[]), (i64::MAX, &[])];
    for (after, expected) in pages {
        let prescriptions = Query::Prescriptions {
            filter: PrescriptionFilter::default(),
            after: Some(samples::prescription_id(after)),
        };
        let invoices = Query::Invoices { filter: InvoiceFilter::default(), after: Some(samples::invoice_id(after)) };
        for query in [patients(Some(after)), prescriptions, invoices] {
            assert_eq!(numbers(&subject.list(&query, 10)), expected, "{query:?}");
        }
    }
}

pub(in crate::store) fn pages_put_together_are_the_list<F: StoreFixture>(subject: Subject<F>) {
    subject.commit(clinic::patients((1..=100).map(|number| number * 3)));
    for limit in [1, 7, 50, 100] {
        let (mut walked, mut after) = (Vec::new(), None);
        for _ in 0..=100 {
            let page = numbers(&subject.list(&patients(after), limit));
            assert!(page.len() <= limit);
            let Some(last) = page.last() else { break };
            after = Some(*last);
            walked.extend(page);
        }
        assert_eq!(walked, (1..=100).map(|number| number * 3).collect::<Vec<_>>());
    }
}

pub(in crate::store) fn pages_stay_while_others_write<F: StoreFixture>(subject: Subject<F>) {
    // The even numbers stay all the time; the odd ones come and go around the cursor.
    subject.commit(clinic::patients((1..=40).map(|number| number * 2)));
    let (mut walked, mut after) = (Vec::new(), None);
    for step in 0..=40 {
        let page = numbers(&subject.list(&patients(after), 3));
        let Some(last) = page.last().copied() else {
            break;
        };
        walked.extend(page);
        after = Some(last);
        subject.put(samples::patient((last | 1) + 2 * (step % 2)));
        subject.put(samples::patient((last - 1) | 1));
        subject.remove(RecordKey::Patient(samples::patient_id((last - 1) | 1)));
    }
    let steady: Vec<_> = walked.iter().copied().filter(|number| number % 2 == 0).collect();
    assert_eq!(steady, (1..=40).map(|number| number * 2).collect::<Vec<_>>());
    assert!(walked.is_sorted_by(|a, b| a < b));
}

//! Lists read page by page.

use care_core::{
    model::{Address, Patient},
    store::{Limit, List, Portion, Query, RecordKey, Seq},
};

use crate::{
    samples,
    store::{
        clinic::{self, numbers},
        subject::Subject,
    },
};

fn patients(after: Option<i64>) -> Query {
    List::<Patient>::all(after.map(samples::patient_id)).into()
}

/// The length in bytes of each patient's address. There are twenty patients, each in an entry of its own.
const ADDRESS: usize = 1000;

fn addressed(subject: &Subject) {
    let address = Address::new("x".repeat(ADDRESS)).expect("a legal address");
    for number in 1..=20 {
        let id = samples::patient_id(number);
        subject.put(Patient { address: Some(address.clone()), ..Patient::new(id) });
    }
}

/// Tests that pages read one after another are bounded. Each item has a little more than a thousand bytes.
fn is_bounded(read: impl Fn(usize, Limit) -> (usize, bool)) {
    for bytes in [0, 1, ADDRESS, 4 * ADDRESS, 7 * ADDRESS + ADDRESS / 2] {
        let (mut read_so_far, mut portions) = (0, 0);
        loop {
            let (found, more) = read(read_so_far, Limit::items(100).bytes(bytes));
            assert!(found == 1 || found * ADDRESS <= bytes, "{found} items of {ADDRESS} bytes within {bytes}");
            // The fields beside the address are small: a store that fills half of the bytes passes.
            assert!(!more || found >= bytes / ADDRESS / 2, "only {found} items within {bytes}");
            read_so_far += found;
            portions += 1;
            if !more {
                break;
            }
        }
        assert_eq!(read_so_far, 20, "portions of {bytes} bytes hold everything once");
        assert!(portions > 1);
    }
}

pub(in crate::store) fn a_list_ends_with_its_bytes(subject: Subject) {
    addressed(&subject);
    let lists: [fn(Option<i64>) -> Query; 2] =
        [patients, |after| Query::All { after: after.map(|after| RecordKey::Patient(samples::patient_id(after))) }];
    for list in lists {
        is_bounded(|after, limit| {
            let query = list((after > 0).then_some(after as i64));
            let Portion { items, more } =
                subject.block_on(subject.store().list(&query, limit)).expect("the list is answered");
            let first = after as i64 + 1;
            assert_eq!(numbers(&items), (first..first + items.len() as i64).collect::<Vec<_>>());
            (items.len(), more)
        });
    }
}

pub(in crate::store) fn the_journal_ends_with_its_bytes(subject: Subject) {
    addressed(&subject);
    is_bounded(|after, limit| {
        let read = subject.store().journal(Seq::new(after as u64), limit);
        let Portion { items, more } = subject.block_on(read).expect("the journal is read");
        let found: Vec<_> = items.iter().map(|entry| entry.seq.value() as usize).collect();
        assert_eq!(found, (after + 1..=after + items.len()).collect::<Vec<_>>());
        (items.len(), more)
    });
}

pub(in crate::store) fn more_is_said_of_a_list_and_of_the_journal(subject: Subject) {
    for number in 1..=3 {
        subject.put(samples::patient(number));
    }
    for (limit, expected) in [(0, (0, true)), (1, (1, true)), (2, (2, true)), (3, (3, false)), (4, (3, false))] {
        let query = patients(None);
        let list = subject.block_on(subject.store().list(&query, Limit::items(limit))).expect("the list is answered");
        assert_eq!((list.items.len(), list.more), expected);
        let entries = subject.block_on(subject.store().journal(Seq::ZERO, Limit::items(limit)));
        let entries = entries.expect("the journal is read");
        assert_eq!((entries.items.len(), entries.more), expected);
    }
    let last = subject.block_on(subject.store().list(&patients(Some(3)), Limit::items(0)));
    assert!(!last.expect("the list is answered").more);
}

pub(in crate::store) fn pages_put_together_are_the_list(subject: Subject) {
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

pub(in crate::store) fn pages_stay_while_others_write(subject: Subject) {
    // The even numbers stay; the odd ones are put and removed around the cursor.
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

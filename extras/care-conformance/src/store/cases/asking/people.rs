//! Filters of the list of patients, alone and together.

use care_core::{
    model::{Email, Name, NamePrefix, Patient, Phone},
    store::{Change, PatientFilter},
};

use super::lists::numbers;
use crate::{samples, store::subject::Subject};

fn named(number: i64, name: Option<&str>) -> Patient {
    let name = name.map(|name| Name::new(name).expect("a legal name"));
    Patient { name, ..samples::patient(number) }
}

fn phone(number: i64) -> Phone {
    Phone::try_from(number).expect("a legal phone number")
}

fn email(text: &str) -> Email {
    Email::new(text).expect("a legal email address")
}

/// Returns the numbers of the patients whose name begins with `prefix`.
fn beginning(subject: &Subject, prefix: &str) -> Vec<i64> {
    let name_prefix = Some(NamePrefix::new(prefix));
    filtered(subject, PatientFilter { name_prefix, ..PatientFilter::default() })
}

fn filtered(subject: &Subject, filter: PatientFilter) -> Vec<i64> {
    numbers(&subject.list(&Patient::list(&filter, None), 100))
}

pub(in crate::store) fn patients_by_the_beginning_of_their_name(subject: Subject) {
    let all = [
        (1, Some("Ada Example")),
        (2, Some("ADA")),
        (3, Some("adam")),
        (4, Some("Bada")),
        (5, Some(" ada")),
        (6, None),
        (7, Some("Stra\u{df}e")),
        (8, Some("e\u{301}tain")),
        (9, Some("\u{3000}A\u{200b}da  \tExample ")),
    ];
    subject.commit(all.map(|(number, name)| Change::put(named(number, name))).into());
    assert_eq!(beginning(&subject, "ada"), [1, 2, 3, 5, 9]);
    assert_eq!(beginning(&subject, " AdA"), [1, 2, 3, 5, 9]);
    assert_eq!(beginning(&subject, "AdA\u{a0} e"), [1, 9]);
    assert_eq!(beginning(&subject, "ADAM"), [3]);
    assert!(beginning(&subject, "adams").is_empty());
    assert_eq!(beginning(&subject, "STRASS"), [7]);
    assert_eq!(beginning(&subject, "\u{c9}t"), [8]);
    assert!(beginning(&subject, "x").is_empty());
    // A patient without a name matches no prefix, not even the empty one.
    assert_eq!(beginning(&subject, ""), [1, 2, 3, 4, 5, 7, 8, 9]);
}

pub(in crate::store) fn a_prefix_is_no_pattern(subject: Subject) {
    let names = ["100% Ada", "100x Ada", "1_0", "1x0", "a*", "ab", "a?", "[ab]c", "ac", "a\\%", "'a"];
    subject.commit(names.iter().zip(1..).map(|(name, number)| Change::put(named(number, Some(name)))).collect());
    for (prefix, expected) in [("100%", 1), ("1_", 3), ("a*", 5), ("a?", 7), ("[ab]", 8), ("a\\", 10), ("'", 11)] {
        assert_eq!(beginning(&subject, prefix), [expected]);
    }
}

pub(in crate::store) fn a_prefix_may_end_with_the_last_code_point(subject: Subject) {
    let names =
        ["a", "a\u{10ffff}", "a\u{10ffff}b", "a\u{10fffe}", "b", "\u{10ffff}", "\u{d7ff}", "\u{d7ff}a", "\u{e000}"];
    subject.commit(names.iter().zip(1..).map(|(name, number)| Change::put(named(number, Some(name)))).collect());
    assert_eq!(beginning(&subject, "a\u{10ffff}"), [2, 3]);
    assert_eq!(beginning(&subject, "\u{10ffff}"), [6]);
    assert_eq!(beginning(&subject, "\u{d7ff}"), [7, 8]);
    assert_eq!(beginning(&subject, "a"), [1, 2, 3, 4]);
    let long = samples::every_plane(Name::MAX);
    subject.put(named(10, Some(&long)));
    assert_eq!(beginning(&subject, &long), [10]);
}

pub(in crate::store) fn patients_by_phone(subject: Subject) {
    let with =
        |number, value: Option<i64>| Change::put(Patient { phone: value.map(phone), ..samples::patient(number) });
    subject.commit(vec![
        with(1, Some(441)),
        with(2, Some(4410)),
        with(3, Some(441)),
        with(4, None),
        with(5, Some(Phone::MAX)),
        with(6, Some(44)),
    ]);
    let by = |value| filtered(&subject, PatientFilter { phone: Some(phone(value)), ..PatientFilter::default() });
    assert_eq!((by(441), by(Phone::MAX), by(1)), (vec![1, 3], vec![5], vec![]));
}

pub(in crate::store) fn patients_by_email(subject: Subject) {
    let with =
        |number, value: Option<&str>| Change::put(Patient { email: value.map(email), ..samples::patient(number) });
    subject.commit(vec![
        with(1, Some("ada@example.org")),
        with(2, Some("Ada@example.org")),
        with(3, Some("ada@example.org")),
        with(4, None),
        with(5, Some("ada@example.or")),
        with(6, Some("a%a@example.org")),
    ]);
    let by = |value| filtered(&subject, PatientFilter { email: Some(email(value)), ..PatientFilter::default() });
    assert_eq!(by("ada@example.org"), [1, 3]);
    assert_eq!(by("Ada@example.org"), [2]);
    assert_eq!(by("a%a@example.org"), [6]);
    assert!(by("%@example.org").is_empty());
}

pub(in crate::store) fn all_filters_of_patients_must_hold(subject: Subject) {
    let choices = |number: i64| {
        let bit = |place: i64| (number >> place) & 1 == 1;
        Patient {
            name: Some(Name::new(if bit(0) { "Ada" } else { "Bob" }).expect("a legal name")),
            phone: Some(phone(if bit(1) { 1 } else { 2 })),
            email: Some(email(if bit(2) { "a@x" } else { "b@x" })),
            ..samples::patient(number)
        }
    };
    subject.commit((1..=16).map(|number| Change::put(choices(number))).collect());
    for mask in 0..8 {
        let mut filter = PatientFilter::default();
        if mask & 1 > 0 {
            filter.name_prefix = Some(NamePrefix::new("AD"));
        }
        if mask & 2 > 0 {
            filter.phone = Some(phone(1));
        }
        if mask & 4 > 0 {
            filter.email = Some(email("a@x"));
        }
        let expected: Vec<i64> = (1..=16).filter(|number| number & mask == mask).collect();
        assert_eq!(filtered(&subject, filter.clone()), expected, "{filter:?}");
        let page = Patient::list(&filter, Some(samples::patient_id(8)));
        let above: Vec<i64> = expected.into_iter().filter(|number| *number > 8).take(2).collect();
        assert_eq!(numbers(&subject.list(&page, 2)), above, "{page:?}");
    }
}

pub(in crate::store) fn a_filter_follows_changes(subject: Subject) {
    subject.put(named(1, Some("Ada")));
    subject.put(named(1, Some("Bob")));
    assert_eq!((beginning(&subject, "ada"), beginning(&subject, "bob")), (vec![], vec![1]));
    subject.put(named(1, None));
    assert_eq!((beginning(&subject, "ada"), beginning(&subject, "bob")), (vec![], vec![]));
}

pub(in crate::store) fn paging_with_a_filter_misses_nothing(subject: Subject) {
    let name = |number: i64| if number % 10 == 0 { "Ada" } else { "Bob" };
    subject.commit((1..=300).map(|n| Change::put(named(n, Some(name(n))))).collect());
    let filter = PatientFilter { name_prefix: Some(NamePrefix::new("a")), ..PatientFilter::default() };
    let (mut walked, mut after) = (Vec::new(), None);
    for _ in 0..=30 {
        let query = Patient::list(&filter, after);
        let page = numbers(&subject.list(&query, 4));
        let Some(last) = page.last() else { break };
        after = Some(samples::patient_id(*last));
        walked.extend(page);
    }
    assert_eq!(walked, (1..=30).map(|tenth| tenth * 10).collect::<Vec<_>>());
}

//! Patients by the beginning of their name.

use care_core::{
    model::{Name, NamePrefix, Patient},
    store::{Change, PatientFilter},
};

use crate::{
    samples,
    store::{clinic::numbers, subject::Subject},
};

fn named(number: i64, name: Option<&str>) -> Patient {
    let name = name.map(|name| Name::new(name).expect("a legal name"));
    Patient { name, ..samples::patient(number) }
}

/// Returns the numbers of the patients whose name begins with `prefix`.
fn beginning(subject: &Subject, prefix: &str) -> Vec<i64> {
    let filter = PatientFilter { name_prefix: Some(NamePrefix::new(prefix)), ..PatientFilter::default() };
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

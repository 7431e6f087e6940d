//! Patients found by a text: which words match, in which order, and with how much work.

use care_core::{
    model::{Email, Name, Patient, Phone},
    store::{Change, Limit, RecordKey},
};

use crate::{
    samples,
    store::{clinic::numbers, subject::Subject},
};

fn named(number: i64, name: &str) -> Patient {
    let name = Some(Name::new(name).expect("a legal name"));
    Patient { name, phone: None, email: None, ..samples::patient(number) }
}

fn put_all(subject: &Subject, names: &[&str]) {
    subject.commit(names.iter().zip(1..).map(|(name, number)| Change::put(named(number, name))).collect());
}

/// Returns the numbers of the patients that a text finds, and whether others may match.
fn find(subject: &Subject, text: &str, limit: usize) -> (Vec<i64>, bool) {
    let query = Patient::found(samples::find_text(text));
    let portion = subject.block_on(subject.store().list(&query, Limit::items(limit))).expect("the list is answered");
    (numbers(&portion.items), portion.more)
}

/// Returns the numbers of all patients that a text finds.
fn all(subject: &Subject, text: &str) -> Vec<i64> {
    let (found, more) = find(subject, text, 50);
    assert!(!more, "{text:?}");
    found
}

pub(in crate::store) fn patients_by_the_words_of_their_name(subject: Subject) {
    put_all(
        &subject,
        &[
            "Ada Example",
            "Zo\u{eb} M\u{fc}ller-L\u{fc}denscheidt",
            "Exa O\u{2019}Brien",
            "Stra\u{df}e  \u{3000}EXAMPLE",
            "\u{41c}\u{430}\u{440}\u{438}\u{44f}",
            "Obrien Pat\u{2bc}rick",
            "O Brien-D`Arcy",
            "\u{639}\u{628}\u{62f} \u{627}\u{644}\u{644}\u{647} \u{641}\u{627}\u{637}\u{645}\u{629}",
            "\u{738b} \u{5c0f} \u{660e}",
        ],
    );
    for (text, expected) in [
        ("example", vec![1, 4]),
        ("Exa Ada", vec![1]),
        ("exa exa", vec![3, 1, 4]),
        ("muller", vec![2]),
        ("M\u{dc}LLER zoe", vec![2]),
        ("mu\u{308}ller-lud", vec![2]),
        ("luden", vec![2]),
        ("obrien", vec![3, 6]),
        ("o'b", vec![3, 6, 7]),
        ("O\u{2bc}BRIEN", vec![3, 6, 7]),
        ("brien", vec![3, 7]),
        ("brien,o", vec![3, 7]),
        ("darcy", vec![7]),
        ("d\u{b4}arcy brien", vec![7]),
        ("\u{639}\u{628}\u{62f}\u{627}\u{644}\u{644}\u{647}", vec![8]),
        ("\u{641}\u{640}\u{627}\u{637}\u{645}\u{647}", vec![8]),
        ("\u{5c0f}\u{660e}", vec![9]),
        ("\u{738b}\u{5c0f}", vec![9]),
        ("strass", vec![4]),
        ("\u{43c}\u{430}", vec![5]),
        ("xample", vec![]),
        ("ada bob", vec![]),
        ("example%", vec![1, 4]),
    ] {
        let expected: Vec<i64> = expected;
        assert_eq!(all(&subject, text), expected, "{text:?}");
    }
}

pub(in crate::store) fn patients_whose_names_resemble_a_text(subject: Subject) {
    put_all(
        &subject,
        &["Ben Specimen", "Ada Example", "Exa Specimens", "Ada Exampla", "BEN Speciman", "Eda Xample", "Ada Exemplary"],
    );
    let similar = |text: &str, limit: usize| {
        let query = Patient::found(samples::find_text(text).similar().expect("a long word"));
        let portion =
            subject.block_on(subject.store().list(&query, Limit::items(limit))).expect("the list is answered");
        (numbers(&portion.items), portion.more)
    };
    for (text, expected) in [
        ("speciman", vec![5, 1, 3]),
        ("specmian ben", vec![5, 1]),
        ("ada exmaple", vec![2]),
        ("exampla", vec![4, 2, 7]),
        ("exampel #2", vec![2]),
        ("xampel", vec![6]),
        ("example specimen", vec![]),
        ("ada-exmaple", vec![2]),
        ("specmian,ben", vec![5, 1]),
    ] {
        let expected: Vec<i64> = expected;
        assert_eq!(similar(text, 50), (expected, false), "{text:?}");
    }
    assert_eq!(similar("speciman", 2), (vec![5, 1], true));
    // Words behind the first thousands are not looked at.
    let many = (0..2_000).map(|number| Change::put(named(100 + number, &format!("Saa{number:04}"))));
    subject.commit(many.collect());
    assert_eq!(similar("speciman", 50), (vec![], true));
    assert_eq!(similar("exmaple", 50), (vec![2], false));
    // Another word finds those whom they hide, in either order.
    for text in ["speciman exa", "exmaple speciman", "speciman exmaple"] {
        assert!(similar(text, 50).0.is_empty(), "{text:?}");
    }
    subject.put(named(3_000, "Exa Specimen Persona"));
    for (text, more) in [("speciman persno", false), ("persno speciman", false), ("speciman-persno", true)] {
        assert_eq!(similar(text, 50), (vec![3_000], more), "{text:?}");
    }
}

pub(in crate::store) fn patients_by_their_numbers_and_mail_addresses(subject: Subject) {
    let with = |number, phone: i64, email: &str| {
        let (phone, email) = (Phone::try_from(phone).ok(), Email::new(email).ok());
        Change::put(Patient { name: None, phone, email, ..samples::patient(number) })
    };
    subject.commit(vec![
        with(1, 441_632_960_000, "Ada.Example@example.org"),
        with(2, 441_632_960_001, "bob@example.org"),
        with(12, 123, "12@x"),
    ]);
    for (text, expected) in [
        ("+44 1632 960000", vec![1]),
        ("01632960001", vec![2]),
        ("0044 1632", vec![1, 2]),
        ("+44 (0)1632 960001", vec![2]),
        ("4416", vec![1, 2]),
        ("41632", vec![1, 2]),
        ("1632", vec![1, 2]),
        ("63296", vec![1, 2]),
        ("3296", vec![]),
        ("60001", vec![2]),
        ("001", vec![]),
        ("0001", vec![2]),
        ("123", vec![]),
        ("#1", vec![1]),
        ("#0012", vec![12]),
        ("#3", vec![]),
        ("#99999999999999999999", vec![]),
        ("ada.ex", vec![1]),
        ("BOB@", vec![2]),
        ("example", vec![]),
        ("bob 1632", vec![2]),
        ("12", vec![12]),
    ] {
        let expected: Vec<i64> = expected;
        assert_eq!(all(&subject, text), expected, "{text:?}");
    }
}

pub(in crate::store) fn a_phone_number_is_found_behind_up_to_three_first_digits(subject: Subject) {
    let with = |number, phone: i64| Change::put(Patient { phone: Phone::try_from(phone).ok(), ..named(number, "Ada") });
    subject.commit(vec![
        with(1, 1_632_960_001),
        with(2, 91_632_960_002),
        with(3, 441_632_960_003),
        with(4, 3_531_632_960_004),
        with(5, 99_991_632_960_005),
        with(6, 16_329),
        with(7, 163_216_329),
        with(8, 163),
    ]);
    for (text, expected) in [
        ("1632", vec![1, 2, 3, 4, 6, 7]),
        ("16329", vec![1, 2, 3, 4, 6, 7]),
        ("163296", vec![1, 2, 3, 4]),
        ("1632960005", vec![5]),
        ("960005", vec![5]),
        ("91632", vec![2, 5]),
        ("ada 99163", vec![5]),
        ("ada 163296 960003", vec![3]),
        ("163", vec![]),
    ] {
        let expected: Vec<i64> = expected;
        assert_eq!(all(&subject, text), expected, "{text:?}");
    }
    assert_eq!(find(&subject, "1632", 2), (vec![1, 2], true));
}

pub(in crate::store) fn whole_words_come_before_beginnings_and_these_before_numbers(subject: Subject) {
    let phone = Phone::try_from(441_632_960_000).ok();
    subject.commit(vec![
        Change::put(Patient { phone, ..named(1, "Bob") }),
        Change::put(named(2, "16325 Street")),
        Change::put(named(3, "1632 Ada")),
        Change::put(named(4, "Adam Adamson")),
        Change::put(named(5, "Adamson Ada")),
        Change::put(named(6, "Ada Ad")),
    ]);
    assert_eq!(all(&subject, "1632"), [3, 2, 1]);
    assert_eq!(all(&subject, "ada"), [3, 5, 6, 4]);
    assert_eq!(all(&subject, "ada ad"), [6, 3, 5, 4]);
    assert_eq!(find(&subject, "ada", 2), (vec![3, 5], true));
    assert_eq!(find(&subject, "ada", 4), (vec![3, 5, 6, 4], false));
}

pub(in crate::store) fn what_is_found_follows_changes(subject: Subject) {
    let phone = |number: i64| Phone::try_from(number).ok();
    subject.put(Patient { phone: phone(441_632_960_000), ..named(1, "Ada Example") });
    subject.put(named(2, "Ada"));
    assert_eq!((all(&subject, "ada"), all(&subject, "1632")), (vec![1, 2], vec![1]));
    // A change of another field keeps the terms.
    subject.put(Patient { age: None, phone: phone(441_632_960_000), ..named(1, "Ada  EXAMPLE") });
    assert_eq!((all(&subject, "exam"), all(&subject, "1632")), (vec![1], vec![1]));
    subject.put(Patient { phone: phone(331_632_960_000), ..named(1, "Bea Example") });
    assert_eq!((all(&subject, "ada"), all(&subject, "bea"), all(&subject, "exam")), (vec![2], vec![1], vec![1]));
    assert_eq!((all(&subject, "4416"), all(&subject, "3316")), (vec![], vec![1]));
    subject.put(Patient { name: None, ..named(1, "x") });
    assert_eq!((all(&subject, "bea"), all(&subject, "3316"), all(&subject, "#1")), (vec![], vec![], vec![1]));
    subject.remove(RecordKey::Patient(samples::patient_id(2)));
    assert_eq!((all(&subject, "ada"), all(&subject, "#2")), (vec![], vec![]));
    // Of several changes in one decision the last one counts.
    subject.commit(vec![
        Change::put(named(3, "Cy")),
        Change::put(named(3, "Dan")),
        Change::put(named(4, "Eve")),
        Change::Remove(RecordKey::Patient(samples::patient_id(4))),
    ]);
    assert_eq!((all(&subject, "cy"), all(&subject, "dan"), all(&subject, "eve")), (vec![], vec![3], vec![]));
}

pub(in crate::store) fn more_matches_than_are_looked_at_are_not_hidden(subject: Subject) {
    for part in 0..5 {
        let numbers = part * 500 + 1..=part * 500 + 500;
        let people = numbers.map(|number| Change::put(named(number, &format!("Common{number:04} Word{number:04}"))));
        subject.commit(people.collect());
    }
    subject.put(named(2501, "Common"));
    assert_eq!(find(&subject, "common", 3), (vec![2501, 1, 2], true));
    assert_eq!(find(&subject, "word2400 common", 50), (vec![2400], false));
    assert_eq!(find(&subject, "common word2400", 50), (vec![2400], false));
    // Those beyond the first 2,000 are not looked at.
    assert_eq!(find(&subject, "common word", 1), (vec![1], true));
    assert_eq!(find(&subject, "common ommon", 50), (vec![], false));
    assert_eq!(find(&subject, "common199", 50).0.len(), 10);
}

pub(in crate::store) fn words_of_many_digits_find_those_that_have_them(subject: Subject) {
    // Each number has first digits of its own before the same five.
    let phone = |number: i64| Phone::try_from((100 + number) * 100_000_000 + 16_329_000 + number % 7).ok();
    let people = (1..=300).map(|number| Change::put(Patient { phone: phone(number), ..named(number, "Ada") }));
    subject.commit(people.collect());
    let digits = |digit: u8| digit.to_string().repeat(31);
    for (text, expected) in [
        ([digits(1).as_str(); 7].join(" ") + " ada", vec![]),
        ((1..=8).map(digits).collect::<Vec<_>>().join(" "), vec![]),
        ("10116329001 9001 1011 116329 0116329 329001 29001 ada".to_owned(), vec![1]),
        ("1011 9001 ada".to_owned(), vec![1]),
        ("101 16329 001".to_owned(), vec![1]),
        ("1632 ada 9001 0163".to_owned(), vec![50, 120, 190, 260]),
        ("1632 16329 163290 16329001 9001 0163".to_owned(), vec![50, 120, 190, 260]),
    ] {
        let expected: Vec<i64> = expected;
        assert_eq!(all(&subject, &text), expected, "{text:?}");
    }
    for text in ["1632", "1632 16329 163290", "163290 ada"] {
        assert_eq!(find(&subject, text, 3), (vec![1, 2, 3], true), "{text:?}");
    }
}

pub(in crate::store) fn a_single_letter_looks_at_one_page(subject: Subject) {
    put_all(&subject, &["Ada", "Abe", "A", "Bob"]);
    assert_eq!(find(&subject, "a", 2), (vec![3, 2], true));
    assert_eq!(find(&subject, "a", 3), (vec![3, 1, 2], false));
    assert_eq!(find(&subject, "B", 1), (vec![4], false));
}

pub(in crate::store) fn a_name_of_very_many_words_is_found_by_the_first(subject: Subject) {
    let words: Vec<_> = (10..60).map(|word| format!("w{word}")).collect();
    put_all(&subject, &[&words.join(" "), &words.join("-")]);
    for (text, expected) in [("w10 w41", vec![1, 2]), ("w10w11", vec![2]), ("w42", vec![])] {
        let expected: Vec<i64> = expected;
        assert_eq!(all(&subject, text), expected, "{text:?}");
    }
}

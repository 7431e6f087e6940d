use super::{
    findable::{JOINED_WORDS, NAME_WORDS},
    spelling::{TERM_CHARS, bare, digit, unmarked},
    *,
};
use crate::model::{Email, Name, PatientId, Phone, folded_name};

fn terms(name: Option<&str>, email: Option<&str>, phone: Option<i64>) -> Vec<String> {
    find_terms(&Patient {
        name: name.map(|name| Name::new(name).unwrap()),
        email: email.map(|email| Email::new(email).unwrap()),
        phone: phone.map(|phone| Phone::try_from(phone).unwrap()),
        ..Patient::new(PatientId::FIRST)
    })
}

#[test]
fn a_text_has_one_to_eight_words_with_a_letter_or_a_digit() {
    let eight = "a b c d e f g h";
    for text in ["a", "7", "#1", "\u{df}", " Ada\t\u{3000}", eight, &"a".repeat(FindText::MAX), "\u{0661}"] {
        assert!(FindText::new(text).is_ok(), "{text:?}");
    }
    let nine = format!("{eight} i");
    for text in ["", " ", "-", "ada -", "\u{301}", "#", &nine, &"a".repeat(FindText::MAX + 1), "a\u{0}"] {
        assert!(FindText::new(text).is_err(), "{text:?}");
    }
}

#[test]
fn terms_are_words_without_marks_and_case() {
    assert_eq!(terms(None, None, None), [""; 0]);
    assert_eq!(terms(Some("Zo\u{eb} M\u{fc}ller"), None, None), ["zoe", "muller"]);
    assert_eq!(terms(Some("Ada-Lyn ADA"), None, None), ["ada", "lyn", "adalyn"]);
    assert_eq!(terms(Some("\u{130}pek \u{fb01}n \u{212b}sa \u{1e9e}"), None, None), ["ipek", "fin", "asa", "ss"]);
    assert_eq!(terms(Some("\u{141}ukasz S\u{f8}rensen \u{1fc}gir"), None, None), ["lukasz", "sorensen", "aegir"]);
    assert_eq!(terms(Some("% -"), None, None), [""; 0]);
    assert_eq!(terms(None, Some("Z\u{eb}.X@y"), None), ["@ze.x@y"]);
}

#[test]
fn a_phone_number_is_read_as_people_write_it() {
    for (text, digits) in [
        ("441632960001", "441632960001"),
        ("+256 772 960 001", "256772960001"),
        (" 00256 772-960\u{2011}001 ", "256772960001"),
        ("+44 (0)1632 960001", "441632960001"),
        ("(212) 555.01.00", "2125550100"),
        ("\u{661}\u{662} \u{6f3}\u{6f4}", "1234"),
        ("0772 960001", "0772960001"),
    ] {
        assert_eq!(phone_digits(text).as_deref(), Some(digits), "{text:?}");
    }
    for other in ["", "+", "-5", "1.0", "256772960001.0", "2.56E+11", "1+2", "1/2", "12 ext. 3", "++1", "1,2"] {
        assert_eq!(phone_digits(other), None, "{other:?}");
    }
}

#[test]
fn terms_of_a_phone_number_are_its_beginnings_and_its_end() {
    assert_eq!(terms(None, None, Some(123_456)), ["+123456", "+23456", "+3456", "-654321"]);
    assert_eq!(terms(None, None, Some(1234)), ["+1234", "-4321"]);
    assert_eq!(terms(None, None, Some(123)), ["-321"]);
}

#[test]
fn whole_terms_are_those_from_which_a_range_finds_the_others() {
    let phone = Phone::try_from(123_456).ok();
    let patient = Patient { phone, email: Email::new("A@x").ok(), ..Patient::new(PatientId::FIRST) };
    assert_eq!(whole_terms(&patient), ["@a@x", "+123456", "-654321"]);
    assert_eq!([email_term("A@x"), phone_term(123_456), phone_term(7)], ["@a@x", "-654321", "-7"]);
    assert_eq!(TermRange::of("+3456".to_owned()).digits(), Some(["3456", "3457"]));
    assert_eq!(TermRange::of("-3456".to_owned()).digits(), None);
    assert_eq!(TermRange::phones(), TermRange { from: "+".to_owned(), below: ",".to_owned() });
}

fn finds(text: &str, name: &str) -> bool {
    let name = Name::new(name).ok();
    FindText::new(text).unwrap().rank(&Patient { name, ..Patient::new(PatientId::FIRST) }).is_some()
}

#[test]
fn a_sign_in_a_typed_word_is_left_out_or_divides_it() {
    for sign in "'-.,`\u{b4}\u{2bc}\u{2b9}\u{2019}\u{2032}\u{a78c}\u{2010}\u{ff07}".chars() {
        for name in ["O'Brien", "Obrien", "O Brien", "Brien-O", "o\u{2bc}brien Ann", "O\u{b4}Brien", "Ann O`Brien"] {
            assert!(finds(&format!("O{sign}Brien"), name), "{sign:?} {name}");
        }
        assert!(!finds(&format!("o{sign}brien"), "Brien") && !finds(&format!("o{sign}brien"), "Ob Rien"));
    }
    assert!(finds("darcy", "O\u{2bc}Brien-D\u{2019}Arcy") && finds("example,ada", "Ada Example"));
    let rank = |text: &str, name| {
        let patient = Patient { name: Name::new(name).ok(), ..Patient::new(PatientId::FIRST) };
        FindText::new(text).unwrap().rank(&patient).unwrap()
    };
    assert_eq!(rank("ada-lyn", "Ada Lyn"), rank("ada-lyn", "Adalyn"));
    assert!(rank("ada-lyn", "Ada Lyn") < rank("ada-lyn", "Ada Lynn"));
}

#[test]
fn letters_that_people_cannot_tell_apart_are_one() {
    for (text, name) in [
        ("\u{641}\u{627}\u{637}\u{645}\u{647}", "\u{641}\u{627}\u{637}\u{645}\u{629}"),
        ("\u{623}\u{62d}\u{645}\u{62f}", "\u{627}\u{62d}\u{645}\u{62f}"),
        ("\u{627}\u{62d}\u{645}\u{62f}", "\u{671}\u{62d}\u{640}\u{640}\u{645}\u{64e}\u{62f}"),
        ("\u{639}\u{644}\u{6cc}", "\u{639}\u{644}\u{649}"),
        ("\u{639}\u{644}\u{64a}", "\u{639}\u{644}\u{6cc}"),
        ("\u{643}\u{631}\u{64a}\u{645}", "\u{6a9}\u{631}\u{6cc}\u{645}"),
        ("\u{639}\u{628}\u{62f}\u{627}\u{644}\u{644}\u{647}", "\u{639}\u{628}\u{62f} \u{627}\u{644}\u{644}\u{647}"),
        ("\u{738b}\u{5c0f}", "\u{738b} \u{5c0f}\u{660e}"),
        ("\u{5c0f}\u{660e}", "\u{738b} \u{5c0f} \u{660e}"),
    ] {
        assert!(finds(text, name), "{text} {name}");
    }
    assert!(!finds("adalyn", "Ada Lyn") && !finds("\u{738b}\u{660e}", "\u{738b} \u{5c0f} \u{660e}"));
    let patient = Patient { phone: Phone::try_from(441_632_960_001).ok(), ..Patient::new(7.try_into().unwrap()) };
    for text in ["\u{661}\u{666}\u{663}\u{662}", "#\u{6f7}", "\u{ff11}\u{ff16}\u{ff13}\u{ff12}", "+44 (0)1632 960001"] {
        assert!(FindText::new(text).unwrap().rank(&patient).is_some(), "{text}");
    }
}

#[test]
fn digits_are_those_that_unicode_has() {
    let unicode = regex::Regex::new(r"^\p{Nd}$").unwrap();
    let mut buffer = [0; 4];
    let mut before = 9;
    for c in '\0'..=char::MAX {
        let text = &*c.encode_utf8(&mut buffer);
        let found = unmarked(text).parse::<u32>().ok().filter(|_| unicode.is_match(text));
        assert_eq!(found.is_some(), unicode.is_match(text), "{c:?}");
        if let Some(digit) = found {
            assert_eq!(digit, (before + 1) % 10, "{c:?}");
            before = digit;
        }
        assert!(unicode.is_match(text) || digit(c) == c, "{c:?}");
    }
}

#[test]
fn a_word_is_near_the_beginning_of_another() {
    let near = |typed: &str, term: &str| {
        let text = FindText::new(typed).unwrap().similar().unwrap();
        text.words[0].close().unwrap().distance(term)
    };
    for (typed, term, distance) in [
        ("exam", "example", Some(0)),
        ("exmaple", "example", Some(1)),
        ("exampel", "example", Some(1)),
        ("examle", "example", Some(1)),
        ("exxample", "example", Some(1)),
        ("exomple", "examples", Some(1)),
        ("axample", "example", None),
        ("eaxmpel", "example", None),
        ("eaxmpels", "example", None),
        ("speciman", "specimen", Some(1)),
        ("spceimna", "specimanson", Some(2)),
        ("spceimnax", "specimanson", None),
        ("smit", "smith", Some(0)),
        ("smit", "sm", None),
        ("smit", "smi", Some(1)),
        ("abdc", "abcd", Some(1)),
    ] {
        assert_eq!(near(typed, term), distance, "{typed} {term}");
    }
    let distances = |typed: &str, name: &str| {
        let patient = Patient { name: Name::new(name).ok(), ..Patient::new(PatientId::FIRST) };
        FindText::new(typed).unwrap().similar().unwrap().rank(&patient).map(|rank| rank.parts)
    };
    for (typed, name, distance) in [
        ("ada-exmaple", "Ada Example", Some(1)),
        ("exmaple,ada", "Ada Example", Some(1)),
        ("ada.exmaple", "Adam Example", Some(1)),
        ("ada-exmaple", "Bob Example", None),
        ("adexmaple", "Ada Example", None),
        ("jo-smiht", "Jo Smith", Some(1)),
        ("jo-smiht", "Josmith", Some(1)),
        ("brein-darcy", "O'Brien-D'Arcy", Some(1)),
        ("brein-dacry", "O'Brien-D'Arcy", Some(2)),
        ("briendacry", "O'Brien-D'Arcy", None),
        ("obreindarcy", "O'Brien-D'Arcy", Some(1)),
        ("jo-li", "Li Joan", Some(0)),
        ("jo-li", "Joly", Some(1)),
        ("smiht-1632", "Smith 16329", Some(1)),
    ] {
        assert_eq!(distances(typed, name), distance, "{typed} {name}");
    }
    for short in ["ada", "1632960", "#1234", "o'b", "a1b2c3"] {
        assert!(FindText::new(short).unwrap().similar().is_err(), "{short}");
    }
}

#[test]
fn the_terms_of_a_patient_are_bounded() {
    let words = format!("{} ", "\u{738b}".repeat(31)).repeat(8);
    for name in
        ["a ".repeat(128), "a-".repeat(128), "a'a-".repeat(64), "\u{fdfa}".repeat(256), "\u{1f12f}".repeat(256), words]
    {
        let terms = terms(Some(&name), Some(&format!("{}@\u{fdfa}", "\u{fdfa}".repeat(252))), Some(Phone::MAX));
        let most = NAME_WORDS * 7 / 4 + JOINED_WORDS - 1 + 1 + TermRange::LEFT_OUT + 2;
        assert!(terms.len() <= most, "{}", terms.len());
        let bytes: usize = terms.iter().map(String::len).sum();
        assert!(bytes <= (4 + JOINED_WORDS / 2) * TERM_CHARS * 3, "{bytes}");
    }
}

#[test]
fn equal_folded_names_have_equal_terms() {
    for (one, other) in [("Ada  Example", "ADA\texample"), ("A\u{200b}da", "ada"), ("e\u{301}", "\u{c9}")] {
        assert_eq!(folded_name(one), folded_name(other));
        assert_eq!(terms(Some(one), None, None), terms(Some(other), None, None));
    }
}

/// Returns the distance between a typed text and the nearest beginning of a term, by the whole table of distances.
fn plain_distance(typed: &[char], term: &[char]) -> usize {
    let mut rows = vec![(0..=term.len()).collect::<Vec<_>>()];
    for i in 1..=typed.len() {
        let mut row = vec![i];
        for j in 1..=term.len() {
            let mut least = (rows[i - 1][j - 1] + usize::from(typed[i - 1] != term[j - 1])).min(rows[i - 1][j] + 1);
            least = least.min(row[j - 1] + 1);
            if i > 1 && j > 1 && typed[i - 1] == term[j - 2] && typed[i - 2] == term[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows.pop().unwrap().into_iter().min().unwrap()
}

#[test]
fn a_distance_is_that_of_the_whole_table() {
    // All texts of up to six of two letters, behind the letter that has to be the same.
    let texts = |length: u32| {
        (0..2_u32.pow(length)).map(move |bits| -> String {
            let letter = |at| if bits >> at & 1 == 0 { 'a' } else { 'b' };
            std::iter::once('a').chain((0..length).map(letter)).collect()
        })
    };
    let all: Vec<String> = (0..=6).flat_map(texts).collect();
    let padded = |text: &str| format!("{text}ccc");
    for typed in all.iter().filter(|typed| typed.len() >= 4).flat_map(|typed| [typed.clone(), padded(typed)]) {
        let text = FindText::new(typed.as_str()).unwrap().similar().unwrap();
        let close = text.words[0].close().unwrap();
        let most = if typed.chars().count() >= 8 { 2 } else { 1 };
        for term in all.iter().flat_map(|term| [term.clone(), padded(term)]) {
            let [one, other] = [&typed, &term].map(|text| text.chars().collect::<Vec<_>>());
            let expected = Some(plain_distance(&one, &other)).filter(|distance| *distance <= most);
            assert_eq!(close.distance(&term), expected, "{typed} {term}");
        }
    }
}

#[test]
fn what_was_spelled_when_it_was_written_is_found_as_before() {
    let names = [
        "Zo\u{eb} M\u{fc}ller-\u{1e9e}",
        "\u{130}pek O\u{2bc}Brien",
        "\u{639}\u{628}\u{62f} \u{627}\u{644}\u{644}\u{647}",
        "Ada Lyn",
    ];
    for name in names {
        for email in [Some("Z\u{eb}.X@y"), Some("A@b"), None] {
            let patient = Patient {
                name: Name::new(name).ok(),
                email: email.and_then(|email| Email::new(email).ok()),
                ..Patient::new(PatientId::FIRST)
            };
            let spelled = Findable::of(&patient);
            assert_eq!(spelled.spelling.is_some(), !(name.is_ascii() && email.is_none_or(str::is_ascii)), "{name}");
            let plain = Findable { spelling: None, ..spelled.clone() };
            for text in
                ["zoe", "muller", "ss", "ipek", "obrien", "\u{639}\u{628}\u{62f}", "z\u{eb}.x", "a@", "ada", "ada lyn"]
            {
                let text = FindText::new(text).unwrap();
                assert_eq!(spelled.rank(&text.words), plain.rank(&text.words), "{name}: {text:?}");
            }
        }
    }
}

#[test]
fn a_name_is_cut_before_it_is_decomposed() {
    // Each of these letters is eighteen.
    let mut taken = 0;
    let long = std::iter::repeat_n('\u{fdfa}', 1_000).inspect(|_| taken += 1);
    assert_eq!(bare(long).take(TERM_CHARS).count(), TERM_CHARS);
    assert!(taken <= TERM_CHARS / 18 + 3, "{taken}");
}

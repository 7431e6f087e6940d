//! Finding patients by a typed text: its words, the terms of a patient, and how well they match.
//!
//! A term is a text that a store keeps beside the number of its patient. A word of the name begins with a letter or a
//! digit; the sign before any other term tells what it is, so that one range of terms holds one sort of them.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::model::{
    InQuery, Invalid, Patient, PatientId, Phone,
    values::{
        fold::{folded, successor},
        text::{plain, within},
    },
};

/// The sign before a mail address.
const MAIL: char = '@';
/// The sign before a phone number, or what is left of it without its first digits.
const PHONE: char = '+';
/// The sign before a phone number that is written from its end.
const PHONE_END: char = '-';
/// The fewest digits that are looked up in phone numbers.
const DIGITS: usize = 4;
/// The most digits of a phone number.
const MOST_DIGITS: usize = Phone::MAX.ilog10() as usize + 1;
/// The highest number of words of a name that are terms.
const NAME_WORDS: usize = 32;
/// The highest number of characters of a name or a mail address, without marks, that are in its terms.
const TERM_CHARS: usize = 256;

/// A text to find patients by: 1 to 8 words, each with a letter or a digit.
///
/// ```
/// use care_core::model::{FindText, Name, Patient, PatientId};
///
/// let ada = Patient { name: Some(Name::new("Ada Müller")?), ..Patient::new(PatientId::FIRST) };
/// assert!(FindText::new("muller a")?.rank(&ada).is_some());
/// assert!(FindText::new("bob muller")?.rank(&ada).is_none());
/// assert!(FindText::new("#1")?.rank(&ada).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FindText {
    text: String,
    words: Vec<FindWord>,
    /// The words with numbers beside each other as one, if there are such numbers.
    joined: Option<Vec<FindWord>>,
}

/// A word of a [`FindText`], in the forms in which it is the beginning of a term.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FindWord {
    /// As the beginning of a word of a name.
    name: Option<TermRange>,
    /// As the beginning of a mail address.
    mail: Option<TermRange>,
    /// As the beginning and the end of a phone number.
    phone: Option<[TermRange; 2]>,
    /// As the number of a patient.
    id: Option<PatientId>,
}

/// The terms with a beginning, in the order of their code points, as UTF-8 sorts texts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TermRange {
    /// The beginning, which is the first of these terms.
    pub from: String,
    /// The first text after these terms.
    pub below: String,
}

/// The way in which a word matches, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// A whole word of the name, or the whole mail address.
    Whole,
    /// The beginning of one.
    Beginning,
    /// Digits of a number.
    Number,
}

/// The place of a patient among those that match a [`FindText`]; the best match has the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FindRank {
    /// The words that are no whole word of the name and no whole mail address.
    parts: usize,
    /// Those of them that are digits of a number.
    numbers: usize,
}

impl InQuery for FindText {
    fn read(text: String) -> Result<Self, Invalid> {
        Self::new(text)
    }

    fn text(&self) -> String {
        self.text.clone()
    }
}

impl FindText {
    /// The longest text, in code points.
    pub const MAX: usize = 256;
    /// The highest number of words.
    pub const MAX_WORDS: usize = 8;

    /// Reads the words of a text.
    ///
    /// # Errors
    /// The broken rule.
    pub fn new(text: impl Into<String>) -> Result<Self, Invalid> {
        let text = plain(text.into())?;
        within(&text, Self::MAX, Invalid("must be 1 to 256 characters"))?;
        let spelled: Vec<String> = text.split_whitespace().map(|word| unmarked(&folded(word)).into_owned()).collect();
        if spelled.is_empty() || spelled.len() > Self::MAX_WORDS {
            return Err(Invalid("must be 1 to 8 words"));
        }
        if !spelled.iter().all(|word| word.contains(char::is_alphanumeric)) {
            return Err(Invalid("must have a letter or a digit in each word"));
        }
        let words = |spelled: &[String]| spelled.iter().map(|word| FindWord::of(word)).collect();
        Ok(Self { words: words(&spelled), joined: joined(&spelled).as_deref().map(words), text })
    }

    /// Returns the text as it was typed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the ways in which to read the text, each a list of words. The second one takes numbers beside each other
    /// for one number, as in `+44 1632 960000`, and counts where the first one finds no patient.
    pub fn readings(&self) -> impl Iterator<Item = &[FindWord]> {
        std::iter::once(&self.words).chain(&self.joined).map(Vec::as_slice)
    }

    /// Returns the place of a patient in the first reading that it matches in; `None` when it matches in none.
    pub fn rank(&self, patient: &Patient) -> Option<FindRank> {
        self.readings().find_map(|words| Findable::of(patient).rank(words))
    }
}

impl FindWord {
    fn of(word: &str) -> Self {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(number) = word.strip_prefix('#').filter(|number| digits(number)) {
            let id = number.trim_start_matches('0').parse::<i64>().ok();
            return Self { name: None, mail: None, phone: None, id: id.and_then(|id| PatientId::try_from(id).ok()) };
        }
        let phone = digits_of(word).and_then(|digits| {
            let shortened = digits.trim_start_matches('0');
            let digits = if shortened.len() >= DIGITS { shortened } else { &digits };
            let is_part = (DIGITS..=MOST_DIGITS).contains(&digits.len());
            is_part.then(|| [format!("{PHONE}{digits}"), backwards(digits)].map(TermRange::of))
        });
        let [name, mail] = [letters(word), format!("{MAIL}{word}")].map(|from| Some(TermRange::of(from)));
        Self { name, mail, phone, id: None }
    }

    /// Returns the terms that match, with the way in which those match that are longer than their beginning: of names,
    /// then of mail addresses, then of numbers.
    pub fn terms(&self) -> impl Iterator<Item = (&TermRange, Match)> {
        let Self { name, mail, phone, id: _ } = self;
        let texts = name.iter().chain(mail).map(|range| (range, Match::Beginning));
        texts.chain(phone.iter().flatten().map(|range| (range, Match::Number)))
    }

    /// Returns the terms of the phone numbers that begin with the word.
    pub fn numbers(&self) -> Option<&TermRange> {
        self.phone.as_ref().map(|[numbers, _]| numbers)
    }

    /// Returns the patient whose number the word is.
    pub const fn id(&self) -> Option<PatientId> {
        self.id
    }

    /// Returns whether the word is a single letter or digit.
    pub fn is_single(&self) -> bool {
        self.name.as_ref().is_some_and(|name| name.from.chars().count() == 1)
    }

    /// Returns how the word matches this term; `None` when it does not.
    fn matches(&self, term: &str) -> Option<Match> {
        let text = self.name.iter().chain(&self.mail).find(|range| term.starts_with(&range.from));
        match text {
            Some(range) if range.from.len() == term.len() => Some(Match::Whole),
            Some(_) => Some(Match::Beginning),
            None => {
                let mut numbers = self.phone.iter().flatten();
                numbers.any(|range| term.starts_with(&range.from)).then_some(Match::Number)
            }
        }
    }
}

impl FindRank {
    /// Returns the place of a patient in whom a single word matches so.
    pub const fn of(found: Match) -> Self {
        match found {
            Match::Whole => Self { parts: 0, numbers: 0 },
            Match::Beginning => Self { parts: 1, numbers: 0 },
            Match::Number => Self { parts: 1, numbers: 1 },
        }
    }

    const fn and(self, Self { parts, numbers }: Self) -> Self {
        Self { parts: self.parts + parts, numbers: self.numbers + numbers }
    }
}

impl TermRange {
    /// The highest number of first digits of a phone number that a text may leave out.
    pub const LEFT_OUT: usize = 3;

    /// Returns the terms of all whole phone numbers.
    pub fn phones() -> Self {
        Self::of(PHONE.to_string())
    }

    /// Returns the beginning of these terms, and the first text after them, without the sign of whole phone numbers;
    /// `None` if they are none. Behind other first digits, they are a range of other numbers.
    pub fn digits(&self) -> Option<[&str; 2]> {
        Some([self.from.strip_prefix(PHONE)?, self.below.strip_prefix(PHONE)?])
    }

    fn of(from: String) -> Self {
        // A term begins with a sign, a letter or a digit, which is never the last character.
        Self { below: successor(&from).unwrap_or_default(), from }
    }
}

/// The values of a patient from which its terms follow.
#[derive(Debug, Clone)]
pub struct Findable<'a> {
    /// The number.
    pub patient_id: PatientId,
    /// The folded name.
    pub folded_name: Option<Cow<'a, str>>,
    /// The phone number.
    pub phone: Option<i64>,
    /// The mail address.
    pub email: Option<Cow<'a, str>>,
}

impl<'a> Findable<'a> {
    /// Returns the values of a patient.
    pub fn of(patient: &'a Patient) -> Self {
        Self {
            patient_id: patient.patient_id,
            folded_name: patient.folded_name().map(Into::into),
            phone: patient.phone.map(Phone::value),
            email: patient.email.as_ref().map(|email| email.as_str().into()),
        }
    }

    /// Returns the place among those that match all of these words; `None` when it does not match one of them.
    pub fn rank(&self, words: &[FindWord]) -> Option<FindRank> {
        let mut found = [None; FindText::MAX_WORDS];
        for (word, found) in words.iter().zip(&mut found) {
            *found = word.id.filter(|id| *id == self.patient_id).map(|_| Match::Number);
        }
        let mut take = |term: &str| {
            for (word, found) in words.iter().zip(&mut found).filter(|(_, found)| **found != Some(Match::Whole)) {
                *found = word.matches(term).into_iter().chain(*found).min();
            }
        };
        self.each_text(&mut take);
        if words.iter().any(|word| word.phone.is_some()) {
            self.each_number(TermRange::LEFT_OUT, &mut take);
        }
        let mut ranks = found.iter().take(words.len()).map(|found| found.map(FindRank::of));
        ranks.try_fold(FindRank::of(Match::Whole), |all, rank| Some(all.and(rank?)))
    }

    /// Calls this with each term of a text: the first 32 words of the name, with the parts of those that a hyphen or
    /// another sign divides, and the mail address.
    fn each_text(&self, mut each: impl FnMut(&str)) {
        if let Some(name) = &self.folded_name {
            let mut words = 0;
            for word in unmarked(name).split_whitespace() {
                let mut parts = 0;
                for part in word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
                    if words == NAME_WORDS {
                        break;
                    }
                    (words, parts) = (words + 1, parts + 1);
                    each(part);
                }
                if parts > 1 {
                    each(&letters(word));
                }
            }
        }
        if let Some(email) = &self.email {
            each(&email_term(email));
        }
    }

    /// Calls this with each term of the phone number: from its end, and, if that many digits are looked up, the number,
    /// also without as many first digits as are left out.
    fn each_number(&self, left_out: usize, mut each: impl FnMut(&str)) {
        let Some(digits) = self.phone.map(|phone| phone.to_string()) else { return };
        if let Some(others) = digits.len().checked_sub(DIGITS) {
            for left_out in 0..=left_out.min(others) {
                each(&format!("{PHONE}{}", &digits[left_out..]));
            }
        }
        each(&backwards(&digits));
    }
}

/// Returns the terms of a patient, each once. A store keeps them in rows.
pub fn find_terms(patient: &Patient) -> Vec<String> {
    terms(patient, TermRange::LEFT_OUT)
}

/// Returns the terms of a patient, each once, but none of a phone number without its first digits. A store that keeps
/// only these finds such [`digits`](TermRange::digits) behind the first digits of all numbers.
pub fn whole_terms(patient: &Patient) -> Vec<String> {
    terms(patient, 0)
}

/// Returns the term of a mail address. Others that differ only in letter case or in marks have the same one.
pub fn email_term(email: &str) -> String {
    format!("{MAIL}{}", unmarked(&folded(email)))
}

/// Returns the term that a phone number of any length has, and no other number.
pub fn phone_term(phone: i64) -> String {
    backwards(&phone.to_string())
}

fn terms(patient: &Patient, left_out: usize) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let mut add = |term: &str| {
        if !terms.iter().any(|earlier| earlier == term) {
            terms.push(term.to_owned());
        }
    };
    let patient = Findable::of(patient);
    patient.each_text(&mut add);
    patient.each_number(left_out, &mut add);
    terms
}

/// Returns a folded text in its compatibility decomposition without marks and strokes, so that `ü` becomes `u`, and `ø`
/// becomes `o`.
fn unmarked(folded: &str) -> Cow<'_, str> {
    if folded.is_ascii() {
        return folded.into();
    }
    let bare = |text: &mut dyn Iterator<Item = char>| text.filter(|c| !is_combining_mark(*c)).collect::<String>();
    let decomposed = bare(&mut folded.nfkd());
    // A letter that is decomposed may have a case of its own.
    let text = bare(&mut decomposed.chars().default_case_fold().nfkd());
    text.chars().flat_map(without_stroke).take(TERM_CHARS).collect::<String>().into()
}

/// Returns what people write for a letter that their keyboard lacks, and any other letter as it is. Unicode decomposes
/// none of the former.
fn without_stroke(letter: char) -> impl Iterator<Item = char> {
    let (first, second) = match letter {
        'æ' => ('a', Some('e')),
        'đ' | 'ð' => ('d', None),
        'ħ' => ('h', None),
        'ı' => ('i', None),
        'ł' => ('l', None),
        'ø' => ('o', None),
        'œ' => ('o', Some('e')),
        'ŧ' => ('t', None),
        'þ' => ('t', Some('h')),
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

/// Returns the letters and digits of a word.
fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the term of a phone number from its end.
fn backwards(digits: &str) -> String {
    std::iter::once(PHONE_END).chain(digits.chars().rev()).collect()
}

/// Returns the digits of a word that consists of digits and of signs that people write between them, without a zero in
/// parentheses, which is not dialled behind the code of a country.
fn digits_of(word: &str) -> Option<String> {
    let word = word.replace("(0)", "");
    let is_number = word.chars().all(|c| c.is_ascii_digit() || "+-()./".contains(c));
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    (is_number && !digits.is_empty()).then_some(digits)
}

/// Returns the words with each run of numbers as one word; `None` when no two numbers are beside each other.
fn joined(words: &[String]) -> Option<Vec<String>> {
    let mut joined: Vec<String> = Vec::new();
    let mut last_is_number = false;
    for word in words {
        let is_number = digits_of(word).is_some() || word == "(0)";
        match joined.last_mut().filter(|_| is_number && last_is_number) {
            Some(last) => last.push_str(word),
            None => joined.push(word.clone()),
        }
        last_is_number = is_number;
    }
    (joined.len() < words.len()).then_some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::folded_name;
    use crate::model::{Email, Name};

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

    #[test]
    fn the_terms_of_a_patient_are_bounded() {
        for name in ["a ".repeat(128), "a-".repeat(128), "\u{fdfa}".repeat(256), "\u{1f12f}".repeat(256)] {
            let terms = terms(Some(&name), Some(&format!("{}@\u{fdfa}", "\u{fdfa}".repeat(252))), Some(Phone::MAX));
            assert!(terms.len() <= NAME_WORDS * 3 / 2 + 1 + TermRange::LEFT_OUT + 2, "{}", terms.len());
            let bytes: usize = terms.iter().map(String::len).sum();
            assert!(bytes <= 4 * TERM_CHARS * 3, "{bytes}");
        }
    }

    #[test]
    fn equal_folded_names_have_equal_terms() {
        for (one, other) in [("Ada  Example", "ADA\texample"), ("A\u{200b}da", "ada"), ("e\u{301}", "\u{c9}")] {
            assert_eq!(folded_name(one), folded_name(other));
            assert_eq!(terms(Some(one), None, None), terms(Some(other), None, None));
        }
    }
}

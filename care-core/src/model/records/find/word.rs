//! A typed word, in the forms in which it is the beginning of a term.

use super::{
    close::CloseWord,
    spelling::{backwards, digits_of, letters, parts},
    term::{DIGITS, FindRank, MAIL, Match, PHONE, TermRange},
};
use crate::model::{PatientId, Phone};

/// The most digits of a phone number.
const MOST_DIGITS: usize = Phone::MAX.ilog10() as usize + 1;
/// The most words of a text.
pub(super) const MOST_WORDS: usize = 8;

/// A word of a [`FindText`](super::FindText), in the forms in which it is the beginning of a term.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct FindWord {
    /// As the beginning of a word of a name.
    name: Option<TermRange>,
    /// As several words of a name: the parts between signs; empty without a sign.
    pub(super) parts: Vec<Self>,
    /// As a word of a name in another spelling.
    pub(super) close: Option<CloseWord>,
    /// As the beginning of a mail address.
    mail: Option<TermRange>,
    /// As the beginning and the end of a phone number.
    pub(super) phone: Option<[TermRange; 2]>,
    /// As the number of a patient.
    pub(super) id: Option<PatientId>,
}

impl FindWord {
    pub(super) fn of(word: &str) -> Self {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(number) = word.strip_prefix('#').filter(|number| digits(number)) {
            let id = number.trim_start_matches('0').parse::<i64>().ok();
            return Self { id: id.and_then(|id| PatientId::try_from(id).ok()), ..Self::default() };
        }
        let phone = digits_of(word).and_then(|digits| {
            let shortened = digits.trim_start_matches('0');
            let digits = if shortened.len() >= DIGITS { shortened } else { &digits };
            let is_part = (DIGITS..=MOST_DIGITS).contains(&digits.len());
            is_part.then(|| [format!("{PHONE}{digits}"), backwards(digits)].map(TermRange::of))
        });
        let [name, mail] = [letters(word), format!("{MAIL}{word}")].map(|from| Some(TermRange::of(from)));
        let part = |part: &str| Self { name: Some(TermRange::of(part.to_owned())), ..Self::default() };
        Self { name, parts: divided(word, part), close: None, mail, phone, id: None }
    }

    /// Returns a word that may be misspelt if it is long enough.
    pub(super) fn similar(word: &str) -> Self {
        let close = |word: &str| Self { close: CloseWord::of(word), ..Self::default() };
        match CloseWord::of(word).filter(CloseWord::may_differ) {
            Some(whole) => Self { close: Some(whole), parts: divided(word, close), ..Self::default() },
            None => Self::of(word),
        }
    }

    /// Returns the terms that match, with the way in which those match that are longer than their beginning: of names,
    /// then of mail addresses, then of numbers.
    pub fn terms(&self) -> impl Iterator<Item = (&TermRange, Match)> {
        let Self { name, parts, close: _, mail, phone, id: _ } = self;
        // A name with all parts has the longest one, which is probably the rarest.
        let part = parts.iter().filter_map(|part| part.name.as_ref()).max_by_key(|part| part.from.len());
        let texts = name.iter().chain(part).chain(mail).map(|range| (range, Match::Beginning));
        texts.chain(phone.iter().flatten().map(|range| (range, Match::Number)))
    }

    /// Returns the terms of the phone numbers that begin with the word.
    pub fn numbers(&self) -> Option<&TermRange> {
        self.phone.as_ref().map(|[numbers, _]| numbers)
    }

    /// Returns whether the word may be misspelt.
    pub const fn is_close(&self) -> bool {
        self.close.is_some()
    }

    /// Returns the word without signs as one that may be misspelt, if it may.
    pub const fn close(&self) -> Option<&CloseWord> {
        self.close.as_ref()
    }

    /// Returns the parts of a word that may be misspelt, each of which a name has to have; none without a sign.
    pub fn close_parts(&self) -> impl Iterator<Item = &CloseWord> {
        self.parts.iter().filter_map(Self::close)
    }

    /// Returns how often each character of a patient is compared with a letter of the word: once for the whole and each
    /// part that may be misspelt.
    pub fn comparisons(&self) -> usize {
        self.close().into_iter().chain(self.close_parts()).count()
    }

    /// Returns whether the terms that match tell all: no other words are held against the patient.
    pub const fn is_one_term(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the patient whose number the word is.
    pub const fn id(&self) -> Option<PatientId> {
        self.id
    }

    /// Returns whether the word is a single letter or digit.
    pub fn is_single(&self) -> bool {
        self.name.as_ref().is_some_and(|name| name.from.chars().count() == 1)
    }

    /// Returns the place of a patient with this term, as far as this word is concerned; `None` when it does not match.
    pub(super) fn rank(&self, term: &str) -> Option<FindRank> {
        match &self.close {
            Some(close) => close.distance(term).map(|parts| FindRank { parts, numbers: 0 }),
            None => self.matches(term).map(FindRank::of),
        }
    }

    /// Returns the place of a patient as far as the parts of this word are concerned, given that of each; `None` when
    /// one does not match, or there are none. The parts match as the worst of them does, or are as far away as all of
    /// them together.
    pub(super) fn by_parts(&self, parts: Vec<Option<FindRank>>) -> Option<FindRank> {
        let both = |one: FindRank, other| if self.is_close() { one.and(other) } else { one.max(other) };
        parts.into_iter().reduce(|all, part| Some(both(all?, part?))).flatten()
    }

    /// Returns how the word matches this term; `None` when it does not.
    fn matches(&self, term: &str) -> Option<Match> {
        self.name.iter().chain(&self.mail).find_map(|range| range.matches(term)).or_else(|| {
            let mut numbers = self.phone.iter().flatten();
            numbers.any(|range| term.starts_with(&range.from)).then_some(Match::Number)
        })
    }
}

/// Returns what a word is by each of its parts between signs; nothing for a word without a sign between letters.
fn divided(word: &str, of: impl Fn(&str) -> FindWord) -> Vec<FindWord> {
    let divided: Vec<_> = parts(word).map(of).collect();
    if divided.len() > 1 { divided } else { Vec::new() }
}

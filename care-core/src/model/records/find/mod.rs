//! Finding patients by a typed text: its words, the terms of a patient, and how well they match.
//!
//! A term is a text that a store keeps beside the number of its patient. A word of the name begins with a letter or a
//! digit; the sign before any other term tells what it is, so that one range of terms holds one sort of them.

mod close;
mod findable;
mod spelling;
#[cfg(test)]
mod tests;

pub use close::CloseWord;
pub use findable::{Findable, email_term, find_terms, phone_term, whole_terms};
pub use spelling::phone_digits;

use self::{
    findable::backwards,
    spelling::{digits_of, joined, letters, parts, spelled},
};
use crate::model::{
    InQuery, Invalid, Patient, PatientId, Phone,
    values::{
        fold::successor,
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct FindWord {
    /// As the beginning of a word of a name.
    name: Option<TermRange>,
    /// As several words of a name: the parts between signs; empty without a sign.
    parts: Vec<Self>,
    /// As a word of a name in another spelling.
    close: Option<CloseWord>,
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
        let spelled = spelled(&text);
        if spelled.is_empty() || spelled.len() > Self::MAX_WORDS {
            return Err(Invalid("must be 1 to 8 words"));
        }
        if !spelled.iter().all(|word| word.contains(char::is_alphanumeric)) {
            return Err(Invalid("must have a letter or a digit in each word"));
        }
        let words = |spelled: &[String]| spelled.iter().map(|word| FindWord::of(word)).collect();
        Ok(Self { words: words(&spelled), joined: joined(&spelled).as_deref().map(words), text })
    }

    /// Returns whether it is one of names that resemble it.
    pub fn is_similar(&self) -> bool {
        self.words.iter().any(FindWord::is_close)
    }

    /// Returns the text as one of names that resemble it: those in which each word of 4 letters or more is at most at
    /// distance 1 from the beginning of a word with the same first letter, one of 8 letters or more at distance 2. A
    /// step is a letter too many, too few or another one, or two neighbours exchanged. Shorter words match as ever. A
    /// word with a sign is taken without it, and by its parts, each of which must match so.
    ///
    /// ```
    /// use care_core::model::{FindText, Name, Patient, PatientId};
    ///
    /// let ada = Patient { name: Some(Name::new("Ada Example")?), ..Patient::new(PatientId::FIRST) };
    /// assert!(FindText::new("exmaple")?.rank(&ada).is_none());
    /// assert!(FindText::new("exmaple")?.similar()?.rank(&ada).is_some());
    /// # Ok::<(), care_core::model::Invalid>(())
    /// ```
    ///
    /// # Errors
    /// That no word is long enough.
    pub fn similar(self) -> Result<Self, Invalid> {
        let words: Vec<_> = spelled(&self.text).iter().map(|word| FindWord::similar(word)).collect();
        match words.iter().any(FindWord::is_close) {
            true => Ok(Self { words, joined: None, ..self }),
            false => Err(Invalid("must have a word of at least 4 letters")),
        }
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
    fn similar(word: &str) -> Self {
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
    fn rank(&self, term: &str) -> Option<FindRank> {
        match &self.close {
            Some(close) => close.distance(term).map(|parts| FindRank { parts, numbers: 0 }),
            None => self.matches(term).map(FindRank::of),
        }
    }

    /// Returns the place of a patient as far as the parts of this word are concerned, given that of each; `None` when
    /// one does not match, or there are none. The parts match as the worst of them does, or are as far away as all of
    /// them together.
    fn by_parts(&self, parts: Vec<Option<FindRank>>) -> Option<FindRank> {
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

impl FindRank {
    /// Returns the place of a patient in whom a single word matches so.
    pub const fn of(found: Match) -> Self {
        match found {
            Match::Whole => Self { parts: 0, numbers: 0 },
            Match::Beginning => Self { parts: 1, numbers: 0 },
            Match::Number => Self { parts: 1, numbers: 1 },
        }
    }

    const BEST: Self = Self { parts: 0, numbers: 0 };

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

    /// Returns how a word with this beginning matches a term.
    fn matches(&self, term: &str) -> Option<Match> {
        let is_whole = self.from.len() == term.len();
        term.starts_with(&self.from).then_some(if is_whole { Match::Whole } else { Match::Beginning })
    }

    fn of(from: String) -> Self {
        // A term begins with a sign, a letter or a digit, which is never the last character.
        Self { below: successor(&from).unwrap_or_default(), from }
    }
}

/// Returns what a word is by each of its parts between signs; nothing for a word without a sign between letters.
fn divided(word: &str, of: impl Fn(&str) -> FindWord) -> Vec<FindWord> {
    let divided: Vec<_> = parts(word).map(of).collect();
    if divided.len() > 1 { divided } else { Vec::new() }
}

//! Finding patients by a typed text: its words, the terms of a patient, and how well they match.
//!
//! A term is a text that a store keeps beside the number of its patient. A word of the name begins with a letter or a
//! digit; the sign before any other term tells what it is, so that one range of terms holds one sort of them.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::patient::folded_name;
use crate::model::{
    InQuery, Invalid, Patient, PatientId, Phone,
    values::{
        fold::{successor, with_plain_signs},
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
/// The highest number of words of a name, in a script without spaces, that stand together as terms.
const JOINED_WORDS: usize = 8;
/// The highest number of characters of a name or a mail address, without marks, that are in its terms.
const TERM_CHARS: usize = 256;
/// The fewest letters of a word that may be misspelt, and of one that may be so twice.
const CLOSE: [usize; 2] = [4, 8];

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

/// A word that may be misspelt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CloseWord {
    /// The letters and digits that were typed.
    letters: Vec<char>,
    /// The highest distance.
    most: usize,
    /// The words of names with the same first letter; those with this beginning where no letter may be another one.
    terms: TermRange,
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

impl CloseWord {
    /// Returns a word, and `None` for one without a letter or a digit.
    fn of(word: &str) -> Option<Self> {
        let letters: Vec<char> = letters(word).chars().collect();
        let count = letters.iter().filter(|letter| letter.is_alphabetic()).count();
        let most = CLOSE.iter().filter(|fewest| count >= **fewest).count();
        let same = if most > 0 { letters.get(..1)? } else { &letters };
        let terms = TermRange::of(same.iter().collect());
        (!letters.is_empty()).then_some(Self { letters, most, terms })
    }

    /// Returns whether the word is long enough to be misspelt.
    const fn may_differ(&self) -> bool {
        self.most > 0
    }

    /// Returns the words of names that are looked at: those with the same first letter.
    pub const fn terms(&self) -> &TermRange {
        &self.terms
    }

    /// Returns the distance between the word and the beginning of a term that is nearest to it; `None` when it is too
    /// far. A letter is moved once at most.
    pub fn distance(&self, term: &str) -> Option<usize> {
        if !term.starts_with(&self.terms.from) {
            return None;
        }
        let (typed, far) = (&self.letters, self.most + 1);
        let term: Vec<char> = term.chars().take(typed.len() + self.most).collect();
        // The distances between the first letters of the word and each beginning of the term.
        let mut last: Vec<usize> = (0..=term.len()).map(|length| length.min(far)).collect();
        let mut before = Vec::new();
        for (place, letter) in typed.iter().enumerate() {
            let mut row = vec![far; term.len() + 1];
            row[0] = (place + 1).min(far);
            // Further beginnings are too short or too long to be near.
            for at in place.saturating_sub(self.most)..term.len().min(place + far) {
                let other = last[at] + usize::from(*letter != term[at]);
                let mut least = other.min(last[at + 1] + 1).min(row[at] + 1);
                if place > 0 && at > 0 && typed[place - 1] == term[at] && *letter == term[at - 1] {
                    least = least.min(before[at - 1] + 1);
                }
                row[at + 1] = least.min(far);
            }
            if row.iter().all(|distance| *distance == far) {
                return None;
            }
            before = std::mem::replace(&mut last, row);
        }
        last.into_iter().min().filter(|distance| *distance < far)
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
        let is_similar = words.iter().any(FindWord::is_close);
        let mut found = [None; FindText::MAX_WORDS];
        // A word without parts costs no allocation.
        let mut parts: [Vec<Option<FindRank>>; FindText::MAX_WORDS] =
            std::array::from_fn(|at| vec![None; words.get(at).map_or(0, |word| word.parts.len())]);
        for (word, found) in words.iter().zip(&mut found) {
            *found = word.id.filter(|id| *id == self.patient_id).map(|_| FindRank::of(Match::Number));
        }
        let mut take = |term: &str| {
            let wanted = words.iter().zip(&mut found).zip(&mut parts);
            for ((word, found), parts) in wanted.filter(|((_, found), _)| **found != Some(FindRank::BEST)) {
                *found = word.rank(term).into_iter().chain(*found).min();
                for (part, found) in word.parts.iter().zip(parts) {
                    *found = part.rank(term).into_iter().chain(*found).min();
                }
            }
        };
        self.each_text(&mut take);
        if words.iter().any(|word| word.phone.is_some()) {
            self.each_number(TermRange::LEFT_OUT, &mut take);
        }
        let mut all = FindRank::BEST;
        for ((word, found), parts) in words.iter().zip(found).zip(parts) {
            let rank = found.into_iter().chain(word.by_parts(parts)).min()?;
            // Among names that resemble a text, distances alone count.
            all = if is_similar && word.close.is_none() { all } else { all.and(rank) };
        }
        Some(all)
    }

    /// Calls this with each term of a text: the first 32 words of the name, with the parts of those that a hyphen or
    /// another sign divides, those of a script without spaces also together with the words behind them, and the mail
    /// address.
    fn each_text(&self, mut each: impl FnMut(&str)) {
        if let Some(name) = &self.folded_name {
            let mut words = 0;
            let name = unmarked(name);
            for word in name.split_whitespace() {
                let mut divided = 0;
                for part in parts(word) {
                    if words == NAME_WORDS {
                        break;
                    }
                    (words, divided) = (words + 1, divided + 1);
                    each(part);
                }
                if divided > 1 {
                    // D'Arcy is a word of O'Brien-D'Arcy as well.
                    let pieces = word.split('-').map(letters).filter(|piece| !piece.is_empty());
                    pieces.take(divided).for_each(|piece| each(&piece));
                    each(&letters(word));
                }
            }
            if !name.is_ascii() {
                let unspaced: Vec<_> = name.split_whitespace().take(JOINED_WORDS).collect();
                for run in unspaced.chunk_by(|one, next| is_unspaced(one) && is_unspaced(next)) {
                    (1..run.len()).for_each(|place| each(&letters(&run[place - 1..].concat())));
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

/// Returns the digits of a phone number that a person wrote: with a `+` or `00` before the code of its country, and
/// with spaces, hyphens, points and brackets between its digits. Returns `None` for a text that is written otherwise.
///
/// ```
/// use care_core::model::phone_digits;
///
/// assert_eq!(phone_digits("+44 (0)1632 960-001").as_deref(), Some("441632960001"));
/// ```
pub fn phone_digits(text: &str) -> Option<String> {
    let bare = with_plain_signs(text.split_whitespace().flat_map(str::chars).map(digit).collect());
    let is_one = bare.starts_with(|c: char| c.is_ascii_digit() || "+(".contains(c)) && !bare.contains('/');
    // A program has written a number with one point.
    let is_fraction = bare.contains('.') && bare.parse::<f64>().is_ok();
    if !is_one || is_fraction || bare.rfind('+').is_some_and(|place| place > 0) {
        return None;
    }
    let digits = digits_of(&bare)?;
    Some(digits.strip_prefix("00").map(str::to_owned).unwrap_or(digits))
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
    format!("{MAIL}{}", unmarked(&folded_name(email)))
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

/// Returns the words of a typed text as terms have them.
fn spelled(text: &str) -> Vec<String> {
    text.split_whitespace().map(|word| unmarked(&folded_name(word)).into_owned()).collect()
}

/// Returns the parts of a word between its signs.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty())
}

/// Returns what a word is by each of its parts between signs; nothing for a word without a sign between letters.
fn divided(word: &str, of: impl Fn(&str) -> FindWord) -> Vec<FindWord> {
    let divided: Vec<_> = parts(word).map(of).collect();
    if divided.len() > 1 { divided } else { Vec::new() }
}

/// Returns whether a word begins in a script that is written without spaces, or often so in names.
fn is_unspaced(word: &str) -> bool {
    word.starts_with(|c| {
        matches!(c,
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{870}'..='\u{8ff}' | '\u{e00}'..='\u{11ff}'
            | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19ff}' | '\u{1a20}'..='\u{1aaf}' | '\u{2e80}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' | '\u{20000}'..='\u{3ffff}')
    })
}

/// Returns a folded text in its compatibility decomposition without marks and strokes, so that `ü` becomes `u`, and `ø`
/// becomes `o`, with one letter for those that people cannot tell apart, and with digits for those of every script.
fn unmarked(folded: &str) -> Cow<'_, str> {
    if folded.is_ascii() {
        return folded.into();
    }
    // The tatweel only makes a word longer.
    let is_letter = |c: &char| !is_combining_mark(*c) && *c != '\u{640}';
    let bare = |text: &mut dyn Iterator<Item = char>| text.filter(is_letter).collect::<String>();
    let decomposed = bare(&mut folded.nfkd());
    // A letter that is decomposed may have a case of its own.
    let text = bare(&mut decomposed.chars().default_case_fold().nfkd());
    text.chars().map(digit).flat_map(without_stroke).take(TERM_CHARS).collect::<String>().into()
}

/// Returns what people write for a letter that their keyboard lacks, or that looks like another one, and any other
/// letter as it is. Unicode decomposes none of the former.
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
        // Arabic: alef, heh and teh marbuta, kaf, yeh, as the keyboards of several languages have them.
        '\u{671}'..='\u{673}' => ('\u{627}', None),
        '\u{629}' | '\u{6be}' | '\u{6c1}' | '\u{6c3}' | '\u{6d5}' => ('\u{647}', None),
        '\u{6a9}' | '\u{6aa}' => ('\u{643}', None),
        '\u{649}' | '\u{6cc}' | '\u{6cd}' | '\u{6d0}' | '\u{6d2}' | '\u{620}' | '\u{63d}'..='\u{63f}' => {
            ('\u{64a}', None)
        }
        other => (other, None),
    };
    std::iter::once(first).chain(second)
}

/// The zeros of the scripts with decimal digits, the other nine of which follow, but for those that are decomposed.
const ZEROS: [u32; 67] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
    0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0x1_04a0, 0x1_0d30, 0x1_0d40, 0x1_1066, 0x1_10f0, 0x1_1136, 0x1_11d0,
    0x1_12f0, 0x1_1450, 0x1_14d0, 0x1_1650, 0x1_16c0, 0x1_16d0, 0x1_16da, 0x1_1730, 0x1_18e0, 0x1_1950, 0x1_1bf0,
    0x1_1c50, 0x1_1d50, 0x1_1da0, 0x1_1f50, 0x1_6130, 0x1_6a60, 0x1_6ac0, 0x1_6b50, 0x1_6d70, 0x1_e140, 0x1_e2f0,
    0x1_e4f0, 0x1_e5f1, 0x1_e950,
];

/// Returns the digit 0 to 9 for a decimal digit of any script, and any other character as it is.
fn digit(c: char) -> char {
    let place = ZEROS.partition_point(|zero| *zero <= u32::from(c));
    let value = place.checked_sub(1).map(|place| u32::from(c) - ZEROS[place]);
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
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
            for name in ["O'Brien", "Obrien", "O Brien", "Brien-O", "o\u{2bc}brien Ann", "O\u{b4}Brien", "Ann O`Brien"]
            {
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
        for text in
            ["\u{661}\u{666}\u{663}\u{662}", "#\u{6f7}", "\u{ff11}\u{ff16}\u{ff13}\u{ff12}", "+44 (0)1632 960001"]
        {
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
        for name in [
            "a ".repeat(128),
            "a-".repeat(128),
            "a'a-".repeat(64),
            "\u{fdfa}".repeat(256),
            "\u{1f12f}".repeat(256),
            words,
        ] {
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
}

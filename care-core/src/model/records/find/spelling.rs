//! The letters and digits of names, mail addresses and phone numbers as terms have them.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::term::PHONE_END;
use crate::model::{records::patient::folded_name, values::fold::with_plain_signs};

/// The highest number of characters of a name or a mail address, without marks, that are in its terms.
pub(super) const TERM_CHARS: usize = 256;

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

/// Returns the words of a typed text as terms have them.
pub(super) fn spelled(text: &str) -> Vec<String> {
    text.split_whitespace().map(|word| unmarked(&folded_name(word)).into_owned()).collect()
}

/// Returns the parts of a word between its signs.
pub(super) fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty())
}

/// Returns whether a word begins in a script that is written without spaces, or often so in names.
pub(super) fn is_unspaced(word: &str) -> bool {
    word.starts_with(|c| {
        matches!(c,
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{870}'..='\u{8ff}' | '\u{e00}'..='\u{11ff}'
            | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19ff}' | '\u{1a20}'..='\u{1aaf}' | '\u{2e80}'..='\u{31ff}'
            | '\u{3400}'..='\u{9fff}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' | '\u{20000}'..='\u{3ffff}')
    })
}

/// Returns a folded text in its compatibility decomposition without marks and strokes, so that `ü` becomes `u`, and `ø`
/// becomes `o`, with one letter for those that people cannot tell apart, and with digits for those of every script.
pub(super) fn unmarked(folded: &str) -> Cow<'_, str> {
    if folded.is_ascii() {
        return folded.into();
    }
    bare(folded.chars()).take(TERM_CHARS).collect::<String>().into()
}

/// Returns the characters of [`unmarked`] one by one, so that nothing is decomposed behind the last one that is taken.
pub(super) fn bare(folded: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    // The tatweel only makes a word longer.
    let is_letter = |c: &char| !is_combining_mark(*c) && *c != '\u{640}';
    // A letter that is decomposed may have a case of its own.
    let bare = folded.nfkd().filter(is_letter).default_case_fold().nfkd().filter(is_letter);
    bare.map(digit).flat_map(without_stroke)
}

/// The sign between the name and the mail address in a [spelling](crate::model::Patient::spelling).
pub(super) const BETWEEN: char = '\n';

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
pub(super) const ZEROS: [u32; 67] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
    0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0x1_04a0, 0x1_0d30, 0x1_0d40, 0x1_1066, 0x1_10f0, 0x1_1136, 0x1_11d0,
    0x1_12f0, 0x1_1450, 0x1_14d0, 0x1_1650, 0x1_16c0, 0x1_16d0, 0x1_16da, 0x1_1730, 0x1_18e0, 0x1_1950, 0x1_1bf0,
    0x1_1c50, 0x1_1d50, 0x1_1da0, 0x1_1f50, 0x1_6130, 0x1_6a60, 0x1_6ac0, 0x1_6b50, 0x1_6d70, 0x1_e140, 0x1_e2f0,
    0x1_e4f0, 0x1_e5f1, 0x1_e950,
];

/// Returns the digit 0 to 9 for a decimal digit of any script, and any other character as it is.
pub(super) fn digit(c: char) -> char {
    let place = ZEROS.partition_point(|zero| *zero <= u32::from(c));
    let value = place.checked_sub(1).map(|place| u32::from(c) - ZEROS[place]);
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
}

/// Returns the letters and digits of a word.
pub(super) fn letters(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the digits of a word that consists of digits and of signs that people write between them, without a zero in
/// parentheses, which is not dialled behind the code of a country.
pub(super) fn digits_of(word: &str) -> Option<String> {
    let word = word.replace("(0)", "");
    let is_number = word.chars().all(|c| c.is_ascii_digit() || "+-()./".contains(c));
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    (is_number && !digits.is_empty()).then_some(digits)
}

/// Returns the words with each run of numbers as one word; `None` when no two numbers are beside each other.
pub(super) fn joined(words: &[String]) -> Option<Vec<String>> {
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

/// Returns the term of a phone number from its end.
pub(super) fn backwards(digits: &str) -> String {
    std::iter::once(PHONE_END).chain(digits.chars().rev()).collect()
}

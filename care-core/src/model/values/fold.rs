//! Folding texts, so that texts that look the same become equal.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Returns `NFC(fold(NFC(text)))` with Unicode full case folding, without default-ignorable code points, with each run
/// of White_Space as one space, and with the ends trimmed.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    if text.is_ascii() {
        for word in text.split_ascii_whitespace() {
            begin_word(&mut folded);
            folded.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        }
        return folded;
    }
    // They are removed first: between two characters they would prevent a composition, and alone they would make an
    // empty word.
    let visible: String = text.chars().filter(|c| !is_default_ignorable(*c)).collect();
    for word in visible.split_whitespace() {
        begin_word(&mut folded);
        folded.extend(word.nfc().default_case_fold().nfc());
    }
    folded
}

/// Returns the first text after all those with a prefix, by code points; `None` when there is no such text.
pub(crate) fn successor(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        // The range skips the surrogates.
        if let Some(next) = (last..=char::MAX).nth(1) {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

/// Returns a folded text with one sign for each that people take for an apostrophe or a hyphen, letter-like ones among
/// them.
pub(crate) fn with_plain_signs(folded: String) -> String {
    replaced(folded, |c| match c {
        '`'
        | '\u{b4}'
        | '\u{2b0}'..='\u{2ff}'
        | '\u{2018}'..='\u{201b}'
        | '\u{2032}'..='\u{2037}'
        | '\u{2057}'
        | '\u{a78b}'..='\u{a78c}'
        | '\u{ff07}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other => other,
    })
}

/// Returns the folded name of a medicine: one sign for each that a printed name may have as an apostrophe or a hyphen,
/// and a digit for each that is its compatibility form, as a superscript is.
pub(crate) fn folded_medicine(name: &str) -> String {
    replaced(folded(name), |c| match c {
        '`' | '\u{b4}' | '\u{2b9}' | '\u{2bc}' | '\u{2018}' | '\u{2019}' | '\u{2032}' | '\u{ff07}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other if other.is_ascii() => other,
        other => {
            let mut plain = std::iter::once(other).nfkd();
            plain.next().filter(|first| first.is_ascii_digit() && plain.next().is_none()).unwrap_or(other)
        }
    })
}

/// Returns a text with other characters in the place of some.
fn replaced(text: String, other: impl Fn(char) -> char) -> String {
    match text.chars().any(|c| other(c) != c) {
        true => text.chars().map(other).collect(),
        false => text,
    }
}

fn begin_word(folded: &mut String) {
    if !folded.is_empty() {
        folded.push(' ');
    }
}

/// Returns whether a renderer shows nothing for this character: Default_Ignorable_Code_Point of Unicode 16.0.
pub(crate) fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignorable_is_what_unicode_says() {
        let unicode = regex::Regex::new(r"^\p{Default_Ignorable_Code_Point}$").unwrap();
        let mut buffer = [0; 4];
        for c in '\0'..=char::MAX {
            assert_eq!(is_default_ignorable(c), unicode.is_match(c.encode_utf8(&mut buffer)), "{c:?}");
        }
    }

    /// Checks the table that the console's own fold is held to as well.
    #[test]
    fn names_are_folded_as_the_table_says() {
        let table = include_str!("../../../tests/folds.json");
        let folds: Vec<(String, String)> = serde_json::from_str(table).unwrap();
        for (name, wanted) in folds {
            assert_eq!(folded_medicine(&name), wanted, "{name:?}");
        }
    }

    #[test]
    fn what_looks_the_same_is_the_same() {
        for text in ["a\u{200b}b", "\u{feff}ab", "a\u{ad}b", "ab\u{fe0f}", "A\u{2060}B", "\u{2067}ab\u{2069}"] {
            assert_eq!(folded(text), "ab", "{text:?}");
        }
        assert_eq!(folded("a \u{200b} b"), "a b");
        assert_eq!(folded("e\u{34f}\u{301}"), "\u{e9}");
        assert_eq!(folded("\u{200b} \u{200d}"), "");
        assert_eq!(folded(" Ada\u{a0}\t Example "), "ada example");
    }

    #[test]
    fn signs_that_look_the_same_are_the_same() {
        for sign in "`\u{b4}\u{2bc}\u{2b9}\u{2c8}\u{2018}\u{2019}\u{2032}\u{2033}\u{ff07}\u{a78c}\u{2ee}".chars() {
            assert_eq!(with_plain_signs(folded(&format!("O{sign}Brien"))), "o'brien", "{sign:?}");
        }
        for dash in "\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}".chars() {
            assert_eq!(with_plain_signs(folded(&format!("A{dash}B"))), "a-b", "{dash:?}");
            assert_eq!(folded_medicine(&format!("Co{dash}trimoxazole")), "co-trimoxazole", "{dash:?}");
        }
        // No more of them are in names of medicines, which are identities.
        assert_eq!(folded_medicine("B\u{2b0}\u{660}"), "b\u{2b0}\u{660}");
    }

    #[test]
    fn what_is_folded_stays_as_it_is() {
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let text = &*c.encode_utf8(&mut buffer);
            for fold in [folded, folded_medicine, |text: &str| with_plain_signs(folded(text))] {
                let once = fold(text);
                assert_eq!(fold(&once), once, "{c:?}");
            }
        }
    }
}

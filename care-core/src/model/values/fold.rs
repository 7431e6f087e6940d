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
            assert_eq!(folded(&name), wanted, "{name:?}");
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
    fn what_is_folded_stays_as_it_is() {
        for c in '\0'..=char::MAX {
            let once = folded(c.encode_utf8(&mut [0; 4]));
            assert_eq!(folded(&once), once, "{c:?}");
        }
    }
}

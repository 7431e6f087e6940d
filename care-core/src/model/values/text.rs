//! Text fields.

use serde::{Deserialize, Serialize};

use super::conversions::as_text;
use crate::model::Invalid;

/// Turns CRLF and CR into LF, as XML does, and then refuses control characters other than tab and line feed, U+FFFE,
/// U+FFFF, and texts of more than `max` code points.
pub(crate) fn checked(text: String, max: usize, too_long: Invalid) -> Result<String, Invalid> {
    if text.len() <= max && is_plain(text.as_bytes()) {
        return Ok(text);
    }
    let text = match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text,
    };
    if text.chars().any(is_forbidden) {
        return Err(Invalid("must not hold control characters other than tab and line feed"));
    }
    // A text has at least as many bytes as code points, so most texts need no second pass.
    if text.len() > max && text.chars().count() > max {
        return Err(too_long);
    }
    Ok(text)
}

/// Returns whether every byte is a printable ASCII character, tab or line feed, as in most texts.
fn is_plain(text: &[u8]) -> bool {
    // A loop without an early exit checks many bytes in one step.
    text.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~' | b'\t' | b'\n'))
}

/// Returns whether the character is forbidden in texts of records.
fn is_forbidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n')) || matches!(c, '\u{FFFE}' | '\u{FFFF}')
}

/// Returns whether a text is empty or all White_Space.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Defines one text type with its length limit and a further check.
macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $max:literal, $too_long:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl $name {
            /// The longest text, in code points.
            pub const MAX: usize = $max;

            /// Checks a text, and makes a value of it; CR and CRLF become LF.
            ///
            /// # Errors
            /// The broken rule, when the text is too long or contains a forbidden character.
            pub fn new(text: impl Into<String>) -> Result<Self, Invalid> {
                let text = checked(text.into(), Self::MAX, Invalid($too_long))?;
                let check: fn(&str) -> Result<(), Invalid> = $check;
                check(&text)?;
                Ok(Self(text))
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = Invalid;

            fn try_from(text: String) -> Result<Self, Invalid> {
                Self::new(text)
            }
        }

        as_text!($name);
    };
}

fn not_empty(text: &str) -> Result<(), Invalid> {
    if text.is_empty() {
        return Err(Invalid("must be at least 1 character"));
    }
    Ok(())
}

fn anything(_: &str) -> Result<(), Invalid> {
    Ok(())
}

fn not_blank(text: &str) -> Result<(), Invalid> {
    if is_blank(text) {
        return Err(Invalid("must not be blank"));
    }
    Ok(())
}

fn address_of_mail(text: &str) -> Result<(), Invalid> {
    let ats = text.bytes().filter(|&byte| byte == b'@').count();
    let sound = ats == 1 && !text.starts_with('@') && !text.ends_with('@');
    if !sound || text.contains(char::is_whitespace) {
        return Err(Invalid("must be one @ with something on both sides and no white space"));
    }
    Ok(())
}

text! {
    /// A person's registered name: at most 256 code points, not blank.
    Name, 256, "must be at most 256 characters", not_blank
}
text! {
    /// A diagnosed disease: at most 256 code points, not blank.
    Disease, 256, "must be at most 256 characters", not_blank
}
text! {
    /// A short free text (gender, dosage, location): at most 256 code points.
    ShortText, 256, "must be at most 256 characters", anything
}
text! {
    /// A postal address: at most 1024 code points.
    Address, 1024, "must be at most 1024 characters", anything
}
text! {
    /// An email address: one `@` with something on both sides, no white space, at most 254 characters.
    Email, 254, "must be at most 254 characters", address_of_mail
}
text! {
    /// The name of one unit of a medicine (tablet, ml, puff): at most 32 code points, not blank.
    UnitName, 32, "must be at most 32 characters", not_blank
}
text! {
    /// The text that distinguishes a lot: at most 20 code points (what a barcode may hold, GS1 AI 10), not blank,
    /// compared without normalisation.
    LotText, 20, "must be at most 20 characters", not_blank
}
text! {
    /// A note of a movement or a count: 1 to 256 code points.
    Note, 256, "must be at most 256 characters", not_empty
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_become_line_feeds() {
        let text = ShortText::new("a\r\nb\rc\nd\te").map(|text| text.to_string());
        assert_eq!(text.as_deref(), Ok("a\nb\nc\nd\te"));
    }

    #[test]
    fn control_characters_are_refused() {
        for c in ['\0', '\u{1}', '\u{b}', '\u{1f}', '\u{7f}', '\u{85}', '\u{9f}', '\u{FFFE}', '\u{FFFF}'] {
            assert!(ShortText::new(format!("a{c}")).is_err(), "{c:?}");
        }
        assert!(ShortText::new("\u{FFFD}\u{10FFFF}\u{2028}").is_ok());
    }

    #[test]
    fn lengths_count_code_points_after_line_ends() {
        assert!(Name::new("é".repeat(256)).is_ok());
        assert!(Name::new("é".repeat(257)).is_err());
        assert!(ShortText::new("\r\n".repeat(256)).is_ok());
        assert!(Address::new("x".repeat(1024)).is_ok() && Address::new("x".repeat(1025)).is_err());
    }

    #[test]
    fn names_say_something() {
        for blank in ["", " ", "\t\n", "\u{3000}"] {
            assert!(Name::new(blank).is_err() && Disease::new(blank).is_err());
            assert!(ShortText::new(blank).is_ok());
        }
    }

    #[test]
    fn an_email_has_one_at_with_something_on_both_sides() {
        for refused in ["", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n", "a@\u{a0}b"] {
            assert!(Email::new(refused).is_err(), "{refused:?}");
        }
        assert!(Email::new("a@b").is_ok());
        assert!(Email::new(format!("{}@b", "a".repeat(252))).is_ok());
        assert!(Email::new(format!("{}@b", "a".repeat(253))).is_err());
    }
}

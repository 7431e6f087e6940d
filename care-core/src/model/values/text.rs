//! Text fields.

use serde::Serialize;
use unicode_normalization::char::is_combining_mark;

use super::{
    conversions::{as_doors, as_text},
    fold::is_default_ignorable,
};
use crate::model::{Invalid, Scalar};

/// Turns CRLF and CR into LF, as XML does, and then refuses control characters other than tab and line feed, U+FFFE and
/// U+FFFF, which a document in XML cannot hold.
pub(crate) fn plain(text: String) -> Result<String, Invalid> {
    if is_plain(text.as_bytes()) {
        return Ok(text);
    }
    let text = match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text,
    };
    match text.chars().any(is_forbidden) {
        true => Err(Invalid("must not hold control characters other than tab and line feed")),
        false => Ok(text),
    }
}

/// Refuses a text of more than `max` code points.
pub(crate) fn within(text: &str, max: usize, too_long: Invalid) -> Result<(), Invalid> {
    // A text has at least as many bytes as code points, so most texts need not be counted.
    if text.len() > max && text.chars().count() > max { Err(too_long) } else { Ok(()) }
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

/// Defines the types of texts, each with its longest text in code points, the rule that new values keep as well, and
/// the example in documents, which is empty where each field has its own.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident $max:literal $too_long:literal $rule:ident $example:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
            pub struct $name(String);

            impl $name {
                /// The longest text, in code points.
                pub const MAX: usize = $max;

                /// Checks a text, and makes a value of it; CR and CRLF become LF.
                ///
                /// # Errors
                /// The broken rule, when the text is too long or contains a forbidden character.
                pub fn new(text: impl Into<String>) -> Result<Self, Invalid> {
                    Self::of(text.into())
                }

                /// Returns the text.
                pub fn as_str(&self) -> &str {
                    &self.0
                }
            }

            impl Scalar for $name {
                type Raw = String;

                fn from_stored(text: String) -> Result<Self, Invalid> {
                    plain(text).map(Self)
                }

                fn check_new(&self) -> Result<(), Invalid> {
                    within(&self.0, Self::MAX, Invalid($too_long)).and_then(|()| $rule(&self.0))
                }
            }

            as_doors!($name, String);
            as_text!($name);
        )*

        /// Calls a macro with all these types, each with its rule and its example.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! each_text {
            ($with:ident) => { $with! { $($name $rule $example)* } };
        }
        pub(crate) use each_text;
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

/// Refuses a text in which a reader sees no letter and no digit: it would be a warning of nothing.
fn letter_or_digit(text: &str) -> Result<(), Invalid> {
    let is_one = |c: char| c.is_alphanumeric() && !is_combining_mark(c) && !is_default_ignorable(c);
    if text.contains(is_one) { Ok(()) } else { Err(Invalid("must have a letter or a digit")) }
}

fn address_of_mail(text: &str) -> Result<(), Invalid> {
    let ats = text.bytes().filter(|&byte| byte == b'@').count();
    let sound = ats == 1 && !text.starts_with('@') && !text.ends_with('@');
    if !sound || text.contains(char::is_whitespace) {
        return Err(Invalid("must be one @ with something on both sides and no white space"));
    }
    Ok(())
}

texts! {
    /// The name of a person or a facility: at most 256 code points, not blank.
    Name 256 "must be at most 256 characters" not_blank "Ada Example";
    /// A diagnosed disease: at most 256 code points, not blank.
    Disease 256 "must be at most 256 characters" not_blank "migraine";
    /// A short free text (gender, dosage, location): at most 256 code points.
    ShortText 256 "must be at most 256 characters" anything "";
    /// The allergies of a person, as the clinic notes them: at most 1024 code points, with a letter or digit.
    Allergies 1024 "must be at most 1024 characters" letter_or_digit "";
    /// A postal address: at most 1024 code points.
    Address 1024 "must be at most 1024 characters" anything "1 Sample Street";
    /// An email address: one `@` with something on both sides, no white space, at most 254 characters.
    Email 254 "must be at most 254 characters" address_of_mail "ada@example.org";
    /// The name of one unit of a medicine (tablet, ml, puff): at most 32 code points, not blank.
    UnitName 32 "must be at most 32 characters" not_blank "";
    /// A note of a movement or a count: 1 to 256 code points.
    Note 256 "must be at most 256 characters" not_empty "";
}

impl Allergies {
    /// Returns whether the text says something. One that was stored under an earlier rule may have no letter or digit.
    pub fn say_something(&self) -> bool {
        letter_or_digit(&self.0).is_ok()
    }
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
    fn allergies_have_a_letter_or_a_digit() {
        let nothing = ["", " ", "-", "\n", "\u{3164}", "\u{200b}", "\u{ffa0} \u{115f}", "?", "\u{301}", "\u{345}"];
        for nothing in nothing {
            assert!(Allergies::new(nothing).is_err(), "{nothing:?}");
            assert!(!Allergies::from_stored(nothing.to_owned()).unwrap().say_something(), "{nothing:?}");
        }
        for said in ["nuts", "- 7", "\u{661}", "\u{645}", "\u{e9}", "\u{201c}e\u{301}\u{201d}"] {
            assert!(Allergies::new(said).unwrap().say_something(), "{said:?}");
        }
    }

    #[test]
    fn what_was_stored_is_read_whatever_the_rule_is_today() {
        assert!(Name::from_stored(" ".repeat(300)).is_ok() && Email::from_stored("a".to_owned()).is_ok());
        assert_eq!(serde_json::from_str::<Note>("\"\"").unwrap().as_str(), "");
        // A document cannot hold it.
        assert!(Name::from_stored("\0".to_owned()).is_err());
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

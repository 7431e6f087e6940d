//! Texts of clients and other programs, as they are shown to people.

use std::fmt;

/// A text of a client, or of another program, as a terminal or a log shows it, in one line: control and format characters (line feeds, escape
/// sequences, changes of direction, zero width) are escaped, and so is the backslash. Everything else is as it was.
///
/// ```
/// use care_core::model::Visible;
///
/// assert_eq!(Visible("now\nMorphine \u{202e}").to_string(), r"now\nMorphine \u{202e}");
/// assert_eq!(Visible("Ērgļu \"tēja\", 5 ‰").to_string(), "Ērgļu \"tēja\", 5 ‰");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible<'a>(pub &'a str);

const QUOTES: [char; 2] = ['"', '\''];

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = String::with_capacity(self.0.len());
        // Quotes do no harm, and are the only characters beside the backslash that would be escaped although they can be seen.
        for part in self.0.split_inclusive(QUOTES) {
            let (part, quote) = match part.strip_suffix(QUOTES) {
                Some(before) => (before, &part[before.len()..]),
                None => (part, ""),
            };
            shown.extend(part.escape_debug());
            shown.push_str(quote);
        }
        f.pad(&shown)
    }
}

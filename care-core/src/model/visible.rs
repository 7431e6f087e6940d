//! Texts of clients and other programs, as they are shown to people.

use std::{fmt, path::Path};

/// A text of a client, or of another program, as a terminal or a log shows it, in one line: control and format
/// characters (line feeds, escape sequences, changes of direction, zero width) are escaped. Everything else is as it
/// was, so that a shown text can be shown again.
///
/// ```
/// use care_core::model::Visible;
///
/// assert_eq!(Visible("now\nMorphine \u{202e}").to_string(), r"now\nMorphine \u{202e}");
/// assert_eq!(Visible("Ērgļu \"tēja\", 5 ‰ \\").to_string(), "Ērgļu \"tēja\", 5 ‰ \\");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visible<'a>(pub &'a str);

/// The path of a file as a terminal or a log shows it. One that reads like an address of a database is not shown: it
/// may hold a password, and is taken for a file only because it is misspelt.
///
/// ```
/// use std::path::Path;
/// use care_core::model::VisiblePath;
///
/// assert_eq!(VisiblePath(Path::new("/srv/care.db")).to_string(), "/srv/care.db");
/// let misspelt = VisiblePath(Path::new("postgre://care:sesame@db/care")).to_string();
/// assert!(!misspelt.contains("sesame"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisiblePath<'a>(pub &'a Path);

/// The characters that can be seen, and that Rust escapes all the same.
const SEEN: [char; 3] = ['"', '\'', '\\'];

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = String::with_capacity(self.0.len());
        for part in self.0.split_inclusive(SEEN) {
            let before = part.strip_suffix(SEEN).unwrap_or(part);
            // Only at the beginning of a text, where they would join what stands before it, are marks that join
            // escaped.
            shown.extend(before.escape_debug());
            shown.push_str(&part[before.len()..]);
        }
        f.pad(&shown)
    }
}

impl Visible<'_> {
    /// Returns whether a text may hold a password, as misspelt addresses of databases do.
    pub fn may_hold_a_password(text: &str) -> bool {
        let text: String = text.to_lowercase().split_whitespace().collect();
        let has_user = text.split_once(':').is_some_and(|(_, rest)| rest.contains('@'));
        text.contains("://") || text.contains("password=") || has_user
    }
}

impl fmt::Display for VisiblePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.to_string_lossy();
        match Visible::may_hold_a_password(&path) {
            true => f.write_str("whose path is not shown, because it may hold a password"),
            false => Visible(&path).fmt(f),
        }
    }
}

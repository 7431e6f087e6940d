//! Terms, ranges of them, and how a word matches one.

use crate::model::values::fold::successor;

/// The sign before a mail address.
pub(super) const MAIL: char = '@';
/// The sign before a phone number, or what is left of it without its first digits.
pub(super) const PHONE: char = '+';
/// The sign before a phone number that is written from its end.
pub(super) const PHONE_END: char = '-';
/// The fewest digits that are looked up in phone numbers.
pub(super) const DIGITS: usize = 4;

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

/// The place of a patient among those that match a [`FindText`](super::FindText); the best match has the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FindRank {
    /// The words that are no whole word of the name and no whole mail address.
    pub(super) parts: usize,
    /// Those of them that are digits of a number.
    pub(super) numbers: usize,
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

    pub(super) const BEST: Self = Self { parts: 0, numbers: 0 };

    pub(super) const fn and(self, Self { parts, numbers }: Self) -> Self {
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
    pub(super) fn matches(&self, term: &str) -> Option<Match> {
        let is_whole = self.from.len() == term.len();
        term.starts_with(&self.from).then_some(if is_whole { Match::Whole } else { Match::Beginning })
    }

    pub(super) fn of(from: String) -> Self {
        // A term begins with a sign, a letter or a digit, which is never the last character.
        Self { below: successor(&from).unwrap_or_default(), from }
    }
}

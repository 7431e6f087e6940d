//! Words of names in another spelling.

use super::{spelling::letters, term::TermRange};

/// The fewest letters of a word that may be misspelt, and of one that may be so twice.
const CLOSE: [usize; 2] = [4, 8];

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

impl CloseWord {
    /// Returns a word, and `None` for one without a letter or a digit.
    pub(super) fn of(word: &str) -> Option<Self> {
        let letters: Vec<char> = letters(word).chars().collect();
        let count = letters.iter().filter(|letter| letter.is_alphabetic()).count();
        let most = CLOSE.iter().filter(|fewest| count >= **fewest).count();
        let same = if most > 0 { letters.get(..1)? } else { &letters };
        let terms = TermRange::of(same.iter().collect());
        (!letters.is_empty()).then_some(Self { letters, most, terms })
    }

    /// Returns whether the word is long enough to be misspelt.
    pub(super) const fn may_differ(&self) -> bool {
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

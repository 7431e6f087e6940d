//! Words of names in another spelling.

use super::{spelling::letters, term::TermRange};

/// The fewest letters of a word that may be misspelt, and of one that may be so twice.
const CLOSE: [usize; 2] = [4, 8];
/// The number of lengths that the beginning of a term near a word may have.
const BAND: usize = 2 * CLOSE.len() + 1;

type Band = [usize; BAND];

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
        let typed = &self.letters;
        let far = self.most + 1;
        let term: Vec<char> = term.chars().take(typed.len() + self.most).collect();
        // The distances between the first letters of the word and those beginnings of the term that are neither too
        // short nor too long to be near: at `most`, the beginning is as long as the word's.
        let mut last: Band = std::array::from_fn(|at| at.checked_sub(self.most).map_or(far, |length| length.min(far)));
        let mut before = [far; BAND];
        for (place, letter) in typed.iter().enumerate() {
            let mut row = [far; BAND];
            for at in 0..=2 * self.most {
                let Some(length) = (place + 1 + at).checked_sub(self.most).filter(|length| *length <= term.len())
                else {
                    continue;
                };
                let Some(here) = length.checked_sub(1) else {
                    row[at] = (place + 1).min(far);
                    continue;
                };
                let mut least = last[at] + usize::from(*letter != term[here]);
                if at < 2 * self.most {
                    least = least.min(last[at + 1] + 1);
                }
                if at > 0 {
                    least = least.min(row[at - 1] + 1);
                }
                if place > 0 && here > 0 && typed[place - 1] == term[here] && *letter == term[here - 1] {
                    least = least.min(before[at] + 1);
                }
                row[at] = least.min(far);
            }
            if row.iter().all(|distance| *distance == far) {
                return None;
            }
            before = std::mem::replace(&mut last, row);
        }
        last.into_iter().min().filter(|distance| *distance < far)
    }

    /// Returns the number of characters of a term that are compared with the word.
    pub fn compared(&self, term: &str) -> usize {
        term.len().min(self.letters.len() + self.most)
    }
}

//! Finding patients whose names resemble a text, with bounded work.
//!
//! A search looks at 2,000 words of names at most, in their order from the first letter of each typed word that is long
//! enough, and of each of its parts: as many behind each of these letters, and more where others have fewer. The near
//! ones among them have patients. Of the typed words of which all was looked at, the one with the fewest patients
//! yields the candidates. Without such a word, all of them do, the one with the fewest patients first.

use std::collections::{BTreeMap, BTreeSet};

use super::SearchBudget;
use crate::model::{CloseWord, FindText, FindWord, PatientId, TermRange};

/// The highest number of rows of terms that a search looks at for its candidates.
pub(super) const CANDIDATES: usize = 2_000;

/// The patients that a search for names that resemble a text looks at.
#[derive(Debug)]
pub struct Similar<'a> {
    text: &'a [FindWord],
    /// The beginnings of words that are looked at, each once.
    looks: Vec<Look>,
    /// The number of words of names that may still be looked at.
    left: usize,
    /// Of each word that may be misspelt, whether words of names were not looked at for it.
    cut: Vec<bool>,
    /// Whether patients that match may have been left out.
    is_cut: bool,
}

/// The words of names with the same beginning.
#[derive(Debug)]
struct Look {
    terms: TermRange,
    /// Those that were looked at.
    words: Vec<String>,
    /// The others; `None` once there are none.
    rest: Option<TermRange>,
}

/// The words of names that are near to another, with their distances.
#[derive(Debug, Default)]
struct Near<'s> {
    words: BTreeMap<&'s str, usize>,
    is_cut: bool,
}

impl Near<'_> {
    /// Returns the place of a part among others: the first was looked at in full and has the fewest words.
    fn place(&self) -> (bool, usize, &BTreeMap<&str, usize>) {
        (self.is_cut, self.words.len(), &self.words)
    }
}

impl<'a> Similar<'a> {
    /// The number of rows of each word that are read: one more than are looked at.
    pub const CANDIDATES: usize = CANDIDATES + 1;

    /// The highest number of distinct words of names that are looked at.
    pub(super) const LOOKED_AT: usize = 2_000;

    /// Returns no patients yet; `None` for a text that is not one of names that resemble it.
    pub fn of(text: &'a FindText) -> Option<Self> {
        let text = text.readings().next().filter(|_| text.is_similar())?;
        let mut looks: Vec<Look> = Vec::new();
        for word in text.iter().flat_map(|word| word.close().into_iter().chain(word.close_parts())) {
            let terms = word.terms();
            if looks.iter().all(|look| look.terms != *terms) {
                looks.push(Look { terms: terms.clone(), words: Vec::new(), rest: Some(terms.clone()) });
            }
        }
        Some(Self { text, looks, left: Self::LOOKED_AT, cut: Vec::new(), is_cut: false })
    }

    /// Returns the words of the text.
    pub const fn text(&self) -> &'a [FindWord] {
        self.text
    }

    /// Returns the terms to read next, and how many of each: one more than are looked at, the same number of all that
    /// have others. `None` once all were looked at, or as many as may be.
    pub fn looks(&self) -> Option<Vec<(TermRange, usize)>> {
        let rests: Vec<_> = self.looks.iter().filter_map(|look| look.rest.clone()).collect();
        let share = self.left.checked_div(rests.len()).filter(|share| *share > 0)?;
        Some(rests.into_iter().map(|rest| (rest, share + 1)).collect())
    }

    /// Takes the first of these terms, in the order of [`looks`](Self::looks).
    pub fn look_at(&mut self, terms: Vec<Vec<String>>) {
        let share = self.left.checked_div(terms.len()).unwrap_or_default();
        let open = self.looks.iter_mut().filter(|look| look.rest.is_some());
        for (look, mut terms) in open.zip(terms) {
            let next = terms.get(share).cloned();
            look.rest = next.map(|from| TermRange { from, below: look.terms.below.clone() });
            terms.truncate(share);
            self.left -= terms.len();
            look.words.append(&mut terms);
        }
    }

    /// Returns the terms near to each word that may be misspelt, the nearest first. A word with a sign has those near
    /// to it without the sign, and those near to the part with the fewest of them, since its patients have every part.
    pub fn near(&mut self, budget: &SearchBudget<'_>) -> Vec<Vec<String>> {
        let (mut terms, mut cut) = (Vec::new(), Vec::new());
        for word in self.text {
            let Some(whole) = word.close() else { continue };
            let mut near = self.near_to(whole, budget);
            let parts = word.close_parts().map(|part| self.near_to(part, budget));
            if let Some(part) = parts.min_by(|one, other| one.place().cmp(&other.place())) {
                near.is_cut |= part.is_cut;
                for (term, distance) in part.words {
                    near.words.entry(term).and_modify(|least| *least = distance.min(*least)).or_insert(distance);
                }
            }
            let mut words: Vec<_> = near.words.into_iter().collect();
            words.sort_by_key(|(_, distance)| *distance);
            terms.push(words.into_iter().map(|(term, _)| term.to_owned()).collect());
            cut.push(near.is_cut);
        }
        self.cut = cut;
        terms
    }

    /// Returns the candidates by number, given the patients of the terms that are [near](Self::near) to each word.
    pub fn candidates(&mut self, rows: Vec<Vec<PatientId>>) -> Vec<PatientId> {
        let is_cut = |(is_cut, rows): (&bool, &Vec<_>)| *is_cut || rows.len() > CANDIDATES;
        let cut: Vec<_> = self.cut.iter().zip(&rows).map(is_cut).collect();
        // Words with as many patients come in the order of these, so that the order of the words does not matter.
        let mut words: Vec<_> = cut.into_iter().zip(rows).map(|(is_cut, rows)| (is_cut, rows.len(), rows)).collect();
        words.sort_unstable();
        self.is_cut = words.first().is_some_and(|(is_cut, ..)| *is_cut);
        words.truncate(if self.is_cut { words.len() } else { 1 });
        let mut candidates = BTreeSet::new();
        for id in words.into_iter().flat_map(|(.., rows)| rows) {
            if candidates.len() < CANDIDATES {
                candidates.insert(id);
            }
        }
        candidates.into_iter().collect()
    }

    /// Returns whether patients that match may have been left out.
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns those near to a word among the words of names that were looked at.
    fn near_to(&self, word: &CloseWord, budget: &SearchBudget<'_>) -> Near<'_> {
        let Some(look) = self.looks.iter().find(|look| look.terms == *word.terms()) else { return Near::default() };
        let mut near = Near { words: BTreeMap::new(), is_cut: look.rest.is_some() };
        for term in &look.words {
            if !budget.spend(word.compared(term)) {
                near.is_cut = true;
                break;
            }
            near.words.extend(word.distance(term).map(|distance| (term.as_str(), distance)));
        }
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_was_not_looked_at_in_full_does_not_choose_alone() {
        let ids = |numbers: std::ops::RangeInclusive<i64>| -> Vec<_> {
            numbers.map(|id| PatientId::try_from(id).unwrap()).collect()
        };
        for text in ["zqbjjx persno", "persno zqbjjx"] {
            let text = FindText::new(text).unwrap().similar().unwrap();
            // Returns the candidates, given the patients of those near to one word and to the other.
            let find = |person: Vec<_>, other: Vec<_>| {
                let mut similar = Similar::of(&text).unwrap();
                let mut looked_at = 0;
                while let Some(looks) = similar.looks() {
                    let terms = |(terms, wanted): &(TermRange, usize)| match terms.from.starts_with('p') {
                        true => vec!["person".to_owned()],
                        false => (0..*wanted).map(|number| format!("{}{number:04}", terms.from)).collect(),
                    };
                    let terms: Vec<Vec<_>> = looks.iter().map(terms).collect();
                    looked_at += terms.iter().map(Vec::len).sum::<usize>();
                    similar.look_at(terms);
                }
                assert!((2_000..=2_003).contains(&looked_at), "{looked_at}");
                let near = similar.near(&SearchBudget::new());
                assert_eq!(near.iter().flatten().collect::<Vec<_>>(), ["person"]);
                let rows = near.iter().map(|near| if near.is_empty() { &other } else { &person }.clone()).collect();
                (similar.candidates(rows), similar.is_cut())
            };
            assert_eq!(find(ids(1..=9), ids(10..=11)), (ids(1..=9), false));
            assert_eq!(find(ids(1..=9), Vec::new()), (ids(1..=9), false));
            // For neither word all patients are known.
            let (found, is_cut) = find(ids(1..=2_001), ids(5_000..=5_007));
            assert_eq!((found, is_cut), ([ids(1..=1_992), ids(5_000..=5_007)].concat(), true));
        }
    }
}

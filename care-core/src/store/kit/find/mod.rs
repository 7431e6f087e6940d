//! Finding patients by their terms, with bounded work.
//!
//! A store keeps a row for each of the [`find_terms`](crate::model::find_terms) of a patient, in the order of the terms
//! and then of the patients' numbers; or only for each of the [`whole_terms`](crate::model::whole_terms). The rarest
//! word of a text yields the candidates: those whose terms equal it, and then those whose terms begin with it. Every
//! candidate is held against the other words.
//!
//! A search looks at 2,000 candidates and at a [budget](SearchBudget) of characters at most, whatever the text and the
//! names, and counts no more rows of each word. Where a store
//! keeps no rows of phone numbers without their first digits, these are looked up behind the first digits of all
//! numbers, in a range for each; a search looks at 1,000 of these ranges at most, and at a candidate less for each.
//!
//! A store whose lookups do not wait implements [`TermIndex`] and calls [`find`]; others use the parts.

mod budget;
mod similar;
#[cfg(test)]
mod tests;

use std::{cmp::Reverse, collections::BTreeMap};

pub use budget::SearchBudget;
pub use similar::Similar;

use similar::CANDIDATES;

use crate::{
    meter::{self, Work},
    model::{FindRank, FindText, FindWord, Findable, Match, PatientId, TermRange},
    store::{Filling, Limit, Portion, Record, Versioned},
};

/// The highest number of ranges behind first digits that a search looks at. One word has
/// [999](TermRange::LEFT_OUT) at most.
const RANGES: usize = 1_000;
/// The number of candidates up to which holding them against the other words is less work than looking for fewer of
/// them behind first digits.
const FEW: usize = 500;

/// The rows of terms in a store, and their patients.
pub trait TermIndex {
    /// The failure of a lookup.
    type Error;

    /// Returns the number of these rows, as far as `most`.
    ///
    /// # Errors
    /// The store's failure.
    fn count(&mut self, terms: &TermRange, most: usize) -> Result<usize, Self::Error>;

    /// Returns the patients of the first of these rows, `most` of them at most, and whether the term is the first one
    /// of the range.
    ///
    /// # Errors
    /// The store's failure.
    fn patients(&mut self, terms: &TermRange, most: usize) -> Result<Vec<(PatientId, bool)>, Self::Error>;

    /// Returns the first of these terms, each once and in their order, `most` of them at most.
    ///
    /// # Errors
    /// The store's failure.
    fn distinct(&mut self, terms: &TermRange, most: usize) -> Result<Vec<String>, Self::Error>;

    /// Returns the patients of the first rows with these terms, in the order of the terms, `most` of them at most.
    ///
    /// # Errors
    /// The store's failure.
    fn having(&mut self, terms: &[String], most: usize) -> Result<Vec<PatientId>, Self::Error>;

    /// Returns the number of ranges in which [`patients_behind`](Self::patients_behind) looks: none in a store with a
    /// row for each of the [`find_terms`](crate::model::find_terms).
    ///
    /// # Errors
    /// The store's failure.
    fn ranges_behind(&mut self) -> Result<usize, Self::Error> {
        Ok(0)
    }

    /// Returns the patients with a phone number in whose rows up to [three](TermRange::LEFT_OUT) first digits stand
    /// before these [digits](TermRange::digits), `most` of them at most.
    ///
    /// # Errors
    /// The store's failure.
    fn patients_behind(&mut self, _numbers: &TermRange, _most: usize) -> Result<Vec<PatientId>, Self::Error> {
        Ok(Vec::new())
    }

    /// Offers these patients to a ranking, one after the other while it takes them.
    ///
    /// # Errors
    /// The store's failure.
    fn rank(&mut self, ids: &[PatientId], ranking: &mut Ranking<'_>) -> Result<(), Self::Error>;

    /// Adds the records of these patients, in their order, as many as the portion takes. A number that no patient has,
    /// as after a removal meanwhile, adds nothing.
    ///
    /// # Errors
    /// The store's failure.
    fn records(&mut self, ids: &[PatientId], found: &mut Filling<Versioned<Record>>) -> Result<(), Self::Error>;
}

/// Returns the patients that match a text, the best first, as many as the limit and the budget allow.
///
/// # Errors
/// The failure of a lookup.
pub fn find<I: TermIndex>(
    text: &FindText,
    limit: Limit,
    index: &mut I,
    budget: &SearchBudget<'_>,
) -> Result<Portion<Versioned<Record>>, I::Error> {
    if let Some(found) = Similar::of(text) {
        return similar(found, limit, index, budget);
    }
    let mut found = Portion { items: Vec::new(), more: false };
    let (mut looked_at, mut ranges) = (0, RANGES);
    for words in text.readings() {
        let mut candidates = Candidates::of(words, limit, looked_at);
        let mut behind = Behind { index: &mut *index, ranges, rows: BTreeMap::new() };
        if words.len() > 1 {
            let counts = behind.counts(&mut candidates)?;
            candidates.choose(&counts);
        }
        for (terms, longer) in candidates.terms() {
            if candidates.wanted() > 0 {
                let rows = behind.index.patients(terms, candidates.wanted())?;
                candidates.add(rows, longer);
            }
        }
        behind.complete(&mut candidates)?;
        ranges = behind.ranges;
        looked_at = candidates.looked_at();
        let mut ranking = Ranking::of(words, budget);
        if !candidates.are_ranked(&mut ranking) {
            index.rank(&candidates.ids(), &mut ranking)?;
        }
        let is_incomplete = found.more;
        found = best(ranking, limit, index)?;
        found.more |= candidates.are_cut() || is_incomplete;
        if !found.items.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// Returns the patients with names that resemble a text, the nearest first, as many as the limit allows.
fn similar<I: TermIndex>(
    mut similar: Similar<'_>,
    limit: Limit,
    index: &mut I,
    budget: &SearchBudget<'_>,
) -> Result<Portion<Versioned<Record>>, I::Error> {
    while let Some(looks) = similar.looks() {
        let looked_at = looks.iter().map(|(terms, wanted)| index.distinct(terms, *wanted));
        similar.look_at(looked_at.collect::<Result<_, _>>()?);
    }
    let rows =
        similar.near(budget).iter().map(|near| index.having(near, Similar::CANDIDATES)).collect::<Result<_, _>>()?;
    let mut ranking = Ranking::of(similar.text(), budget);
    index.rank(&similar.candidates(rows), &mut ranking)?;
    let mut found = best(ranking, limit, index)?;
    found.more |= similar.is_cut();
    Ok(found)
}

/// Reads the best matches, as many as the limit allows.
fn best<I: TermIndex>(
    ranking: Ranking<'_>,
    limit: Limit,
    index: &mut I,
) -> Result<Portion<Versioned<Record>>, I::Error> {
    let (ids, more) = ranking.best(limit);
    let mut filling = Filling::new(limit);
    index.records(&ids, &mut filling)?;
    let mut found = filling.finish();
    found.more |= more;
    Ok(found)
}

/// The lookups of phone numbers behind first digits.
struct Behind<'i, I> {
    index: &'i mut I,
    /// The number of ranges that may still be looked at.
    ranges: usize,
    /// The patients that were found so, by the place of the word.
    rows: BTreeMap<usize, Vec<PatientId>>,
}

impl<I: TermIndex> Behind<'_, I> {
    /// Returns the number of rows of each word, as far as one more than is looked at. A word with more rows than are
    /// known counts as the most frequent one: because another is rare enough, or after too many ranges.
    fn counts(&mut self, candidates: &mut Candidates<'_>) -> Result<Vec<usize>, I::Error> {
        let mut counts = Vec::with_capacity(candidates.words.len());
        for word in candidates.words {
            let mut count = usize::from(word.id().is_some());
            for (terms, _) in word.terms() {
                let left = candidates.wanted().saturating_sub(count);
                count += if left > 0 { self.index.count(terms, left)? } else { 0 };
            }
            counts.push(count);
        }
        let mut numbers = Vec::new();
        let mut fewest = usize::MAX;
        for (place, (word, count)) in candidates.words.iter().zip(&counts).enumerate() {
            match word.numbers() {
                Some(terms) if *count < candidates.wanted() => numbers.push((place, terms)),
                _ => fewest = fewest.min(*count),
            }
        }
        // The longest number is probably the rarest.
        numbers.sort_by_key(|(_, terms)| Reverse(terms.from.len()));
        for (place, terms) in numbers {
            let Some(count) = counts.get_mut(place) else { continue };
            let before = self.ranges;
            let rows = if fewest > FEW { self.look(terms, candidates.wanted().saturating_sub(*count))? } else { None };
            candidates.most = candidates.most.saturating_sub(before - self.ranges);
            *count = rows.as_ref().map_or(usize::MAX, |rows| *count + rows.len());
            fewest = fewest.min(*count);
            self.rows.extend(rows.map(|rows| (place, rows)));
        }
        Ok(counts)
    }

    /// Adds the candidates that the rarest word finds so.
    fn complete(&mut self, candidates: &mut Candidates<'_>) -> Result<(), I::Error> {
        let numbers = candidates.words.get(candidates.rarest).and_then(FindWord::numbers);
        if let (Some(terms), 1..) = (numbers, candidates.wanted()) {
            let rows = match self.rows.remove(&candidates.rarest) {
                None => self.look(terms, candidates.wanted())?,
                rows => rows,
            };
            candidates.is_incomplete = rows.is_none();
            candidates.add(rows.into_iter().flatten().map(|id| (id, false)), Match::Number);
        }
        Ok(())
    }

    /// Returns the patients with these numbers; `None` when that would take more ranges than may be looked at.
    fn look(&mut self, numbers: &TermRange, most: usize) -> Result<Option<Vec<PatientId>>, I::Error> {
        let Some(left) = self.ranges.checked_sub(self.index.ranges_behind()?) else { return Ok(None) };
        self.ranges = left;
        self.index.patients_behind(numbers, most).map(Some)
    }
}

/// The patients that a search looks at.
#[derive(Debug)]
pub struct Candidates<'a> {
    words: &'a [FindWord],
    rarest: usize,
    most: usize,
    rows: usize,
    /// Whether rows of the rarest word were not looked at.
    is_incomplete: bool,
    /// The patients, with the best match of the rarest word.
    found: BTreeMap<PatientId, Match>,
}

impl<'a> Candidates<'a> {
    /// Returns no candidates yet, after this many were looked at in an earlier reading of the text. A single letter has
    /// no more than a page of them.
    pub fn of(words: &'a [FindWord], limit: Limit, looked_at: usize) -> Self {
        let most = match words {
            [word] if word.is_single() => limit.items,
            _ => CANDIDATES.saturating_sub(looked_at),
        };
        Self { words, rarest: 0, most, rows: 0, is_incomplete: false, found: BTreeMap::new() }
    }

    /// Chooses the word that yields the candidates, given the number of rows of each: the first one with the fewest.
    pub fn choose(&mut self, counts: &[usize]) {
        let rarest = counts.iter().enumerate().min_by_key(|(_, count)| **count);
        self.rarest = rarest.map_or(0, |(place, _)| place);
    }

    /// Returns the terms of the candidates, in the order in which their rows are to be added, with the way in which
    /// those match that are longer than the word.
    pub fn terms(&self) -> impl Iterator<Item = (&'a TermRange, Match)> + use<'a> {
        self.words.get(self.rarest).into_iter().flat_map(FindWord::terms)
    }

    /// Returns the number of rows that can still be added, plus one, which shows whether there are more; 0 once that
    /// one was added.
    pub const fn wanted(&self) -> usize {
        self.most.saturating_add(1).saturating_sub(self.rows)
    }

    /// Adds the patients of these rows, given whether their term is the word itself.
    pub fn add(&mut self, rows: impl IntoIterator<Item = (PatientId, bool)>, longer: Match) {
        for (id, is_first) in rows {
            self.rows += 1;
            if self.rows <= self.most {
                let found = if is_first && longer == Match::Beginning { Match::Whole } else { longer };
                self.found.entry(id).and_modify(|best| *best = found.min(*best)).or_insert(found);
            }
        }
    }

    /// Returns whether the word has more rows than are looked at.
    pub const fn are_cut(&self) -> bool {
        self.rows > self.most || self.is_incomplete
    }

    /// Returns the number of candidates that this reading and earlier ones looked at, or that ranges stand for.
    pub const fn looked_at(&self) -> usize {
        CANDIDATES.saturating_sub(self.most.saturating_sub(self.rows))
    }

    /// Adds the candidates to a ranking if their only word is what they were found by.
    pub fn are_ranked(&mut self, ranking: &mut Ranking<'_>) -> bool {
        let [word] = self.words else {
            return false;
        };
        if !word.is_one_term() {
            return false;
        }
        if let Some(id) = word.id() {
            self.found.insert(id, Match::Number);
        }
        ranking.ranked.extend(self.found.iter().map(|(id, found)| (FindRank::of(*found), None, *id)));
        true
    }

    /// Returns the candidates by number, with the one whose number is the word itself.
    pub fn ids(&self) -> Vec<PatientId> {
        let named = self.words.get(self.rarest).and_then(FindWord::id);
        self.found.keys().copied().chain(named).collect()
    }
}

/// The patients that match all words of a text.
#[derive(Debug)]
pub struct Ranking<'a> {
    words: &'a [FindWord],
    budget: &'a SearchBudget<'a>,
    /// The number of typed words with which each character of a patient is compared.
    comparisons: usize,
    /// Whether patients were left out.
    is_cut: bool,
    /// Beside the place of each, its folded name, by which those that resemble the text alike come.
    ranked: Vec<(FindRank, Option<String>, PatientId)>,
}

impl<'a> Ranking<'a> {
    /// Returns a ranking without patients.
    pub fn of(words: &'a [FindWord], budget: &'a SearchBudget<'a>) -> Self {
        let comparisons = words.iter().map(FindWord::comparisons).sum::<usize>().max(1);
        Self { words, budget, comparisons, is_cut: false, ranked: Vec::new() }
    }

    /// Adds a patient if it matches. Returns whether others may be offered.
    pub fn offer(&mut self, patient: &Findable<'_>) -> bool {
        self.is_cut |= !self.budget.spend(patient.characters() * self.comparisons);
        if self.is_cut {
            return false;
        }
        meter::count(Work { records: 1, bytes: patient.characters() * self.comparisons });
        if let Some(rank) = patient.rank(self.words) {
            let is_similar = self.words.iter().any(FindWord::is_close);
            let name = patient.folded_name.as_deref().filter(|_| is_similar).map(str::to_owned);
            self.ranked.push((rank, name, patient.patient_id));
        }
        true
    }

    /// Returns the best matches, and whether there are others.
    pub fn best(mut self, limit: Limit) -> (Vec<PatientId>, bool) {
        self.ranked.sort_unstable();
        let more = self.is_cut || self.ranked.len() > limit.items;
        (self.ranked.into_iter().take(limit.items).map(|(.., id)| id).collect(), more)
    }
}

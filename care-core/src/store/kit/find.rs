//! Finding patients by their terms, with bounded work.
//!
//! A store keeps a row for each of the [`find_terms`](crate::model::find_terms) of a patient, in the order of the terms
//! and then of the patients' numbers; or only for each of the [`whole_terms`](crate::model::whole_terms). The rarest
//! word of a text yields the candidates: those whose terms equal it, and then those whose terms begin with it, 2,000
//! rows at most. Every candidate is held against the other words.
//!
//! A store whose lookups do not wait implements [`TermIndex`] and calls [`find`]; others use the parts.

use std::collections::BTreeMap;

use crate::{
    model::{FindRank, FindText, FindWord, Findable, Match, PatientId, TermRange},
    store::{Filling, Limit, Portion, Record, Versioned},
};

/// The highest number of rows of terms that a search looks at for its candidates.
const CANDIDATES: usize = 2_000;

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

    /// Offers these patients to a ranking.
    ///
    /// # Errors
    /// The store's failure.
    fn rank(&mut self, ids: &[PatientId], ranking: &mut Ranking<'_>) -> Result<(), Self::Error>;

    /// Adds the records of these patients, in their order, as many as the portion takes.
    ///
    /// # Errors
    /// The store's failure.
    fn records(&mut self, ids: &[PatientId], found: &mut Filling<Versioned<Record>>) -> Result<(), Self::Error>;
}

/// Returns the patients that match a text, the best first, as many as the limit allows.
///
/// # Errors
/// The failure of a lookup.
pub fn find<I: TermIndex>(
    text: &FindText,
    limit: Limit,
    index: &mut I,
) -> Result<Portion<Versioned<Record>>, I::Error> {
    let mut found = Portion { items: Vec::new(), more: false };
    for words in text.readings() {
        let mut candidates = Candidates::of(words, limit);
        if words.len() > 1 {
            let mut counts = Vec::with_capacity(words.len());
            for word in words {
                let mut count = usize::from(word.id().is_some());
                for (terms, _) in word.terms() {
                    count += index.count(terms, candidates.wanted())?;
                }
                counts.push(count);
            }
            candidates.choose(&counts);
        }
        for (terms, longer) in candidates.terms() {
            if candidates.wanted() > 0 {
                let rows = index.patients(terms, candidates.wanted())?;
                candidates.add(rows, longer);
            }
        }
        let mut ranking = Ranking::of(words);
        if !candidates.are_ranked(&mut ranking) {
            index.rank(&candidates.ids(), &mut ranking)?;
        }
        let (ids, more) = ranking.best(limit);
        let mut filling = Filling::new(limit);
        index.records(&ids, &mut filling)?;
        found = filling.finish();
        found.more |= more || candidates.are_cut();
        if !found.items.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// The patients that a search looks at.
#[derive(Debug)]
pub struct Candidates<'a> {
    words: &'a [FindWord],
    rarest: usize,
    most: usize,
    rows: usize,
    /// The patients, with the best match of the rarest word.
    found: BTreeMap<PatientId, Match>,
}

impl<'a> Candidates<'a> {
    /// Returns no candidates yet. A single letter has no more than a page of them.
    pub fn of(words: &'a [FindWord], limit: Limit) -> Self {
        let most = match words {
            [word] if word.is_single() => limit.items,
            _ => CANDIDATES,
        };
        Self { words, rarest: 0, most, rows: 0, found: BTreeMap::new() }
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

    /// Returns whether more rows were added than are looked at.
    pub const fn are_cut(&self) -> bool {
        self.rows > self.most
    }

    /// Adds the candidates to a ranking if their only word is what they were found by.
    pub fn are_ranked(&mut self, ranking: &mut Ranking<'_>) -> bool {
        let [word] = self.words else {
            return false;
        };
        if let Some(id) = word.id() {
            self.found.insert(id, Match::Number);
        }
        ranking.ranked.extend(self.found.iter().map(|(id, found)| (FindRank::of(*found), *id)));
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
    ranked: Vec<(FindRank, PatientId)>,
}

impl<'a> Ranking<'a> {
    /// Returns a ranking without patients.
    pub const fn of(words: &'a [FindWord]) -> Self {
        Self { words, ranked: Vec::new() }
    }

    /// Adds a patient if it matches.
    pub fn offer(&mut self, patient: &Findable<'_>) {
        self.ranked.extend(patient.rank(self.words).map(|rank| (rank, patient.patient_id)));
    }

    /// Returns the best matches, and whether there are others.
    pub fn best(mut self, limit: Limit) -> (Vec<PatientId>, bool) {
        self.ranked.sort_unstable();
        let more = self.ranked.len() > limit.items;
        (self.ranked.into_iter().take(limit.items).map(|(_, id)| id).collect(), more)
    }
}

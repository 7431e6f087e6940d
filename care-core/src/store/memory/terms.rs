//! Patients of a memory store by their terms.

use std::{collections::BTreeSet, convert::Infallible};

use super::{
    portions::{fill, record_json},
    table::Tables,
};
use crate::{
    model::{Findable, Patient, PatientId, TermRange},
    store::{
        Entity, Filling, Record, RecordKey, Versioned,
        find::{Ranking, TermIndex},
    },
};

/// The terms of a memory store.
pub(super) struct Terms<'a> {
    pub(super) tables: &'a Tables,
    pub(super) terms: &'a BTreeSet<(String, PatientId)>,
}

impl Terms<'_> {
    fn range(&self, TermRange { from, below }: &TermRange) -> impl Iterator<Item = &(String, PatientId)> {
        let [from, below] = [from, below].map(|term| (term.clone(), PatientId::FIRST));
        self.terms.range(from..below)
    }

    fn those(&self, ids: &[PatientId]) -> impl Iterator<Item = &Versioned<Record>> {
        ids.iter().filter_map(|id| self.tables.get(&RecordKey::Patient(*id)))
    }
}

impl TermIndex for Terms<'_> {
    type Error = Infallible;

    fn count(&mut self, terms: &TermRange, most: usize) -> Result<usize, Infallible> {
        Ok(self.range(terms).take(most).count())
    }

    fn patients(&mut self, terms: &TermRange, most: usize) -> Result<Vec<(PatientId, bool)>, Infallible> {
        Ok(self.range(terms).take(most).map(|(term, id)| (*id, *term == terms.from)).collect())
    }

    fn rank(&mut self, ids: &[PatientId], ranking: &mut Ranking<'_>) -> Result<(), Infallible> {
        let patients = self.those(ids).filter_map(|found| Patient::from_record(&found.record));
        patients.for_each(|patient| ranking.offer(&Findable::of(patient)));
        Ok(())
    }

    fn records(&mut self, ids: &[PatientId], found: &mut Filling<Versioned<Record>>) -> Result<(), Infallible> {
        fill(self.those(ids), found, record_json);
        Ok(())
    }
}

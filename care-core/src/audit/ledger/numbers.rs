//! Numbers that are given in order.

use std::collections::BTreeMap;

use crate::{
    audit::{
        contradiction::{Contradiction, What, require, require_of},
        replica::Replica,
    },
    model::PatientId,
    store::{Counter, RecordKey, Series},
};

/// The highest used number of each series, and the numbers of the counters.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    used: BTreeMap<Series, i64>,
    counted: BTreeMap<Series, i64>,
    /// Whether this entry gave a patient a number.
    is_patient_counted: bool,
}

impl Numbers {
    /// Checks the number of a new record.
    pub(super) fn give(&mut self, series: Series, number: i64) -> Result<(), What> {
        let used = self.used.entry(series).or_insert(0);
        require(number > *used, "is new, but its number was given before")?;
        require(number == *used + 1, "is new, but the number before it was never given")?;
        *used = number;
        Ok(())
    }

    pub(super) fn count(&mut self, counter: &Counter) -> Result<(), What> {
        let counted = self.counted.insert(counter.series, counter.last);
        self.is_patient_counted |= counter.series == Series::Patient;
        require(counted.is_none_or(|before| before < counter.last), "does not go up")
    }

    pub(super) fn end(&mut self, replica: &Replica) -> Result<(), Contradiction> {
        // Clients choose numbers of patients too.
        for series in Series::ALL.into_iter().filter(|series| *series != Series::Patient) {
            let is_highest = self.used.get(&series) == self.counted.get(&series);
            require_of(is_highest, || RecordKey::Counter(series), "is not the highest number that was given")?;
        }
        if std::mem::take(&mut self.is_patient_counted) {
            let last = self.counted.get(&Series::Patient).and_then(|last| PatientId::try_from(*last).ok());
            let is_used = |id| replica.holds(&RecordKey::Patient(id)) || replica.holds(&RecordKey::Voided(id));
            let counter = || RecordKey::Counter(Series::Patient);
            require_of(last.is_some_and(is_used), counter, "is a number that no patient has or had")?;
        }
        Ok(())
    }
}

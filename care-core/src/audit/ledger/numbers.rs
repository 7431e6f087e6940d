//! Numbers that are given in order.

use std::collections::BTreeMap;

use super::{Contradiction, What};
use crate::{
    audit::replica::Replica,
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
        if number <= *used {
            return Err("is new, but its number was given before");
        }
        if number != *used + 1 {
            return Err("is new, but the number before it was never given");
        }
        *used = number;
        Ok(())
    }

    pub(super) fn count(&mut self, counter: &Counter) -> Result<(), What> {
        let counted = self.counted.insert(counter.series, counter.last);
        if counted.is_some_and(|before| before >= counter.last) {
            return Err("does not go up");
        }
        self.is_patient_counted |= counter.series == Series::Patient;
        Ok(())
    }

    pub(super) fn end(&mut self, replica: &Replica) -> Result<(), Contradiction> {
        let wrong = |series, what: What| Err(Contradiction::of(RecordKey::Counter(series), what));
        let ours = [Series::Prescription, Series::Invoice, Series::Consultation, Series::Movement];
        for series in ours.into_iter().chain([Series::Receipt, Series::CreditNote]) {
            if self.used.get(&series) != self.counted.get(&series) {
                return wrong(series, "is not the highest number that was given");
            }
        }
        if std::mem::take(&mut self.is_patient_counted) {
            let last = self.counted.get(&Series::Patient).copied();
            let is_used = last
                .and_then(|last| PatientId::try_from(last).ok())
                .is_some_and(|id| replica.holds(&RecordKey::Patient(id)) || replica.holds(&RecordKey::Voided(id)));
            if !is_used {
                return wrong(Series::Patient, "is a number that no patient has or had");
            }
        }
        Ok(())
    }
}

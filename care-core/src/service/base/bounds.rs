//! The bounds of all walks: the most that one call of a use case reads, whatever there is. Lists end with `more` there;
//! a single answer is refused, since what was not looked at may be part of it.

use crate::error::{StoreError, StoreErrorKind};

/// The records that a report reads: the daily counts of 10,000 medicines over half a year, twice. Unit tests reach it.
pub(crate) const REPORT: usize = if cfg!(test) { 1_000 } else { 4_000_000 };
/// The movements by which the lots of a stock are followed back.
pub(crate) const MOVEMENTS: usize = 10_000;
/// The diagnoses of a patient, each of a disease at least: as many as a patient has
/// [diseases](crate::model::History::MAX_DISEASES).
pub(crate) const DIAGNOSES: usize = 10_000;
/// The versions of a record that are passed over on the way to an earlier one. A store with
/// [skip pointers](crate::store::Journal::skip_pointer) needs a few.
pub(crate) const VERSIONS: usize = if cfg!(test) { 100 } else { 20_000 };

/// The rest of a bound that a walk may still use.
#[derive(Debug)]
pub(crate) struct Budget(usize);

impl Budget {
    pub(crate) const fn of(bound: usize) -> Self {
        Self(bound)
    }

    /// Takes this much. Returns whether it was left.
    pub(crate) const fn take(&mut self, amount: usize) -> bool {
        match self.0.checked_sub(amount) {
            Some(left) => self.0 = left,
            None => return false,
        }
        true
    }

    /// Takes this much.
    ///
    /// # Errors
    /// [`StoreErrorKind::Excessive`] when less was left.
    pub(crate) fn spend(&mut self, amount: usize) -> Result<(), StoreError> {
        if self.take(amount) { Ok(()) } else { Err(StoreErrorKind::Excessive.into()) }
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;

    use futures_executor::block_on;

    use super::*;
    use crate::{
        error::{Conflict, Error},
        model::{
            Date, Demand, ItemDetails, MedicineName, Patch, Patient, PatientDetails, PatientId, Takings, TakingsKey,
        },
        operation::Operation,
        service::{CareService, ExpectedVersion, RestockPeriod, TakingsPeriod},
        store::{Act, Change, MemoryStore},
    };

    fn excessive<T>(answer: Result<T, Error>) -> bool {
        matches!(answer, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Excessive)
    }

    fn storing(changes: Vec<Change>) -> CareService {
        let care = CareService::new(MemoryStore::new());
        let act = Act::new("tests", Operation::AddPatient, care.now());
        block_on(care.store().transact(act, Box::new(move |_| Ok(changes.clone().into())))).unwrap();
        care
    }

    fn day(number: usize) -> Date {
        Date::from_unix_days(20_000 + i64::try_from(number).unwrap()).unwrap()
    }

    /// Asserts that an answer of as many records as the bound allows is given, and one of more is refused.
    fn bounded<T, F: Future<Output = Result<T, Error>>>(
        record: impl Fn(usize) -> Change,
        ask: impl Fn(CareService) -> F,
    ) {
        let answer = |records: usize| block_on(ask(storing((0..records).map(&record).collect())));
        assert!(answer(REPORT).is_ok());
        assert!(excessive(answer(REPORT + 1)));
    }

    #[test]
    fn no_report_reads_more_than_its_bound() {
        let medicine = |number: usize| MedicineName::new(format!("m{number}")).unwrap();
        let period = |to| RestockPeriod::new(Some(day(0)), Some(to), to).unwrap();
        let counted =
            |number| Change::put(Demand { prescribed: 1, ..Demand::new(medicine(number / 30), day(number % 30)) });
        bounded(counted, |care| async move { care.restock(period(day(40)), 10).await });
        bounded(counted, |care| async move { care.restock_ranking(period(day(40)), 10).await });
        let taken = |number: usize| {
            let holder = format!("holder {}", number / 300).into();
            Change::put(Takings::new(TakingsKey { day: day(number % 300), holder, currency: None }))
        };
        let days = TakingsPeriod { from: day(0), to: day(300) };
        bounded(taken, |care| async move { care.takings(days, None).total().await });
    }

    #[test]
    fn no_earlier_version_is_looked_for_without_end() {
        let care = CareService::new(MemoryStore::new());
        let id = block_on(care.register_patient(PatientDetails::default())).unwrap().patient_id;
        let change = |number: usize| {
            let details = PatientDetails::default().age(i64::try_from(number % 100).unwrap()).unwrap();
            block_on(care.update_patient(id, details, ExpectedVersion::Any)).unwrap().version
        };
        // A store knows an entry that put the record without a search, and this one put another.
        let other = block_on(care.register_patient(PatientDetails::default())).unwrap().version;
        let first = || block_on(care.as_of::<Patient>(id, other));
        for number in 0..VERSIONS {
            change(number);
        }
        assert!(first().unwrap().is_some(), "the bound is reached");
        let last = change(VERSIONS);
        assert!(excessive(first()), "it is never said that there is none");
        assert!(block_on(care.as_of::<Patient>(id, last)).unwrap().is_some());
        assert!(block_on(care.as_of::<Patient>(PatientId::try_from(9).unwrap(), last)).unwrap().is_none());
    }

    #[test]
    fn an_earlier_version_of_a_shelf_is_too_long_ago() {
        let care = CareService::new(MemoryStore::new());
        let medicine = MedicineName::new("a").unwrap();
        let key = || medicine.key().clone();
        block_on(care.add_item(medicine.clone(), ItemDetails::default())).unwrap();
        let first = block_on(care.last()).unwrap();
        for number in 0..=VERSIONS {
            let details = ItemDetails { is_available: Patch::Set(number % 2 == 1), ..ItemDetails::default() };
            block_on(care.update_item(key(), details, ExpectedVersion::Any)).unwrap();
        }
        let then = block_on(care.item_as_of(key(), first));
        assert!(matches!(then, Err(Error::Conflict(Conflict::TooLongAgo))), "{then:?}");
    }
}

//! What a decision has led to.

use super::{Act, Change, Entry, Key, Keys, Seen, Seq, Stop};

/// The changes that a decision wants, together with what they meet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// For each change the version that the record has before the entry, [`Seq::ZERO`] when there is none.
    pub replaced: Vec<Seq>,
}

impl Plan {
    /// The plan of these changes, as far as the versions of the records were seen.
    ///
    /// For stores that hand decisions on to another store; the others call [`decide`](super::decide).
    ///
    /// # Errors
    /// [`Stop::Need`] for the records that were not loaded yet.
    pub fn of(changes: Vec<Change>, seen: &Seen) -> Result<Self, Stop> {
        match Self::unseen(&changes, seen) {
            Some(keys) => Err(Stop::Need(keys)),
            None => Ok(Self::settle(changes, seen)),
        }
    }

    /// What is to be loaded to know which versions the changes replace, if anything is.
    pub(super) fn unseen(changes: &[Change], seen: &Seen) -> Option<Keys> {
        let keys = changes.iter().map(Change::key).filter(|key| seen.version(key).is_none());
        let keys: Vec<_> = keys.map(Key::Record).collect();
        (!keys.is_empty()).then(|| keys.into())
    }

    /// The plan of changes whose records were all seen.
    pub(super) fn settle(changes: Vec<Change>, seen: &Seen) -> Self {
        let replaced = changes.iter().map(|change| seen.version(&change.key()).unwrap_or_default()).collect();
        Self { changes, replaced }
    }
}

impl Act {
    /// The journal entry of an act that led to this plan.
    pub fn enter(&self, seq: Seq, plan: Plan) -> Entry {
        let Plan { changes, replaced } = plan;
        let actor = self.actor.as_ref().to_owned();
        Entry { seq, at: self.at, actor, operation: self.operation.into(), changes, replaced }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        error::StoreError,
        model::{Patient, PatientId},
        store::{Decision, Found, RecordKey, Versioned, Voided, decide, decide_async},
    };

    /// Patient 1 is there in version 3, and nobody else.
    fn load(key: &Key) -> Result<Found, StoreError> {
        let patient = Patient::new(PatientId::FIRST);
        let is_there = *key == Key::Record(RecordKey::Patient(patient.patient_id));
        Ok(is_there.then(|| Versioned { version: Seq::new(3), record: patient.into() }).into())
    }

    fn decision() -> Decision {
        let id = PatientId::FIRST;
        Box::new(move |_: &Seen| {
            Ok::<_, Stop>(vec![
                Change::put(Patient::new(id)),
                Change::put(Voided { patient_id: id }),
                Change::Remove(RecordKey::Patient(id)),
            ])
        })
    }

    #[test]
    fn a_plan_knows_what_each_change_meets() {
        let plan = decide(&mut decision(), load).unwrap();
        assert_eq!(plan.replaced, [3, 0, 3].map(Seq::new));
        let mut decision = decision();
        let waited = decide_async(&mut decision, async |keys: &[Key]| keys.iter().map(load).collect());
        assert_eq!(futures_executor::block_on(waited).unwrap(), plan);
    }

    #[test]
    fn what_was_not_seen_is_asked_for() {
        let changes = vec![Change::Remove(RecordKey::Patient(PatientId::FIRST))];
        let key = Key::Record(RecordKey::Patient(PatientId::FIRST));
        assert!(matches!(Plan::of(changes, &Seen::default()), Err(Stop::Need(needed)) if *needed == [key]));
    }
}

//! The loops that run decisions and questions.

use crate::{
    error::{Error, StoreError},
    store::{Deciding, Decision, Key, Lookup, Plan, Seen, Stop},
};

/// Runs a question to its end, loading the keys that it asks for.
///
/// Stores whose loading blocks call this inside their transaction. A panic in the question becomes an error, so that
/// only its own transaction is lost.
///
/// # Errors
/// The refusal, or the failure of `load`.
pub fn drive<T>(
    ask: &mut (impl FnMut(&mut Seen) -> Result<T, Stop> + ?Sized),
    load: impl FnMut(&Key) -> Result<Lookup, StoreError>,
) -> Result<T, Error> {
    Deciding::new(ask).finish(load)
}

/// Runs a question like [`drive`], for stores with async loading. `load` returns the records of all given keys in their
/// order.
///
/// # Errors
/// The refusal, or the failure of `load`.
pub async fn drive_async<T>(
    ask: &mut (impl FnMut(&mut Seen) -> Result<T, Stop> + Send + ?Sized),
    load: impl AsyncFnMut(&[Key]) -> Result<Vec<Lookup>, StoreError>,
) -> Result<T, Error> {
    Deciding::new(ask).finish_async(load).await
}

/// Runs a decision to its end, and looks up the version of every record that it changes.
///
/// # Errors
/// The refusal, or the failure of `load`.
pub fn decide(decision: &mut Decision, load: impl FnMut(&Key) -> Result<Lookup, StoreError>) -> Result<Plan, Error> {
    Deciding::of(decision).finish(load)
}

/// Runs a decision like [`decide`], for stores with async loading. `load` returns the records of all given keys in
/// their order.
///
/// # Errors
/// The refusal, or the failure of `load`.
pub async fn decide_async(
    decision: &mut Decision,
    load: impl AsyncFnMut(&[Key]) -> Result<Vec<Lookup>, StoreError>,
) -> Result<Plan, Error> {
    Deciding::of(decision).finish_async(load).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        error::StoreErrorKind,
        model::{Diagnosis, Patient, PatientId},
        store::{RecordKey, RecordKind, Seq, Versioned},
    };

    const ID: PatientId = PatientId::FIRST;

    fn patient(number: i64) -> Key {
        RecordKey::Patient(PatientId::try_from(number).unwrap()).into()
    }

    fn prescriptions() -> Key {
        RecordKind::Prescription.of_patient(ID).unwrap()
    }

    fn load(key: &Key) -> Result<Lookup, StoreError> {
        assert_eq!(*key, Key::Record(RecordKey::Patient(ID)));
        Ok(Lookup::One(Versioned { version: Seq::new(3), record: Patient::new(ID).into() }))
    }

    #[test]
    fn a_decision_runs_again_until_it_has_seen_enough() {
        let mut runs = 0;
        let version = drive(
            &mut |seen: &mut Seen| {
                runs += 1;
                Ok(seen.get::<Patient>(ID)?.map(|patient| patient.version))
            },
            load,
        );
        assert_eq!(version.unwrap(), Some(Seq::new(3)));
        assert_eq!(runs, 2);
    }

    #[test]
    fn what_is_asked_for_together_costs_one_more_run() {
        let (mut runs, mut loads) = (0, Vec::new());
        let numbers = 1..=300;
        let known = drive(
            &mut |seen: &mut Seen| {
                runs += 1;
                seen.need(numbers.clone().map(patient))?;
                let get = |number| seen.get::<Patient>(PatientId::try_from(number).unwrap());
                numbers.clone().try_fold(0, |known, number| Ok(known + usize::from(get(number)?.is_some())))
            },
            |key| {
                loads.push(key.clone());
                Ok(if loads.len() % 2 == 0 { Lookup::None } else { load(&patient(1))? })
            },
        );
        // All found records claim to be the first.
        assert_eq!((known.unwrap(), runs), (150, 2));
        assert_eq!(loads, numbers.map(patient).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_taken_is_loaded_again() {
        let taken = drive(
            &mut |seen: &mut Seen| {
                let taken = seen.take::<Patient>(ID)?;
                assert!(matches!(seen.get::<Patient>(ID), Err(Stop::Need(_))));
                assert!(matches!(seen.need([patient(1)]), Err(Stop::Need(_))));
                Ok(taken)
            },
            load,
        );
        assert_eq!(taken.unwrap(), Some(Versioned { version: Seq::new(3), record: Patient::new(ID) }));
        let absent = drive(&mut |seen: &mut Seen| seen.take::<Patient>(ID), |_: &Key| Ok(Lookup::None));
        assert_eq!(absent.unwrap(), None);
    }

    #[test]
    fn a_refusal_and_a_panic_end_it() {
        let refused = drive(&mut |_: &mut Seen| Err::<(), _>(Error::NotFound(RecordKind::Patient).into()), load);
        assert!(matches!(refused, Err(Error::NotFound(RecordKind::Patient))));
        let panicked = drive(&mut |_: &mut Seen| -> Result<(), Stop> { panic!("planted") }, load);
        assert!(matches!(panicked, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Broken));
    }

    #[test]
    fn who_asks_without_end_is_refused() {
        let mut loads = 0;
        let mut next = 0;
        let endless = drive(
            &mut |seen: &mut Seen| -> Result<(), Stop> {
                next += 1;
                seen.need((next..next + 10).map(patient))
            },
            |_| {
                loads += 1;
                Ok(Lookup::None)
            },
        );
        assert!(matches!(endless, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Excessive));
        assert!((1..=Deciding::<()>::LIMIT).contains(&loads), "{loads}");
        // A store that does not answer every key is not asked without end.
        let mut ask = |seen: &mut Seen| Ok(seen.get::<Patient>(ID)?.is_some());
        let silent = futures_executor::block_on(drive_async(&mut ask, async |_: &[Key]| Ok(Vec::new())));
        assert!(matches!(silent, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Excessive));
    }

    #[test]
    fn a_key_that_means_too_much_is_refused() {
        let many = |count: i64| {
            let record = |number| Patient::new(PatientId::try_from(number).unwrap()).into();
            Lookup::Many((1..=count).map(|number| Versioned { version: Seq::new(1), record: record(number) }).collect())
        };
        let run = |count| {
            let mut ask = |seen: &mut Seen| {
                let found = match seen.lookup(&prescriptions())? {
                    Lookup::Many(records) => records.len(),
                    _ => 0,
                };
                seen.all(Diagnosis::of_patient(ID))?.count();
                Ok(found)
            };
            drive(&mut ask, |key| Ok(if *key == prescriptions() { many(count) } else { Lookup::None }))
        };
        assert_eq!(run(1000).unwrap(), 1000);
        let refused = run(Deciding::<()>::LIMIT as i64 + 1);
        assert!(matches!(refused, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Excessive));
    }

    #[test]
    fn a_store_stops_loading_where_the_room_ends() {
        let limit = Deciding::<()>::LIMIT;
        let mut rooms = Vec::new();
        let mut ask = |seen: &mut Seen| {
            seen.need([Diagnosis::of_patient(ID).into(), prescriptions()])?;
            // A record that was not loaded is never taken for one that is not there.
            Ok(seen.all(Diagnosis::of_patient(ID))?.count())
        };
        let refused = Deciding::new(&mut ask).finish_within(|key, room| {
            rooms.push(room);
            Ok(if *key == prescriptions() { Lookup::TooMany } else { Lookup::None })
        });
        assert!(matches!(refused, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Excessive));
        assert_eq!(rooms, [limit - 2, limit - 2]);
    }

    #[test]
    fn waiting_stores_run_the_same_loop() {
        let mut ask = |seen: &mut Seen| Ok(seen.get::<Patient>(ID)?.is_some());
        let answer = drive_async(&mut ask, async |keys: &[Key]| keys.iter().map(load).collect());
        assert!(futures_executor::block_on(answer).unwrap());
    }
}

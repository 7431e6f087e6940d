//! A walk: random decisions on a store and on the model, whose answers must always be equal.

use care_core::{
    error::{Error, Kind},
    model::{Consultation, Diagnosis, Invoice, Item, Movement, OpenLot, Prescription, Receipt, Stock},
    store::{Counter, Entity, Key, Record, Reply, Seen, Seq, Stop, Versioned},
};

use super::{
    model::Model,
    moves::decision,
    subject::{Subject, planted_panic, record},
    universe::{every_key, query},
};
use crate::{dice::Dice, samples};

const STEPS: u64 = 80;

/// Walks from an empty store. The same seed makes the same walk.
pub(super) fn walk(subject: &Subject, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut model = Model::default();
    let mut last = Seq::ZERO;
    for step in 1..=STEPS {
        let (outcome, after) = decision(&mut dice, &model, last.next());
        let fate = dice.roll(10);
        let is_empty = outcome.is_empty();
        let answer = subject.decide(samples::act(), move |seen| {
            for change in &outcome.changes {
                record(seen, &change.key())?;
            }
            match fate {
                0 => Err(Error::NotFound(Kind::Item).into()),
                1 => planted_panic(),
                _ => Ok(outcome.clone()),
            }
        });
        match (fate, answer) {
            (0 | 1, Err(_)) => {}
            (_, Ok(seq)) if seq == (!is_empty).then_some(last.next()) => {
                model = after;
                last = seq.unwrap_or(last);
            }
            (_, other) => panic!("step {step} of seed {seed} ended otherwise: {other:?}"),
        }
        let queries: Vec<_> = (0..4).map(|_| (query(&mut dice), dice.roll(12) as usize)).collect();
        for (query, limit) in queries {
            assert_eq!(
                subject.list(&query, limit),
                model.list(&query, limit),
                "{query:?} up to {limit}, step {step} of seed {seed}"
            );
        }
        if step % 20 == 0 {
            compare_keys(subject, &model);
        }
    }
    assert_eq!(subject.last_seq(), last);
}

/// Compares the answers to every key that a walk can have touched, asked for one after the other and together.
fn compare_keys(subject: &Subject, model: &Model) {
    type Answers = Vec<(Vec<Versioned<Record>>, Option<u64>)>;
    fn all(seen: &Seen, keys: &[Key]) -> Result<Answers, Stop> {
        keys.iter().map(|key| Ok((answer(seen, key)?, count(seen, key)?))).collect()
    }
    let keys = every_key();
    let alone = subject.read(|seen| all(seen, &keys));
    let asked = keys.clone();
    let answers = subject.ask(move |seen| {
        // A decision has too little time to ask for them one by one.
        seen.need(asked.iter().cloned())?;
        all(seen, &asked)
    });
    assert_eq!(answers, alone);
    for (key, (answer, count)) in keys.iter().zip(answers) {
        assert_eq!(count, model.count(key), "{key:?}");
        let mut expected = model.answer(key);
        if matches!(key, Key::FreePatientNumber(_)) {
            // A count is not a record, so its version is meaningless.
            let version = answer.first().map_or(Seq::ZERO, |found| found.version);
            expected.iter_mut().for_each(|found| found.version = version);
        }
        assert_eq!(answer, expected, "{key:?}");
    }
}

/// Returns the records that answer a key.
fn answer(seen: &Seen, key: &Key) -> Result<Vec<Versioned<Record>>, Stop> {
    fn all<E: Entity>(seen: &Seen, key: &Key) -> Result<Vec<Versioned<Record>>, Stop> {
        let found = seen.all::<E>(key.clone())?;
        Ok(found.map(|found| Versioned { version: found.version, record: found.record.clone().into() }).collect())
    }
    match key {
        Key::Record(key) => Ok(record(seen, key)?.into_iter().collect()),
        Key::ActivePrescription(..)
        | Key::NewestPrescription(..)
        | Key::ActivePrescriptionFor(_)
        | Key::PrescriptionsOf(_) => all::<Prescription>(seen, key),
        Key::ActivePrescriptions(_) => Ok(Vec::new()),
        Key::ConsultationsOf(_) => all::<Consultation>(seen, key),
        Key::DiagnosesOf(_) => all::<Diagnosis>(seen, key),
        Key::LastCorrection(_) => all::<Receipt>(seen, key),
        Key::UnpaidInvoice(_) | Key::UnpaidInvoiceOf(_) | Key::PaidInvoices(_) | Key::LastPaidInvoices(_) => {
            all::<Invoice>(seen, key)
        }
        Key::StockOrItem(_) => Ok([all::<Stock>(seen, key)?, all::<Item>(seen, key)?].concat()),
        Key::OpenLots(_) => all::<OpenLot>(seen, key),
        Key::ReversalOf(_) => all::<Movement>(seen, key),
        Key::FreePatientNumber(_) => all::<Counter>(seen, key),
        Key::ReplyTo(_) | Key::RepliesBefore(_) => all::<Reply>(seen, key),
    }
}

/// Returns the number that answers a key, or `None` for a key of records.
fn count(seen: &Seen, key: &Key) -> Result<Option<u64>, Stop> {
    match key {
        Key::ActivePrescriptions(_) => seen.count(key.clone()).map(Some),
        _ => Ok(None),
    }
}

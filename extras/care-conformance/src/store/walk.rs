//! A walk: random decisions on a store and on the model, whose answers must always be equal.

use care_core::{
    error::Error,
    store::{Query, RecordKind, Revision, Seq, Stop},
};

use super::{
    asked::{Asked, every_key},
    listed::{Listed, every_list, list},
    model::Model,
    moves::decision,
    subject::{ALL, Subject, planted_panic, record},
};
use crate::{dice::Dice, samples};

const STEPS: u64 = 80;
/// The number of values that each parameter of a list has in the end.
const VALUES: usize = 4;

/// Walks from an empty store, and returns what the store is in the end. The same seed makes the same walk.
pub(super) fn walk(subject: &Subject, seed: u64) -> Model {
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
                0 => Err(Error::NotFound(RecordKind::Item).into()),
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
        for _ in 0..4 {
            let (Listed { query, expected }, limit) = (list(&mut dice), dice.roll(12) as usize);
            let mut expected = expected(&model);
            expected.truncate(limit);
            assert_eq!(subject.list(&query, limit), expected, "{query:?} up to {limit}, step {step} of seed {seed}");
        }
        if step % 20 == 0 && step < STEPS {
            compare_keys(subject, &model);
        }
    }
    assert_eq!(subject.last_seq(), last);
    compare(subject, &model, &mut dice);
    model
}

/// Compares every answer of the store with what the model says.
pub(super) fn compare(subject: &Subject, model: &Model, dice: &mut Dice) {
    compare_keys(subject, model);
    for Asked { key, expected } in every_key() {
        assert_eq!(subject.read(|seen| seen.lookup(&key)), expected(model), "{key:?} alone");
    }
    compare_lists(subject, model, dice);
    compare_journal(subject, model);
}

/// Compares what the journal tells from its beginning.
fn compare_journal(subject: &Subject, model: &Model) {
    let mut told = Model::default();
    for entry in subject.entries() {
        let before = told.clone();
        for Revision { change, replaced, .. } in &entry.revisions {
            let key = change.key();
            let version = before.record(&key).first().map_or(Seq::ZERO, |found| found.version);
            assert_eq!(*replaced, version, "what entry {} replaced of {key:?}", entry.seq);
            told.apply(entry.seq, change);
        }
    }
    assert_eq!(told, *model);
}

/// Compares every list with each combination of its parameters, and what follows each record.
fn compare_lists(subject: &Subject, model: &Model, dice: &mut Dice) {
    for Listed { query, expected } in every_list(VALUES, dice) {
        assert_eq!(subject.list(&query, ALL), expected(model), "{query:?}");
    }
    for key in model.above(None).iter().map(|found| found.record.key()) {
        let mut expected = model.above(Some(&key));
        expected.truncate(2);
        assert_eq!(subject.list(&Query::All { after: Some(key.clone()) }, 2), expected, "after {key:?}");
    }
}

/// Compares the answers to every key that a walk can have touched, asked for together.
fn compare_keys(subject: &Subject, model: &Model) {
    let every = every_key();
    let keys: Vec<_> = every.iter().map(|asked| asked.key.clone()).collect();
    let answers = subject.ask(move |seen| {
        // A decision has too little time to ask for them one by one.
        seen.need(keys.iter().cloned())?;
        keys.iter().map(|key| seen.lookup(key)).collect::<Result<Vec<_>, Stop>>()
    });
    for (Asked { key, expected }, answer) in every.iter().zip(answers) {
        assert_eq!(answer, expected(model), "{key:?}");
    }
}

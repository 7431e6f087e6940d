//! A walk: random decisions on a store and on the model, whose answers must always be equal.

use care_core::{
    error::Error,
    store::{Key, Lookup, RecordKind, Seen, Seq, Stop},
};

use super::{
    asked::every_key,
    listed::{Listed, list},
    model::Model,
    moves::decision,
    subject::{Subject, planted_panic, record},
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
        if step % 20 == 0 {
            compare_keys(subject, &model);
        }
    }
    assert_eq!(subject.last_seq(), last);
}

/// Compares the answers to every key that a walk can have touched, asked for one after the other and together.
fn compare_keys(subject: &Subject, model: &Model) {
    fn all(seen: &Seen, keys: &[Key]) -> Result<Vec<Lookup>, Stop> {
        keys.iter().map(|key| seen.lookup(key)).collect()
    }
    let every = every_key();
    let keys: Vec<_> = every.iter().map(|asked| asked.key.clone()).collect();
    let alone = subject.read(|seen| all(seen, &keys));
    let asked = keys.clone();
    let answers = subject.ask(move |seen| {
        // A decision has too little time to ask for them one by one.
        seen.need(asked.iter().cloned())?;
        all(seen, &asked)
    });
    assert_eq!(answers, alone);
    for (asked, answer) in every.iter().zip(answers) {
        assert_eq!(answer, (asked.expected)(model), "{:?}", asked.key);
    }
}

//! Loading ahead: the records that several waiting decisions need are loaded together.

use std::collections::{HashMap, HashSet};

use care_core::store::{Change, Deciding, Decision, Key, Lookup, Plan, RecordKey, Seq, Step, Versioned};

use super::{cache::Cache, transaction::Transaction, turn::Turn};
use crate::base::error::Fault;

/// The number of times that decisions are looked at together for what they need, before they run one by one.
const ROUNDS: usize = 6;

/// The number of keys with which no further decision is looked at: the batch may well end before its turn.
const MOST: usize = 4096;

/// A decision that waits, with the limits of its turn where it has any.
pub(crate) struct Next<'a> {
    pub(crate) turn: Option<Turn<'a>>,
    pub(crate) decision: &'a mut Decision,
}

/// Loads what the decisions of these need, as far as that can be known before they run in their order.
pub(crate) fn load<T>(
    transaction: &mut Transaction<'_>,
    waiting: &mut [T],
    next: fn(&mut T) -> Option<Next<'_>>,
) -> Result<(), Fault> {
    for _ in 0..ROUNDS {
        let needed = needed(waiting, next, &transaction.cache);
        if needed.is_empty() {
            break;
        }
        transaction.fetch(needed)?;
    }
    Ok(())
}

/// Returns the unknown keys that the decisions of these need next, one behind the other. Each decision runs as far as
/// the known keys lead, and sees what those before it would write. Behind its first load it runs on as if nothing were
/// found under unknown keys: they mostly name what it makes, by a number that only the decisions before it tell.
pub(crate) fn needed<T>(waiting: &mut [T], next: fn(&mut T) -> Option<Next<'_>>, cache: &Cache) -> Vec<Key> {
    let (mut needed, mut asked, mut written) = (Vec::new(), HashSet::new(), HashMap::new());
    for Next { mut turn, decision } in waiting.iter_mut().filter_map(next) {
        if needed.len() >= MOST {
            break;
        }
        let mut deciding = match turn {
            Some(_) => Deciding::of(decision),
            None => Deciding::of(decision).unlimited(),
        };
        let mut is_first = true;
        loop {
            let keys = match deciding.step() {
                Step::Need(keys) => keys,
                Step::Done(plan) => {
                    foresee(&mut written, plan);
                    break;
                }
                Step::Refused(_) => break,
            };
            let known = |key: &Key| record(key).and_then(|key| written.get(key)).or_else(|| cache.get(key));
            let is_new = |key: &&Key| known(key).is_none() && asked.insert((*key).clone());
            needed.extend(keys.iter().filter(is_new).cloned());
            let is_over = turn.as_mut().is_some_and(|turn| turn.next(keys.len()).is_err());
            if is_over || (is_first && keys.iter().any(|key| known(key).is_none())) {
                break;
            }
            is_first = false;
            for key in keys {
                let found = known(&key).cloned().unwrap_or_default();
                deciding.enter(key, found);
            }
        }
    }
    needed
}

/// Notes what a decision would write. It tells later ones what to load, and no more, so no version is needed.
fn foresee(written: &mut HashMap<RecordKey, Lookup>, plan: Plan) {
    for revision in plan.revisions {
        match revision.change {
            Change::Put(record) => written.insert(record.key(), Some(Versioned { version: Seq::ZERO, record }).into()),
            Change::Remove(key) => written.insert(key, Lookup::None),
        };
    }
}

/// Returns the record that a key names.
const fn record(key: &Key) -> Option<&RecordKey> {
    match key {
        Key::Record(key) => Some(key),
        _ => None,
    }
}

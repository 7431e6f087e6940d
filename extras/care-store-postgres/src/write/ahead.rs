//! Loading ahead: one load for the records that several waiting decisions need.

use std::collections::{HashMap, HashSet};

use care_core::store::{Change, Deciding, Decision, Key, Lookup, Plan, RecordKey, Seq, Step, Turn, Versioned};

use super::{cache::Cache, transaction::Transaction};
use crate::base::error::Fault;

/// Most times that the waiting decisions are asked together what they need, before they run one by one.
const ROUNDS: usize = 6;

/// No further decision is asked once this many keys are needed: the batch may well end before its turn.
const MOST: usize = 4096;

/// A waiting decision, with the limits of its turn if it has any.
pub(crate) struct Next<'a> {
    pub(crate) turn: Option<Turn<'a>>,
    pub(crate) decision: &'a mut Decision,
}

/// Loads what these decisions need, as far as that can be known before they run in order.
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

/// Returns the unknown keys that these decisions need next, one after the other. Each decision runs as far as the known
/// keys allow, and sees what those before it would write. After its first load it runs on as if nothing were stored
/// under unknown keys: those are mostly the keys of what it creates, whose numbers depend on the decisions before it.
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
                    record_effects(&mut written, plan);
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

/// Notes what a decision would write. Later decisions use this only to tell what to load, so no version is needed.
fn record_effects(written: &mut HashMap<RecordKey, Lookup>, plan: Plan) {
    for revision in plan.revisions {
        match revision.change {
            Change::Put(record) => written.insert(record.key(), Some(Versioned { version: Seq::ZERO, record }).into()),
            Change::Remove(key) => written.insert(key, Lookup::None),
        };
    }
}

/// Returns the record that a key identifies.
const fn record(key: &Key) -> Option<&RecordKey> {
    match key {
        Key::Record(key) => Some(key),
        _ => None,
    }
}

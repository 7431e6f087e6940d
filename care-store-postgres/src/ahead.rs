//! Loading ahead: the records that several waiting decisions need are loaded together.

use std::collections::HashSet;

use care_core::store::{Deciding, Decision, Key, Step};

use crate::{cache::Cache, error::Fault, transaction::Transaction, turn::Turn};

/// The number of times that decisions are looked at together for what they need, before they run one by one.
const ROUNDS: usize = 6;

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
        let needed = needed(waiting, next, &transaction.cache, Vec::new());
        if needed.is_empty() {
            break;
        }
        transaction.fetch(needed)?;
    }
    Ok(())
}

/// Returns the unknown keys that the decisions of these need next, behind those that are needed anyway. Each decision
/// runs as far as the known keys lead.
pub(crate) fn needed<T>(
    waiting: &mut [T],
    next: fn(&mut T) -> Option<Next<'_>>,
    cache: &Cache,
    mut needed: Vec<Key>,
) -> Vec<Key> {
    let mut asked: HashSet<Key> = needed.iter().cloned().collect();
    for Next { mut turn, decision } in waiting.iter_mut().filter_map(next) {
        let mut deciding = match turn {
            Some(_) => Deciding::of(decision),
            None => Deciding::of(decision).unlimited(),
        };
        while let Step::Need(keys) = deciding.step() {
            let is_new = |key: &&Key| cache.get(key).is_none() && asked.insert((*key).clone());
            needed.extend(keys.iter().filter(is_new).cloned());
            let mut is_over = || turn.as_mut().is_some_and(|turn| turn.next(keys.len()).is_err());
            if keys.iter().any(|key| cache.get(key).is_none()) || is_over() {
                break;
            }
            for key in keys {
                let found = cache.get(&key).cloned().unwrap_or_default();
                deciding.enter(key, found);
            }
        }
    }
    needed
}

//! A list with lookup by key.

use std::{collections::HashMap, hash::Hash};

/// The number of entries up to which a linear search is faster than hashing a key.
const FEW: usize = 32;

/// Entries in the order in which they were added, one for each key. A short list is searched linearly, a long one
/// through a map, so the time of a lookup hardly depends on the length.
#[derive(Debug)]
pub(crate) struct KeyedList<K, V> {
    entries: Vec<(K, V)>,
    /// The index of each key, once there are more than [`FEW`].
    indexes: Option<HashMap<K, usize>>,
}

impl<K: Clone + Eq + Hash, V> KeyedList<K, V> {
    /// Returns the index of an entry, which never changes.
    pub(crate) fn index_of(&self, key: &K) -> Option<usize> {
        match &self.indexes {
            Some(indexes) => indexes.get(key).copied(),
            None => self.entries.iter().position(|(earlier, _)| earlier == key),
        }
    }

    /// Returns the entry of this key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.at(self.index_of(key)?)
    }

    /// Returns the entry of this key for changes in place.
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let index = self.index_of(key)?;
        self.entries.get_mut(index).map(|(_, value)| value)
    }

    /// Returns the entries, in their order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &(K, V)> {
        self.entries.iter()
    }

    /// Returns the entry at this index.
    pub(crate) fn at(&self, index: usize) -> Option<&V> {
        self.entries.get(index).map(|(_, value)| value)
    }

    /// Replaces the entry of the key, or appends one, and returns its index.
    pub(crate) fn insert(&mut self, key: K, value: V) -> usize {
        if let Some(index) = self.index_of(&key) {
            self.entries[index].1 = value;
            return index;
        }
        let index = self.entries.len();
        if let Some(indexes) = &mut self.indexes {
            indexes.insert(key.clone(), index);
        }
        if index == 0 {
            // Most reads need two entries; the default growth would reserve more.
            self.entries.reserve_exact(2);
        }
        self.entries.push((key, value));
        if self.indexes.is_none() && self.entries.len() > FEW {
            let keys = self.entries.iter().map(|(key, _)| key.clone());
            self.indexes = Some(keys.zip(0..).collect());
        }
        index
    }

    /// Returns the entries, in the order in which their keys were first added.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = (K, V)> {
        self.entries.into_iter()
    }
}

impl<K, V> Default for KeyedList<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), indexes: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_among_few_and_among_many() {
        let mut keyed = KeyedList::default();
        for key in 0..5 * FEW {
            assert_eq!(keyed.get(&key), None);
            assert_eq!(keyed.insert(key, 2 * key), key);
            assert!((0..=key).all(|key| keyed.get(&key) == Some(&(2 * key)) && keyed.index_of(&key) == Some(key)));
        }
    }

    #[test]
    fn an_entry_is_replaced_where_it_stands() {
        for length in [4, 5 * FEW] {
            let mut keyed = KeyedList::default();
            for key in 0..length {
                keyed.insert(key, "first");
            }
            assert_eq!(keyed.insert(1, "second"), 1);
            keyed.get_mut(&2).map(|value| *value = "third").unwrap();
            assert_eq!((keyed.at(1), keyed.at(2), keyed.at(length)), (Some(&"second"), Some(&"third"), None));
            let entries: Vec<_> = keyed.into_entries().collect();
            assert_eq!(entries.len(), length);
            assert_eq!(entries[..4], [(0, "first"), (1, "second"), (2, "third"), (3, "first")]);
        }
    }
}

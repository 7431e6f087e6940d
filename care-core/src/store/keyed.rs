//! A list that is looked up by key.

use std::{collections::HashMap, hash::Hash};

/// Up to this number of entries a look at each of them costs less than hashing a key.
const FEW: usize = 12;

/// Entries in the order in which they came, one for each key. Among a few a key is looked for one by one, among many
/// through a map, so a lookup costs about the same whatever there is.
#[derive(Debug)]
pub(crate) struct Keyed<K, V> {
    entries: Vec<(K, V)>,
    /// Where each key stands, once there are more than [`FEW`].
    places: Option<HashMap<K, usize>>,
}

impl<K: Clone + Eq + Hash, V> Keyed<K, V> {
    /// Returns where an entry stands, for as long as the list lives.
    pub(crate) fn place(&self, key: &K) -> Option<usize> {
        match &self.places {
            Some(places) => places.get(key).copied(),
            None => self.entries.iter().position(|(earlier, _)| earlier == key),
        }
    }

    /// Returns the entry of this key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.at(self.place(key)?)
    }

    /// Returns the entry of this key, to be changed where it stands.
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = self.place(key)?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// Returns the entry at this place.
    pub(crate) fn at(&self, place: usize) -> Option<&V> {
        self.entries.get(place).map(|(_, value)| value)
    }

    /// Puts an entry in the place of the one that its key has, or behind all others, and returns the place.
    pub(crate) fn insert(&mut self, key: K, value: V) -> usize {
        if let Some(place) = self.place(&key) {
            self.entries[place].1 = value;
            return place;
        }
        let place = self.entries.len();
        if let Some(places) = &mut self.places {
            places.insert(key.clone(), place);
        }
        if place == 0 {
            // Room for what most reads ask for, instead of the double.
            self.entries.reserve_exact(2);
        }
        self.entries.push((key, value));
        if self.places.is_none() && self.entries.len() > FEW {
            let keys = self.entries.iter().map(|(key, _)| key.clone());
            self.places = Some(keys.zip(0..).collect());
        }
        place
    }

    /// Returns the entries, in the order in which their keys first came.
    pub(crate) fn into_entries(self) -> impl Iterator<Item = (K, V)> {
        self.entries.into_iter()
    }
}

impl<K, V> Default for Keyed<K, V> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_among_few_and_among_many() {
        let mut keyed = Keyed::default();
        for key in 0..5 * FEW {
            assert_eq!(keyed.get(&key), None);
            assert_eq!(keyed.insert(key, 2 * key), key);
            assert!((0..=key).all(|key| keyed.get(&key) == Some(&(2 * key)) && keyed.place(&key) == Some(key)));
        }
    }

    #[test]
    fn an_entry_is_replaced_where_it_stands() {
        for length in [4, 5 * FEW] {
            let mut keyed = Keyed::default();
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

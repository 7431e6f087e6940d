//! The records that a decision has seen.

use std::collections::HashSet;

use super::{key::Ask, keyed::KeyedList};
use crate::store::{Entity, Key, Keys, Record, RecordKey, Seq, Stop, Versioned};

/// The records that the transaction has read until now.
///
/// Each record is in it once, under all keys that it was found under. The time of a lookup hardly depends on the number
/// of records.
#[derive(Debug, Default)]
pub struct Seen {
    records: KeyedList<RecordKey, Slot>,
    /// The answers to keys that do not name their record.
    answers: KeyedList<Key, Answer>,
    /// The number of found records.
    found: usize,
}

/// The answer of a store to a key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::large_enum_variant, reason = "nearly every answer is one record, and a box would cost each read")]
pub enum Lookup {
    /// No record.
    #[default]
    None,
    /// One record.
    One(Versioned<Record>),
    /// Several records, in the key's order.
    Many(Vec<Versioned<Record>>),
    /// More records than there is [room](crate::store::Deciding::room) for. They were not loaded, and the decision is
    /// refused.
    TooMany,
    /// The number that the key asks for.
    Number(u64),
}

/// The state of a record.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly every slot holds a record, and a box would cost each read")]
enum Slot {
    There(Versioned<Record>),
    Absent,
    /// The record was taken, so it has to be loaded again.
    Taken,
}

#[derive(Debug)]
enum Answer {
    /// The indexes of the records, in the key's order.
    Places(Vec<usize>),
    Number(u64),
}

impl Seen {
    /// Returns the record with this identity, if there is one.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet; pass it on with `?`.
    pub fn get<E: Entity>(&self, id: E::Id) -> Result<Option<Versioned<&E>>, Stop> {
        self.record(E::key(id))
    }

    /// Returns the one record that is asked for, if there is one.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn one<E: Entity>(&self, ask: Ask<Option<Versioned<E>>>) -> Result<Option<Versioned<&E>>, Stop> {
        match ask.into() {
            Key::Record(key) => self.record(key),
            key => Ok(self.listed(key)?.next()),
        }
    }

    /// Takes the record with this identity for use in an answer. A later lookup loads it again.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn take<E: Entity>(&mut self, id: E::Id) -> Result<Option<Versioned<E>>, Stop> {
        let key = E::key(id);
        match self.records.get_mut(&key) {
            None | Some(Slot::Taken) => Err(need(key)),
            Some(Slot::Absent) => Ok(None),
            Some(slot) => Ok(match std::mem::replace(slot, Slot::Taken) {
                Slot::There(Versioned { version, record }) => {
                    E::try_from_record(record).map(|record| Versioned { version, record })
                }
                Slot::Absent | Slot::Taken => None,
            }),
        }
    }

    /// Returns all records that are asked for.
    ///
    /// # Errors
    /// [`Stop::Need`] when they were not loaded yet.
    pub fn all<E: Entity>(&self, ask: Ask<Vec<Versioned<E>>>) -> Result<impl Iterator<Item = Versioned<&E>>, Stop> {
        self.listed(ask.into())
    }

    /// Returns how many records there are of those that are asked for.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn count(&self, ask: Ask<u64>) -> Result<u64, Stop> {
        self.numbered(ask.into()).map(Option::unwrap_or_default)
    }

    /// Returns the number that is asked for, if there is one.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn number(&self, ask: Ask<Option<u64>>) -> Result<Option<u64>, Stop> {
        self.numbered(ask.into())
    }

    /// Returns the answer to a key of any kind, for stores that pass questions on to another store.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn lookup(&self, key: &Key) -> Result<Lookup, Stop> {
        let slot = |slot: &Slot| match slot {
            Slot::There(found) => Ok(Some(found.clone())),
            Slot::Absent => Ok(None),
            Slot::Taken => Err(Stop::Need(key.clone().into())),
        };
        let found: Vec<_> = match key {
            Key::Record(record) => vec![self.records.get(record).map_or_else(|| slot(&Slot::Taken), slot)?],
            key => match self.answers.get(key) {
                Some(Answer::Number(number)) => return Ok(Lookup::Number(*number)),
                Some(Answer::Places(places)) => {
                    places.iter().filter_map(|place| self.records.at(*place)).map(slot).collect::<Result<_, _>>()?
                }
                None => return Err(Stop::Need(key.clone().into())),
            },
        };
        let records: Vec<_> = found.into_iter().flatten().collect();
        Ok(if records.is_empty() { Lookup::None } else { Lookup::Many(records) })
    }

    /// Asks for all of these keys at once. The missing ones are loaded together, so that the decision runs once more,
    /// and not once more for each key.
    ///
    /// # Errors
    /// [`Stop::Need`] for those that were not loaded yet.
    pub fn need(&self, keys: impl IntoIterator<Item = Key>) -> Result<(), Stop> {
        let mut missing: Vec<_> = keys.into_iter().filter(|key| !self.has(key)).collect();
        if missing.len() > 1 {
            let mut asked = HashSet::new();
            missing.retain(|key| asked.insert(key.clone()));
        }
        if missing.is_empty() { Ok(()) } else { Err(Stop::Need(missing.into())) }
    }

    /// Returns whether exactly this record is stored, as far as it was loaded.
    pub(crate) fn holds(&self, key: &RecordKey, record: &Record) -> bool {
        matches!(self.records.get(key), Some(Slot::There(found)) if found.record == *record)
    }

    /// Returns whether this record is known to be absent.
    pub(crate) fn lacks(&self, key: &RecordKey) -> bool {
        matches!(self.records.get(key), Some(Slot::Absent))
    }

    /// Returns the version of a record, [`Seq::ZERO`] for an absent one; `None` when it was not loaded yet.
    pub(crate) fn version(&self, key: &RecordKey) -> Option<Seq> {
        match self.records.get(key)? {
            Slot::There(found) => Some(found.version),
            Slot::Absent => Some(Seq::ZERO),
            Slot::Taken => None,
        }
    }

    /// Adds the records that a store found under a key.
    pub(crate) fn enter(&mut self, key: Key, found: Lookup) {
        self.found = self.found.saturating_add(found.len());
        match key {
            Key::Record(key) => {
                let slot = found.into_first().map_or(Slot::Absent, Slot::There);
                self.records.insert(key, slot);
            }
            key => {
                let answer = match found {
                    Lookup::None | Lookup::TooMany => Answer::Places(Vec::new()),
                    Lookup::One(record) => Answer::Places(vec![self.keep(record)]),
                    Lookup::Many(records) => {
                        Answer::Places(records.into_iter().map(|record| self.keep(record)).collect())
                    }
                    Lookup::Number(number) => Answer::Number(number),
                };
                self.answers.insert(key, answer);
            }
        }
    }

    /// Returns the number of found records. A record that was found twice counts twice.
    pub(crate) const fn found(&self) -> usize {
        self.found
    }

    fn keep(&mut self, found: Versioned<Record>) -> usize {
        self.records.insert(found.record.key(), Slot::There(found))
    }

    /// Returns the record with this key, if there is one. The key must be one of its kind.
    pub(crate) fn record<E: Entity>(&self, key: RecordKey) -> Result<Option<Versioned<&E>>, Stop> {
        match self.records.get(&key) {
            Some(Slot::There(found)) => Ok(typed(found)),
            Some(Slot::Absent) => Ok(None),
            Some(Slot::Taken) | None => Err(need(key)),
        }
    }

    fn listed<E: Entity>(&self, key: Key) -> Result<impl Iterator<Item = Versioned<&E>> + use<'_, E>, Stop> {
        let places = match self.answers.get(&key) {
            Some(Answer::Places(places)) if !places.iter().any(|place| self.is_taken(*place)) => places.as_slice(),
            Some(Answer::Number(_)) => &[],
            Some(Answer::Places(_)) | None => return Err(Stop::Need(key.into())),
        };
        Ok(places.iter().filter_map(|place| match self.records.at(*place) {
            Some(Slot::There(found)) => typed(found),
            Some(Slot::Absent | Slot::Taken) | None => None,
        }))
    }

    fn numbered(&self, key: Key) -> Result<Option<u64>, Stop> {
        match self.answers.get(&key) {
            Some(Answer::Number(number)) => Ok(Some(*number)),
            Some(Answer::Places(_)) => Ok(None),
            None => Err(Stop::Need(key.into())),
        }
    }

    fn has(&self, key: &Key) -> bool {
        match key {
            Key::Record(key) => self.version(key).is_some(),
            key => self.answers.get(key).is_some(),
        }
    }

    fn is_taken(&self, place: usize) -> bool {
        matches!(self.records.at(place), Some(Slot::Taken))
    }
}

impl Lookup {
    fn len(&self) -> usize {
        match self {
            Self::None | Self::Number(_) => 0,
            Self::One(_) => 1,
            Self::Many(records) => records.len(),
            Self::TooMany => usize::MAX,
        }
    }

    fn into_first(self) -> Option<Versioned<Record>> {
        match self {
            Self::None | Self::Number(_) | Self::TooMany => None,
            Self::One(record) => Some(record),
            Self::Many(records) => records.into_iter().next(),
        }
    }
}

fn need(key: RecordKey) -> Stop {
    Stop::Need(Keys::from(Key::Record(key)))
}

fn typed<E: Entity>(found: &Versioned<Record>) -> Option<Versioned<&E>> {
    E::from_record(&found.record).map(|record| Versioned { version: found.version, record })
}

impl From<Option<Versioned<Record>>> for Lookup {
    fn from(record: Option<Versioned<Record>>) -> Self {
        record.map_or(Self::None, Self::One)
    }
}

impl From<Vec<Versioned<Record>>> for Lookup {
    fn from(records: Vec<Versioned<Record>>) -> Self {
        Self::Many(records)
    }
}

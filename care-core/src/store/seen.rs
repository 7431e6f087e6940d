//! What a decision has seen.

use std::collections::HashSet;

use super::{Entity, Key, Keys, Record, RecordKey, Seq, Stop, Versioned, keyed::Keyed};

/// What the transaction has read so far.
///
/// A record is in it once, whichever key it was found under, and is found in about the same time whatever else was read.
#[derive(Debug, Default)]
pub struct Seen {
    records: Keyed<RecordKey, Slot>,
    /// What keys mean that do not name their record.
    answers: Keyed<Key, Answer>,
    /// How many records were found.
    found: usize,
}

/// What a store found under a key.
#[derive(Debug, Clone, Default)]
#[expect(clippy::large_enum_variant, reason = "nearly every answer is one record, and a box would cost each read")]
pub enum Found {
    /// Nothing.
    #[default]
    None,
    /// One record.
    One(Versioned<Record>),
    /// Several, in the key's order.
    Many(Vec<Versioned<Record>>),
    /// The number that the key asks for.
    Count(u64),
}

/// What is known of a record.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly every slot holds a record, and a box would cost each read")]
enum Slot {
    There(Versioned<Record>),
    Absent,
    /// It was handed out, so it has to be loaded again.
    Taken,
}

#[derive(Debug)]
enum Answer {
    /// The places of the records, in the key's order.
    Places(Vec<usize>),
    /// A record that the store made up, and that is stored nowhere yet.
    MadeUp(Option<Box<Versioned<Record>>>),
    Count(u64),
}

impl Seen {
    /// The record with this identity, if there is one.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet: hand it on with `?`.
    pub fn get<E: Entity>(&self, id: E::Id) -> Result<Option<Versioned<&E>>, Stop> {
        self.record(E::key(id))
    }

    /// The one record that a key means, if there is one.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn one<E: Entity>(&self, key: Key) -> Result<Option<Versioned<&E>>, Stop> {
        match key {
            Key::Record(key) => self.record(key),
            key => Ok(self.all(key)?.next()),
        }
    }

    /// Takes the record with this identity out, for an answer that is made of it. A later look at it loads it again.
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

    /// All records that a key means.
    ///
    /// # Errors
    /// [`Stop::Need`] when they were not loaded yet.
    pub fn all<E: Entity>(&self, key: Key) -> Result<impl Iterator<Item = Versioned<&E>>, Stop> {
        let (apart, places) = if let Key::Record(key) = key {
            (self.record(key)?, &[][..])
        } else {
            match self.answers.get(&key) {
                Some(Answer::Places(places)) if !places.iter().any(|place| self.is_taken(*place)) => {
                    (None, places.as_slice())
                }
                Some(Answer::MadeUp(record)) => (record.as_deref().and_then(typed), &[][..]),
                Some(Answer::Count(_)) => (None, &[][..]),
                Some(Answer::Places(_)) | None => return Err(Stop::Need(key.into())),
            }
        };
        let found = places.iter().filter_map(|place| match self.records.at(*place) {
            Some(Slot::There(found)) => typed(found),
            _ => None,
        });
        Ok(apart.into_iter().chain(found))
    }

    /// The number that a key means; 0 for a key that means records.
    ///
    /// # Errors
    /// [`Stop::Need`] when it was not loaded yet.
    pub fn count(&self, key: Key) -> Result<u64, Stop> {
        match self.answers.get(&key) {
            Some(Answer::Count(count)) => Ok(*count),
            Some(Answer::Places(_) | Answer::MadeUp(_)) => Ok(0),
            None => Err(Stop::Need(key.into())),
        }
    }

    /// Asks for all of these keys at once, so that what was not loaded yet is loaded together and the decision runs
    /// again once, instead of once for each of them.
    ///
    /// # Errors
    /// [`Stop::Need`] for those that were not loaded yet.
    pub fn need(&self, keys: impl IntoIterator<Item = Key>) -> Result<(), Stop> {
        let mut asked = HashSet::new();
        let missing = keys.into_iter().filter(|key| !self.has(key) && asked.insert(key.clone()));
        let missing: Vec<_> = missing.collect();
        if missing.is_empty() { Ok(()) } else { Err(Stop::Need(missing.into())) }
    }

    /// Whether exactly this record is stored, as far as was seen.
    pub(crate) fn holds(&self, key: &RecordKey, record: &Record) -> bool {
        matches!(self.records.get(key), Some(Slot::There(found)) if found.record == *record)
    }

    /// Whether this record is known not to be there.
    pub(crate) fn lacks(&self, key: &RecordKey) -> bool {
        matches!(self.records.get(key), Some(Slot::Absent))
    }

    /// The version of a record, [`Seq::ZERO`] when there is none; `None` when it was not loaded yet.
    pub(super) fn version(&self, key: &RecordKey) -> Option<Seq> {
        match self.records.get(key)? {
            Slot::There(found) => Some(found.version),
            Slot::Absent => Some(Seq::ZERO),
            Slot::Taken => None,
        }
    }

    /// Enters what a store found under a key.
    pub(super) fn enter(&mut self, key: Key, found: Found) {
        self.found += found.len();
        match key {
            Key::Record(key) => {
                let slot = found.into_first().map_or(Slot::Absent, Slot::There);
                self.records.insert(key, slot);
            }
            Key::FreePatientNumber(_) => {
                self.answers.insert(key, Answer::MadeUp(found.into_first().map(Box::new)));
            }
            key => {
                let answer = match found {
                    Found::None => Answer::Places(Vec::new()),
                    Found::One(record) => Answer::Places(vec![self.keep(record)]),
                    Found::Many(records) => {
                        Answer::Places(records.into_iter().map(|record| self.keep(record)).collect())
                    }
                    Found::Count(count) => Answer::Count(count),
                };
                self.answers.insert(key, answer);
            }
        }
    }

    /// How many records were found, those that were found twice counted twice.
    pub(super) const fn found(&self) -> usize {
        self.found
    }

    fn keep(&mut self, found: Versioned<Record>) -> usize {
        self.records.insert(found.record.key(), Slot::There(found))
    }

    fn record<E: Entity>(&self, key: RecordKey) -> Result<Option<Versioned<&E>>, Stop> {
        match self.records.get(&key) {
            Some(Slot::There(found)) => Ok(typed(found)),
            Some(Slot::Absent) => Ok(None),
            Some(Slot::Taken) | None => Err(need(key)),
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

impl Found {
    fn len(&self) -> usize {
        match self {
            Self::None | Self::Count(_) => 0,
            Self::One(_) => 1,
            Self::Many(records) => records.len(),
        }
    }

    fn into_first(self) -> Option<Versioned<Record>> {
        match self {
            Self::None | Self::Count(_) => None,
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

impl From<Option<Versioned<Record>>> for Found {
    fn from(record: Option<Versioned<Record>>) -> Self {
        record.map_or(Self::None, Self::One)
    }
}

impl From<Vec<Versioned<Record>>> for Found {
    fn from(records: Vec<Versioned<Record>>) -> Self {
        Self::Many(records)
    }
}

//! The JSON of an entry's values.

use std::iter;

use crate::{
    error::{StoreError, StoreErrorKind},
    store::{Change, Entry},
};

/// The JSON of an entry's values, made once for the chain and for the replica.
#[derive(Debug, Default)]
pub(super) struct Values {
    json: Vec<u8>,
    /// The end of each change's value. A removal has an empty one.
    ends: Vec<usize>,
}

impl Values {
    /// Makes the JSON of this entry's values, in the place of those of the entry before.
    pub(super) fn read(&mut self, entry: &Entry) -> Result<(), StoreError> {
        self.json.clear();
        self.ends.clear();
        for change in entry.changes() {
            if let Change::Put(record) = change {
                serde_json::to_writer(&mut self.json, record)
                    .map_err(|error| StoreError::new(StoreErrorKind::Broken, error))?;
            }
            self.ends.push(self.json.len());
        }
        Ok(())
    }

    /// Returns the JSON of each change's value, empty for a removal.
    pub(super) fn each(&self) -> impl Iterator<Item = &[u8]> {
        let starts = iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.json[start..*end])
    }
}

//! The rule of the journal's hash chain: it reveals every change of an entry, and leaves room for the erasure of a
//! person.
//!
//! The link of an entry is the digest of the link before it and of all that the entry says. In the place of each value
//! stands a commitment, the digest of a random salt and the value. So an erasure can replace a value and leave the
//! chain whole: the entry keeps the commitment to what was there, and without the salt it cannot be guessed what that
//! was.

use std::{fmt::Display, io::Write};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

use crate::{
    error::{StoreError, StoreErrorKind},
    store::{Change, Commitment, Entry, Head, Link, Record, RecordKey, Revision, Salt, Seq},
};

impl Revision {
    /// Returns the commitment to the value that stands here now; `None` when there is no value, or it has no salt yet.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`] when the value cannot be written as JSON.
    pub fn value_commitment(&self) -> Result<Option<Commitment>, StoreError> {
        match &self.change {
            Change::Put(record) => Ok(self.commitment_to(&json(record)?)),
            Change::Remove(_) => Ok(None),
        }
    }

    /// Returns the commitment to the value that stands here now, which is this JSON.
    pub(crate) fn commitment_to(&self, value: &[u8]) -> Option<Commitment> {
        self.salt.map(|salt| committed(&salt, value))
    }

    /// Returns the commitment that the chain is made of: that of an erased value, or else of the value that stands
    /// here.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`] when the value cannot be written as JSON.
    pub fn chained(&self) -> Result<Option<Commitment>, StoreError> {
        self.commitment.map_or_else(|| self.value_commitment(), |kept| Ok(Some(kept)))
    }

    /// Puts a record in the place of this one, with a salt of its own, and keeps the commitment that the chain is made
    /// of. Returns the commitment to the new value.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`] when a value cannot be written as JSON, or there is no random number.
    pub fn erase(&mut self, record: Record) -> Result<Commitment, StoreError> {
        let salt = Salt::random()?;
        let left = committed(&salt, &json(&record)?);
        self.commitment = self.chained()?;
        self.change = Change::Put(record);
        self.salt = Some(salt);
        Ok(left)
    }
}

impl Entry {
    /// Returns the head of a journal that ends with this entry.
    pub const fn head(&self) -> Head {
        Head { seq: self.seq, link: self.link }
    }

    /// Returns the link that this entry has behind the entry with another link.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`] when a value cannot be written as JSON.
    pub fn link_after(&self, before: &Link) -> Result<Link, StoreError> {
        let commitments: Vec<_> = self.revisions.iter().map(Revision::chained).collect::<Result<_, _>>()?;
        self.link_with(before, &commitments)
    }

    /// Returns the link behind another one, with the commitments that the chain is made of.
    ///
    /// # Errors
    /// Those of [`link_after`](Self::link_after).
    pub(crate) fn link_with(&self, before: &Link, commitments: &[Option<Commitment>]) -> Result<Link, StoreError> {
        let mut said = Said(Vec::with_capacity(1024));
        said.0.extend_from_slice(before.as_bytes());
        said.shown(self.seq)?;
        said.shown(self.at)?;
        said.text(&self.actor);
        said.text(&self.operation);
        for (Revision { change, replaced, .. }, commitment) in self.revisions.iter().zip(commitments) {
            let verb = match change {
                Change::Put(_) => "put",
                Change::Remove(_) => "remove",
            };
            said.change(verb, &change.key(), *replaced, commitment.as_ref())?;
        }
        for key in &self.reads {
            said.change("read", key, Seq::ZERO, None)?;
        }
        if let Some(erased) = &self.erased {
            said.field(&json(erased)?);
        }
        Ok(Link::new(Sha256::digest(&said.0).into()))
    }

    /// Links entries one to the other, the first to this head. A value without a salt is given one.
    ///
    /// Replaying takes only entries that are linked. A journal that is exported or read from a store is.
    ///
    /// # Errors
    /// [`StoreErrorKind::Broken`] when a value cannot be written as JSON, or there is no random number.
    pub fn link(entries: &mut [Self], after: Head) -> Result<(), StoreError> {
        let mut before = after.link;
        for entry in entries {
            entry.enter_after(&before)?;
            before = entry.link;
        }
        Ok(())
    }

    /// Links the entry to the one with this link. A value without a salt is given one. Returns the values as JSON.
    pub(in crate::store) fn enter_after(&mut self, before: &Link) -> Result<EntryValues, StoreError> {
        let mut commitments = Vec::with_capacity(self.revisions.len());
        let mut values = Vec::with_capacity(self.revisions.len());
        for revision in &mut self.revisions {
            let (value, commitment) = match &revision.change {
                Change::Put(record) => {
                    let salt = revision.salt.map_or_else(Salt::random, Ok)?;
                    revision.salt = Some(salt);
                    let value = to_raw_value(record).map_err(broken)?;
                    let commitment = committed(&salt, value.get().as_bytes());
                    (Some(value), Some(commitment))
                }
                Change::Remove(_) => (None, None),
            };
            values.push(value);
            commitments.push(revision.commitment.or(commitment));
        }
        self.link = self.link_with(before, &commitments)?;
        Ok(EntryValues(values))
    }
}

/// The values of an entry as JSON, one for each change. They are made once, for the commitments and for the row.
#[derive(Debug)]
pub struct EntryValues(pub(in crate::store) Vec<Option<Box<RawValue>>>);

/// The content of an entry: fields, each behind its length.
struct Said(Vec<u8>);

impl Said {
    fn field(&mut self, bytes: &[u8]) {
        // No field is as long as four bytes can say: a body has at most some kilobytes, and a list a thousand elements.
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.0.extend_from_slice(&length.to_be_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &str) {
        self.field(text.as_bytes());
    }

    fn shown(&mut self, value: impl Display) -> Result<(), StoreError> {
        let start = self.0.len();
        self.field(&[]);
        write!(self.0, "{value}").map_err(|error| StoreError::new(StoreErrorKind::Broken, error))?;
        let length = u32::try_from(self.0.len() - start - 4).unwrap_or(u32::MAX);
        self.0[start..start + 4].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    fn change(
        &mut self,
        verb: &str,
        key: &RecordKey,
        replaced: Seq,
        commitment: Option<&Commitment>,
    ) -> Result<(), StoreError> {
        self.text(verb);
        self.text(key.kind());
        self.text(&key.id());
        match replaced {
            Seq::ZERO => self.field(&[]),
            replaced => self.shown(replaced)?,
        }
        self.field(commitment.map_or(&[], |commitment| commitment.as_bytes()));
        Ok(())
    }
}

/// Returns the commitment to a value with this salt.
fn committed(salt: &Salt, value: &[u8]) -> Commitment {
    Commitment::new(Sha256::new().chain_update(salt.as_bytes()).chain_update(value).finalize().into())
}

fn json(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(broken)
}

fn broken(error: serde_json::Error) -> StoreError {
    StoreError::new(StoreErrorKind::Broken, error)
}

//! The keys of clients, compared with what the journal says of them.

use std::collections::BTreeSet;

use super::{Contradiction, replica::Replica};
use crate::{
    model::{ApiKey, KeyRecord},
    store::{RecordKey, Seq},
};

/// Returns the first key that is not as the journal has it. Only entries after `replayed` count: those before are about
/// another store's keys.
pub(super) fn contradiction(replica: &Replica, keys: &[ApiKey], replayed: Seq) -> Option<Contradiction> {
    for key in keys {
        let record = RecordKey::Key(key.id.clone());
        let Some(version) = replica.version(&record) else {
            return Some(Contradiction::of(record, "is stored, but no entry has issued it"));
        };
        if version > replayed && !is_as_issued(replica, key) {
            return Some(Contradiction::of(record, format!("is not stored as entry {version} has it")));
        }
    }
    let stored: BTreeSet<_> = keys.iter().map(|key| &key.id).collect();
    replica.between(None, None).find_map(|(record, kept)| match record {
        RecordKey::Key(id) if kept.version > replayed && !stored.contains(id) => {
            Some(Contradiction::of(record.clone(), format!("is not stored, but entry {} has it", kept.version)))
        }
        _ => None,
    })
}

/// Returns whether an entry up to this one is the last that says something of a key.
pub(super) fn is_said_until(replica: &Replica, last: Seq) -> bool {
    replica.between(None, None).any(|(record, kept)| matches!(record, RecordKey::Key(_)) && kept.version <= last)
}

/// Returns whether a key is as the journal has it. One that has expired is marked as ended then, without an entry.
fn is_as_issued(replica: &Replica, key: &ApiKey) -> bool {
    let record = KeyRecord::from(key);
    let unmarked = KeyRecord { revoked: None, ..record.clone() };
    let is_marked = record.revoked.is_some() && record.revoked == record.expires;
    replica.holds_as_it_is(&record.into()) || is_marked && replica.holds_as_it_is(&unmarked.into())
}

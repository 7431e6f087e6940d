//! The owners of records: each is there, or is voided and the record is of a kind that is kept.

use crate::{
    audit::{
        contradiction::{Contradiction, require_of},
        replica::Replica,
    },
    store::{OnVoid, RecordKey, Subject},
};

/// Checks every record that has an owner, of whatever kind.
pub(super) fn close(replica: &Replica) -> Result<(), Contradiction> {
    replica.owned().try_for_each(|(key, owner, subject)| {
        let invoice = match subject {
            Subject::Patient(_) => None,
            Subject::Invoice(id) => Some(RecordKey::Invoice(id)),
        };
        let is_billed = invoice.as_ref().is_none_or(|invoice| replica.holds(invoice));
        require_of(is_billed, || key.clone(), "is there, but its invoice is not")?;
        let person = invoice.map_or(Some(subject), |invoice| replica.subject(&invoice));
        let is_there = match person {
            Some(Subject::Patient(id)) => {
                let is_kept = owner.on_void == OnVoid::Keep && replica.holds(&RecordKey::Voided(id));
                is_kept || replica.holds(&RecordKey::Patient(id))
            }
            Some(Subject::Invoice(_)) | None => false,
        };
        require_of(is_there, || key.clone(), "is there, but its patient is not")
    })
}

//! The entity tags of records whose answers depend on more than their version.

use crate::{
    rest::http::etag::Tag,
    service::{LiveItem, LivePrescription, LiveStock},
    store::{Seq, Versioned},
};

/// Returns the tag of a prescription, of which the inventory's answer is a part.
pub(super) const fn of_prescription(live: &Versioned<LivePrescription>) -> Tag {
    Tag::with_availability(live.version, live.record.is_available)
}

/// Returns the tag of an item. That of a tracked medicine depends on its availability.
pub(super) fn of_item(version: Seq, item: &LiveItem) -> Tag {
    match item.is_tracked {
        true => Tag::with_availability(version, item.item.is_available),
        false => Tag::of(version),
    }
}

/// Returns the tag of a stock, which depends on the lots that have expired.
pub(super) fn of_stock(version: Seq, live: &LiveStock) -> Tag {
    Tag { past: Some(live.past()), ..Tag::of(version) }
}

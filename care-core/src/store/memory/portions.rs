//! Portions of what a memory store holds.

use crate::store::{Filling, Limit, Portion, Record, Versioned};

/// Returns as many of these as the limit allows. The size of an item is that of its JSON.
pub(super) fn portion<'a, T: Clone + 'a>(
    items: impl IntoIterator<Item = &'a T>,
    limit: Limit,
    json: impl Fn(&T) -> serde_json::Result<String>,
) -> Portion<T> {
    let mut filling = Filling::new(limit);
    fill(items, &mut filling, json);
    filling.finish()
}

/// Adds as many of these as a portion takes.
pub(super) fn fill<'a, T: Clone + 'a>(
    items: impl IntoIterator<Item = &'a T>,
    filling: &mut Filling<T>,
    json: impl Fn(&T) -> serde_json::Result<String>,
) {
    for item in items {
        let bytes = if filling.has_bytes() { json(item).map_or(0, |json| json.len()) } else { 0 };
        if !filling.takes(bytes) {
            break;
        }
        filling.push(item.clone());
    }
}

/// Returns the JSON of a record.
pub(super) fn record_json(found: &Versioned<Record>) -> serde_json::Result<String> {
    serde_json::to_string(&found.record)
}

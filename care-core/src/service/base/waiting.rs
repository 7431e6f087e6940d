//! Records that wait for a step, counted up to a bound.

use care_derive::Record;

use crate::store::Versioned;

/// The records that wait for the same step.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Waiting", per_member)]
pub struct Waiting<T> {
    /// The number of records, counted to 1,000.
    pub count: usize,
    /// Whether there may be more than were counted; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// The first of them, as their list shows them.
    pub items: Vec<T>,
}

impl<T> Waiting<T> {
    /// The number up to which records are counted.
    pub const MOST: usize = 1_000;

    pub(in crate::service) const fn new() -> Self {
        Self { count: 0, more: false, items: Vec::new() }
    }

    /// Counts a record. Returns whether it was counted; otherwise the count is over.
    pub(in crate::service) const fn count_one(&mut self) -> bool {
        self.more = self.count == Self::MOST;
        self.count += !self.more as usize;
        !self.more
    }

    /// Counts a record, and keeps it if it is among the first ones. Returns whether it was counted.
    pub(in crate::service) fn add(&mut self, record: T, first: usize) -> bool {
        let is_counted = self.count_one();
        if is_counted && self.items.len() < first {
            self.items.push(record);
        }
        is_counted
    }

    /// Replaces the items by these.
    pub(in crate::service) fn showing<U>(self, items: impl IntoIterator<Item = Versioned<U>>) -> Waiting<U> {
        let items = items.into_iter().map(|found| found.record).collect();
        Waiting { count: self.count, more: self.more, items }
    }
}

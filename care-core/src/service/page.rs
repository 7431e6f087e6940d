//! Pages of lists.

use crate::{
    error::Error,
    store::{Entity, Query, Versioned},
};

use super::CareService;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The records, in the list's order.
    pub items: Vec<Versioned<T>>,
    /// Whether more follow after the last of them.
    pub more: bool,
}

impl CareService {
    /// The first `limit` records of a query.
    pub(super) async fn page<E: Entity>(&self, query: Query, limit: usize) -> Result<Page<E>, Error> {
        // One more than asked for tells whether there is a next page.
        let found = self.store.list(&query, limit.saturating_add(1)).await?;
        let more = found.len() > limit;
        let typed = |found: Versioned<_>| {
            E::from_record(&found.record).map(|record| Versioned { version: found.version, record: record.clone() })
        };
        Ok(Page { items: found.into_iter().take(limit).filter_map(typed).collect(), more })
    }
}

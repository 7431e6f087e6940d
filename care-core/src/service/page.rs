//! Pages of lists.

use super::CareService;
use crate::{
    error::Error,
    store::{Entity, Limit, Query, Versioned},
};

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The records, in the list's order.
    pub items: Vec<Versioned<T>>,
    /// Whether more records follow.
    pub more: bool,
}

impl CareService {
    /// Returns the first records of a query, as many as the limit allows.
    pub(super) async fn page<E: Entity>(&self, query: Query, limit: Limit) -> Result<Page<E>, Error> {
        let found = self.store.list(&query, limit).await?;
        let typed = |found: Versioned<_>| {
            E::try_from_record(found.record).map(|record| Versioned { version: found.version, record })
        };
        Ok(Page { items: found.items.into_iter().filter_map(typed).collect(), more: found.more })
    }
}

//! The medicines to order, which one report tells to all who ask within a short time.

use std::sync::Arc;

use crate::{
    error::Error,
    service::{CareService, RestockItem, RestockPeriod, Waiting},
};

impl CareService {
    /// The number of items that [`orders`](Self::orders) has at most.
    pub const MOST_ORDERS: usize = 500;

    /// Returns the items of the restock report whose order is above 0, most urgent first, of which it keeps the first
    /// [`MOST_ORDERS`](Self::MOST_ORDERS). The report is made once for all who ask while it is made, or within two
    /// seconds of its beginning.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn orders(&self) -> Result<Arc<Waiting<RestockItem>>, Error> {
        let day = self.today()?;
        let find = async {
            let ranking = self.restock_ranking(RestockPeriod::new(None, None, day)?, usize::MAX).await?;
            Ok(ranking.orders(Self::MOST_ORDERS).await)
        };
        self.orders.or(day, find).await
    }
}

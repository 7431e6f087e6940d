//! The medicines to order, which one report tells to all who ask within a short time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::lock::Mutex;

use super::desk::Waiting;
use crate::{
    error::Error,
    model::Date,
    service::{CareService, RestockItem, RestockPeriod},
};

/// The medicines to order as they were found last. The request that makes the report holds the lock, and others wait
/// for it.
#[derive(Debug, Default)]
pub(crate) struct Orders(Mutex<Option<FoundOrders>>);

#[derive(Debug, Clone)]
struct FoundOrders {
    since: Instant,
    day: Date,
    orders: Arc<Waiting<RestockItem>>,
}

/// The time for which what was found is told to others.
const KEPT: Duration = Duration::from_secs(2);

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
        let mut found = self.orders.0.lock().await;
        if let Some(found) = found.as_ref().filter(|found| found.day == day && found.since.elapsed() < KEPT) {
            return Ok(Arc::clone(&found.orders));
        }
        let since = Instant::now();
        let period = RestockPeriod::new(None, None, day)?;
        let ranking = self.restock_ranking(period, usize::MAX).await?;
        let orders = Arc::new(ranking.orders(Self::MOST_ORDERS).await);
        *found = Some(FoundOrders { since, day, orders: Arc::clone(&orders) });
        Ok(orders)
    }
}

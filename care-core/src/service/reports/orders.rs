//! The medicines to order, which one report tells to all who ask within a short time.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::desk::Waiting;
use crate::{
    error::Error,
    model::Date,
    service::{CareService, RestockItem, RestockPeriod},
};

/// The medicines to order as they were found last.
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
    /// [`MOST_ORDERS`](Self::MOST_ORDERS). All who ask within two seconds get the same answer.
    ///
    /// # Errors
    /// The store's failures.
    pub async fn orders(&self) -> Result<Arc<Waiting<RestockItem>>, Error> {
        let day = self.today()?;
        if let Some(orders) = self.orders.of(day) {
            return Ok(orders);
        }
        let since = Instant::now();
        let period = RestockPeriod::new(None, None, day)?;
        let ranking = self.restock_ranking(period, usize::MAX).await?;
        let orders = Arc::new(ranking.orders(Self::MOST_ORDERS).await);
        self.orders.keep(FoundOrders { since, day, orders: Arc::clone(&orders) });
        Ok(orders)
    }
}

impl Orders {
    /// Returns what was found on this day and not long ago.
    fn of(&self, day: Date) -> Option<Arc<Waiting<RestockItem>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.as_ref().filter(|found| found.day == day && found.since.elapsed() < KEPT);
        kept.map(|found| Arc::clone(&found.orders))
    }

    fn keep(&self, found: FoundOrders) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }
}

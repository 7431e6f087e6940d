//! The sources of events: a service in the same process, or one over HTTP.

use std::time::Duration;

use care_client::{CareClient, Event};
use care_core::{
    service::CareService,
    store::{Limit, Seq},
    wire,
};
use tokio::time::timeout;

use crate::sender::http_date;

/// The bytes of the journal that a service in the same process reads for a page.
const READ: usize = 1024 * 1024;

/// A feed of events.
#[async_trait::async_trait]
pub trait EventSource: Send + Sync + 'static {
    /// Returns the events after this entry, at most `limit`, as one page. While there is no later entry, it waits this
    /// long: 30 seconds at most.
    ///
    /// # Errors
    /// The service does not answer.
    async fn events(&self, after: Seq, limit: usize, wait: Duration) -> Result<EventPage, SourceError>;

    /// Returns the end of the journal.
    ///
    /// # Errors
    /// The service does not answer.
    async fn end(&self) -> Result<End, SourceError>;
}

/// A page of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// The events, in the order of their entries.
    pub events: Vec<Event>,
    /// The epoch of the database: another one means another past.
    pub epoch: String,
    /// The last entry that was looked at, after which the next page begins.
    pub seq: Seq,
}

/// The end of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The number of the last entry.
    pub seq: Seq,
    /// The service's clock, in milliseconds since 1970, if it is another one than the relay's.
    pub clock: Option<i64>,
}

/// The reason why a source does not answer. It holds no key and no value.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

#[async_trait::async_trait]
impl EventSource for CareClient {
    async fn events(&self, after: Seq, limit: usize, wait: Duration) -> Result<EventPage, SourceError> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let call = Self::events(self, after, wait).limit(limit).page(None);
        let page = call.send().await.map_err(SourceError::from)?.record;
        let incomplete = || SourceError("the page has no place in the journal".to_owned());
        Ok(EventPage {
            events: page.items,
            epoch: page.epoch.ok_or_else(incomplete)?,
            seq: page.seq.ok_or_else(incomplete)?,
        })
    }

    async fn end(&self) -> Result<End, SourceError> {
        let answer = self.news(Seq::ZERO, Duration::ZERO).send().await.map_err(SourceError::from)?;
        Ok(End { seq: answer.record.seq, clock: answer.date.as_deref().and_then(http_date) })
    }
}

#[async_trait::async_trait]
impl EventSource for CareService {
    async fn events(&self, after: Seq, limit: usize, wait: Duration) -> Result<EventPage, SourceError> {
        let page = page(self, after, limit).await?;
        if page.seq != after || wait.is_zero() {
            return Ok(page);
        }
        match timeout(wait, self.subscribe(after).next(1)).await {
            Ok(Err(error)) => Err(SourceError(error.to_string())),
            _ => self::page(self, after, limit).await,
        }
    }

    async fn end(&self) -> Result<End, SourceError> {
        let seq = self.last().await.map_err(|error| SourceError(error.to_string()))?;
        Ok(End { seq, clock: None })
    }
}

/// Reads a page of a service's journal.
async fn page(care: &CareService, after: Seq, limit: usize) -> Result<EventPage, SourceError> {
    let found = care.store().journal(after, Limit::items(limit.max(1)).bytes(READ)).await;
    let found = found.map_err(|error| SourceError(error.to_string()))?;
    let seq = match found.items.last() {
        Some(last) => last.seq,
        None => after.min(care.last().await.map_err(|error| SourceError(error.to_string()))?),
    };
    let events = found.items.iter().filter_map(wire::Event::of).map(wire::Event::into_owned).collect();
    Ok(EventPage { events, epoch: care.epoch().to_string(), seq })
}

impl From<care_client::ClientError> for SourceError {
    fn from(error: care_client::ClientError) -> Self {
        Self(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use care_core::{model::PatientDetails, store::MemoryStore};

    use super::*;

    #[test]
    fn a_journal_that_ends_before_the_known_entry_is_told_at_once() {
        let care = CareService::new(MemoryStore::new());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let page = runtime.block_on(async {
            care.register_patient(PatientDetails::default()).await.unwrap();
            EventSource::events(&care, Seq::new(25), 1, Duration::from_secs(30)).await.unwrap()
        });
        assert_eq!((page.events.len(), page.seq), (0, Seq::new(1)));
    }
}

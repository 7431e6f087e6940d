//! The service in this process, on a database whose disk may be watched.

use std::path::Path;

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    rest::Api,
    service::CareService,
    store::CareStore,
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{Answer, Ending, Failure, Front, Port, Request, Result};

/// A client of the contract over a store, without a socket.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    api: Api,
}

impl Inside {
    /// Opens the database at this path. It is closed when this and all its ports are dropped.
    pub(crate) fn open(database: &Path) -> Result<Self> {
        let store = SqliteStore::open(database).map_err(|error| Failure::new(format!("{error}: {error:?}")))?;
        Ok(Self::over(store))
    }

    pub(crate) fn over(store: impl CareStore + 'static) -> Self {
        Self::of(CareService::new(store))
    }

    pub(crate) fn of(care: CareService) -> Self {
        let keys = KeyRing::new().with_key("secret", "key-1", Scopes::ALL);
        Self { api: Api::new(care).with_keys(keys) }
    }

    fn answer(&self, request: &Request) -> Result<Answer> {
        let mut sent = http::Request::builder().method(request.method).uri(format!("/1.0.0{}", request.path));
        sent = sent.header("api_key", "secret").header("Content-Type", "application/json");
        if let Some(key) = &request.key {
            sent = sent.header("Idempotency-Key", format!("\"{key}\""));
        }
        for (name, value) in &request.headers {
            sent = sent.header(*name, value);
        }
        let sent = sent.body(Bytes::from(request.body.clone().unwrap_or_default()))?;
        let (head, body) = block_on(self.api.handle(sent)).into_parts();
        let location = head.headers.get("location").or_else(|| head.headers.get("content-location"));
        let text = |value: &http::HeaderValue| value.to_str().ok().map(ToOwned::to_owned);
        let (location, tag) = (location.and_then(text), head.headers.get("etag").and_then(text));
        let body = String::from_utf8(body.to_vec())?;
        Ok(Answer { status: head.status.as_u16(), location, tag, body })
    }
}

impl Front for Inside {
    fn client(&self, _: usize) -> Box<dyn Port> {
        Box::new(self.clone())
    }
}

impl Port for Inside {
    fn ask(&mut self, request: &Request) -> Ending {
        self.answer(request).map_or(Ending::Lost, Ending::Answer)
    }
}

//! The journal, news of it, the key, and the document of the interface.

use std::time::Duration;

use care_core::store::Seq;
use http::Method;
use serde_json::Value;

use crate::{Call, CareClient, JournalEntry, KeyFacts, News, Pages};

impl CareClient {
    /// Lists the journal behind an entry, in commit order. With a wait the first page is held back until there is an
    /// entry, for 30 seconds at most.
    pub fn journal(&self, after: Seq, wait: Duration) -> Pages<JournalEntry> {
        let client = self.clone();
        Pages::new(move || {
            let call = Call::new(&client, "listJournal", Method::GET, &["journal"]);
            call.query("wait", (!wait.is_zero()).then(|| wait.as_secs().to_string()))
        })
        .starting_behind(after.value().to_string())
    }

    /// Hears whether something has changed since an entry, waiting for it for 30 seconds at most.
    pub fn news(&self, after: Seq, wait: Duration) -> Call<News> {
        Call::new(self, "getNews", Method::GET, &["news"])
            .query("after", Some(after.value().to_string()))
            .query("wait", Some(wait.as_secs().to_string()))
    }

    /// Asks for the name, the scopes and the end of the key that this client presents.
    pub fn key(&self) -> Call<KeyFacts> {
        Call::new(self, "getKey", Method::GET, &["key"])
    }

    /// Retrieves the OpenAPI document of the service.
    pub fn openapi(&self) -> Call<Value> {
        Call::new(self, "getOpenapi", Method::GET, &["openapi.json"])
    }
}

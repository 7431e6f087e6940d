//! The journal, notice of new entries, the client's own key, and the OpenAPI document.

use std::time::Duration;

use care_core::store::Seq;
use http::Method;
use serde_json::Value;

use crate::{Call, CareClient, Event, JournalEntry, KeyFacts, News, Pages};

impl CareClient {
    /// Lists the journal entries after this one, in commit order. With a wait, the service holds the first page back
    /// until there is an entry, for 30 seconds at most.
    pub fn journal(&self, after: Seq, wait: Duration) -> Pages<JournalEntry> {
        let client = self.clone();
        Pages::new(move || {
            let call = Call::new(&client, "listJournal", Method::GET, &["journal"]);
            call.query("wait", (!wait.is_zero()).then(|| wait.as_secs().to_string()))
        })
        .starting_behind(after.value().to_string())
    }

    /// Lists the events after this journal entry, in commit order: what changed, without any value. With a wait, the
    /// service holds the first page back until there is an entry, for 30 seconds at most. A follower goes on after the
    /// `seq` of the page, even if it has no items.
    pub fn events(&self, after: Seq, wait: Duration) -> Pages<Event> {
        let client = self.clone();
        Pages::new(move || {
            let call = Call::new(&client, "listEvents", Method::GET, &["events"]);
            call.query("wait", (!wait.is_zero()).then(|| wait.as_secs().to_string()))
        })
        .starting_behind(after.value().to_string())
    }

    /// Waits until there is an entry after this one, for 30 seconds at most, and returns the number of the last entry.
    pub fn news(&self, after: Seq, wait: Duration) -> Call<News> {
        Call::new(self, "getNews", Method::GET, &["news"])
            .query("after", Some(after.value().to_string()))
            .query("wait", Some(wait.as_secs().to_string()))
    }

    /// Reads the name, the scopes and the expiry of the key that this client uses.
    pub fn key(&self) -> Call<KeyFacts> {
        Call::new(self, "getKey", Method::GET, &["key"])
    }

    /// Downloads the OpenAPI document of the service.
    pub fn openapi(&self) -> Call<Value> {
        Call::new(self, "getOpenapi", Method::GET, &["openapi.json"])
    }
}

//! The relay's metrics, through the facade of the crate `metrics`.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use care_core::{model::Timestamp, store::Seq};
use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

use crate::{schedule::Meaning, state::Condition};

const DELIVERIES: &str = "care_relay_deliveries_total";
const SECONDS: &str = "care_relay_delivery_seconds";
const LAG_ENTRIES: &str = "care_relay_lag_entries";
const LAG_SECONDS: &str = "care_relay_lag_seconds";
const STATE: &str = "care_relay_state";
const DEAD: &str = "care_relay_dead";

/// The state of all endpoints, from which gauges are made; clone it freely.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    head: Seq,
    endpoints: BTreeMap<String, Standing>,
}

/// The state of one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) condition: Condition,
    /// The last entry that was delivered or passed over.
    pub(crate) place: Option<Seq>,
    /// The instant of the event that is being delivered.
    pub(crate) waiting: Option<Timestamp>,
    pub(crate) dead: i64,
}

impl Figures {
    /// Describes the metrics to the recorder of the process.
    pub(crate) fn new() -> Self {
        describe_counter!(DELIVERIES, "Attempts to deliver a message, by endpoint and outcome");
        describe_histogram!(SECONDS, Unit::Seconds, "Time from sending a message to the head of its answer");
        describe_gauge!(LAG_ENTRIES, "Entries of the journal that the endpoint has not got yet");
        describe_gauge!(LAG_SECONDS, Unit::Seconds, "Age of the oldest event that the endpoint has not got yet");
        describe_gauge!(STATE, "1 for the state that the endpoint is in");
        describe_gauge!(DEAD, "Messages to the endpoint that were given up");
        Self::default()
    }

    /// Counts an attempt.
    pub(crate) fn attempted(endpoint: &str, meaning: Meaning, took: Duration) {
        counter!(DELIVERIES, "endpoint" => endpoint.to_owned(), "outcome" => meaning.name()).increment(1);
        histogram!(SECONDS).record(took);
    }

    /// Notes the end of the journal.
    pub(crate) fn reached(&self, head: Seq) {
        self.known().head = head;
    }

    /// Notes the state of all endpoints. Those that have gone are forgotten.
    pub(crate) fn stand(&self, mut endpoints: BTreeMap<String, Standing>) {
        let mut known = self.known();
        for gone in known.endpoints.keys().filter(|name| !endpoints.contains_key(*name)) {
            gauge!(LAG_ENTRIES, "endpoint" => gone.clone()).set(0);
            gauge!(LAG_SECONDS, "endpoint" => gone.clone()).set(0);
            gauge!(DEAD, "endpoint" => gone.clone()).set(0);
            for condition in Condition::ALL {
                gauge!(STATE, "endpoint" => gone.clone(), "state" => condition.name()).set(0);
            }
        }
        for (name, standing) in endpoints.iter_mut() {
            standing.waiting = known.endpoints.get(name).and_then(|known| known.waiting);
        }
        known.endpoints = endpoints;
    }

    /// Notes how far an endpoint is, and since when its next event waits.
    pub(crate) fn moved(&self, endpoint: &str, place: Option<Seq>, waiting: Option<Timestamp>) {
        if let Some(standing) = self.known().endpoints.get_mut(endpoint) {
            standing.place = place.or(standing.place);
            standing.waiting = waiting;
        }
    }

    /// Notes how many dead letters an endpoint has.
    pub(crate) fn buried(&self, endpoint: &str, dead: i64) {
        if let Some(standing) = self.known().endpoints.get_mut(endpoint) {
            standing.dead = dead;
        }
    }

    /// Sets the gauges as of this instant.
    pub(crate) fn publish(&self, now: Timestamp) {
        let known = self.known();
        for (name, standing) in &known.endpoints {
            let behind = standing.place.map_or(0, |place| known.head.value().saturating_sub(place.value()));
            let since = standing.waiting.map_or(0, |since| (now.unix_millis() - since.unix_millis()).max(0));
            gauge!(LAG_ENTRIES, "endpoint" => name.clone()).set(behind as f64);
            gauge!(LAG_SECONDS, "endpoint" => name.clone()).set(since as f64 / 1000.0);
            gauge!(DEAD, "endpoint" => name.clone()).set(standing.dead as f64);
            for condition in Condition::ALL {
                let is_it = f64::from(u8::from(condition == standing.condition));
                gauge!(STATE, "endpoint" => name.clone(), "state" => condition.name()).set(is_it);
            }
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

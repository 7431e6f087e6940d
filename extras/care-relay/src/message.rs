//! The messages: their ids and bodies.

use care_client::{Event, EventRecord};
use care_core::{model::Timestamp, store::Seq};
use serde::Serialize;

/// The types of the relay's own messages.
pub(crate) const RELAY_TYPES: [&str; 2] = [TEST, DISABLED];
pub(crate) const TEST: &str = "relay.test";
pub(crate) const DISABLED: &str = "relay.endpoint_disabled";

/// The most bytes that the records of a body take, which keeps it below 20 kB.
const RECORDS: usize = 19_000;

/// A message: what is signed and sent, apart from the instant of the attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) body: Vec<u8>,
}

/// The news that the relay has disabled an endpoint, for the others that ask for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notice {
    /// The number of its row.
    pub(crate) row: i64,
    pub(crate) id: String,
    pub(crate) endpoint: String,
    pub(crate) reason: String,
    pub(crate) seq: Seq,
    pub(crate) at: Timestamp,
}

#[derive(Serialize)]
struct Body<T> {
    r#type: &'static str,
    timestamp: Timestamp,
    data: T,
}

#[derive(Serialize)]
struct EventBody<'a> {
    r#type: &'a str,
    timestamp: Timestamp,
    data: EventData<'a>,
}

#[derive(Serialize)]
struct EventData<'a> {
    epoch: &'a str,
    seq: Seq,
    records: &'a [EventRecord],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    more: bool,
}

impl Message {
    /// Returns the message of an event in this past. It is the same for every repetition.
    pub(crate) fn of(epoch: &str, event: &Event) -> Self {
        let mut left = RECORDS;
        let fits = |changed: &&EventRecord| {
            let rest = left.checked_sub(written(changed).len() + 1);
            left = rest.unwrap_or(left);
            rest.is_some()
        };
        let shown = event.records.iter().take_while(fits).count();
        let more = event.more || shown < event.records.len();
        let data = EventData { epoch, seq: event.seq, records: &event.records[..shown], more };
        let body = EventBody { r#type: &event.r#type, timestamp: event.at, data };
        Self { id: id_of(epoch, event.seq), body: written(&body) }
    }

    /// Returns a message of no meaning, which tests the way to a receiver.
    #[cfg(feature = "program")]
    pub(crate) fn test(now: Timestamp) -> Self {
        #[derive(Serialize)]
        struct Nothing {}
        Self { id: random_id(), body: written(&Body { r#type: TEST, timestamp: now, data: Nothing {} }) }
    }
}

impl From<&Notice> for Message {
    fn from(notice: &Notice) -> Self {
        #[derive(Serialize)]
        struct Disabled<'a> {
            endpoint: &'a str,
            reason: &'a str,
            seq: Seq,
        }
        let Notice { id, endpoint, reason, seq, at, .. } = notice;
        let data = Disabled { endpoint, reason, seq: *seq };
        Self { id: id.clone(), body: written(&Body { r#type: DISABLED, timestamp: *at, data }) }
    }
}

/// Returns the id of an entry's message.
pub(crate) fn id_of(epoch: &str, seq: Seq) -> String {
    format!("{epoch}-{seq}")
}

/// Returns an id for a message of the relay's own: `relay-` and 26 random characters.
pub(crate) fn random_id() -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut random = [0; 26];
    // Without random numbers no secret could be made either, and no message is sent.
    if getrandom::fill(&mut random).is_err() {
        tracing::error!("the system provides no random numbers");
    }
    let letters = random.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)]));
    "relay-".chars().chain(letters).collect()
}

fn written(body: &impl Serialize) -> Vec<u8> {
    // Texts and numbers always serialise.
    serde_json::to_vec(body).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(json: &str) -> Event {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_message_says_what_changed_and_no_value() {
        let event = event(
            r#"{"seq":81,"at":"2026-11-22T10:00:00.000Z","type":"invoice.paid",
                "records":[{"record":"Invoice","id":3,"change":"put"},{"record":"Stock","id":"tēja","change":"remove"}]}"#,
        );
        let message = Message::of("9f3a1c20", &event);
        assert_eq!(message.id, "9f3a1c20-81");
        let body = concat!(
            r#"{"type":"invoice.paid","timestamp":"2026-11-22T10:00:00.000Z","data":{"epoch":"9f3a1c20","seq":81,"#,
            r#""records":[{"record":"Invoice","id":3,"change":"put"},{"record":"Stock","id":"tēja","change":"remove"}]}}"#,
        );
        assert_eq!(String::from_utf8(message.body).unwrap(), body);
    }

    /// Returns the body of an event of 200 records of medicines with this name.
    fn body_of(name: &str) -> Vec<u8> {
        let record = serde_json::json!({"record": "Inventory", "id": name, "change": "put"});
        let json = serde_json::json!({
            "seq": 1, "at": "2026-11-22T10:00:00.000Z", "type": "medicine.added", "records": vec![record; 200],
        });
        Message::of("00000000", &event(&json.to_string())).body
    }

    #[test]
    fn a_body_holds_two_hundred_records_or_says_that_there_is_more() {
        let more = &serde_json::Value::from(true);
        for (name, count, says_more) in [("n".repeat(40), 200, None), ("\u{1}".repeat(300), 10, Some(more))] {
            let body = body_of(&name);
            assert!(body.len() < 20_000, "{}", body.len());
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(
                (body["data"]["records"].as_array().unwrap().len(), body["data"].get("more")),
                (count, says_more)
            );
        }
    }

    #[test]
    fn the_relays_own_messages_have_random_ids() {
        let (one, other) = (random_id(), random_id());
        assert_ne!(one, other);
        assert!(one.len() == 32 && one.starts_with("relay-") && !one.contains('.'));
    }
}

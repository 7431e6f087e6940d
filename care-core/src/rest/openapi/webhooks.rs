//! The webhooks: the messages that `care-relay` makes of events.

use super::{
    records::reports,
    values::{
        node::{Node, object},
        record::Record,
    },
};
use crate::operation::JournalOperation;

/// Returns the one webhook: all types of events have the same form.
pub(super) fn webhooks() -> Node {
    object().with("event", object().with("post", post(&reports::message())))
}

fn post(message: &Record) -> Node {
    let content = object().with("schema", message.reference()).with("example", message.example());
    let body = object().with("required", true).with("content", object().with("application/json", content));
    let parameters = [
        header("webhook-id", "9f3a1c20-12", "The id of the message, the same for every repetition: do nothing twice."),
        header("webhook-timestamp", "1795341600", "The second of the attempt. Refuse one more than five minutes away."),
        header(
            "webhook-signature",
            "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
            "Signatures, separated by spaces, while a secret is replaced: `v1,` and the HMAC-SHA256 of id, full stop, \
             timestamp, full stop and body in base64. One of them must be yours.",
        ),
    ];
    let answer = |description| object().with("description", description);
    let responses = object()
        .with("2XX", answer("The message is taken."))
        .with("400", answer("The message is refused: it is sent again for an hour, and then given up."))
        .with("410", answer("No further messages are wanted."))
        .with("default", answer("The receiver is in trouble: the message is sent again for days."));
    object()
        .with("tags", [Node::from("Journal")])
        .with("x-extension", true)
        .with("operationId", "receiveEvent")
        .with("summary", "Receive an event")
        .with("description", description())
        .with("security", Node::List(vec![object()]))
        .with("parameters", parameters)
        .with("requestBody", body)
        .with("responses", responses)
}

fn header(name: &'static str, example: &'static str, description: &'static str) -> Node {
    object()
        .with("name", name)
        .with("in", "header")
        .with("required", true)
        .with("description", description)
        .with("schema", object().with("type", "string"))
        .with("example", example)
}

fn description() -> String {
    let mut types: Vec<_> = JournalOperation::all().filter_map(JournalOperation::event).collect();
    types.sort_unstable();
    types.dedup();
    let types: Vec<_> = types.into_iter().map(|r#type| format!("`{type}`")).collect();
    format!(
        "An event as `care-relay` sends it to the endpoints that an operator has added, as Standard Webhooks 1.0 \
         demands. New types may come, and none is renamed: ignore those that you do not know, and answer them with \
         2xx. The types: {}. The relay itself sends `relay.test` and `relay.endpoint_disabled`, whose `data` differ.",
        types.join(", ")
    )
}

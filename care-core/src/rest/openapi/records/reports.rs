//! Records that are declared nowhere else: the message of a webhook, the error envelope, and the document itself.

use crate::{
    model::Timestamp,
    rest::openapi::values::{
        node::object,
        record::{Documented, Field, Record},
        value::{Value, plain_text},
    },
    wire::Event,
};

/// The version of OpenAPI.
pub(crate) const VERSION: &str = "3.1.0";

/// Returns an event as `care-relay` sends it.
pub(crate) fn message() -> Record {
    let epoch = Field::new("epoch", plain_text("9f3a1c20"), "The epoch of the database.").required();
    let members = std::iter::once(epoch).chain(Event::members()).collect();
    let data = Record::new("WebhookData", "The entry of an event, and the records that changed.", members);
    let fields = vec![
        Field::new("type", plain_text("patient.updated"), "The type, such as `invoice.paid`: what was done."),
        Field::of::<Timestamp>("timestamp", "The instant of the event, in UTC."),
        Field::new("data", data.without(&["at", "type"]).nested("data"), "What changed."),
    ];
    Record::new("WebhookMessage", "An event as a message, without any value.", fields).requiring(&[
        "type",
        "timestamp",
        "data",
    ])
}

pub(crate) fn problem() -> Record {
    let uri = |example: &'static str| Value::new(object().with("type", "string").with("format", "uri"), example);
    let status = object().with("type", "integer").with("minimum", 400_i64).with("maximum", 599_i64);
    let fields = vec![
        Field::new("field", plain_text("age"), "The field's name, `prescriptions[0].price` for a nested one."),
        Field::new("detail", plain_text("must be 0 to 150"), "The fault. It never contains the value itself."),
    ];
    let error = Record::new("ProblemError", "A field that is at fault.", fields).requiring(&["field", "detail"]);
    let errors = error.nested("i").list().with("xml", object().with("wrapped", true));
    let fields = vec![
        Field::new("type", uri("urn:care:problem:invalid"), "The kind of problem; stable."),
        Field::new("title", plain_text("Some values are not allowed"), "The kind, in words."),
        Field::new("status", Value::new(status, 422_i64), "The status of the answer."),
        Field::new("detail", plain_text("The fields at fault are listed."), "The fault in this request."),
        Field::new("instance", uri("urn:care:request:5f3a"), "The request; it ends in the `X-Request-Id`."),
        Field::new("errors", errors, "All fields at fault, if there are any."),
    ];
    Record::new("Problem", "Problem details (RFC 9457).", fields)
        .rooted("problem")
        .in_namespace("urn:ietf:rfc:7807")
        .requiring(&["type", "title", "status", "detail", "instance"])
}

pub(crate) fn document() -> Record {
    let version = Field::new("openapi", plain_text(VERSION), "The version of OpenAPI.");
    Record::new("Document", "An OpenAPI document.", vec![version]).requiring(&["openapi"])
}

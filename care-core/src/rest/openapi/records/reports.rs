//! The journal, the error envelope, and the document itself.

use super::{answers, stock};
use crate::{
    model::{History, Item, Movement, Patient, Receipt, Scope, Scopes},
    rest::openapi::values::{
        node::{Node, object},
        record::{Documented, Field, Record},
        value::{Value, boolean, identifier, plain_text, ranged, words},
    },
    wire::Invoice,
};

/// The version of OpenAPI.
pub(crate) const VERSION: &str = "3.1.0";

/// The kinds of records that the journal shows.
const SHOWN: [&str; 9] =
    ["Patient", "History", "Consultation", "Prescription", "Invoice", "Inventory", "Stock", "Movement", "Receipt"];

/// Returns all of them.
pub(crate) fn all() -> [Record; 13] {
    [
        journal_entry(),
        journal_change(),
        head(),
        event(),
        event_record(),
        message(),
        message_data(),
        news(),
        key(),
        key_record(),
        problem(),
        problem_error(),
        document(),
    ]
}

pub(crate) fn news() -> Record {
    let seq = ranged(0_i64, i64::MAX, 12);
    let fields = vec![
        Field::new("epoch", plain_text("9f3a1c20"), "The epoch of the database: another one means another past."),
        Field::new("seq", seq, "The number of the last journal entry; 0 while there is none."),
        Field::new(
            "kinds",
            words(SHOWN).list(),
            "The kinds of records that changed after the entry `after`, as the journal names them.",
        ),
        Field::new(
            "all",
            boolean(true),
            "True in the place of `kinds` when the server does not know them, or the journal ends before `after`: read \
             everything again.",
        ),
    ];
    Record::new("News", "The number of the journal's last entry, and what has changed.", fields)
        .rooted("News")
        .requiring(&["epoch", "seq"])
}

pub(crate) fn key() -> Record {
    let expires = object().with("type", "string").with("format", "date-time");
    let fields = vec![
        Field::new("name", plain_text("front desk"), "The name of its holder, as the journal has it."),
        Field::new("scopes", words(Scopes::ALL.iter().map(Scope::as_str)).list(), "The scopes of the key."),
        Field::new(
            "expires",
            Value::new(expires, "2027-03-15T12:00:00.000Z"),
            "The first instant at which it is no longer valid, in UTC; absent for a key without an end.",
        ),
    ];
    Record::new("Key", "The key of the request.", fields).rooted("Key").requiring(&["name", "scopes"])
}

/// Returns what the journal says of a key.
fn key_record() -> Record {
    let instant =
        || Value::new(object().with("type", "string").with("format", "date-time"), "2027-03-15T12:00:00.000Z");
    let fields = vec![
        Field::new("name", plain_text("front desk"), "The name of its holder."),
        Field::new("scopes", words(Scopes::ALL.iter().map(Scope::as_str)).list(), "The scopes of the key."),
        Field::new("expires", instant(), "The first instant at which it is no longer valid, in UTC."),
        Field::new("revoked", instant(), "The instant of its revocation, in UTC."),
    ];
    Record::new("KeyRecord", "A key that was issued, rotated or revoked, in the journal.", fields)
        .requiring(&["name", "scopes"])
}

/// Returns a link of the chain, which has this meaning.
fn link(meaning: &'static str) -> Field {
    let example = "5b1d8a9f3c0e7264d5b1d8a9f3c0e7264d5b1d8a9f3c0e7264d5b1d8a9f3c0e7";
    Field::new("link", plain_text(example).with("pattern", "^[0-9a-f]{64}$"), meaning)
}

pub(super) fn head() -> Record {
    let seq = ranged(0_i64, i64::MAX, 12);
    let fields = vec![
        Field::new("seq", seq, "The number of the last entry; 0 while there is none."),
        link("The link of that entry; zeros while there is none."),
    ];
    Record::new("JournalHead", "The last entry of the journal.", fields).requiring(&["seq", "link"])
}

pub(super) fn journal_entry() -> Record {
    let at = object().with("type", "string").with("format", "date-time");
    let fields = vec![
        Field::new("seq", identifier(12), "The number, without gaps."),
        Field::new("at", Value::new(at, "2026-03-15T12:00:00.000Z"), "The instant, in UTC."),
        Field::new("actor", plain_text("front desk"), "The actor: the name of the key."),
        Field::new("operation", plain_text("updatePatient"), "The `operationId` of the operation."),
        Field::new("changes", journal_change().nested("changes").list(), "The changes, in order."),
        link(
            "The SHA-256 of the link before and of what the entry says: nobody can change an entry and keep the links.",
        ),
    ];
    Record::new("JournalEntry", "Every change with its actor and time.", fields).requiring(&[
        "seq",
        "at",
        "actor",
        "operation",
        "changes",
        "link",
    ])
}

pub(super) fn event() -> Record {
    let at = object().with("type", "string").with("format", "date-time");
    let fields = vec![
        Field::new("seq", identifier(12), "The number of the journal entry."),
        Field::new("at", Value::new(at, "2026-03-15T12:00:00.000Z"), "The instant, in UTC."),
        Field::new("type", plain_text("patient.updated"), "The type, such as `invoice.paid`: what was done."),
        Field::new("records", event_record().nested("records").list(), "The records that changed, at most 200."),
        Field::new("more", boolean(true), "Whether further records changed; absent when none did."),
    ];
    Record::new("Event", "What a journal entry changed, without any value.", fields)
        .requiring(&["seq", "at", "type", "records"])
}

pub(crate) fn message() -> Record {
    let at = object().with("type", "string").with("format", "date-time");
    let fields = vec![
        Field::new("type", plain_text("patient.updated"), "The type, such as `invoice.paid`: what was done."),
        Field::new("timestamp", Value::new(at, "2026-03-15T12:00:00.000Z"), "The instant of the event, in UTC."),
        Field::new("data", message_data().nested("data"), "What changed."),
    ];
    Record::new("WebhookMessage", "An event as a message, without any value.", fields).requiring(&[
        "type",
        "timestamp",
        "data",
    ])
}

fn message_data() -> Record {
    let fields = vec![
        Field::new("epoch", plain_text("9f3a1c20"), "The epoch of the database."),
        Field::new("seq", identifier(12), "The number of the journal entry."),
        Field::new("records", event_record().nested("records").list(), "The records that changed, at most 200."),
        Field::new("more", boolean(true), "Whether further records changed; absent when none did."),
    ];
    Record::new("WebhookData", "The entry of an event, and the records that changed.", fields)
        .requiring(&["epoch", "seq", "records"])
}

pub(super) fn event_record() -> Record {
    let id = object().with("type", ["integer", "string"]);
    let fields = vec![
        Field::new("record", words(SHOWN), "The kind of record."),
        Field::new("id", Value::new(id, 7_i64), "Its number, or the name that identifies a medicine."),
        Field::new("change", words(["put", "remove"]), "The kind of change."),
    ];
    Record::new("EventRecord", "A record that changed.", fields).requiring(&["record", "id", "change"])
}

pub(super) fn journal_change() -> Record {
    let records = journaled();
    let value = object()
        .with("anyOf", records.iter().map(Record::reference).collect::<Node>())
        .with("xml", object().with("name", "value"));
    let id = object().with("type", ["integer", "string"]);
    let patient = records[0].example();
    let fields = vec![
        Field::new("change", words(["put", "remove", "read"]), "The kind of change."),
        Field::new("record", words(SHOWN.into_iter().chain(["Key"])), "The kind of record."),
        Field::new("id", Value::new(id, 7_i64), "Its number, the name that identifies a medicine, or the id of a key."),
        Field::new("value", Value::new(value, patient), "The record after the change; absent unless it was put."),
    ];
    Record::new("JournalChange", "One change of a record, or the note that it was read.", fields)
        .requiring(&["change", "record", "id"])
}

/// Returns the records that have other members in the journal than in answers.
fn journaled() -> [Record; 10] {
    [
        Patient::record(),
        History::record(),
        answers::stored_consultation(),
        answers::stored_prescription(),
        Invoice::record(),
        Item::record(),
        stock::stored_stock(),
        Movement::record(),
        Receipt::record(),
        key_record(),
    ]
}

pub(crate) fn problem() -> Record {
    let uri = |example: &'static str| Value::new(object().with("type", "string").with("format", "uri"), example);
    let status = object().with("type", "integer").with("minimum", 400_i64).with("maximum", 599_i64);
    let errors = problem_error().nested("i").list();
    let errors = errors.with("xml", object().with("wrapped", true));
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

pub(super) fn problem_error() -> Record {
    let fields = vec![
        Field::new("field", plain_text("age"), "The field's name, `prescriptions[0].price` for a nested one."),
        Field::new("detail", plain_text("must be 0 to 150"), "The fault. It never contains the value itself."),
    ];
    Record::new("ProblemError", "A field that is at fault.", fields).requiring(&["field", "detail"])
}

pub(crate) fn document() -> Record {
    let version = Field::new("openapi", plain_text(VERSION), "The version of OpenAPI.");
    Record::new("Document", "An OpenAPI document.", vec![version]).requiring(&["openapi"])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{rest::contract::view::shown, store::RecordKind};

    #[test]
    fn the_news_name_the_kinds_of_the_document() {
        let named: BTreeSet<_> = RecordKind::NAMES.iter().copied().filter_map(shown).collect();
        assert_eq!(named, BTreeSet::from(SHOWN));
    }
}

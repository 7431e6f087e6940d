//! Parameters in the path, the query and the headers.

use http::Method;

use super::{money, stock};
use crate::{
    model::{ConsultationState, FindText, InvoiceState, PrescriptionState, ReceiptKind},
    rest::{
        contract::{
            Contract,
            operation::{Nature, Operation, Segment},
        },
        http::{cursor::CursorMark, etag::Tag, media::Format},
        openapi::values::{
            node::{Node, object, reference},
            value::{
                Described, Value, boolean, count, date, email, identifier, medicine, person_name, phone, plain_text,
                ranged, words,
            },
        },
        operations::{lists::today::Part, poll::MAX_WAIT, query::DEFAULT_LIMIT, versions::VERSION},
    },
    service::{Idempotency, RestockReport},
    store::{Epoch, Seq},
};

/// Returns all parameters of an operation.
pub(crate) fn of(operation: Operation, contract: &Contract) -> Node {
    let path = operation.segments().filter_map(|segment| match segment {
        Segment::Parameter(name) => Some(in_path(name)),
        Segment::Literal(_) => None,
    });
    let nature = operation.nature();
    let version = (contract.has_extensions() && nature.has_versions()).then_some(VERSION);
    let query =
        operation.input().parameters().iter().copied().chain(version).map(|name| in_query(operation, name, contract));
    let headers = [
        (nature.has_versions(), "If-None-Match"),
        (matches!(nature, Nature::VersionedChange(_)), "If-Match"),
        (operation.method() == Method::POST, Idempotency::FIELD),
        (true, "X-Request-Id"),
    ];
    let headers = headers.into_iter().filter(|(honoured, _)| *honoured);
    let headers = headers.map(|(_, name)| reference("parameters", name));
    path.chain(query).chain(headers).collect()
}

/// Returns the components of the headers that many operations share.
pub(crate) fn components() -> Node {
    let tag = Tag::of(Seq::new(42)).text(Epoch::new(0x5eed_5eed), Format::Json);
    let key = format!(r#"^("[!#-\[\]-~]{{1,{0}}}"|[!#-\[\]-~]{{1,{0}}})$"#, Idempotency::MAX);
    let key = object().with("type", "string").with("pattern", key);
    [
        (
            "If-None-Match",
            "Entity tags of the answer that the client has: with one of them the answer is 304.",
            plain_text(tag.clone()),
        ),
        (
            "If-Match",
            "Entity tags, of either form, of the record as the client knows it: if it has changed since, the answer \
             is 412.",
            plain_text(tag),
        ),
        (
            Idempotency::FIELD,
            "A name for this request that makes it safe to repeat for a day: it is done once, and a repetition is \
             answered as the first time. Under the name of another request the answer is 422. A quoted string; the \
             bare form is taken as well.",
            Value::new(key, "\"8e03978e-40d5-43dd-bc93-6894a57f9324\""),
        ),
        (
            "X-Request-Id",
            "An id for the answer and the log: 1 to 64 of `A-Z a-z 0-9 . _ -`. Any other value is ignored, and the \
             service makes an id.",
            plain_text("5f3a".to_owned()),
        ),
    ]
    .into_iter()
    .map(|(name, description, value)| (name, parameter(name, "header", description, value)))
    .collect()
}

/// Returns an example cursor of the list without a filter.
pub(super) fn cursor(operation: Operation) -> String {
    match operation {
        Operation::ListJournal | Operation::ListEvents => "12".to_owned(),
        _ => CursorMark::new(operation.id(), Vec::new()).cursor("7"),
    }
}

/// Returns the name of a part of the day.
pub(super) fn part() -> Value {
    words(Part::ALL.map(Part::name))
}

fn in_path(name: &'static str) -> Node {
    let (description, value) = match name {
        "medicine" => ("Medicine name in any spelling, percent-encoded; `%2F` is part of it.", medicine()),
        "patientId" => ("Patient identifier.", identifier(7)),
        "prescriptionId" => ("Prescription identifier.", identifier(1)),
        "invoiceId" => ("Invoice identifier.", identifier(1)),
        "consultationId" => ("Consultation identifier.", identifier(1)),
        "movementId" => ("Movement identifier.", identifier(1)),
        "receiptId" => ("Receipt identifier.", identifier(1)),
        // A test requires a description of every parameter.
        _ => ("", plain_text("")),
    };
    parameter(name, "path", description, value)
}

fn in_query(operation: Operation, name: &'static str, contract: &Contract) -> Node {
    let page = contract.limits().page;
    let example = i64::try_from(DEFAULT_LIMIT.min(page)).unwrap_or(1);
    let limit = ranged(1_i64, page, example).with("default", DEFAULT_LIMIT.min(page));
    let wait = ranged(0_i64, MAX_WAIT, 0).with("default", 0_i64);
    let (description, value) = match (operation, name) {
        (Operation::GetRestock, "limit") => (
            "The highest number of medicines in the report, which has the most urgent ones.",
            ranged(1_i64, RestockReport::MAX_ITEMS, 100).with("default", RestockReport::DEFAULT_ITEMS),
        ),
        (_, "limit") => ("The highest number of items in the page.", limit),
        (Operation::ListJournal | Operation::ListEvents, "after") => ("Only entries after this `seq`.", count(12)),
        (Operation::GetNews, "after") => ("The `seq` that the client knows.", count(12)),
        (_, "after") => (
            "The cursor of the page: the `next` of the page before, under the same filter.",
            plain_text(cursor(operation)),
        ),
        (_, "wait") => ("Seconds to wait for an entry while there is none.", wait),
        (_, "find") => (
            "Only patients that match all of these words, the best first. A word is the beginning of a word of the \
             name, without regard to case and marks; of the mail address; as at least four digits, of the phone \
             number, with or without its first one to three digits, or its end; or `#` and the number of the patient. \
             1 to 8 words. Not beside `name`, `phone`, `email` or `after`, with a `limit` of at most 50.",
            plain_text("ada 1632").with("minLength", 1_i64).with("maxLength", FindText::MAX),
        ),
        (_, "name") => {
            ("Only patients whose name begins with this, in any letter case and with any white space.", person_name())
        }
        (_, "phone") => ("Only patients with this number.", phone()),
        (_, "email") => ("Only patients with this address.", email()),
        (_, "patientId") => ("Only records of this patient.", identifier(7)),
        (_, "expiresTo") => ("Only medicines with an open lot that expires by this day.", date("31/12/2027")),
        (_, "lot") => ("Only lots with this text; empty: those without one. Needs `medicine`.", stock::lot_text()),
        (_, "expires") => ("Only lots that expire on this day. Needs `medicine`.", date("31/12/2027")),
        (Operation::ListInvoices, "from") => ("Only invoices issued on this day or later.", date("16/12/2025")),
        (Operation::ListInvoices, "to") => ("Only invoices issued on this day or earlier.", date("15/03/2026")),
        (_, "part") => ("Only this part, with up to 500 records.", part()),
        (_, "newest") => (
            "Whether the newest come first. Cursors of one order do not fit the other.",
            boolean(false).with("default", false),
        ),
        (Operation::ListReceipts, "kind") => ("Only receipts of this kind.", words(ReceiptKind::ALL.iter().copied())),
        (Operation::ListReceipts, "invoiceId") => ("Only receipts of this invoice.", identifier(1)),
        (Operation::ListReceipts, "from") => ("Only receipts of this day or later.", date("16/12/2025")),
        (Operation::ListReceipts, "to") => ("Only receipts of this day or earlier.", date("15/03/2026")),
        (Operation::ListReceipts, "holder") => ("Only receipts of this holder of a key.", money::holder()),
        (Operation::GetTakings, "holder") => ("Only takings of this holder of a key.", money::holder()),
        (Operation::GetTakings, "from") => ("The first day; without it the period has one day.", date("15/03/2026")),
        (_, "above") => (
            "Only receipts above this number, to be named instead of days, at most that of the last.",
            ranged(0_i64, i64::MAX, 0),
        ),
        (_, "upto") => ("Only receipts up to this number, the last one unless given.", ranged(1_i64, i64::MAX, 24)),
        (_, "kind") => ("Only movements of this kind. Needs `medicine`.", stock::kind()),
        (_, "invoiceId") => ("Only movements of this invoice.", identifier(1)),
        (Operation::ListMovements, "from") => ("Only movements of this day or later.", date("16/12/2025")),
        (Operation::ListMovements, "to") => ("Only movements of this day or earlier.", date("15/03/2026")),
        (Operation::BacktestRestock, "medicine") => ("The tracked medicine, in any spelling.", medicine()),
        (_, "medicine") => ("Only records of this medicine, in any spelling.", medicine()),
        (Operation::ListConsultations, "state") => {
            ("Only consultations in this state.", ConsultationState::described(""))
        }
        (Operation::ListInvoices, "state") => ("Only invoices in this state.", InvoiceState::described("")),
        (_, "state") => ("Only prescriptions in this state.", PrescriptionState::described("")),
        (_, VERSION) => (
            "The record as it was after this journal entry. `Content-Location` names the version, `Link` the one \
             before (`rel=\"predecessor-version\"`). Needs the scope `admin` as well.",
            ranged(1_i64, i64::MAX, 42),
        ),
        (Operation::BacktestRestock, "from") => {
            ("The first day; without it the period has 365 days.", date("16/12/2025"))
        }
        (
            _,
            "policy" | "min" | "max" | "minDays" | "maxDays" | "leadDays" | "reviewDays" | "serviceLevel" | "basis",
        ) => ("A value to try instead of the stored setting.", stock::setting(name)),
        (_, "from") => ("The first day; without it the period has 90 days.", date("16/12/2025")),
        (_, "to") => ("The last day, today unless given.", date("15/03/2026")),
        // A test requires a description of every parameter.
        _ => ("", plain_text("")),
    };
    let is_required = (operation, name) == (Operation::BacktestRestock, "medicine");
    parameter(name, "query", description, value).maybe("required", is_required.then_some(true))
}

fn parameter(name: &'static str, place: &'static str, description: &'static str, value: Value) -> Node {
    object()
        .with("name", name)
        .with("in", place)
        .with("description", description)
        .maybe("required", (place == "path").then_some(true))
        .with("schema", value.schema)
        .with("example", value.example)
}

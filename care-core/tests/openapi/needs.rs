//! Facts about operations that the document does not say: the operations before one with which its example succeeds or
//! is refused, and a body that breaks a rule. Of most they follow from the table and the document; what stands here by
//! name are exceptions.

use care_core::{
    operation::{Nature, Operation},
    store::RecordKind,
};
use serde_json::{Map, Value};

use crate::{
    clinic::{JSON, example_body},
    description::{Described, resolve},
};

/// Returns the operations that must run before another one's example succeeds: those that make the record that may be
/// missing, or what a list has.
pub(crate) fn before(id: &str) -> Vec<&'static str> {
    match id {
        "addPrescription" => vec!["addPatient", "addMedicine"],
        "refundInvoice" | "listReceipts" | "getTakings" => after("payInvoice"),
        "listInvoices" => after("issueInvoice"),
        "listMedicines" => after("addMedicine"),
        "listStock" => after("moveStock"),
        "listMovements" => {
            let flow = ["startEmpty", "moveStock", "issueInvoice", "payInvoice"];
            after("addPrescription").into_iter().chain(flow).collect()
        }
        // These answers contain all kinds of records.
        "getRestock" | "listJournal" | "listEvents" | "getNews" | "getToday" => {
            let flow = ["updatePrescription", "issueInvoice", "payInvoice", "getHistory", "deleteMedicine"];
            after("addPrescription").into_iter().chain(flow).collect()
        }
        // It opens no lot, so that the examples of movements have room.
        "startEmpty" => before("startStock"),
        other => {
            let operation = operation(other);
            let made_by = match operation.missing() {
                Some(kind) => Some(maker(kind)),
                None if matches!(operation.nature(), Nature::Page(_)) => {
                    Some(posted(operation.path()).unwrap_or_else(|| panic!("nothing says what makes {other} answer")))
                }
                None => None,
            };
            made_by.map(after).unwrap_or_default()
        }
    }
}

/// Returns an operation behind those that must run before it.
fn after(last: &'static str) -> Vec<&'static str> {
    let mut all = before(last);
    all.push(last);
    all
}

/// Returns the operation that makes a record of this kind.
fn maker(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Invoice => "issueInvoice",
        RecordKind::Receipt => "payInvoice",
        RecordKind::Stock => "startEmpty",
        RecordKind::Movement => "moveStock",
        kind => {
            let is_read = |one: &Operation| one.nature().has_versions() && one.missing() == Some(kind);
            let read = Operation::all().find(is_read).expect("the read of a record that may be missing").path();
            let collection = read.rsplit_once('/').map_or("", |(collection, _)| collection);
            posted(read).or(posted(collection)).unwrap_or_else(|| panic!("nothing says what makes a {kind}"))
        }
    }
}

/// Returns the operation that makes a record at this path.
fn posted(path: &str) -> Option<&'static str> {
    let makes = |one: &Operation| one.path() == path && matches!(one.nature(), Nature::Change(_));
    Operation::all().find(makes).map(Operation::id)
}

fn operation(id: &str) -> Operation {
    Operation::all().find(|one| one.id() == id).unwrap_or_else(|| panic!("unknown operation {id}"))
}

/// Returns operations after which another one meets a state that forbids it.
pub(crate) fn in_the_way(id: &str) -> &'static [&'static str] {
    match id {
        "addPatient" => &["addPatient"],
        "addMedicine" => &["addMedicine"],
        "addConsultation" | "addPrescription" => &["addPatient", "addPrescription"],
        "deletePatient" | "deletePrescription" => &["addPatient", "addPrescription", "issueInvoice"],
        "startStock" => &["addMedicine", "startEmpty"],
        "endStock" | "deleteMedicine" => &["addMedicine", "startEmpty", "moveStock"],
        "moveStock" | "countStock" => &["addMedicine", "startEmpty", "full"],
        "reverseMovement" => &["addMedicine", "startEmpty", "moveStock", "reverseMovement"],
        "updateSupply" => &["addPatient", "addMedicine", "addPrescription", "issueInvoice", "payInvoice"],
        "payInvoice" => {
            &["addPatient", "addMedicine", "addPrescription", "startEmpty", "moveStock", "issueInvoice", "hold"]
        }
        "refundInvoice" => &["addPatient", "addPrescription", "issueInvoice", "payInvoice", "refundInvoice"],
        "correctReceipt" => &["addPatient", "addPrescription", "issueInvoice", "payInvoice", "correctReceipt"],
        "issueInvoice" | "cancelInvoice" => &["addPatient", "addPrescription", "issueInvoice", "payInvoice"],
        other => panic!("nothing should forbid {other}"),
    }
}

/// Returns the example of the operation's body with one member that breaks the rule of its schema.
pub(crate) fn broken(operation: Described) -> String {
    let schema = resolve(&operation.node["requestBody"]["content"][JSON]["schema"]);
    let members = schema["properties"].as_object().into_iter().flatten();
    let (name, value) = members
        .filter_map(|(name, schema)| Some((name, beyond(resolve(schema))?)))
        .next()
        .unwrap_or_else(|| panic!("no rule of {} can be broken", operation.id()));
    let example = example_body(operation, JSON).expect("an example of the body");
    let mut body: Map<String, Value> = serde_json::from_str(&example).expect("a record");
    body.insert(name.clone(), value);
    Value::from(body).to_string()
}

/// Returns a value of the type that a schema says which breaks its rule; `None` for a schema without one.
fn beyond(schema: &'static Value) -> Option<Value> {
    if let Some(any) = schema["anyOf"].as_array() {
        any.iter().find_map(|schema| beyond(resolve(schema)))
    } else if let Some(least) = schema["minimum"].as_i64() {
        Some((least - 1).into())
    } else if let Some(most) = schema["maxLength"].as_u64() {
        Some("a".repeat(usize::try_from(most).ok()? + 1).into())
    } else {
        schema["enum"].is_array().then(|| "no such word".into())
    }
}

//! The OpenAPI document, made from the table of operations, the limits of the model, and real answers.
//!
//! `operations` walks the table, and `described` makes the bodies and answers that it names. Most are declared where
//! their types are; `records` has the others, made of `values`. `problems` are the refusals, and `webhooks` what a
//! relay sends.

mod described;
mod operations;
mod problems;
mod records;
mod values;
mod webhooks;

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use crate::rest::{
    body::encode,
    contract::{Contract, facade::Facade, operation::Operation},
};
use values::node::{Node, object};
pub(crate) use values::{
    record::{Asked, Documented, Field, Record},
    value::Described,
};

/// The version of the interface that the document describes.
const INTERFACE: &str = "1.0.0";
/// The licence of the service, as an SPDX expression.
const LICENCE: &str = "MIT OR Apache-2.0";

/// Returns the document of this contract, in JSON.
pub(crate) fn document(contract: &Contract) -> String {
    let mut document = encode::pretty(&root(contract));
    document.push('\n');
    document
}

fn root(contract: &Contract) -> Node {
    let operations: Vec<_> = contract.operations().iter().collect();
    let info = object()
        .with("title", "Patient Care Service")
        .with("version", INTERFACE)
        .with("description", description(contract))
        .with("license", object().with("name", LICENCE).with("identifier", LICENCE));
    let base = match contract.base() {
        "" => "/",
        base => base,
    };
    let server = object().with("url", base.to_owned()).maybe("description", contract.facade().map(named));
    let paths = operations::paths(&operations, contract);
    let (name, scheme) = operations::security(contract);
    let any_key = object().with(name, Node::List(Vec::new()));
    let webhooks = contract.has_extensions().then(webhooks::webhooks);
    let components =
        components(contract, &paths, webhooks.as_ref()).with("securitySchemes", object().with(name, scheme));
    object()
        .with("openapi", records::reports::VERSION)
        .with("info", info)
        .with("servers", [server])
        .with("security", [any_key])
        .with("tags", tags(&operations))
        .with("paths", paths)
        .maybe("webhooks", webhooks)
        .with("components", components)
}

/// Returns the sentence that names a facade, whose paths the document does not have.
fn named(facade: &Arc<dyn Facade>) -> String {
    format!("{} is served below it, at `{}/`.", facade.name(), facade.prefix())
}

/// Returns the tags of these operations, those of the interface document first.
fn tags(operations: &[Operation]) -> Node {
    let used: Vec<_> = operations.iter().map(|operation| operation.tag()).collect();
    let tags = TAGS.iter().filter(|(name, ..)| used.contains(name));
    let tags = tags.map(|(name, description, is_extension)| {
        object()
            .with("name", *name)
            .with("description", *description)
            .maybe("x-extension", is_extension.then_some(true))
    });
    tags.collect()
}

const TAGS: [(&str, &str, bool); 12] = [
    ("Patient", "Demographic and basic medical profiles.", false),
    ("History", "Diseases, visits and the last visit.", false),
    ("Prescriptions", "The prescriptions of patients.", false),
    ("Inventory", "Medicines, their availability and their prices.", false),
    ("Invoice", "Billing statements.", false),
    ("Money", "Receipts, refunds and takings.", true),
    ("Stock", "Units on a shelf, from which availability follows.", true),
    ("Consultations", "The diseases and prescriptions of one visit.", true),
    ("Journal", "Every change with its actor and time.", true),
    ("Desk", "What waits at the front desk.", true),
    ("Keys", "The key of the request.", true),
    ("Document", "This document.", true),
];

/// Returns the components to which the paths and the webhooks refer, and those to which these refer.
fn components(contract: &Contract, paths: &Node, webhooks: Option<&Node>) -> Node {
    let all = object().with("schemas", schemas(contract)).with("responses", problems::components());
    let mut reached = BTreeSet::new();
    let mut waiting = paths.references();
    waiting.extend(webhooks.map(Node::references).unwrap_or_default());
    while let Some(target) = waiting.pop() {
        let place = target.strip_prefix("#/components/").and_then(|place| place.split_once('/'));
        let component = place.and_then(|(kind, name)| all.member(kind)?.member(name));
        if let Some(component) = component
            && reached.insert(place)
        {
            waiting.extend(component.references());
        }
    }
    let kinds = all.members().iter();
    let kinds = kinds.map(|(kind, components)| {
        let components = components.members().iter();
        let kept = components.filter(|(name, _)| reached.contains(&Some((&**kind, &**name))));
        (kind.clone(), kept.cloned().collect::<Node>())
    });
    kinds.collect()
}

/// Returns the schemas of all records of the operations, the webhook and the problems.
fn schemas(contract: &Contract) -> Node {
    let of = |operation| {
        let answers = described::answers(operation, contract).into_iter().filter_map(|answer| answer.record);
        described::body(operation, contract).into_iter().chain(answers)
    };
    let others = [records::reports::message(), records::reports::problem()];
    let mut schemas: Vec<(Cow<'static, str>, Node)> = Vec::new();
    for (name, schema) in Operation::all().flat_map(of).chain(others).flat_map(|record| record.schemas()) {
        if schemas.iter().all(|(known, _)| *known != name) {
            schemas.push((name, schema));
        }
    }
    let values = values::value::components().map(|(name, schema)| (name.into(), schema));
    schemas.into_iter().chain(values).collect()
}

/// Returns the description of the whole interface.
fn description(contract: &Contract) -> String {
    let extensions = match contract.has_extensions() {
        true => EXTENSIONS,
        false => "",
    };
    format!("{INTRODUCTION}{}{extensions}", contract.limits().body)
}

const INTRODUCTION: &str = "\
Patient data, prescriptions, medicine inventory and invoices of a healthcare facility.

- Every record exists in JSON and in XML, in requests (`Content-Type`) and in answers (`Accept`; without a \
preference JSON). In XML a list is its element repeated, so an empty list is no element; `xsi:nil` is `null`.
- A request is checked in this order: key (401), scope (403), path (404), method (405), type of the body (415), \
`Accept` (406), size (413), decoding (400), the rules for values (422), whether the record exists (404), \
`If-Match` (412), any other state (409).
- `HEAD` works wherever `GET` does. `OPTIONS` answers 204 with `Allow`, without a key. Any other method on a path \
is 405 with `Allow`.
- An integer is written in plain digits: `1.0` and `1e3`, which JSON Schema calls integers, are refused.
- Requests with unknown or repeated members are refused. Absent values are left out of answers.
- Texts may hold any character except control characters (tab and line feed may stand) and U+FFFE, U+FFFF. CR and \
CRLF become LF. Lengths count code points.
- Errors are problem details (RFC 9457), and list all fields at fault at once.
- Every answer carries `X-Request-Id` and `Cache-Control: no-store`.
- A body has at most this many bytes: ";

const EXTENSIONS: &str = "
- Operations and members marked `x-extension` are not in the interface document; the flow needs them in addition.";

//! The `CapabilityStatement`, made from the table that routes.

use care_core::rest::FacadeRequest;

use crate::{
    kind::{COMMON, Kind, TABLE},
    tree::{Node, Resource, list, object, once, text},
};

/// The day on which the statement last changed.
const DATE: &str = "2026-11-24";

/// Returns the statement of this server.
pub(crate) fn statement(request: &FacadeRequest<'_>) -> Resource {
    let software =
        object([("name", Some(text("Patient Care Service"))), ("version", Some(text(env!("CARGO_PKG_VERSION"))))]);
    let implementation = object([
        ("description", Some(text("The records of one facility, read-only"))),
        ("url", request.address.map(|address| text(address.to_owned()))),
    ]);
    let security = object([(
        "description",
        Some(text(
            "A key of the service in the header api_key, or as Authorization: Bearer. Scopes limit what it reads.",
        )),
    )]);
    let types = TABLE.iter().map(|row| {
        let history = row.has_history.then_some("history-instance");
        let interactions = ["read", "vread"].into_iter().chain(history).chain(["search-type"]);
        let operation = (row.kind == Kind::Patient).then(|| {
            let definition = "http://hl7.org/fhir/OperationDefinition/Patient-everything";
            once(object([("name", Some(text("everything"))), ("definition", Some(text(definition)))]))
        });
        let searched = COMMON.into_iter().chain(row.search.iter().map(|parameter| parameter.described()));
        let searched = searched.map(|(name, kind)| object([("name", Some(text(name))), ("type", Some(text(kind)))]));
        object([
            ("type", Some(text(row.name))),
            ("interaction", list(interactions.map(|code| object([("code", Some(text(code)))])))),
            ("versioning", Some(text("versioned"))),
            ("readHistory", Some(Node::Bool(true))),
            ("conditionalRead", Some(text("full-support"))),
            ("searchParam", list(searched)),
            ("operation", operation),
        ])
    });
    let rest = object([("mode", Some(text("server"))), ("security", Some(security)), ("resource", list(types))]);
    Resource::new(
        "CapabilityStatement",
        [
            ("status", Some(text("active"))),
            ("date", Some(text(DATE))),
            ("kind", Some(text("instance"))),
            ("software", Some(software)),
            ("implementation", Some(implementation)),
            ("fhirVersion", Some(text("4.0.1"))),
            ("format", list(["application/fhir+json", "application/fhir+xml", "json", "xml"].map(text))),
            ("rest", Some(Node::List(vec![rest]))),
        ],
    )
}

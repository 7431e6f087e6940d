//! The `CapabilityStatement`, made from the table that routes.

use care_core::rest::FacadeRequest;

use crate::{
    form::Form,
    kind::{COMMON, Kind, Row, TABLE},
    writer::{Writer, document},
};

/// The day on which the statement last changed.
const DATE: &str = "2026-11-27";

const SECURITY: &str =
    "A key of the service in the header api_key, or as Authorization: Bearer. Scopes limit what it reads.";

/// Returns the statement of this server.
pub(crate) fn statement(request: &FacadeRequest<'_>, form: Form) -> String {
    document(form, "CapabilityStatement", |out| {
        out.text("status", "active");
        out.text("date", DATE);
        out.text("kind", "instance");
        out.object("software", |software| {
            software.text("name", "Patient Care Service");
            software.text("version", env!("CARGO_PKG_VERSION"));
        });
        out.object("implementation", |implementation| {
            implementation.text("description", "The records of one facility, read-only");
            if let Some(address) = request.address {
                implementation.text("url", address);
            }
        });
        out.text("fhirVersion", "4.0.1");
        out.list("format", |formats| {
            for format in ["application/fhir+json", "application/fhir+xml", "json", "xml"] {
                formats.text(format);
            }
        });
        out.one("rest", |rest| {
            rest.text("mode", "server");
            rest.object("security", |security| security.text("description", SECURITY));
            rest.list("resource", |types| TABLE.iter().for_each(|row| types.object(|of| describe(of, row))));
        });
    })
}

/// Writes what this server does with a type.
fn describe(of: &mut Writer, row: &Row) {
    let history = row.has_history.then_some("history-instance");
    let interactions = ["read", "vread"].into_iter().chain(history).chain(["search-type"]);
    of.text("type", row.name);
    of.list("interaction", |all| {
        interactions.for_each(|code| all.object(|interaction| interaction.text("code", code)));
    });
    of.text("versioning", "versioned");
    of.truth("readHistory", true);
    of.text("conditionalRead", "full-support");
    of.list("searchParam", |all| {
        for (name, kind) in COMMON.into_iter().chain(row.search.iter().map(|parameter| parameter.described())) {
            all.object(|parameter| {
                parameter.text("name", name);
                parameter.text("type", kind);
            });
        }
    });
    if row.kind == Kind::Patient {
        of.one("operation", |operation| {
            operation.text("name", "everything");
            operation.text("definition", "http://hl7.org/fhir/OperationDefinition/Patient-everything");
        });
    }
}

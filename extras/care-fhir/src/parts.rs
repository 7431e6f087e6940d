//! Elements that several resources have. Each function writes the members of the element that is open, unless it has
//! the element's name.

use std::fmt::Display;

use care_core::model::{Date, PatientId};

use crate::writer::{Items, Writer};

pub(crate) const DATA_ABSENT_REASON: &str = "http://hl7.org/fhir/StructureDefinition/data-absent-reason";
pub(crate) const UCUM: &str = "http://unitsofmeasure.org";
pub(crate) const LOINC: &str = "http://loinc.org";
pub(crate) const OBSERVATION_CATEGORY: &str = "http://terminology.hl7.org/CodeSystem/observation-category";

/// Writes a primitive whose value is in no record.
pub(crate) fn unknown(out: &mut Writer, name: &'static str) {
    out.without_value(name, |extensions| because(extensions, "unknown"));
}

/// Writes the reason for which a value is absent.
pub(crate) fn because(extensions: &mut Items<'_>, reason: &'static str) {
    extensions.extension(DATA_ABSENT_REASON, |extension| extension.text("valueCode", reason));
}

/// Writes a reference to the resource of this type and identifier.
pub(crate) fn reference(out: &mut Writer, name: &'static str, kind: &str, id: impl Display) {
    out.object(name, |to| refers(to, kind, id));
}

/// Writes what a reference has: the type and the identifier of its resource.
pub(crate) fn refers(to: &mut Writer, kind: &str, id: impl Display) {
    to.text("reference", &[kind, "/", &id.to_string()].concat());
}

pub(crate) fn subject(out: &mut Writer, patient: PatientId) {
    reference(out, "subject", "Patient", patient.value());
}

/// Writes a concept that is only a text, unless it is blank.
pub(crate) fn concept(out: &mut Writer, name: &'static str, text: Option<&impl AsRef<str>>) {
    out.object(name, |concept| concept.stored("text", text));
}

/// A code of a system, and how it is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coding {
    pub(crate) system: &'static str,
    pub(crate) code: &'static str,
    pub(crate) display: &'static str,
}

impl Coding {
    pub(crate) fn write(self, out: &mut Writer) {
        out.text("system", self.system);
        out.text("code", self.code);
        out.text("display", self.display);
    }

    /// Writes a concept of this code.
    pub(crate) fn write_concept(self, out: &mut Writer) {
        out.one("coding", |coding| self.write(coding));
    }
}

/// Writes a number of units of UCUM.
pub(crate) fn measured(out: &mut Writer, name: &'static str, value: &str, unit: &'static str, code: &'static str) {
    out.object(name, |quantity| {
        quantity.plain("value", value);
        quantity.text("unit", unit);
        quantity.text("system", UCUM);
        quantity.text("code", code);
    });
}

/// Writes an identifier in the facility's own namespace, if it has one.
pub(crate) fn identifier(out: &mut Writer, namespace: Option<&str>, kind: &str, number: i64) {
    let Some(namespace) = namespace else { return };
    out.one("identifier", |identifier| {
        identifier.text("use", "usual");
        identifier.text("system", &[namespace, "/", kind].concat());
        identifier.text("value", &number.to_string());
    });
}

pub(crate) fn day(out: &mut Writer, name: &'static str, date: Date) {
    out.text(name, &format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day()));
}

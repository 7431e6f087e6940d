//! The table of resource types: what is routed and searched, what a key needs, and what the `CapabilityStatement`
//! lists.

use care_core::model::Scope;

use crate::{
    parts::{LOINC, OBSERVATION_CATEGORY},
    writer::Path,
};

/// A type of resource that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Patient,
    AllergyIntolerance,
    Observation,
    Encounter,
    Condition,
    MedicationRequest,
    MedicationDispense,
    Medication,
    Invoice,
}

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    pub(crate) scope: Scope,
    /// The search parameters beside those of every type.
    pub(crate) search: &'static [Parameter],
    /// Whether a search has to name a patient or a record: there is no list of all resources of the type.
    pub(crate) is_narrow: bool,
    /// Whether a resource's versions can be listed.
    pub(crate) has_history: bool,
}

/// A search parameter of some types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Parameter {
    Identifier,
    Name,
    Phone,
    Email,
    Patient,
    Subject,
    /// The patient of a resource that has no `subject`.
    Whose,
    Status,
    Encounter,
    Prescription,
    Code,
    Category,
}

use Parameter::{
    Category, Code, Email, Encounter, Identifier, Name, Patient, Phone, Prescription, Status, Subject, Whose,
};

/// The types that can be read.
pub(crate) static TABLE: [Row; 9] = [
    row(Kind::Patient, "Patient", Scope::PatientRead, &[Identifier, Name, Phone, Email]).with_history(),
    row(Kind::AllergyIntolerance, "AllergyIntolerance", Scope::PatientRead, &[Whose]).narrow(),
    row(Kind::Observation, "Observation", Scope::PatientRead, &[Patient, Subject, Code, Category]).narrow(),
    row(Kind::Encounter, "Encounter", Scope::HistoryRead, &[Patient, Subject, Status]).with_history(),
    row(Kind::Condition, "Condition", Scope::HistoryRead, &[Patient, Subject, Encounter]).narrow(),
    row(Kind::MedicationRequest, "MedicationRequest", Scope::PrescriptionsRead, &[Patient, Subject, Status])
        .with_history(),
    row(Kind::MedicationDispense, "MedicationDispense", Scope::PrescriptionsRead, &[Patient, Subject, Prescription])
        .narrow(),
    row(Kind::Medication, "Medication", Scope::InventoryRead, &[]).with_history(),
    row(Kind::Invoice, "Invoice", Scope::InvoiceRead, &[Patient, Subject, Status]).with_history(),
];

/// The types of what is about a patient, in the order in which they come.
pub(crate) const ABOUT_A_PATIENT: [Kind; 8] = [
    Kind::Patient,
    Kind::AllergyIntolerance,
    Kind::Observation,
    Kind::Encounter,
    Kind::Condition,
    Kind::MedicationRequest,
    Kind::MedicationDispense,
    Kind::Invoice,
];

/// The name of a patient's allergies, behind the patient's number.
pub(crate) const ALLERGIES: &str = "allergies";

/// The parameters of every search, with the types that R4 gives them. The last three choose a page and its form, and
/// not what is found.
pub(crate) const COMMON: [(&str, &str); 5] =
    [("_id", "token"), ("_count", "number"), ("_cursor", "special"), ("_format", "special"), ("_pretty", "special")];

const fn row(kind: Kind, name: &'static str, scope: Scope, search: &'static [Parameter]) -> Row {
    Row { kind, name, scope, search, is_narrow: false, has_history: false }
}

impl Row {
    const fn narrow(self) -> Self {
        Self { is_narrow: true, ..self }
    }

    const fn with_history(self) -> Self {
        Self { has_history: true, ..self }
    }

    /// Returns the row of the type with this name, which is case-sensitive.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|row| row.name == name)
    }

    /// Returns the row of a type.
    pub(crate) fn of(kind: Kind) -> &'static Self {
        &TABLE[kind as usize]
    }

    /// Returns the system and the codes that resources of the type can have where a parameter looks for one.
    pub(crate) const fn codes(&self, parameter: Parameter) -> (&'static str, &'static [&'static str]) {
        match (self.kind, parameter) {
            (Kind::Encounter, Status) => ("http://hl7.org/fhir/encounter-status", &["in-progress", "finished"]),
            (Kind::MedicationRequest, Status) => {
                ("http://hl7.org/fhir/CodeSystem/medicationrequest-status", &["active", "completed"])
            }
            (Kind::Invoice, Status) => ("http://hl7.org/fhir/invoice-status", &["issued", "balanced", "cancelled"]),
            (Kind::Observation, Code) => (LOINC, &["29463-7", "30525-0"]),
            (Kind::Observation, Category) => (OBSERVATION_CATEGORY, &["vital-signs"]),
            _ => ("", &[]),
        }
    }
}

impl Parameter {
    /// Returns its name, the type that R4 gives it, the path of the texts that it looks at, and the type that a
    /// reference points to.
    const fn row(self) -> (&'static str, &'static str, Path, Option<Kind>) {
        match self {
            // It is the resource's own, which is no text of it.
            Identifier => ("identifier", "token", &[], None),
            Name => ("name", "string", &["name", "text"], None),
            Phone => ("phone", "token", &["telecom", "value"], None),
            Email => ("email", "token", &["telecom", "value"], None),
            Patient => ("patient", "reference", &["subject", "reference"], Some(Kind::Patient)),
            Subject => ("subject", "reference", &["subject", "reference"], Some(Kind::Patient)),
            Whose => ("patient", "reference", &["patient", "reference"], Some(Kind::Patient)),
            Status => ("status", "token", &["status"], None),
            Encounter => ("encounter", "reference", &["encounter", "reference"], Some(Kind::Encounter)),
            Prescription => {
                let path = &["authorizingPrescription", "reference"];
                ("prescription", "reference", path, Some(Kind::MedicationRequest))
            }
            Code => ("code", "token", &["code", "coding", "code"], None),
            Category => ("category", "token", &["category", "coding", "code"], None),
        }
    }

    /// Returns its name.
    pub(crate) const fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns its name, and the type that R4 gives it.
    pub(crate) const fn described(self) -> (&'static str, &'static str) {
        (self.row().0, self.row().1)
    }

    /// Returns the path of the texts that it looks at; none for an identifier.
    pub(crate) const fn path(self) -> Path {
        self.row().2
    }

    /// Returns the type that a reference points to; `None` for a parameter that is none.
    pub(crate) const fn refers_to(self) -> Option<Kind> {
        self.row().3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_row() {
        for row in &TABLE {
            assert_eq!((Row::of(row.kind).name, Row::named(row.name).map(|row| row.kind)), (row.name, Some(row.kind)));
        }
    }
}

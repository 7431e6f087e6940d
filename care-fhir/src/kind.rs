//! The table of resource types: what is routed, what a key needs, and what the `CapabilityStatement` lists.

use care_core::model::Scope;

/// A type of resource that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Patient,
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
}

/// The types that can be read.
pub(crate) static TABLE: [Row; 8] = [
    Row { kind: Kind::Patient, name: "Patient", scope: Scope::PatientRead },
    Row { kind: Kind::Observation, name: "Observation", scope: Scope::PatientRead },
    Row { kind: Kind::Encounter, name: "Encounter", scope: Scope::HistoryRead },
    Row { kind: Kind::Condition, name: "Condition", scope: Scope::HistoryRead },
    Row { kind: Kind::MedicationRequest, name: "MedicationRequest", scope: Scope::PrescriptionsRead },
    Row { kind: Kind::MedicationDispense, name: "MedicationDispense", scope: Scope::PrescriptionsRead },
    Row { kind: Kind::Medication, name: "Medication", scope: Scope::InventoryRead },
    Row { kind: Kind::Invoice, name: "Invoice", scope: Scope::InvoiceRead },
];

impl Row {
    /// Returns the row of the type with this name, which is case-sensitive.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|row| row.name == name)
    }
}

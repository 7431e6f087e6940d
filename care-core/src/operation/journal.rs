//! The names of operations in journal entries.

use super::Operation;

/// Defines the operations that are no rows of the table, each with its name and the type of its events.
macro_rules! others {
    ($($(#[$doc:meta])+ $other:ident $name:literal $event:expr;)*) => {
        /// The operation that a journal entry names: one of the interface, one that only tools run, or one of a facade.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum JournalOperation {
            /// An operation of the interface.
            Interface(Operation),
            $($(#[$doc])+ $other,)*
        }

        impl JournalOperation {
            /// Returns all of them.
            pub fn all() -> impl Iterator<Item = Self> {
                Operation::all().map(Self::Interface).chain([$(Self::$other),*])
            }

            /// Returns the name in journal entries.
            pub fn name(self) -> &'static str {
                match self {
                    Self::Interface(operation) => operation.id(),
                    $(Self::$other => $name,)*
                }
            }

            /// Returns the type of the events of its entries; `None` for one whose entries note reads, or are about
            /// keys.
            ///
            /// ```
            /// use care_core::operation::{JournalOperation, Operation};
            ///
            /// assert_eq!(JournalOperation::ErasePatient.event(), Some("patient.erased"));
            /// assert_eq!(JournalOperation::from(Operation::GetPatient).event(), None);
            /// ```
            pub fn event(self) -> Option<&'static str> {
                match self {
                    Self::Interface(operation) => operation.event(),
                    $(Self::$other => $event,)*
                }
            }
        }
    };
}

others! {
    /// The erasure of a person.
    ErasePatient "erasePatient" Some("patient.erased");
    /// The import of patients, many of whose entries are written in one transaction.
    ImportPatients "importPatients" Operation::AddPatient.event();
    /// The import of medicines with their stock, many of whose entries are written in one transaction.
    ImportMedicines "importMedicines" Operation::AddMedicine.event();
    /// The issue of a key.
    IssueKey "issueKey" None;
    /// The issue of a key in the place of another one.
    RotateKey "rotateKey" None;
    /// The revocation of a key.
    RevokeKey "revokeKey" None;
    /// The read of a FHIR resource.
    FhirRead "fhirRead" None;
    /// The read of an earlier version of a FHIR resource.
    FhirVread "fhirVread" None;
    /// The read of a FHIR resource's versions.
    FhirHistory "fhirHistory" None;
    /// The read of everything about a patient over FHIR.
    FhirEverything "fhirEverything" None;
}

impl JournalOperation {
    /// Returns the operation with this name; `None` for a name that this version does not know.
    ///
    /// ```
    /// use care_core::operation::{JournalOperation, Operation};
    ///
    /// assert_eq!(JournalOperation::named("payInvoice"), Some(Operation::PayInvoice.into()));
    /// assert_eq!(JournalOperation::named("erasePatient"), Some(JournalOperation::ErasePatient));
    /// assert_eq!(JournalOperation::named("payinvoice"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|operation| operation.name() == name)
    }
}

impl From<Operation> for JournalOperation {
    fn from(operation: Operation) -> Self {
        Self::Interface(operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_operations_share_a_name() {
        let mut names: Vec<_> = JournalOperation::all().map(JournalOperation::name).collect();
        names.sort_unstable();
        assert!(names.is_sorted_by(|one, next| one < next));
    }
}

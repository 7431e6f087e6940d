//! The names of operations in journal entries.

/// The operation of an erasure's entry.
pub const ERASE_PATIENT: &str = "erasePatient";

/// The operation of the entries of imported patients, many of which are written in one transaction.
pub const IMPORT_PATIENTS: &str = "importPatients";

/// The identifiers of the interface's operations in the OpenAPI document, in alphabetical order. A test compares them
/// with the table of operations.
pub(crate) const OF_THE_INTERFACE: [&str; 41] = [
    "addConsultation",
    "addMedicine",
    "addPatient",
    "addPrescription",
    "backtestRestock",
    "cancelInvoice",
    "countStock",
    "deleteMedicine",
    "deletePatient",
    "deletePrescription",
    "endStock",
    "getConsultation",
    "getHistory",
    "getInvoice",
    "getKey",
    "getMedicine",
    "getMovement",
    "getNews",
    "getOpenapi",
    "getPatient",
    "getPrescription",
    "getRestock",
    "getStock",
    "getSupply",
    "issueInvoice",
    "listInvoices",
    "listJournal",
    "listMedicines",
    "listMovements",
    "listPatients",
    "listPrescriptions",
    "listStock",
    "moveStock",
    "payInvoice",
    "reverseMovement",
    "startStock",
    "updateMedicine",
    "updatePatient",
    "updatePrescription",
    "updateStock",
    "updateSupply",
];

/// Returns whether a journal entry may name this [operation](crate::store::Entry::operation): one of the interface, or
/// one of the tools' own.
///
/// ```
/// use care_core::store::is_operation;
///
/// assert!(is_operation("payInvoice") && is_operation("erasePatient"));
/// assert!(!is_operation("payinvoice") && !is_operation(""));
/// ```
pub fn is_operation(name: &str) -> bool {
    OF_THE_INTERFACE.binary_search(&name).is_ok() || [ERASE_PATIENT, IMPORT_PATIENTS].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order() {
        assert!(OF_THE_INTERFACE.is_sorted_by(|one, next| one < next));
    }
}

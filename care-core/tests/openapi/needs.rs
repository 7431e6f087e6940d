//! Facts about each operation that the document does not say: the operations before it with which its example succeeds
//! or is refused, and a body that breaks a rule.

use crate::description::Described;

/// Returns the operations that must run before another one's example succeeds.
pub(crate) fn before(id: &str) -> &'static [&'static str] {
    match id {
        "addPatient" | "addMedicine" | "getKey" | "getOpenapi" => &[],
        "getPatient" | "updatePatient" | "deletePatient" | "listPatients" | "getHistory" | "addConsultation" => {
            &["addPatient"]
        }
        "getConsultation" | "listConsultations" => &["addPatient", "addConsultation"],
        "addPrescription" => &["addPatient", "addMedicine"],
        "getPrescription" | "updatePrescription" | "deletePrescription" | "issueInvoice" | "listPrescriptions" => {
            &["addPatient", "addMedicine", "addPrescription"]
        }
        "getInvoice" | "payInvoice" | "cancelInvoice" | "listInvoices" => {
            &["addPatient", "addPrescription", "issueInvoice"]
        }
        "refundInvoice" | "correctReceipt" | "getReceipt" | "listReceipts" | "getTakings" => {
            &["addPatient", "addPrescription", "issueInvoice", "payInvoice"]
        }
        "startStock" => &["addMedicine"],
        "listStock" => &["addMedicine", "startEmpty", "moveStock"],
        "getStock" | "updateStock" | "endStock" => &["addMedicine", "startEmpty"],
        "moveStock" | "countStock" => &["addMedicine", "startEmpty"],
        "backtestRestock" => &["addMedicine", "startEmpty"],
        "getMovement" | "reverseMovement" => &["addMedicine", "startEmpty", "moveStock"],
        "listMovements" => {
            &["addPatient", "addMedicine", "addPrescription", "startEmpty", "moveStock", "issueInvoice", "payInvoice"]
        }
        "getSupply" | "updateSupply" => &["addPatient", "addMedicine", "addPrescription"],
        "updateMedicine" | "getMedicine" | "deleteMedicine" | "listMedicines" => &["addMedicine"],
        // These answers contain all kinds of records.
        "getRestock" | "listJournal" | "listEvents" | "getNews" | "getToday" => &[
            "addPatient",
            "addMedicine",
            "addPrescription",
            "updatePrescription",
            "issueInvoice",
            "payInvoice",
            "getHistory",
            "deleteMedicine",
        ],
        other => panic!("unknown operation {other}"),
    }
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

/// Returns a body whose values break a rule.
pub(crate) fn broken(operation: Described) -> &'static str {
    match operation.path {
        "/inventory/{medicine}" => r#"{"price":-1}"#,
        "/inventory/{medicine}/stock" => r#"{"unit":""}"#,
        "/inventory/{medicine}/movements" => r#"{"kind":"receipt","units":0}"#,
        "/inventory/{medicine}/count" => r#"{"lines":[{"counted":-1}]}"#,
        "/prescriptions/{prescriptionId}/supply" => r#"{"quantity":0}"#,
        "/invoice/{invoiceId}/payment" | "/receipts/{receiptId}/correction" => r#"{"method":"coin"}"#,
        "/invoice/{invoiceId}/refund" => r#"{"reason":"other"}"#,
        "/patient" => r#"{"patientId":0}"#,
        "/consultations" => r#"{"patientId":7,"prescriptions":[{"medicine":" "}]}"#,
        _ => r#"{"patientId":7,"medicine":"."}"#,
    }
}

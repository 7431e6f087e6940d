//! The reads that the journal records, where the operator has enabled that.

use std::sync::Arc;

use super::request::Request;
use crate::{
    rest::contract::{operation::Operation, problem::Problem},
    store::RecordKey,
};

/// The function that returns the key of the record that a request has read.
type KeyOf = fn(&Request<'_>) -> Result<RecordKey, Problem>;

/// Returns whether the operation reads a single record of a patient. Other reads are not recorded: a list names no
/// single patient, and an item of the inventory belongs to none.
pub(crate) fn are_audited(operation: Operation) -> bool {
    key_of(operation).is_some()
}

/// Records the read of a request in the journal, under this actor.
pub(crate) async fn note(request: &Request<'_>, actor: &Arc<str>) -> Result<(), Problem> {
    let Some(key_of) = key_of(request.operation) else {
        return Ok(());
    };
    let key = key_of(request)?;
    Ok(request.care.acting_as(Arc::clone(actor)).note_read(request.operation, key).await?)
}

fn key_of(operation: Operation) -> Option<KeyOf> {
    // Without a fallback, so that a new operation has to say whose record its answer holds.
    match operation {
        Operation::GetPatient => Some(|request| request.identifier("patientId").map(RecordKey::Patient)),
        Operation::GetHistory => Some(|request| request.identifier("patientId").map(RecordKey::History)),
        Operation::GetPrescription | Operation::GetSupply => {
            Some(|request| request.identifier("prescriptionId").map(RecordKey::Prescription))
        }
        Operation::GetInvoice => Some(|request| request.identifier("invoiceId").map(RecordKey::Invoice)),
        Operation::GetConsultation => Some(|request| request.identifier("consultationId").map(RecordKey::Consultation)),
        // Lists and reports name no single patient.
        Operation::ListPatients
        | Operation::ListConsultations
        | Operation::ListPrescriptions
        | Operation::ListInvoices
        | Operation::ListReceipts
        | Operation::ListMedicines
        | Operation::ListStock
        | Operation::ListMovements
        | Operation::ListJournal
        | Operation::ListEvents
        | Operation::GetTakings
        | Operation::GetRestock
        | Operation::BacktestRestock
        | Operation::GetToday => None,
        // These belong to no patient.
        Operation::GetMedicine
        | Operation::GetStock
        | Operation::GetMovement
        | Operation::GetReceipt
        | Operation::GetNews
        | Operation::GetKey
        | Operation::GetOpenapi => None,
        // A change is in the journal itself. Its decision notes the answer of one that changes nothing.
        Operation::AddPatient
        | Operation::UpdatePatient
        | Operation::DeletePatient
        | Operation::AddConsultation
        | Operation::AddPrescription
        | Operation::UpdatePrescription
        | Operation::DeletePrescription
        | Operation::UpdateSupply
        | Operation::IssueInvoice
        | Operation::PayInvoice
        | Operation::CancelInvoice
        | Operation::RefundInvoice
        | Operation::CorrectReceipt
        | Operation::AddMedicine
        | Operation::UpdateMedicine
        | Operation::DeleteMedicine
        | Operation::StartStock
        | Operation::UpdateStock
        | Operation::EndStock
        | Operation::MoveStock
        | Operation::ReverseMovement
        | Operation::CountStock => None,
    }
}

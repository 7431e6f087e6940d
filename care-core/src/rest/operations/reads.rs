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
#[cfg(feature = "openapi")]
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
    Some(match operation {
        Operation::GetPatient => |request| request.identifier("patientId").map(RecordKey::Patient),
        Operation::GetHistory => |request| request.identifier("patientId").map(RecordKey::History),
        Operation::GetPrescription | Operation::GetSupply => {
            |request| request.identifier("prescriptionId").map(RecordKey::Prescription)
        }
        Operation::GetInvoice => |request| request.identifier("invoiceId").map(RecordKey::Invoice),
        Operation::GetConsultation => |request| request.identifier("consultationId").map(RecordKey::Consultation),
        _ => return None,
    })
}

//! Which reads are written into the journal, where the operator wants that.

use std::sync::Arc;

use super::request::Request;
use crate::{
    rest::contract::{operation::Operation, problem::Problem},
    store::RecordKey,
};

/// What a request has read, once it was found.
type KeyOf = fn(&Request<'_>) -> Result<RecordKey, Problem>;

/// Whether the operation reads a single record of a patient's. The others are not written down: a list names nobody who
/// was looked at, and an item of the inventory is nobody's.
#[cfg(feature = "openapi")]
pub(crate) fn are_audited(operation: Operation) -> bool {
    key_of(operation).is_some()
}

/// Writes down that the request has read what it did, in this name.
pub(crate) async fn note(request: &Request<'_>, actor: &Arc<str>) -> Result<(), Problem> {
    let Some(key_of) = key_of(request.operation) else {
        return Ok(());
    };
    let key = key_of(request)?;
    Ok(request.care.acting_as(Arc::clone(actor)).note_read(request.operation.id(), key).await?)
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

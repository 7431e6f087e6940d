//! Which reads are written into the journal, where the operator wants that.

use std::sync::Arc;

use super::{operation::Operation, problem::Problem, run::Request};
use crate::store::RecordKey;

/// Writes down that the request read what it did, in this name. Lists and what is about no patient are not written down.
pub(super) async fn note(request: &Request<'_>, actor: &Arc<str>) -> Result<(), Problem> {
    let key = match request.operation {
        Operation::GetPatient => RecordKey::Patient(request.identifier("patientId")?),
        Operation::GetHistory => RecordKey::History(request.identifier("patientId")?),
        Operation::GetPrescription => RecordKey::Prescription(request.identifier("prescriptionId")?),
        Operation::GetInvoice => RecordKey::Invoice(request.identifier("invoiceId")?),
        Operation::GetConsultation => RecordKey::Consultation(request.identifier("consultationId")?),
        _ => return Ok(()),
    };
    Ok(request.care.acting_as(Arc::clone(actor)).note_read(request.operation.id(), key).await?)
}

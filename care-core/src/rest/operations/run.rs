//! Running an operation: from what the request says, through the service, to the answer.

use http::{StatusCode, header};

use super::{lists, request::Request, versions};
use crate::{
    model::PatientId,
    rest::{
        body::form::Form,
        contract::{
            answer::Answer,
            input,
            operation::Operation,
            problem::Problem,
            view::{ConsultationView, InvoiceView, PrescriptionView},
        },
        http::{etag::Tag, media::Format},
    },
    store::Versioned,
};

/// Runs the operation. The one place where operations meet use cases.
///
/// What is larger than a single read has a box of its own: a read would be as large otherwise, and be moved.
pub(crate) async fn run(request: &Request<'_>) -> Result<Answer, Problem> {
    let care = request.care;
    if let Some(at) = versions::asked(request)? {
        return Box::pin(versions::run(request, at)).await;
    }
    match request.operation {
        Operation::GetInvoice => {
            let Versioned { version, record } = care.invoice(request.identifier("invoiceId")?).await?;
            Ok(request.found("Invoice", &InvoiceView::single(&record), Tag::of(version)))
        }
        Operation::GetPatient => {
            let Versioned { version, record } = care.patient(request.identifier("patientId")?).await?;
            Ok(request.found("Patient", &record, Tag::of(version)))
        }
        Operation::UpdatePatient => {
            let (id, details) = request.form(|form| {
                let (id, details) = input::patient(form);
                Some((form.required("patientId", id)?, details))
            })?;
            let patient = Box::pin(care.update_patient(id, details, request.expected())).await?;
            Ok(request.answer(StatusCode::OK, "Patient", &patient))
        }
        Operation::GetHistory => {
            let Versioned { version, record } = care.history(request.identifier("patientId")?).await?;
            Ok(request.found("History", &record, Tag::of(version)))
        }
        Operation::GetPrescription => {
            let Versioned { version, record } = care.prescription(request.identifier("prescriptionId")?).await?;
            let view = PrescriptionView::single(&record.prescription, record.is_available);
            Ok(request.found("Prescription", &view, Tag { version, available: Some(record.is_available) }))
        }
        Operation::UpdatePrescription => {
            let (patient_id, new) = request.form(prescription_of)?;
            let medicine = new.medicine.key().clone();
            let live = care.update_prescription(patient_id, medicine, new.details, request.expected()).await?;
            let view = PrescriptionView::single(&live.prescription, live.is_available);
            let path = request.location("prescriptions", live.prescription.prescription_id);
            Ok(request.answer(StatusCode::OK, "Prescription", &view).with_header(header::CONTENT_LOCATION, path))
        }
        Operation::DeletePrescription => {
            care.withdraw_prescription(request.identifier("prescriptionId")?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::AddMedicine => {
            let (medicine, details) = request.item()?;
            let item = care.add_item(medicine, details).await?;
            Ok(request.answer(StatusCode::OK, "Inventory", &item))
        }
        Operation::UpdateMedicine => {
            let (medicine, details) = request.item()?;
            let item = care.update_item(medicine.key().clone(), details, request.expected()).await?;
            Ok(request.answer(StatusCode::OK, "Inventory", &item))
        }
        Operation::AddPatient => {
            let (id, details) = request.form(|form| Some(input::patient(form)))?;
            let patient = Box::pin(care.register_patient(id.value(), details)).await?;
            let path = request.location("patient", patient.patient_id);
            Ok(request.answer(StatusCode::CREATED, "Patient", &patient).with_header(header::LOCATION, path))
        }
        Operation::DeletePatient => {
            care.void_patient(request.identifier("patientId")?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::AddConsultation => {
            let new = request.form(input::consultation)?;
            let consultation = care.record_consultation(new).await?;
            let path = request.location("consultations", consultation.consultation_id);
            let view = ConsultationView::from(&consultation);
            Ok(request.answer(StatusCode::CREATED, "Consultation", &view).with_header(header::LOCATION, path))
        }
        Operation::GetConsultation => {
            let Versioned { version, record } = care.consultation(request.identifier("consultationId")?).await?;
            Ok(request.found("Consultation", &ConsultationView::from(&record), Tag::of(version)))
        }
        Operation::AddPrescription => {
            let (patient_id, new) = request.form(prescription_of)?;
            let live = care.prescribe(patient_id, new).await?;
            let view = PrescriptionView::single(&live.prescription, live.is_available);
            let path = request.location("prescriptions", live.prescription.prescription_id);
            Ok(request.answer(StatusCode::CREATED, "Prescription", &view).with_header(header::LOCATION, path))
        }
        Operation::IssueInvoice => {
            let issued = care.issue_invoice(request.identifier("prescriptionId")?).await?;
            let path = request.location("invoice", issued.invoice.invoice_id);
            let (status, header) = match issued.is_new {
                true => (StatusCode::CREATED, header::LOCATION),
                false => (StatusCode::OK, header::CONTENT_LOCATION),
            };
            Ok(request.answer(status, "Invoice", &InvoiceView::single(&issued.invoice)).with_header(header, path))
        }
        Operation::PayInvoice => {
            let history = care.pay_invoice(request.identifier("invoiceId")?).await?;
            Ok(request.answer(StatusCode::OK, "History", &history))
        }
        Operation::CancelInvoice => {
            care.cancel_invoice(request.identifier("invoiceId")?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::GetMedicine => {
            let Versioned { version, record } = care.item(request.medicine()?).await?;
            Ok(request.found("Inventory", &record, Tag::of(version)))
        }
        Operation::DeleteMedicine => {
            care.remove_item(request.medicine()?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::ListPatients => Box::pin(lists::patients(request)).await,
        Operation::ListPrescriptions => Box::pin(lists::prescriptions(request)).await,
        Operation::ListInvoices => Box::pin(lists::invoices(request)).await,
        Operation::ListMedicines => Box::pin(lists::medicines(request)).await,
        Operation::ListJournal => Box::pin(lists::journal(request)).await,
        Operation::GetRestock => Box::pin(lists::restock(request)).await,
        Operation::GetOpenapi => {
            let document = request.contract.document();
            Ok(Answer::new(StatusCode::OK).with_body(Format::Json.media_type(), document))
        }
    }
}

/// A prescription and whom it is for, both required.
fn prescription_of(form: &mut Form<'_, '_>) -> Option<(PatientId, crate::service::NewPrescription)> {
    let patient_id = form.integer("patientId");
    let patient_id = form.required("patientId", patient_id);
    let new = input::prescription(form);
    Some((patient_id?, new?))
}

//! Running an operation: from what the request says, through the service, to the answer.

use http::{HeaderValue, StatusCode, header, request::Parts};
use serde::Serialize;

use super::{
    answer::Answer,
    encode,
    etag::{self, Tag},
    faults::Faults,
    form::Form,
    input, lists,
    media::Format,
    operation::{Input, Operation},
    path,
    problem::Problem,
    settings::Api,
    versions,
    view::{ConsultationView, InvoiceView, PrescriptionView},
};
use crate::{
    error::Error,
    model::{MedicineKey, PatientId, Scopes},
    service::CareService,
    store::Versioned,
};

/// A request that has passed every check that needs neither its body nor the records.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) operation: Operation,
    pub(super) head: &'a Parts,
    /// The raw segment that the path's parameter stands in; empty when it has none.
    pub(super) parameter: &'a str,
    pub(super) body: &'a [u8],
    /// The form of the body.
    pub(super) body_format: Format,
    /// The form of the answer.
    pub(super) format: Format,
    /// How many headers the answer usually has.
    pub(super) room: usize,
    /// What the key may.
    pub(super) scopes: Scopes,
    /// Whose base path `Location` and `Link` begin with.
    pub(super) api: &'a Api,
    /// The service; for a change acting in the name of the key.
    pub(super) care: &'a CareService,
}

/// Runs the operation. The one place where operations meet use cases.
///
/// What is larger than a single read has a box of its own: a read would be as large otherwise, and be moved.
pub(super) async fn run(request: &Request<'_>) -> Result<Answer, Problem> {
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
            let document = request.api.document();
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

impl Request<'_> {
    /// The identifier in the path.
    pub(super) fn identifier<T: TryFrom<i64>>(&self, name: &'static str) -> Result<T, Problem> {
        let mut faults = Faults::default();
        let id = input::identifier(name, self.parameter, &mut faults);
        faults.into_result()?;
        id.ok_or(Problem::Internal)
    }

    /// The medicine in the path.
    pub(super) fn medicine(&self) -> Result<MedicineKey, Problem> {
        let mut faults = Faults::default();
        let medicine = input::medicine("medicine", self.parameter, &mut faults);
        faults.into_result()?;
        Ok(medicine.ok_or(Problem::Internal)?.key().clone())
    }

    /// The medicine in the path and the item in the body, with the faults of both.
    fn item(&self) -> Result<(crate::model::MedicineName, crate::model::ItemDetails), Problem> {
        let mut faults = Faults::default();
        let medicine = input::medicine("medicine", self.parameter, &mut faults);
        let details = self.read(&mut faults, |form| input::item(form, medicine.as_ref()))?;
        faults.into_result()?;
        Ok((medicine.ok_or(Problem::Internal)?, details))
    }

    /// The record in the body.
    fn form<T>(&self, read: impl FnOnce(&mut Form<'_, '_>) -> Option<T>) -> Result<T, Problem> {
        let mut faults = Faults::default();
        let record = self.read(&mut faults, read)?;
        faults.into_result()?;
        // Without faults there is a record.
        record.ok_or(Problem::Internal)
    }

    fn read<T>(&self, faults: &mut Faults, read: impl FnOnce(&mut Form<'_, '_>) -> T) -> Result<T, Problem> {
        let roots = match self.operation.input() {
            Input::Record(roots) => roots,
            Input::Nothing | Input::Query(_) => &[],
        };
        let members = input::members(self.body_format, self.body, roots)?;
        let mut form = Form::new(members, faults);
        let record = read(&mut form);
        form.close();
        Ok(record)
    }

    /// The versions that the client expects to change.
    fn expected(&self) -> crate::service::Expected {
        etag::expected(&self.head.headers)
    }

    fn location(&self, of: &str, id: impl Into<i64>) -> HeaderValue {
        let path = format!("{}/{of}/{}", self.api.base_path(), id.into());
        // The base path was checked to be plain.
        HeaderValue::try_from(path).unwrap_or(HeaderValue::from_static(""))
    }

    /// An answer with a body.
    pub(super) fn answer(&self, status: StatusCode, root: &str, body: &impl Serialize) -> Answer {
        let document = encode::document(self.format, root, body);
        Answer::with_room(status, self.room).with_body(self.format.media_type(), document)
    }

    /// A single record, unless the client has this very answer.
    pub(super) fn found(&self, root: &str, body: &impl Serialize, tag: Tag) -> Answer {
        let answer = match tag.is_known(self.format, &self.head.headers) {
            true => Answer::new(StatusCode::NOT_MODIFIED).with_header(header::VARY, HeaderValue::from_static("Accept")),
            false => self.answer(StatusCode::OK, root, body),
        };
        let tag = HeaderValue::try_from(tag.text(self.format));
        answer.with_header(header::ETAG, tag.unwrap_or(HeaderValue::from_static("\"\"")))
    }

    /// An error about a query or a list, as a problem.
    pub(super) fn link(&self, query: &str) -> HeaderValue {
        let segments = self.operation.path().iter().filter_map(|segment| match segment {
            super::operation::Segment::Literal(text) => Some(format!("/{}", path::encode_segment(text))),
            super::operation::Segment::Parameter(_) => None,
        });
        let link = format!("<{}{}?{query}>; rel=\"next\"", self.api.base_path(), segments.collect::<String>());
        HeaderValue::try_from(link).unwrap_or(HeaderValue::from_static(""))
    }
}

impl From<crate::error::StoreError> for Problem {
    fn from(error: crate::error::StoreError) -> Self {
        Self::Domain(Error::Store(error))
    }
}

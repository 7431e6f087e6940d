//! Running an operation: from what the request says, through the service, to the answer.

use http::{StatusCode, header};

use super::{
    changes::{money, stock},
    events,
    lists::{self, reports, today},
    request::Request,
    singles, tags, versions,
};
use crate::{
    model::PatientId,
    rest::{
        body::form::Form,
        contract::{Contract, answer::Answer, input, operation::Operation, problem::Problem},
        http::{etag::Tag, media::Format},
    },
    service::{IssuedInvoice, NewPrescription},
    store::Versioned,
    wire::{Invoice, KeyFacts, Prescription},
};

/// Runs the operation. Operations meet use cases only here.
///
/// Futures that are larger than that of a read are boxed, since otherwise the future of every read would be as large.
pub(crate) async fn run(request: &Request<'_>) -> Result<Answer, Problem> {
    let care = request.care;
    let at = versions::asked(request)?;
    match request.operation {
        Operation::GetInvoice => singles::invoice(request, at).await,
        Operation::GetPatient => singles::patient(request, at).await,
        Operation::UpdatePatient => {
            let (id, details) = request.form(|form| {
                let (id, details) = input::patient(form);
                Some((form.required("patientId", id)?, details))
            })?;
            let Versioned { version, record } = Box::pin(care.update_patient(id, details, request.expected())).await?;
            let place = request.location("patient", record.patient_id);
            Ok(request.changed("Patient", &record, Tag::of(version)).with_header(header::CONTENT_LOCATION, place))
        }
        Operation::GetHistory => singles::history(request, at).await,
        Operation::GetPrescription => singles::prescription(request, at).await,
        Operation::UpdatePrescription => {
            let (patient_id, new) = request.form(|form| prescription_of(form, input::prescription))?;
            let medicine = new.medicine.key().clone();
            let live = care.update_prescription(patient_id, medicine, new.details, request.expected()).await?;
            let view = Prescription::single(&live.record.prescription, live.is_available);
            let place = request.location("prescriptions", live.prescription.prescription_id);
            let answer = request.changed("Prescription", &view, tags::of_prescription(&live));
            Ok(answer.with_header(header::CONTENT_LOCATION, place))
        }
        Operation::DeletePrescription => {
            care.withdraw_prescription(request.identifier("prescriptionId")?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::AddMedicine => {
            let (medicine, details) = request.item()?;
            let Versioned { version, record } = care.add_item(medicine, details).await?;
            Ok(request.changed("Inventory", &record.item, tags::of_item(version, &record)))
        }
        Operation::UpdateMedicine => {
            let (medicine, details) = request.item()?;
            let updated = care.update_item(medicine.key().clone(), details, request.expected()).await?;
            Ok(request.changed("Inventory", &updated.record.item, tags::of_item(updated.version, &updated.record)))
        }
        Operation::AddPatient => {
            let (id, details) = request.form(|form| Some(input::patient(form)))?;
            let Versioned { version, record } = match id.value() {
                Some(id) => Box::pin(care.register_patient_as(id, details)).await?,
                None => Box::pin(care.register_patient(details)).await?,
            };
            let place = request.location("patient", record.patient_id);
            Ok(request.created("Patient", &record, Tag::of(version), place))
        }
        Operation::DeletePatient => {
            care.void_patient(request.identifier("patientId")?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::AddConsultation => {
            let new = request.form(input::consultation)?;
            let Versioned { version, record } = care.record_consultation(new).await?;
            let place = request.location("consultations", record.consultation_id);
            Ok(request.created("Consultation", &record, Tag::of(version), place))
        }
        Operation::GetConsultation => singles::consultation(request, at).await,
        Operation::AddPrescription => {
            let (patient_id, new) = request.form(|form| prescription_of(form, input::new_prescription))?;
            let live = care.prescribe(patient_id, new).await?;
            let view = Prescription::single(&live.record.prescription, live.is_available);
            let place = request.location("prescriptions", live.prescription.prescription_id);
            Ok(request.created("Prescription", &view, tags::of_prescription(&live), place))
        }
        Operation::IssueInvoice => {
            let IssuedInvoice { invoice, is_new } = care.issue_invoice(request.identifier("prescriptionId")?).await?;
            let (view, tag) = (Invoice::single(&invoice), Tag::of(invoice.version));
            let place = request.location("invoice", invoice.invoice_id);
            Ok(match is_new {
                true => request.created("Invoice", &view, tag, place),
                false => request.changed("Invoice", &view, tag).with_header(header::CONTENT_LOCATION, place),
            })
        }
        Operation::PayInvoice => Box::pin(money::pay(request)).await,
        Operation::RefundInvoice => Box::pin(money::refund(request)).await,
        Operation::CorrectReceipt => Box::pin(money::correct(request)).await,
        Operation::GetReceipt => singles::receipt(request, at).await,
        Operation::ListReceipts => Box::pin(lists::receipts(request)).await,
        Operation::GetTakings => Box::pin(reports::takings(request)).await,
        Operation::CancelInvoice => {
            care.cancel_invoice(request.identifier("invoiceId")?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::GetMedicine => singles::medicine(request, at).await,
        Operation::DeleteMedicine => {
            care.remove_item(request.medicine()?, request.expected()).await?;
            Ok(Answer::new(StatusCode::NO_CONTENT))
        }
        Operation::StartStock => Box::pin(stock::start(request)).await,
        Operation::GetStock => singles::stock(request, at).await,
        Operation::UpdateStock => Box::pin(stock::update(request)).await,
        Operation::EndStock => Box::pin(stock::end(request)).await,
        Operation::MoveStock => Box::pin(stock::move_units(request)).await,
        Operation::GetMovement => singles::movement(request, at).await,
        Operation::ReverseMovement => Box::pin(stock::reverse(request)).await,
        Operation::CountStock => Box::pin(stock::count(request)).await,
        Operation::GetSupply => singles::supply(request, at).await,
        Operation::UpdateSupply => Box::pin(stock::update_supply(request)).await,
        Operation::ListStock => Box::pin(lists::stocks(request)).await,
        Operation::ListMovements => Box::pin(lists::movements(request)).await,
        Operation::ListPatients => Box::pin(lists::patients(request)).await,
        Operation::ListConsultations => Box::pin(lists::consultations(request)).await,
        Operation::ListPrescriptions => Box::pin(lists::prescriptions(request)).await,
        Operation::ListInvoices => Box::pin(lists::invoices(request)).await,
        Operation::ListMedicines => Box::pin(lists::medicines(request)).await,
        Operation::ListJournal => Box::pin(lists::journal(request)).await,
        Operation::ListEvents => Box::pin(events::list(request)).await,
        Operation::GetNews => Box::pin(lists::news(request)).await,
        Operation::BacktestRestock => Box::pin(reports::backtest(request)).await,
        Operation::GetRestock => Box::pin(reports::restock(request)).await,
        Operation::GetToday => Box::pin(today::today(request)).await,
        Operation::GetKey => Ok(request.answer(StatusCode::OK, "Key", &KeyFacts::from(request.principal))),
        Operation::GetOpenapi => Ok(document(request.contract)),
    }
}

/// Returns the OpenAPI document, for which no key is needed.
pub(crate) fn document(contract: &Contract) -> Answer {
    Answer::new(StatusCode::OK).with_body(Format::Json.media_type(), contract.document())
}

/// Reads a prescription and its patient, both required.
fn prescription_of(
    form: &mut Form<'_, '_>,
    read: impl FnOnce(&mut Form<'_, '_>) -> Option<NewPrescription>,
) -> Option<(PatientId, NewPrescription)> {
    let patient_id = form.field("patientId");
    let patient_id = form.required("patientId", patient_id);
    let new = read(form);
    Some((patient_id?, new?))
}

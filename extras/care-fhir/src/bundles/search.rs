//! Searches: a page of the resources of one type that meet every condition.

use bytes::Bytes;
use care_core::{
    CareService,
    error::Error,
    model::{
        ConsultationState, Email, Invoice, InvoiceState, NamePrefix, PatientId, Phone, Prescription, PrescriptionId,
        PrescriptionState,
    },
    rest::FacadeRequest,
    store::{ConsultationFilter, InvoiceFilter, PatientFilter, PrescriptionFilter, Seen},
};
use http::Response;

use super::{
    lists::{List, fill},
    page::Page,
    parameters::Criteria,
};
use crate::{
    kind::{Kind, Parameter, Row},
    outcome::Failure,
    read::{identified, number},
    source::Source,
};

/// Answers a search with a `Bundle`.
///
/// # Errors
/// [`Failure`].
pub(crate) async fn search(
    source: Source<'_>,
    request: &FacadeRequest<'_>,
    row: &Row,
    is_lenient: bool,
) -> Result<Response<Bytes>, Failure> {
    let criteria = Criteria::read(request, row, source.namespace, is_lenient)?;
    let sought = criteria.paths();
    let source = source.seeking(&sought);
    let page = Page::new(request, source.form, "searchset", (&criteria.paging, criteria.canonical()));
    let list = if criteria.is_contradictory() { None } else { narrowest(source, row.kind, &criteria).await? };
    let admits = |instance: &_| criteria.admits(instance);
    let (answer, _) = fill(page, source, request, (list.as_slice(), &admits)).await?;
    Ok(answer)
}

/// Returns the narrowest list of what meets the criteria; `None` where nothing can.
async fn narrowest(source: Source<'_>, kind: Kind, criteria: &Criteria) -> Result<Option<List>, Error> {
    if let Some(ids) = &criteria.ids {
        return Ok(Some(List::Keyed(kind, identified(source, kind, ids).await?)));
    }
    let patient_id: Option<PatientId> = criteria.number(Parameter::Patient);
    Ok(match kind {
        Kind::Patient => match criteria.value(Parameter::Identifier) {
            Some(id) => Some(List::Keyed(kind, vec![id.to_owned().into()])),
            None => Some(List::Patients(PatientFilter {
                ids: None,
                name_prefix: criteria.value(Parameter::Name).map(NamePrefix::new),
                phone: criteria.value(Parameter::Phone).and_then(number::<Phone>),
                email: criteria.value(Parameter::Email).and_then(|email| Email::new(email).ok()),
            })),
        },
        Kind::AllergyIntolerance => criteria.number(Parameter::Whose).map(List::allergies),
        Kind::Observation => patient_id.map(List::observations),
        Kind::Encounter => {
            let words = [("in-progress", ConsultationState::Open), ("finished", ConsultationState::Completed)];
            let state = only(&states(criteria, words));
            let filter = ConsultationFilter { patient_id, state };
            Some(List::Visits { filter, encounters: true, conditions: false })
        }
        Kind::Condition => Some(match criteria.number(Parameter::Encounter) {
            Some(consultation) => List::conditions(consultation),
            None => {
                let filter = ConsultationFilter { patient_id, state: None };
                List::Visits { filter, encounters: false, conditions: true }
            }
        }),
        Kind::MedicationRequest => {
            let words = [("active", PrescriptionState::Active), ("completed", PrescriptionState::Completed)];
            let state = only(&states(criteria, words));
            Some(List::Requests(PrescriptionFilter { patient_id, medicine: None, state }))
        }
        Kind::MedicationDispense => {
            let prescription = criteria.number(Parameter::Prescription);
            let patient_id = match (patient_id, prescription) {
                (None, Some(prescription)) => patient_of(source.care, prescription).await?,
                (patient_id, _) => patient_id,
            };
            patient_id.map(|patient| List::Dispenses { patient, prescription })
        }
        Kind::Medication => Some(List::Medications),
        Kind::Invoice => {
            // In the order in which an invoice moves on, so that none is missed that does so meanwhile.
            let words = [
                ("issued", InvoiceState::Unpaid),
                ("balanced", InvoiceState::Paid),
                ("cancelled", InvoiceState::Refunded),
            ];
            let of = |state| InvoiceFilter { patient_id, state, ..InvoiceFilter::default() };
            let states = states(criteria, words);
            let is_all = states.len() == words.len();
            Some(List::Invoices(if is_all { vec![of(None)] } else { states.into_iter().map(Some).map(of).collect() }))
        }
    })
}

/// Returns the states that a search asks for, all of them unless it names some.
fn states<S: Copy, const N: usize>(criteria: &Criteria, words: [(&str, S); N]) -> Vec<S> {
    let asked = criteria.values(Parameter::Status);
    let is_asked = |word: &str| asked.is_none_or(|values| values.iter().any(|value| value == word));
    words.into_iter().filter(|(word, _)| is_asked(word)).map(|(_, state)| state).collect()
}

/// Returns the state, if there is only one.
fn only<S: Copy>(states: &[S]) -> Option<S> {
    match states {
        [state] => Some(*state),
        _ => None,
    }
}

/// Returns the patient of a prescription. One that was withdrawn after it was paid is known by its invoice.
async fn patient_of(care: &CareService, id: PrescriptionId) -> Result<Option<PatientId>, Error> {
    let ask = |seen: &mut Seen| match seen.get::<Prescription>(id)? {
        Some(found) => Ok(Some(found.patient_id)),
        None => Ok(seen.all(Invoice::paid(id))?.next().map(|found| found.patient_id)),
    };
    care.ask(ask).await
}

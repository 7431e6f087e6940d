//! Everything about a patient, as one list behind the other.

use care_core::{
    operation::JournalOperation,
    rest::{FacadeAnswer, FacadeRequest},
    store::{ConsultationFilter, InvoiceFilter, PrescriptionFilter},
};

use super::{
    lists::{List, fill},
    page::{Page, Paging},
};
use crate::{
    kind::{ABOUT_A_PATIENT, Kind, Row},
    outcome::{Failure, Fault},
    read::{number, read},
    source::Source,
};

/// Answers with everything about a patient, or with some types of it.
///
/// # Errors
/// [`Failure`].
pub(crate) async fn everything(
    source: Source<'_>,
    request: &FacadeRequest<'_>,
    id: &str,
    is_lenient: bool,
) -> Result<FacadeAnswer, Failure> {
    let (paging, types) = parameters(request, is_lenient)?;
    let page = Page::new(request, source.form, "searchset", (&paging, canonical(&types)));
    read(source, Kind::Patient, id).await?.0.found()?;
    let (response, reads) = fill(page, source, request, (&lists(id, &types), &|_| true)).await?;
    let reads: Vec<_> = reads.into_iter().collect();
    let reads = (!reads.is_empty()).then_some((JournalOperation::FhirEverything, reads));
    Ok(FacadeAnswer { response, reads })
}

/// Reads the parameters: which page, and which types.
fn parameters(request: &FacadeRequest<'_>, is_lenient: bool) -> Result<(Paging, Vec<Kind>), Fault> {
    let (mut paging, mut types) = (Paging::default(), Vec::new());
    for (name, value) in request.query {
        if paging.takes(name, value)? {
            continue;
        }
        if name != "_type" {
            paging.leaves_out(name);
            continue;
        }
        for wanted in value.split(',') {
            let known = ABOUT_A_PATIENT.into_iter().find(|kind| Row::of(*kind).name == wanted);
            types.push(known.ok_or(Fault::Type)?);
        }
        paging.keeps(name, value);
    }
    let is_wanted = |kind: &Kind| types.is_empty() || types.contains(kind);
    let types = ABOUT_A_PATIENT.into_iter().filter(is_wanted).collect();
    Ok((paging.checked(is_lenient)?, types))
}

/// Returns the parameters that ask for these types; none for all of them.
fn canonical(types: &[Kind]) -> Vec<(&'static str, String)> {
    let some = if types.len() == ABOUT_A_PATIENT.len() { &[] } else { types };
    some.iter().map(|kind| ("_type", Row::of(*kind).name.to_owned())).collect()
}

/// Returns the lists of the types.
fn lists(id: &str, types: &[Kind]) -> Vec<List> {
    let Some(patient) = number(id) else {
        return Vec::new();
    };
    let has = |kind| types.contains(&kind);
    let (encounters, conditions) = (has(Kind::Encounter), has(Kind::Condition));
    let filter = ConsultationFilter { patient_id: Some(patient), state: None };
    let requests = PrescriptionFilter { patient_id: Some(patient), ..PrescriptionFilter::default() };
    let invoices = InvoiceFilter { patient_id: Some(patient), ..InvoiceFilter::default() };
    let all = [
        has(Kind::Patient).then(|| List::Keyed(Kind::Patient, vec![id.to_owned().into()])),
        has(Kind::AllergyIntolerance).then(|| List::allergies(patient)),
        has(Kind::Observation).then(|| List::observations(patient)),
        (encounters || conditions).then_some(List::Visits { filter, encounters, conditions }),
        has(Kind::MedicationRequest).then_some(List::Requests(requests)),
        has(Kind::MedicationDispense).then_some(List::Dispenses { patient, prescription: None }),
        has(Kind::Invoice).then_some(List::Invoices(vec![invoices])),
    ];
    all.into_iter().flatten().collect()
}

//! The content of requests: parameters of the path, and records in the body.

use crate::{
    model::{
        Consultation, Date, Disease, ItemDetails, MedicineName, Patch, PatientDetails, PatientId, PrescriptionDetails,
        PrescriptionId, SupplyDetails,
    },
    rest::{
        body::{
            faults::Faults,
            form::{Form, Most},
            json,
            value::{Members, Syntax},
            xml,
        },
        http::{media::Format, path},
    },
    service::{NewConsultation, NewPrescription},
};

/// Returns the members of a body in this form.
pub(crate) fn members<'a>(format: Format, body: &'a [u8], roots: &[&str]) -> Result<Members<'a>, Syntax> {
    match format {
        Format::Json => json::read(body),
        Format::Xml => xml::read(body, roots),
    }
}

/// Returns an identifier in the path. Any text but a plain number is a decoding fault.
pub(crate) fn identifier<T: TryFrom<i64>>(name: &'static str, raw: &str, faults: &mut Faults) -> Option<T> {
    // Hardly any client escapes digits.
    let number = path::identifier(raw).or_else(|| path::decode(raw).ok().and_then(|text| path::identifier(&text)));
    let id = number.and_then(|number| T::try_from(number).ok());
    if id.is_none() {
        faults.decode(name, "must be 1 to 9223372036854775807 in plain digits");
    }
    id
}

/// Returns a medicine's name in the path. Line ends are not normalised here, so CR is a forbidden control character.
pub(crate) fn medicine(name: &'static str, raw: &str, faults: &mut Faults) -> Option<MedicineName> {
    let Ok(text) = path::decode(raw) else {
        faults.decode(name, "must be percent-encoded UTF-8");
        return None;
    };
    if text.contains('\r') {
        faults.rule(name, "must not hold control characters other than tab and line feed");
        return None;
    }
    MedicineName::new(text).map_err(|broken| faults.rule(name, broken.rule())).ok()
}

/// Reads a patient (interface document, 2.1). `null` clears a field.
pub(crate) fn patient(form: &mut Form<'_, '_>) -> (Patch<PatientId>, PatientDetails) {
    let details = PatientDetails::filled(form);
    (form.field("patientId"), details)
}

/// Reads a prescription (interface document, 2.2) without its patient.
pub(crate) fn prescription(form: &mut Form<'_, '_>) -> Option<NewPrescription> {
    prescribed(form).map(|(medicine, details)| NewPrescription { details, ..NewPrescription::of(medicine) })
}

/// Reads a new prescription, which may name a quantity and an interval.
pub(crate) fn new_prescription(form: &mut Form<'_, '_>) -> Option<NewPrescription> {
    let SupplyDetails { quantity, every_days } = SupplyDetails::filled(form);
    let new = prescription(form)?;
    Some(NewPrescription { quantity: quantity.value(), every_days: every_days.value(), ..new })
}

fn prescribed(form: &mut Form<'_, '_>) -> Option<(MedicineName, PrescriptionDetails)> {
    let medicine = form.field("medicine");
    let medicine = form.required("medicine", medicine);
    // The type is checked; the value has no effect, since availability follows from the inventory.
    form.field::<bool>("isAvailable");
    let details = PrescriptionDetails::filled(form);
    Some((medicine?, details))
}

/// Reads an inventory item (interface document, 2.3), whose medicine the path names.
pub(crate) fn item(form: &mut Form<'_, '_>, named: Option<&MedicineName>) -> ItemDetails {
    of_the_path(form, named);
    ItemDetails::filled(form)
}

const DISEASES: Most = Most { elements: Consultation::MAX_DISEASES, rule: "must be at most 30" };
const PRESCRIPTIONS: Most = Most { elements: Consultation::MAX_PRESCRIPTIONS, rule: "must be at most 30" };

/// Checks that a `medicine` in the body is the one in the path.
pub(super) fn of_the_path(form: &mut Form<'_, '_>, named: Option<&MedicineName>) {
    let medicine: Patch<MedicineName> = form.field("medicine");
    if let (Patch::Set(medicine), Some(named)) = (medicine, named)
        && !medicine.is_same(named)
    {
        form.refuse("medicine", "must be the medicine that the path names");
    }
}

/// Reads a consultation with its prescriptions.
pub(crate) fn consultation(form: &mut Form<'_, '_>) -> Option<NewConsultation> {
    let patient_id = form.field("patientId");
    let patient_id: Option<PatientId> = form.required("patientId", patient_id);
    let date: Patch<Date> = form.field("date");
    let diseases: Patch<Vec<Disease>> = form.texts("diseases", DISEASES);
    let prescriptions = form.forms("prescriptions", PRESCRIPTIONS, |form| {
        let whose: Patch<PatientId> = form.field("patientId");
        if let (Patch::Set(whose), Some(patient_id)) = (whose, patient_id)
            && whose != patient_id
        {
            form.refuse("patientId", "must be the patient of the consultation");
        }
        new_prescription(form)
    });
    Some(NewConsultation {
        patient_id: patient_id?,
        date: date.value(),
        diseases: diseases.value().unwrap_or_default(),
        prescriptions: prescriptions.value().unwrap_or_default(),
    })
}

/// Reads the supply of the prescription in the path.
pub(crate) fn supply(form: &mut Form<'_, '_>, named: Option<PrescriptionId>) -> SupplyDetails {
    let id: Patch<PrescriptionId> = form.field("prescriptionId");
    if let (Patch::Set(id), Some(named)) = (id, named)
        && id != named
    {
        form.refuse("prescriptionId", "must be the prescription that the path names");
    }
    SupplyDetails::filled(form)
}

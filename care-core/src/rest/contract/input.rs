//! The content of requests: parameters of the path, and records in the body.

use crate::{
    model::{
        Consultation, ConsultationId, Date, Disease, InvoiceId, ItemDetails, MedicineKey, MedicineName, MovementId,
        Patch, PatientDetails, PatientId, PrescriptionDetails, PrescriptionId, ReceiptId, SupplyDetails,
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

/// The parameter of a path.
pub(crate) trait InPath: Sized {
    /// Reads it from its raw segment.
    fn read(raw: &str, faults: &mut Faults) -> Option<Self>;
}

/// A path without a parameter.
impl InPath for () {
    fn read(_raw: &str, _faults: &mut Faults) -> Option<Self> {
        Some(())
    }
}

/// Reads identifiers, each under the name that the paths have for it. Any text but a plain number is a decoding fault.
macro_rules! identifiers {
    ($($id:ident $name:literal;)*) => {
        $(impl InPath for $id {
            fn read(raw: &str, faults: &mut Faults) -> Option<Self> {
                // Hardly any client escapes digits.
                let plain = path::identifier(raw);
                let number = plain.or_else(|| path::decode(raw).ok().and_then(|text| path::identifier(&text)));
                let id = number.and_then(|number| Self::try_from(number).ok());
                if id.is_none() {
                    faults.decode($name, "must be 1 to 9223372036854775807 in plain digits");
                }
                id
            }
        })*
    };
}

identifiers! {
    PatientId "patientId";
    PrescriptionId "prescriptionId";
    InvoiceId "invoiceId";
    ConsultationId "consultationId";
    MovementId "movementId";
    ReceiptId "receiptId";
}

/// A medicine's name in any spelling. Line ends are not normalised here, so CR is a forbidden control character.
impl InPath for MedicineName {
    fn read(raw: &str, faults: &mut Faults) -> Option<Self> {
        let Ok(text) = path::decode(raw) else {
            faults.decode("medicine", "must be percent-encoded UTF-8");
            return None;
        };
        if text.contains('\r') {
            faults.rule("medicine", "must not hold control characters other than tab and line feed");
            return None;
        }
        Self::new(text).map_err(|broken| faults.rule("medicine", broken.rule())).ok()
    }
}

impl InPath for MedicineKey {
    fn read(raw: &str, faults: &mut Faults) -> Option<Self> {
        MedicineName::read(raw, faults).map(|medicine| medicine.key().clone())
    }
}

/// Reads a patient (interface document, 2.1). `null` clears a field.
pub(crate) fn patient(form: &mut Form<'_, '_>) -> (Patch<PatientId>, PatientDetails) {
    let details = PatientDetails::filled(form);
    (form.field("patientId"), details)
}

/// Reads the update of a patient, whom it has to name.
pub(crate) fn known_patient(form: &mut Form<'_, '_>) -> Option<(PatientId, PatientDetails)> {
    let (id, details) = patient(form);
    Some((form.required("patientId", id)?, details))
}

/// Reads a prescription (interface document, 2.2), which names its patient and its medicine.
pub(crate) fn prescription(form: &mut Form<'_, '_>) -> Option<(PatientId, MedicineName, PrescriptionDetails)> {
    let patient_id = form.field("patientId");
    let patient_id = form.required("patientId", patient_id);
    let (medicine, details) = prescribed(form)?;
    Some((patient_id?, medicine, details))
}

/// Reads a new prescription of a patient.
pub(crate) fn prescription_of_patient(form: &mut Form<'_, '_>) -> Option<(PatientId, NewPrescription)> {
    let patient_id = form.field("patientId");
    let patient_id = form.required("patientId", patient_id);
    let new = new_prescription(form)?;
    Some((patient_id?, new))
}

/// Reads a new prescription, which may name a quantity and an interval.
fn new_prescription(form: &mut Form<'_, '_>) -> Option<NewPrescription> {
    let SupplyDetails { quantity, every_days } = SupplyDetails::filled(form);
    let (medicine, details) = prescribed(form)?;
    Some(NewPrescription { medicine, details, quantity: quantity.value(), every_days: every_days.value() })
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
pub(crate) fn item(form: &mut Form<'_, '_>, named: Option<&MedicineName>) -> Option<ItemDetails> {
    of_the_path(form, named);
    Some(ItemDetails::filled(form))
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
pub(crate) fn supply(form: &mut Form<'_, '_>, named: Option<&PrescriptionId>) -> Option<SupplyDetails> {
    let id: Patch<PrescriptionId> = form.field("prescriptionId");
    if let (Patch::Set(id), Some(named)) = (id, named)
        && id != *named
    {
        form.refuse("prescriptionId", "must be the prescription that the path names");
    }
    Some(SupplyDetails::filled(form))
}

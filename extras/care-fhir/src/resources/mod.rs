//! The mapping: functions of records alone, which write resources without identifier and version. Fields without a
//! place in R4 are not shown, and nothing is invented.

#[cfg(test)]
mod tests;

use care_core::model::{
    Consultation, ConsultationState, Date, Diagnosis, Disease, Dispensing, Invoice, InvoiceState, Item, Movement,
    Patient, PatientId, Prescription, PrescriptionState,
};

use crate::{
    parts::{
        Coding, LOINC, OBSERVATION_CATEGORY, because, concept, day, identifier, measured, reference, refers, subject,
        unknown,
    },
    writer::{Writer, is_blank},
};

const ORIGINAL_TEXT: &str = "http://hl7.org/fhir/StructureDefinition/originalText";
const VITAL_SIGNS: Coding = Coding { system: OBSERVATION_CATEGORY, code: "vital-signs", display: "Vital Signs" };
const BODY_WEIGHT: Coding = Coding { system: LOINC, code: "29463-7", display: "Body weight" };
const AGE: Coding = Coding { system: LOINC, code: "30525-0", display: "Age" };
const AMBULATORY: Coding =
    Coding { system: "http://terminology.hl7.org/CodeSystem/v3-ActCode", code: "AMB", display: "ambulatory" };
const ENCOUNTER_DIAGNOSIS: Coding = Coding {
    system: "http://terminology.hl7.org/CodeSystem/condition-category",
    code: "encounter-diagnosis",
    display: "Encounter Diagnosis",
};
const CONTINUOUS: Coding = Coding {
    system: "http://terminology.hl7.org/CodeSystem/medicationrequest-course-of-therapy",
    code: "continuous",
    display: "Continuous long term therapy",
};

/// Writes the patient. The facility's namespace is that of the identifier.
pub(crate) fn patient(out: &mut Writer, patient: &Patient, namespace: Option<&str>) {
    identifier(out, namespace, "patient", patient.patient_id.value());
    out.truth("active", true);
    out.one("name", |name| name.stored("text", patient.name.as_ref()));
    out.list("telecom", |all| {
        if let Some(phone) = patient.phone {
            all.object(|contact| {
                contact.text("system", "phone");
                contact.text("value", &phone.value().to_string());
            });
        }
        if let Some(email) = &patient.email {
            all.object(|contact| {
                contact.text("system", "email");
                contact.stored("value", Some(email));
            });
        }
    });
    if let Some(gender) = &patient.gender {
        sex(out, gender.as_str());
    }
    match patient.birth_date {
        Some(born) => day(out, "birthDate", born),
        // An age has no day of birth.
        None => unknown(out, "birthDate"),
    }
    out.one("address", |address| {
        address.stored("text", patient.address.as_ref());
        address.stored("city", patient.location.as_ref());
    });
}

/// Writes the allergies of a patient, in the words of the record, if it has any. R4 asks whether they are active, and
/// the record does not say it.
pub(crate) fn allergies(out: &mut Writer, patient: &Patient) {
    let Some(text) = patient.allergies.as_ref().filter(|text| text.say_something()) else { return };
    out.object("clinicalStatus", |status| status.list("extension", |extensions| because(extensions, "unknown")));
    concept(out, "code", Some(text));
    reference(out, "patient", "Patient", patient.patient_id);
}

/// Returns the mapping of the observation with this name.
pub(crate) fn observation(what: &str) -> Option<fn(&mut Writer, &Patient)> {
    match what {
        "age" => Some(age),
        "weight" => Some(weight),
        _ => None,
    }
}

/// Writes the weight of a patient, if the record has one.
pub(crate) fn weight(out: &mut Writer, patient: &Patient) {
    let Some(weight) = patient.weight else { return };
    let value = |out: &mut Writer| measured(out, "valueQuantity", &weight.kilograms().to_string(), "kg", "kg");
    measurement(out, patient.patient_id, (Some(VITAL_SIGNS), BODY_WEIGHT), value);
}

/// Writes the age of a patient, if the record has one.
pub(crate) fn age(out: &mut Writer, patient: &Patient) {
    let Some(age) = patient.age else { return };
    let value = |out: &mut Writer| measured(out, "valueQuantity", &age.value().to_string(), "years", "a");
    measurement(out, patient.patient_id, (None, AGE), value);
}

fn measurement(
    out: &mut Writer,
    patient: PatientId,
    (category, code): (Option<Coding>, Coding),
    value: impl FnOnce(&mut Writer),
) {
    out.text("status", "final");
    if let Some(category) = category {
        out.one("category", |concept| category.write_concept(concept));
    }
    out.object("code", |concept| {
        code.write_concept(concept);
        concept.text("text", code.display);
    });
    subject(out, patient);
    // The record does not say when it was measured.
    unknown(out, "effectiveDateTime");
    value(out);
}

/// Writes the gender if it is a word of R4, and otherwise its text beside the reason why there is no code: letters
/// mean different words in different languages.
fn sex(out: &mut Writer, gender: &str) {
    let words = ["male", "female", "other", "unknown"];
    match words.into_iter().find(|word| gender.eq_ignore_ascii_case(word)) {
        Some(word) => out.text("gender", word),
        None if is_blank(gender) => {}
        None => out.without_value("gender", |extensions| {
            because(extensions, "as-text");
            extensions.extension(ORIGINAL_TEXT, |extension| extension.stored("valueString", Some(gender)));
        }),
    }
}

/// Writes the consultation, with a reference to the condition of each of its diseases.
pub(crate) fn encounter(out: &mut Writer, consultation: &Consultation, diagnosis: Option<&Diagnosis>) {
    let is_over = consultation.state == ConsultationState::Completed;
    let id = consultation.consultation_id;
    out.text("status", if is_over { "finished" } else { "in-progress" });
    out.object("class", |class| AMBULATORY.write(class));
    subject(out, consultation.patient_id);
    out.object("period", |period| {
        day(period, "start", consultation.date);
        if is_over {
            day(period, "end", consultation.date);
        }
    });
    out.list("diagnosis", |all| {
        for nth in 1..=diagnosis.map_or(0, |diagnosis| diagnosis.diseases.len()) {
            all.object(|one| reference(one, "condition", "Condition", format_args!("{id}-{nth}")));
        }
    });
}

/// Writes one disease of a diagnosis, recorded on this day. No one has said whether it is active or confirmed.
pub(crate) fn condition(out: &mut Writer, diagnosis: &Diagnosis, disease: &Disease, recorded: Date) {
    out.one("category", |category| ENCOUNTER_DIAGNOSIS.write_concept(category));
    concept(out, "code", Some(disease));
    subject(out, diagnosis.patient_id);
    reference(out, "encounter", "Encounter", diagnosis.consultation_id);
    day(out, "recordedDate", recorded);
}

/// Writes the prescription. Its medicine is a text and not a reference, so that it does not depend on the inventory.
pub(crate) fn medication_request(out: &mut Writer, prescription: &Prescription) {
    let is_active = prescription.state == PrescriptionState::Active;
    let days = prescription.every_days.filter(|_| prescription.is_regular());
    out.text("status", if is_active { "active" } else { "completed" });
    out.text("intent", "order");
    concept(out, "medicationCodeableConcept", Some(&prescription.medicine));
    subject(out, prescription.patient_id);
    reference(out, "encounter", "Encounter", prescription.consultation_id);
    day(out, "authoredOn", prescription.prescribed);
    if prescription.is_regular() {
        out.object("courseOfTherapyType", |course| CONTINUOUS.write_concept(course));
    }
    out.one("dosageInstruction", |dosage| dosage.stored("text", prescription.dosage.as_ref()));
    out.object("dispenseRequest", |request| {
        if let Some(days) = days {
            measured(request, "dispenseInterval", &days.value().to_string(), "days", "d");
        }
        if let Some(units) = prescription.quantity {
            request.object("quantity", |quantity| quantity.number("value", units.value()));
        }
    });
}

/// Writes a medicine of the inventory.
pub(crate) fn medication(out: &mut Writer, item: &Item) {
    concept(out, "code", Some(&item.medicine));
    out.text("status", "active");
    concept(out, "form", item.dosage.as_ref());
}

/// Writes the units that an invoice took from one lot. A note tells what came back of them, since a return is another
/// act.
pub(crate) fn medication_dispense(out: &mut Writer, movement: &Movement, dispensing: &Dispensing, invoice: &Invoice) {
    let lot_id = movement.lot_id();
    let handed_out = movement.units.value().abs();
    let returned = dispensing.lots.iter().find(|lot| lot.id == lot_id).map_or(0, |lot| lot.returned.value());
    out.list("contained", |all| {
        all.resource("Medication", |medicine| {
            medicine.text("id", "medicine");
            concept(medicine, "code", Some(&movement.medicine));
            medicine.object("batch", |batch| {
                batch.stored("lotNumber", movement.lot.as_ref());
                if let Some(expires) = movement.expires {
                    day(batch, "expirationDate", expires);
                }
            });
        });
    });
    out.text("status", "completed");
    out.object("medicationReference", |to| to.text("reference", "#medicine"));
    subject(out, invoice.patient_id);
    out.one("authorizingPrescription", |to| refers(to, "MedicationRequest", invoice.prescription_id));
    out.object("quantity", |quantity| quantity.number("value", handed_out));
    day(out, "whenHandedOver", movement.day);
    if returned > 0 {
        out.one("note", |note| note.text("text", &format!("{returned} of {handed_out} came back")));
    }
}

/// Writes the invoice. Its amounts are whole units, as they are stored.
pub(crate) fn invoice(out: &mut Writer, invoice: &Invoice, namespace: Option<&str>) {
    identifier(out, namespace, "invoice", invoice.invoice_id.value());
    out.text(
        "status",
        match invoice.state {
            InvoiceState::Unpaid => "issued",
            InvoiceState::Paid => "balanced",
            InvoiceState::Refunded => "cancelled",
        },
    );
    if invoice.state == InvoiceState::Refunded {
        out.text("cancelledReason", "refunded");
    }
    subject(out, invoice.patient_id);
    day(out, "date", invoice.invoice_date);
    out.object("issuer", |issuer| issuer.stored("display", invoice.companyaddress.as_ref()));
    out.one("lineItem", |line| {
        line.number("sequence", 1);
        concept(line, "chargeItemCodeableConcept", Some(&invoice.medicine));
        if invoice.price.is_some() {
            line.one("priceComponent", |price| {
                price.text("type", "base");
                money(price, "amount", invoice);
            });
        }
    });
    money(out, "totalGross", invoice);
}

/// Writes the price of an invoice, if it has one.
fn money(out: &mut Writer, name: &'static str, invoice: &Invoice) {
    let Some(price) = invoice.price else { return };
    out.object(name, |money| {
        money.number("value", price.value());
        if let Some(currency) = &invoice.currency {
            money.text("currency", currency.as_str());
        }
    });
}

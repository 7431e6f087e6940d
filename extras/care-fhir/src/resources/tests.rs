//! Every row of the mapping, and beside it what must not be there.

use care_core::model::{
    Address, Age, Amount, Consultation, ConsultationState, Currency, Delta, Diagnosis, Disease, DispensedLot,
    Dispensing, Email, EveryDays, Invoice, InvoiceState, Item, LotId, LotText, MedicineName, Movement, MovementKind,
    Name, Patient, PatientId, Phone, Prescription, PrescriptionState, Price, Quantity, ShortText, Weight,
};
use serde_json::{Value, json};

use super::*;
use crate::{
    form::Form,
    parts::DATA_ABSENT_REASON,
    writer::{Writer, document},
};

/// Returns a resource, of a type that does not matter.
fn shown(write: impl FnOnce(&mut Writer)) -> Value {
    let mut shown: Value = serde_json::from_str(&document(Form::Json, "", write)).unwrap();
    shown.as_object_mut().unwrap().remove("resourceType");
    shown
}

/// Returns the members of a resource, in their order.
fn members(write: impl FnOnce(&mut Writer)) -> Vec<String> {
    let json = document(Form::Json, "Patient", write);
    let members: serde_json::Map<_, _> = serde_json::from_str(&json).unwrap();
    let place = |name: &String| json.find(&format!("\"{name}\":")).unwrap();
    let mut names: Vec<_> = members.keys().cloned().collect();
    names.sort_by_key(place);
    names
}

fn id<T: TryFrom<i64>>(number: i64) -> T {
    T::try_from(number).ok().unwrap()
}

fn ada() -> Patient {
    Patient {
        name: Some(Name::new("Ada Example").unwrap()),
        phone: Some(Phone::try_from(441_632_960_001).unwrap()),
        insurance: Some(true),
        age: Some(Age::try_from(36).unwrap()),
        address: Some(Address::new("1 Sample Street").unwrap()),
        gender: Some(ShortText::new("Female").unwrap()),
        weight: Some(Weight::try_from(61.5).unwrap()),
        email: Some(Email::new("ada@example.org").unwrap()),
        location: Some(ShortText::new("Sampleton").unwrap()),
        lastvisit: Some("31/01/2026".parse().unwrap()),
        ..Patient::new(id(7))
    }
}

#[test]
fn a_patient() {
    let unknown = json!({"extension": [{"url": DATA_ABSENT_REASON, "valueCode": "unknown"}]});
    assert_eq!(
        shown(|out| patient(out, &ada(), None)),
        json!({
            "active": true,
            "name": [{"text": "Ada Example"}],
            "telecom": [
                {"system": "phone", "value": "441632960001"},
                {"system": "email", "value": "ada@example.org"},
            ],
            "gender": "female",
            "_birthDate": unknown,
            "address": [{"text": "1 Sample Street", "city": "Sampleton"}],
        })
    );
    let order = ["resourceType", "identifier", "active", "name", "telecom", "gender", "_birthDate", "address"];
    assert_eq!(members(|out| patient(out, &ada(), Some("https://clinic.example"))), order);
    let named = shown(|out| patient(out, &ada(), Some("https://clinic.example")));
    let identifier = json!([{"use": "usual", "system": "https://clinic.example/patient", "value": "7"}]);
    assert_eq!(named["identifier"], identifier);
    let bare = shown(|out| patient(out, &Patient::new(id(7)), None));
    assert_eq!(bare, json!({"active": true, "_birthDate": unknown}));
    let born = Patient { age: None, birth_date: Some("29/02/1988".parse().unwrap()), ..ada() };
    let shown_born = shown(|out| patient(out, &born, None));
    assert_eq!((&shown_born["birthDate"], shown_born.get("_birthDate")), (&json!("1988-02-29"), None));
    assert_eq!(document(Form::Json, "", |out| age(out, &born)), "");
}

#[test]
fn a_gender_is_a_code_only_where_it_is_its_word() {
    let of = |gender: &str| {
        let gender = Some(ShortText::new(gender).unwrap());
        shown(|out| patient(out, &Patient { gender, ..Patient::new(PatientId::FIRST) }, None))
    };
    for (text, code) in [("MALE", "male"), ("female", "female"), ("Other", "other"), ("unknown", "unknown")] {
        assert_eq!((&of(text)["gender"], &of(text)["_gender"]), (&json!(code), &Value::Null));
    }
    for text in ["M", "f", "mujer", "female "] {
        let extensions = json!([
            {"url": DATA_ABSENT_REASON, "valueCode": "as-text"},
            {"url": "http://hl7.org/fhir/StructureDefinition/originalText", "valueString": text},
        ]);
        assert_eq!((&of(text)["gender"], &of(text)["_gender"]["extension"]), (&Value::Null, &extensions));
    }
    assert_eq!(of(" ").as_object().unwrap().keys().collect::<Vec<_>>(), ["_birthDate", "active"]);
}

#[test]
fn observations() {
    let absent = json!({"extension": [{"url": DATA_ABSENT_REASON, "valueCode": "unknown"}]});
    let kilograms = json!({"value": 61.5, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"});
    let category = "http://terminology.hl7.org/CodeSystem/observation-category";
    assert_eq!(
        shown(|out| weight(out, &ada())),
        json!({
            "status": "final",
            "category": [{"coding": [{"system": category, "code": "vital-signs", "display": "Vital Signs"}]}],
            "code": {
                "coding": [{"system": "http://loinc.org", "code": "29463-7", "display": "Body weight"}],
                "text": "Body weight",
            },
            "subject": {"reference": "Patient/7"},
            "_effectiveDateTime": absent,
            "valueQuantity": kilograms,
        })
    );
    let years = shown(|out| age(out, &ada()));
    assert_eq!((&years["code"]["coding"][0]["code"], &years["category"]), (&json!("30525-0"), &Value::Null));
    let value = json!({"value": 36, "unit": "years", "system": "http://unitsofmeasure.org", "code": "a"});
    assert_eq!((&years["valueQuantity"], &years["_effectiveDateTime"]), (&value, &absent));
    let bare = Patient::new(PatientId::FIRST);
    for map in [weight, age] {
        let mut out = Writer::new(Form::Json);
        map(&mut out, &bare);
        assert_eq!(out.len(), 0);
    }
}

fn visit(state: ConsultationState) -> (Consultation, Diagnosis) {
    let consultation = Consultation {
        consultation_id: id(12),
        patient_id: id(7),
        date: "05/02/2026".parse().unwrap(),
        prescription_ids: vec![id(20)],
        state,
        implicit: false,
    };
    let diseases = ["Cough", "Fever"].map(|disease| Disease::new(disease).unwrap()).to_vec();
    (consultation, Diagnosis { consultation_id: id(12), patient_id: id(7), visit: Some(1), diseases })
}

#[test]
fn an_encounter_and_its_conditions() {
    let (consultation, diagnosis) = visit(ConsultationState::Completed);
    assert_eq!(
        shown(|out| encounter(out, &consultation, Some(&diagnosis))),
        json!({
            "status": "finished",
            "class": {
                "system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": "AMB", "display": "ambulatory",
            },
            "subject": {"reference": "Patient/7"},
            "period": {"start": "2026-02-05", "end": "2026-02-05"},
            "diagnosis": [
                {"condition": {"reference": "Condition/12-1"}},
                {"condition": {"reference": "Condition/12-2"}},
            ],
        })
    );
    let open = shown(|out| encounter(out, &visit(ConsultationState::Open).0, None));
    assert_eq!((&open["status"], &open["diagnosis"]), (&json!("in-progress"), &Value::Null));
    assert_eq!(open["period"], json!({"start": "2026-02-05"}));
    let second = shown(|out| condition(out, &diagnosis, &diagnosis.diseases[1], consultation.date));
    let category = "http://terminology.hl7.org/CodeSystem/condition-category";
    let coding = json!([{"system": category, "code": "encounter-diagnosis", "display": "Encounter Diagnosis"}]);
    assert_eq!(
        second,
        json!({
            "category": [{"coding": coding}],
            "code": {"text": "Fever"},
            "subject": {"reference": "Patient/7"},
            "encounter": {"reference": "Encounter/12"},
            "recordedDate": "2026-02-05",
        })
    );
}

fn prescribed() -> Prescription {
    Prescription {
        prescription_id: id(20),
        consultation_id: id(12),
        patient_id: id(7),
        medicine: MedicineName::new("Ibuprofen 400").unwrap(),
        dosage: Some(ShortText::new("1-0-1").unwrap()),
        is_regular: Some(true),
        price: Some(Price::try_from(12).unwrap()),
        currency: None,
        prescribed: "05/02/2026".parse().unwrap(),
        state: PrescriptionState::Active,
        dispensed: false,
        quantity: Some(Quantity::try_from(60).unwrap()),
        every_days: Some(EveryDays::try_from(30).unwrap()),
    }
}

#[test]
fn a_prescription() {
    let course = "http://terminology.hl7.org/CodeSystem/medicationrequest-course-of-therapy";
    let coding = json!([{"system": course, "code": "continuous", "display": "Continuous long term therapy"}]);
    let interval = json!({"value": 30, "unit": "days", "system": "http://unitsofmeasure.org", "code": "d"});
    assert_eq!(
        shown(|out| medication_request(out, &prescribed())),
        json!({
            "status": "active",
            "intent": "order",
            "medicationCodeableConcept": {"text": "Ibuprofen 400"},
            "subject": {"reference": "Patient/7"},
            "encounter": {"reference": "Encounter/12"},
            "authoredOn": "2026-02-05",
            "courseOfTherapyType": {"coding": coding},
            "dosageInstruction": [{"text": "1-0-1"}],
            "dispenseRequest": {"dispenseInterval": interval, "quantity": {"value": 60}},
        })
    );
    let dosage = Some(ShortText::new(" ").unwrap());
    let once = Prescription { is_regular: None, state: PrescriptionState::Completed, dosage, ..prescribed() };
    let once = shown(|out| medication_request(out, &once));
    assert_eq!((&once["status"], &once["dispenseRequest"]), (&json!("completed"), &json!({"quantity": {"value": 60}})));
    assert_eq!((&once["courseOfTherapyType"], &once["dosageInstruction"]), (&Value::Null, &Value::Null));
    let unmeasured = Prescription { quantity: None, every_days: None, ..prescribed() };
    assert_eq!(shown(|out| medication_request(out, &unmeasured))["dispenseRequest"], Value::Null);
}

fn billed() -> Invoice {
    let (medicine, day) = (MedicineName::new("Ibuprofen 400").unwrap(), "06/02/2026".parse().unwrap());
    Invoice {
        name: ada().name,
        age: ada().age,
        gender: ada().gender,
        phone: ada().phone,
        email: ada().email,
        companyaddress: Some(Address::new("2 Clinic Road").unwrap()),
        price: Some(Price::try_from(12).unwrap()),
        currency: Some(Currency::new("EUR").unwrap()),
        ..Invoice::new(id(3), id(20), id(7), medicine, day, InvoiceState::Unpaid)
    }
}

#[test]
fn an_invoice() {
    let money = json!({"value": 12, "currency": "EUR"});
    let expected = json!({
        "status": "issued",
        "subject": {"reference": "Patient/7"},
        "date": "2026-02-06",
        "issuer": {"display": "2 Clinic Road"},
        "lineItem": [{
            "sequence": 1,
            "chargeItemCodeableConcept": {"text": "Ibuprofen 400"},
            "priceComponent": [{"type": "base", "amount": money}],
        }],
        "totalGross": money,
    });
    assert_eq!(shown(|out| invoice(out, &billed(), None)), expected);
    let paid =
        shown(|out| invoice(out, &Invoice { state: InvoiceState::Paid, currency: None, ..billed() }, Some("urn:x")));
    assert_eq!((&paid["status"], &paid["totalGross"]), (&json!("balanced"), &json!({"value": 12})));
    assert_eq!(paid["identifier"], json!([{"use": "usual", "system": "urn:x/invoice", "value": "3"}]));
    let free = shown(|out| invoice(out, &Invoice { price: None, ..billed() }, None));
    assert_eq!((&free["totalGross"], &free["lineItem"][0]["priceComponent"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_medicine_and_a_dispensing_of_it() {
    let item = Item {
        dosage: Some(ShortText::new("tablets").unwrap()),
        price: Some(Price::try_from(12).unwrap()),
        ..Item::new(MedicineName::new("Ibuprofen 400").unwrap())
    };
    let expected = json!({
        "code": {"text": "Ibuprofen 400"},
        "status": "active",
        "form": {"text": "tablets"},
    });
    assert_eq!(shown(|out| medication(out, &item)), expected);

    let (medicine, day) = (MedicineName::new("Ibuprofen 400").unwrap(), "06/02/2026".parse().unwrap());
    let (units, left) = (Delta::try_from(-60).unwrap(), Amount::try_from(40).unwrap());
    let movement = Movement {
        lot: Some(LotText::new("A1").unwrap()),
        expires: Some("31/01/2027".parse().unwrap()),
        invoice_id: Some(id(3)),
        prescription_id: Some(id(20)),
        ..Movement::new(id(44), medicine, MovementKind::Dispense, units, left, day)
    };
    let dispensed = |id: LotId, returned: i64| Dispensing {
        invoice_id: billed().invoice_id,
        medicine: movement.medicine.clone(),
        tracked_since: None,
        is_regular: false,
        lots: vec![DispensedLot { id, units: 60.try_into().unwrap(), returned: Amount::try_from(returned).unwrap() }],
    };
    let of = |dispensing: &Dispensing| shown(|out| medication_dispense(out, &movement, dispensing, &billed()));
    let batch = json!({"lotNumber": "A1", "expirationDate": "2027-01-31"});
    assert_eq!(
        of(&dispensed(movement.lot_id(), 5)),
        json!({
            "contained": [{
                "resourceType": "Medication", "id": "medicine", "code": {"text": "Ibuprofen 400"}, "batch": batch,
            }],
            "status": "completed",
            "medicationReference": {"reference": "#medicine"},
            "subject": {"reference": "Patient/7"},
            "authorizingPrescription": [{"reference": "MedicationRequest/20"}],
            "quantity": {"value": 60},
            "whenHandedOver": "2026-02-06",
            "note": [{"text": "5 of 60 came back"}],
        })
    );
    for kept in [dispensed(movement.lot_id(), 0), dispensed(LotId::default(), 5)] {
        assert_eq!(of(&kept)["note"], Value::Null);
    }
}

#[test]
fn both_forms_are_the_same_tree() {
    let (consultation, diagnosis) = visit(ConsultationState::Open);
    let all: [&dyn Fn(&mut Writer); 6] = [
        &|out| patient(out, &ada(), Some("urn:x")),
        &|out| weight(out, &ada()),
        &|out| encounter(out, &consultation, Some(&diagnosis)),
        &|out| condition(out, &diagnosis, &diagnosis.diseases[0], consultation.date),
        &|out| medication_request(out, &prescribed()),
        &|out| invoice(out, &billed(), None),
    ];
    for write in all {
        let [json, xml] = [Form::Json, Form::Xml].map(|form| document(form, "Resource", write));
        let mut reader = quick_xml::Reader::from_str(&xml);
        let mut values = 0;
        loop {
            match reader.read_event().unwrap() {
                quick_xml::events::Event::Eof => break,
                quick_xml::events::Event::Empty(element) => {
                    let value = element.try_get_attribute("value").unwrap().unwrap();
                    let text = value.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap();
                    let texts = [format!("\"{text}\""), format!(":{text},"), format!(":{text}}}")];
                    assert!(texts.iter().any(|text| json.contains(text.as_str())), "{text} of {json}");
                    values += 1;
                }
                _ => {}
            }
        }
        // Every primitive of JSON is an element of XML, but for the type and the addresses of extensions.
        let primitives = serde_json::from_str(&json).unwrap();
        let urls = json.matches("\"url\":").count();
        let types = json.matches("\"resourceType\":").count();
        assert_eq!(values + urls + types, count(&primitives), "{json}\n{xml}");
    }
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 1,
    }
}

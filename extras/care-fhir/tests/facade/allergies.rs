//! The allergies of a patient.

use care_core::{
    model::{Allergies, Patch, PatientDetails, PatientId},
    service::ExpectedVersion,
};
use futures_executor::block_on;
use serde_json::{Value, json};

use crate::clinic::{all, ask, clinic, found, name, refused, send};

#[test]
fn they_are_one_resource_of_the_patients_who_have_a_text() {
    let (care, api) = clinic();
    let ada = PatientId::FIRST;
    let say = |allergies| {
        let details = PatientDetails { allergies, ..PatientDetails::default() };
        block_on(care.update_patient(ada, details, ExpectedVersion::Any)).unwrap().version
    };
    let path = "AllergyIntolerance/1-allergies";
    assert_eq!(refused(&api, path).0, 404);
    let text = |text: &str| Patch::Set(Allergies::new(text).unwrap());
    let version = say(text("penicillin,\nnuts"));
    let read: Value = serde_json::from_slice(ask(&api, path, "").body()).unwrap();
    let unknown = json!([{
        "url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "unknown"
    }]);
    let own = json!({
        "resourceType": "AllergyIntolerance",
        "id": "1-allergies",
        "meta": read["meta"],
        "clinicalStatus": {"extension": unknown},
        "code": {"text": "penicillin,\nnuts"},
        "patient": {"reference": "Patient/1"},
    });
    assert_eq!(read, own);
    let xml = ask(&api, &format!("{path}?_format=xml"), "");
    let status = "<clinicalStatus><extension url=\"http://hl7.org/fhir/StructureDefinition/data-absent-reason\">\
                  <valueCode value=\"unknown\"/></extension></clinicalStatus><code>";
    assert!(str::from_utf8(xml.body()).unwrap().contains(status), "{xml:?}");
    assert_eq!(found(&api, "AllergyIntolerance?patient=1"), ["1-allergies"]);
    assert_eq!(found(&api, "AllergyIntolerance?patient=Patient/1&_id=1-allergies"), ["1-allergies"]);
    assert_eq!(found(&api, "AllergyIntolerance?patient=2"), [] as [&str; 0]);
    assert_eq!(refused(&api, "AllergyIntolerance"), (400, "required".into(), Some("patient".into())));
    let everything: Vec<_> = all(&api, "Patient/1/$everything").iter().map(name).collect();
    assert_eq!(everything[..3], ["Patient/1", path, "Observation/1-age"]);
    assert_eq!(send(&api, path, &[("api_key", "no patient:read")]).status(), 403);
    for other in ["AllergyIntolerance/1", "AllergyIntolerance/1-age", "AllergyIntolerance/9-allergies"] {
        assert_eq!(refused(&api, other).0, 404, "{other}");
    }
    // No version is looked at for those that are removed.
    say(Patch::Clear);
    assert_eq!(refused(&api, path).0, 404);
    let earlier = format!("{path}/_history/{}-{version}", care.epoch());
    assert_eq!(ask(&api, &earlier, "").status(), 200);
    assert_eq!(found(&api, "AllergyIntolerance?patient=1"), [] as [&str; 0]);
    block_on(care.void_patient(2.try_into().unwrap(), ExpectedVersion::Any)).unwrap();
    assert_eq!(refused(&api, "AllergyIntolerance/2-allergies").0, 410);
}

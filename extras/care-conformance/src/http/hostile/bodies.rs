//! Bodies: each is either read as a record or refused, and a record survives both forms.

use super::clinic::{BASE, Clinic, request, with_body, with_header};

/// Requests that take a body: method, path, and the path where the record can be read, if there is always one.
const DOORS: [(&str, &str, Option<&str>); 6] = [
    ("PUT", "/patient", Some("/patient/1")),
    ("PUT", "/inventory/Metformin", Some("/inventory/Metformin")),
    ("PUT", "/prescriptions", Some("/prescriptions/1")),
    ("POST", "/patient", None),
    ("POST", "/consultations", None),
    ("POST", "/inventory/Aspirin", Some("/inventory/Aspirin")),
];

pub(super) const JSON: &[&str] = &[
    r#"0{"patientId":1,"name":"Ada","age":36,"weight":70.5,"phone":441632960001,"email":"a@b","lastvisit":"01/01/2026"}"#,
    r#"1{"isAvailable":false,"price":3,"currency":"EUR","dosage":"1-0-1","isRegular":null}"#,
    r#"2{"patientId":1,"medicine":"metformin","dosage":"\u0031\ud83d\ude00","price":0,"currency":"GBP"}"#,
    r#"3{"name":"e\u0301 <&>'\"]]>"}"#,
    r#"4{"patientId":1,"diseases":["a","b"],"prescriptions":[{"medicine":"x","isRegular":true}],"date":"15/03/2026"}"#,
    r#"0{"patientId":1,"weight":1e-400,"age":-0}"#,
];

pub(super) const XML: &[&str] = &[
    r#"0<?xml version="1.0" encoding="UTF-8"?><Patient xmlns="urn:x"><patientId> 1 </patientId><name><![CDATA[<]]>&#x41;</name></Patient>"#,
    r#"1<InventoryItem xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><price xsi:nil="true"/></InventoryItem>"#,
    "2<Prescription><patientId>1</patientId><medicine>met<!-- x -->formin</medicine></Prescription>",
    "3<Patient><name>a&#10;b\r\nc]]&gt;</name></Patient>",
    "4<Consultation><patientId>1</patientId><diseases>a</diseases><diseases>b</diseases><prescriptions><medicine>x</medicine></prescriptions></Consultation>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]><Patient>&b;</Patient>",
];

/// Sends a body in JSON. The first byte chooses the operation.
pub fn json(data: &[u8]) {
    sent("application/json", data);
}

/// Sends a body in XML. The first byte chooses the operation.
pub fn xml(data: &[u8]) {
    sent("application/xml", data);
}

fn sent(media_type: &str, data: &[u8]) {
    let Some((door, body)) = data.split_first() else {
        return;
    };
    let (method, path, place) = DOORS[usize::from(*door) % DOORS.len()];
    Clinic::with(|clinic| at_door(clinic, (method, path, place), (media_type, body)));
}

fn at_door(clinic: &Clinic, (method, path, place): (&str, &str, Option<&str>), (media_type, body): (&str, &[u8])) {
    for accept in ["application/json", "application/xml"] {
        let request = with_body(request(method, &format!("{BASE}{path}")), media_type, body);
        let Some(answer) = clinic.send(&with_header(request, "Accept", accept.as_bytes())) else {
            return;
        };
        if let (200..=299, Some(place)) = (answer.status, place) {
            keeps_its_value(clinic, place);
        }
    }
}

/// Sends a record as JSON and returns whether it was accepted. An accepted record must read back equal in both forms,
/// and putting it back in either form must change nothing.
pub fn round_trip(record: &str) -> bool {
    let clinic = Clinic::new();
    let put = with_body(request("PUT", &format!("{BASE}/patient")), "application/json", record.as_bytes());
    let is_accepted = clinic.send(&put).is_some_and(|answer| answer.status == 200);
    if is_accepted {
        keeps_its_value(&clinic, "/patient/1");
    }
    is_accepted
}

/// Reads a record in each form and puts it back. Not even its entity tag may change.
fn keeps_its_value(clinic: &Clinic, place: &str) {
    let target = format!("{BASE}{place}");
    let tag = || {
        let answer = clinic.send(&request("GET", &target)).expect("a plain request");
        assert_eq!(answer.status, 200, "{}", answer.shown());
        answer.header("etag").ok().flatten().map(str::to_owned)
    };
    let before = tag();
    let door = match place {
        "/patient/1" => "/patient",
        "/prescriptions/1" => "/prescriptions",
        item => item,
    };
    for form in ["application/json", "application/xml"] {
        let read = with_header(request("GET", &target), "Accept", form.as_bytes());
        let record = clinic.send(&read).expect("a plain request");
        let put = with_body(request("PUT", &format!("{BASE}{door}")), form, &record.body);
        let answer = clinic.send(&put).expect("a plain request");
        assert_eq!(answer.status, 200, "{}\n{}", record.shown(), answer.shown());
        assert_eq!(tag(), before, "{} changed a record by putting it back", record.shown());
    }
}

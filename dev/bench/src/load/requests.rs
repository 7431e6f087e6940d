//! The requests of clients.

use std::{
    fmt::Display,
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use care_conformance::Dice;

use crate::clinic::people;

/// The key of every server here. Hand-written servers do not check it.
pub(crate) const KEY: &str = "the-key-of-the-benchmark";

/// One kind of request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    PatientJson,
    PatientXml,
    /// A page of 50 patients.
    PatientPage,
    /// The same patient as a resource of FHIR.
    FhirPatient,
    /// The same page as a bundle of FHIR.
    FhirPage,
    Prescription,
    PutPatient,
    /// A `PUT /patient` that also changes the name and the phone, by which patients are found.
    RenamePatient,
    /// The payment of the next invoice.
    Payment,
    /// A `POST /prescriptions` of one medicine, to a patient who does not have it yet.
    #[cfg(feature = "postgres")]
    Prescribe,
}

/// The number of prescriptions so far, on all servers. A patient gets a medicine only once.
#[cfg(feature = "postgres")]
static PRESCRIBED: AtomicU64 = AtomicU64::new(0);

/// A pseudo-random sequence of requests.
#[derive(Clone)]
pub(super) struct Requests {
    kind: Kind,
    /// The highest number of a record. The lowest is 1.
    records: u64,
    /// The number of the last invoice that a client has paid.
    paid: Arc<AtomicU64>,
}

impl Requests {
    pub(super) fn about(patients: u64, kind: Kind) -> Self {
        // A quarter of the patients have two prescriptions. Where the clinic has one medicine, each patient has one.
        let records = if kind == Kind::Prescription { patients / 2 } else { patients };
        Self { kind, records, paid: Arc::default() }
    }

    /// Writes the next request.
    pub(super) fn next(&self, dice: &mut Dice, out: &mut Vec<u8>) {
        let id = 1 + dice.roll(self.records);
        // Writing to a vector does not fail.
        let _ = match self.kind {
            Kind::PatientJson => get(out, format_args!("patient/{id}"), "application/json"),
            Kind::PatientXml => get(out, format_args!("patient/{id}"), "application/xml"),
            Kind::PatientPage => get(out, "patient?limit=50", "application/json"),
            Kind::FhirPatient => get(out, format_args!("fhir/Patient/{id}"), "application/fhir+json"),
            Kind::FhirPage => get(out, "fhir/Patient?_count=50", "application/fhir+json"),
            Kind::Prescription => get(out, format_args!("prescriptions/{id}"), "application/json"),
            Kind::PutPatient => put(out, id, dice, people::phone(id), ""),
            Kind::RenamePatient => {
                let (phone, name) =
                    (1_000_001 + dice.roll(1_000_000_000).cast_signed(), format!(" {}", 1 + dice.roll(100_000)));
                put(out, id, dice, phone, &name)
            }
            Kind::Payment => {
                let invoice = 1 + self.paid.fetch_add(1, Ordering::Relaxed);
                send(out, "POST", &format!("invoice/{invoice}/payment"), "")
            }
            #[cfg(feature = "postgres")]
            Kind::Prescribe => {
                let number = PRESCRIBED.fetch_add(1, Ordering::Relaxed);
                let (patient, medicine) = (1 + number % self.records, number / self.records);
                let body = format!("{{\"patientId\":{patient},\"medicine\":\"Epidemic {medicine}\"}}");
                send(out, "POST", "prescriptions", &body)
            }
        };
    }
}

/// Writes a `GET` of what is at this place below the base path.
fn get(out: &mut Vec<u8>, what: impl Display, accept: &str) -> std::io::Result<()> {
    write!(out, "GET /1.0.0/{what} HTTP/1.1\r\nhost: 127.0.0.1\r\napi_key: {KEY}\r\naccept: {accept}\r\n\r\n")
}

/// Writes a whole record with a new address, age and weight, with this phone, and with `behind` after the name.
fn put(out: &mut Vec<u8>, id: u64, dice: &mut Dice, phone: i64, behind: &str) -> std::io::Result<()> {
    let body = format!(
        "{{\"name\":\"{}{behind}\",\"phone\":{phone},\"insurance\":true,\"patientId\":{id},\"age\":{},\"address\":\
         \"{} Sample Street\",\"gender\":\"female\",\"weight\":{}.5,\"email\":\"patient{id}@example.org\",\
         \"location\":\"Sampleton {}\",\"lastvisit\":\"31/01/2026\"}}",
        people::name(id),
        1 + dice.roll(100),
        1 + dice.roll(200),
        40 + dice.roll(80),
        1 + dice.roll(1000),
    );
    send(out, "PUT", "patient", &body)
}

fn send(out: &mut Vec<u8>, method: &str, what: &str, body: &str) -> std::io::Result<()> {
    write!(
        out,
        "{method} /1.0.0/{what} HTTP/1.1\r\nhost: 127.0.0.1\r\napi_key: {KEY}\r\naccept: application/json\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

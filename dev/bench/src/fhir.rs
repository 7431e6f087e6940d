//! FHIR, compared with the same reads of the interface.

use care_core::{
    model::{MedicineName, PatientDetails, PatientId},
    service::{CareService, NewConsultation, NewPrescription},
    store::MemoryStore,
};
use care_testkit::{Wire, sent};
use futures_executor::block_on;

use crate::{
    Clinic, Comparisons, FRAMEWORKS, Failure, Kind, Server, Setting, Side, Table, clinic::filled, figure, load::KEY,
    microseconds,
};

const CLIENTS: usize = 64;

/// Each comparison: its name, the request, the one of the interface, and the expected ratio.
const READS: [(&str, [Kind; 2], &str); 2] = [
    ("GET Patient, beside GET patient", [Kind::FhirPatient, Kind::PatientJson], "0.75"),
    ("a page of 50 of each", [Kind::FhirPage, Kind::PatientPage], "0.77"),
];

/// Measures the reads in both frameworks, then all that is known of a patient with many prescriptions.
pub(crate) fn measure(setting: &Setting) -> Result<(), Failure> {
    let clinic = Clinic::largest(setting)?;
    let mut table = Comparisons::of(setting);
    for framework in FRAMEWORKS {
        let server = Server::care(framework, &clinic.path, &["--fhir"])?;
        for (work, kinds, least) in READS {
            let side = |kind| Side::of(&server, clinic.patients, &[(CLIENTS, kind)]);
            table.measure(work, framework, kinds.map(side), least)?;
        }
    }
    table.print(&format!("FHIR with {CLIENTS} clients, {} patients", clinic.patients));
    everything(setting)
}

/// Measures `$everything` of a patient, in as few pages as may be.
fn everything(setting: &Setting) -> Result<(), Failure> {
    let prescriptions = if setting.quick { 40 } else { 1000 };
    let care = CareService::new(MemoryStore::new());
    let patient = block_on(care.register_patient(PatientDetails::default()))?.patient_id;
    let all: Result<Vec<_>, _> = (0..prescriptions)
        .map(|number| MedicineName::new(format!("medicine {number}")).map(NewPrescription::of))
        .collect();
    for prescriptions in all?.chunks(20) {
        let visit = NewConsultation::of(patient).prescribing(prescriptions.to_vec());
        block_on(care.record_consultation(visit))?;
    }
    let path = filled(setting, "everything.db", &care)?;
    let mut table = Table::new(["in", "resources", "pages", "ms", "at most"]);
    for framework in FRAMEWORKS {
        let server = Server::care(framework, &path, &["--fhir"])?;
        let mut wire = server.wire();
        let (resources, pages) = walk(&mut wire, patient)?;
        if resources < prescriptions {
            return Err(format!("{resources} resources").into());
        }
        let micros = microseconds(setting.time(), || walk(&mut wire, patient).map(drop))?;
        let [resources, pages] = [resources, pages].map(|count| count.to_string());
        table.row([framework.name, &resources, &pages, &figure(micros / 1000.0), "50"]);
    }
    table.print(&format!("`$everything` of {prescriptions} prescriptions"));
    Ok(())
}

/// Returns the number of all resources about a patient, and of their pages, each of which links to the next.
fn walk(wire: &mut Wire, patient: PatientId) -> Result<(usize, usize), Failure> {
    const NEXT: &str = r#""relation":"next","url":""#;
    let (mut resources, mut pages) = (0, 0);
    let mut place = format!("/1.0.0/fhir/Patient/{patient}/$everything?_count=500");
    loop {
        let request = sent("GET", &place).without_key().header("api_key", KEY);
        let answer = request.header("Accept", "application/fhir+json").over(wire);
        if answer.status != 200 {
            return Err(format!("a server answers {}", answer.status).into());
        }
        resources += answer.body.matches(r#""fullUrl":"#).count();
        pages += 1;
        let Some((_, rest)) = answer.body.split_once(NEXT) else {
            return Ok((resources, pages));
        };
        let url = rest.split('"').next().unwrap_or_default();
        let next = url.find("/1.0.0/").ok_or("a link that leads elsewhere")?;
        place = url[next..].to_owned();
    }
}

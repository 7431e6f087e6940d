//! FHIR, compared with the same reads of the interface.

use care_core::{
    model::{MedicineName, PatientDetails, PatientId},
    service::{CareService, NewConsultation, NewPrescription},
    store::MemoryStore,
};
use care_testkit::Wire;
use futures_executor::block_on;

use crate::{
    Failure, Framework, Kind, Report, Server, Setting, Table,
    compare::{Versus, clinic, database, side},
    figure, load, microseconds,
};

const CLIENTS: usize = 64;

/// Each comparison: its name, the request, the one of the interface, and the expected ratio.
const READS: [(&str, Kind, Kind, &str); 2] = [
    ("GET Patient, beside GET patient", Kind::FhirPatient, Kind::PatientJson, "0.75"),
    ("a page of 50 of each", Kind::FhirPage, Kind::PatientPage, "0.77"),
];

/// Measures the reads in both frameworks, then all that is known of a patient with many prescriptions.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let clinic = clinic(setting)?;
    let mut table = Table::new(Versus::HEAD);
    for framework in Framework::ALL {
        let server = Server::care_with(framework, &clinic.path, &["--fhir"])?;
        for (work, ours, theirs, least) in READS {
            let [ours, theirs] = [ours, theirs].map(|kind| side(&server, CLIENTS, kind, &clinic));
            let versus = Versus::measure(setting, &ours, &theirs)?;
            table.row(versus.row(work, framework.name(), least));
        }
    }
    report.add(&format!("FHIR with {CLIENTS} clients, {} patients", clinic.patients), &table);
    everything(setting, report)
}

/// Measures `$everything` of a patient, in as few pages as may be.
fn everything(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
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
    drop(database(setting, "everything.db", &care)?);
    let mut table = Table::new(["in", "resources", "pages", "ms", "at most"]);
    for framework in Framework::ALL {
        let server = Server::care_with(framework, setting.directory.join("everything.db"), &["--fhir"])?;
        let mut wire = Reader(Wire::try_open(server.address)?);
        let (resources, pages) = wire.walk(patient)?;
        if resources < prescriptions {
            return Err(format!("{resources} resources").into());
        }
        let micros = microseconds(setting.time(), || wire.walk(patient).map(drop))?;
        let [resources, pages] = [resources, pages].map(|count| count.to_string());
        table.row([framework.name().to_owned(), resources, pages, figure(micros / 1000.0), "50".to_owned()]);
    }
    report.add(&format!("`$everything` of {prescriptions} prescriptions"), &table);
    Ok(())
}

/// A connection that asks for one page after another.
struct Reader(Wire);

impl Reader {
    /// Returns the number of all resources about a patient, and of their pages.
    fn walk(&mut self, patient: PatientId) -> Result<(usize, usize), Failure> {
        const NEXT: &str = r#""relation":"next","url":""#;
        let (mut resources, mut pages) = (0, 0);
        let mut place = format!("fhir/Patient/{patient}/$everything?_count=500");
        loop {
            let page = self.page(&place)?;
            resources += page.matches(r#""fullUrl":"#).count();
            pages += 1;
            let Some((_, rest)) = page.split_once(NEXT) else {
                return Ok((resources, pages));
            };
            let url = rest.split('"').next().unwrap_or_default();
            let (_, next) = url.split_once("/1.0.0/").ok_or("a link that leads elsewhere")?;
            place = next.to_owned();
        }
    }

    /// Returns the body of an answer.
    fn page(&mut self, place: &str) -> Result<String, Failure> {
        let mut request = Vec::new();
        load::get(&mut request, place, "application/fhir+json")?;
        self.0.try_send(request)?;
        let answer = self.0.try_answer()?;
        match answer.status {
            200 => Ok(answer.body),
            status => Err(format!("a server answers {status}").into()),
        }
    }
}

//! Payments and reads over HTTP.

use care_core::{
    model::PatientDetails,
    service::{CareService, NewPrescription},
    store::MemoryStore,
};
use futures_executor::block_on;

use super::{CLIENTS, PLENTY, shelf};
use crate::{
    Failure, Framework, Kind, Server, Setting, Table,
    compare::{Side, Versus, clear, database},
    load::{Group, Requests},
};

/// More invoices than any machine here pays in a second.
const PAID: f64 = 30_000.0;

/// Measures reads and payments of a tracked medicine beside those of an untracked one, in both frameworks.
pub(super) fn measure(setting: &Setting, table: &mut Table) -> Result<(), Failure> {
    // One round more than is reported, to warm up.
    let count = match setting.quick {
        true => 10 * CLIENTS,
        false => ((setting.rounds as f64 + 1.0) * setting.seconds * PAID) as usize,
    };
    let clinics = [clinic(Some(PLENTY), count)?, clinic(None, count)?];
    for framework in Framework::ALL {
        let names = ["tracked.db", "untracked.db"];
        for (name, clinic) in names.iter().zip(&clinics) {
            drop(database(setting, name, clinic)?);
        }
        let [tracked, untracked] = names.map(|name| setting.directory.join(name));
        let servers = [Server::care(framework, &tracked)?, Server::care(framework, &untracked)?];
        for (work, kind, least) in
            [("GET prescription", Kind::Prescription, "0.90"), ("POST payment", Kind::Payment, "0.80")]
        {
            let side = |server| Side::of(server, vec![group(server, kind, count as u64)]);
            let [tracked, untracked] = servers.each_ref().map(side);
            let versus = Versus::measure(setting, &tracked, &untracked)?;
            table.row(versus.row(work, framework.name(), least));
        }
        drop(servers);
        [tracked, untracked].iter().for_each(|path| clear(path));
    }
    Ok(())
}

/// Returns a clinic with this number of invoices for one medicine.
fn clinic(units: Option<i64>, count: usize) -> Result<CareService, Failure> {
    let care = CareService::new(MemoryStore::new());
    let medicine = shelf(&care, "medicine", units)?;
    for _ in 0..count {
        let patient = block_on(care.register_patient(PatientDetails::default()))?.patient_id;
        let prescribed = block_on(care.prescribe(patient, NewPrescription::of(medicine.clone())))?;
        block_on(care.issue_invoice(prescribed.prescription.prescription_id))?;
    }
    Ok(care)
}

fn group(server: &Server, kind: Kind, records: u64) -> Group {
    Group { addresses: vec![server.address], clients: CLIENTS, requests: Requests::all(kind, records) }
}

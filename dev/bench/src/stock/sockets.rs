//! Payments and reads over HTTP.

use care_core::{
    service::{CareService, NewPrescription},
    store::MemoryStore,
};

use super::{CLIENTS, PLENTY, bill, patient, shelf};
use crate::{
    Comparisons, FRAMEWORKS, Failure, Kind, Server, Setting, Side,
    clinic::{clear, filled},
};

/// More invoices than any machine here pays in a second.
const PAID: f64 = 30_000.0;

/// Measures reads and payments of a tracked medicine beside those of an untracked one, in both frameworks.
pub(super) fn measure(setting: &Setting, table: &mut Comparisons<'_>) -> Result<(), Failure> {
    // One round more than is reported, to warm up.
    let count = match setting.quick {
        true => 10 * CLIENTS,
        false => ((setting.rounds as f64 + 1.0) * setting.seconds * PAID) as usize,
    };
    let clinics = [clinic(Some(PLENTY), count)?, clinic(None, count)?];
    for framework in FRAMEWORKS {
        let [tracked, untracked] = &clinics;
        let files = [filled(setting, "tracked.db", tracked)?, filled(setting, "untracked.db", untracked)?];
        let servers = [Server::care(framework, &files[0], &[])?, Server::care(framework, &files[1], &[])?];
        for (work, kind, least) in
            [("GET prescription", Kind::Prescription, "0.90"), ("POST payment", Kind::Payment, "0.80")]
        {
            let side = |server| Side::of(server, count as u64, &[(CLIENTS, kind)]);
            table.measure(work, framework, servers.each_ref().map(side), least)?;
        }
        drop(servers);
        files.iter().for_each(|file| clear(file));
    }
    Ok(())
}

/// Returns a clinic with this number of patients, who have an invoice for one medicine each.
fn clinic(units: Option<i64>, count: usize) -> Result<CareService, Failure> {
    let care = CareService::new(MemoryStore::new());
    let medicine = shelf(&care, "medicine", units)?;
    for _ in 0..count {
        bill(&care, patient(&care)?, NewPrescription::of(medicine.clone()))?;
    }
    Ok(care)
}

//! The cost of stock in units: tracked medicines compared with untracked ones, and reports of a year.

mod reports;
mod sockets;

use care_core::{
    model::{
        InvoiceId, ItemDetails, LotId, MedicineName, Patch, PatientDetails, PatientId, Policy, StockDetails, UnitName,
    },
    service::{CareService, NewPrescription, OpeningLot},
};
use futures_executor::block_on;

use crate::{Comparisons, Failure, Setting, Table};

/// The clients that write at once.
const CLIENTS: usize = 64;
/// More units than any measurement dispenses.
const PLENTY: i64 = 100_000_000;

/// Measures payments and reads of tracked medicines beside untracked ones, then reports with plans and on takings.
pub(crate) fn measure(setting: &Setting) -> Result<(), Failure> {
    let mut table = Comparisons::of(setting);
    sockets::measure(setting, &mut table)?;
    table.print(&format!("Tracked medicines beside untracked ones, {CLIENTS} clients"));
    let mut table = Table::new(["work, ms", "found", "at most"]);
    reports::plans(setting, &mut table)?;
    reports::takings(setting, &mut table)?;
    table.print("Reports of a year");
    Ok(())
}

/// Adds a medicine, which is tracked if it has units.
fn shelf(care: &CareService, name: &str, units: Option<i64>) -> Result<MedicineName, Failure> {
    let name = MedicineName::new(name)?;
    block_on(care.add_item(name.clone(), ItemDetails::default()))?;
    if let Some(units) = units {
        let details = StockDetails { policy: Patch::Set(Policy::Service), ..StockDetails::default() };
        let opening = vec![OpeningLot { lot: LotId::default(), units: units.try_into()? }];
        block_on(care.start_stock(name.key().clone(), UnitName::new("tablets")?, details, opening))?;
    }
    Ok(name)
}

fn patient(care: &CareService) -> Result<PatientId, Failure> {
    Ok(block_on(care.register_patient(PatientDetails::default()))?.patient_id)
}

/// Prescribes a medicine, and issues the invoice.
fn bill(care: &CareService, patient: PatientId, new: NewPrescription) -> Result<InvoiceId, Failure> {
    let prescription = block_on(care.prescribe(patient, new))?.prescription.prescription_id;
    Ok(block_on(care.issue_invoice(prescription))?.invoice.invoice_id)
}

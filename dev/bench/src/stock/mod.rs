//! The cost of stock in units: tracked medicines compared with untracked ones, plans, back-tests and takings.

mod inside;
mod plans;
mod sockets;
mod takings;

use care_core::{
    model::{
        ItemDetails, LotId, MedicineName, Patch, PatientDetails, Policy, PrescriptionDetails, PrescriptionId,
        StockDetails, UnitName,
    },
    service::{CareService, NewPrescription, OpeningLot},
};
use futures_executor::block_on;

use crate::{Failure, Report, Setting, Table, compare::Versus};

/// The clients that write at once.
const CLIENTS: usize = 64;

/// A medicine of the comparison, with its prescriptions.
struct Shelf {
    name: MedicineName,
    is_regular: bool,
}

/// Measures payments and reads of tracked medicines beside untracked ones, then reports with plans and on takings.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let mut table = Table::new(Versus::HEAD);
    sockets::measure(setting, &mut table)?;
    report.add(&format!("Tracked medicines beside untracked ones, {CLIENTS} clients"), &table);
    let mut table = Table::new(["work", "tracked", "against", "ratio"]);
    inside::measure(setting, &mut table)?;
    report.add("The same without sockets", &table);
    let mut table = Table::new(["work, ms", "found", "at most"]);
    plans::measure(setting, &mut table)?;
    takings::measure(setting, &mut table)?;
    report.add("Reports of a year", &table);
    Ok(())
}

/// More units than any measurement dispenses.
const PLENTY: i64 = 100_000_000;

/// Adds a medicine, which is tracked if it has units.
fn shelf(care: &CareService, name: &str, units: Option<i64>, is_regular: bool) -> Result<Shelf, Failure> {
    let name = MedicineName::new(name)?;
    block_on(care.add_item(name.clone(), ItemDetails::default()))?;
    if let Some(units) = units {
        let details = StockDetails { policy: Patch::Set(Policy::Service), ..StockDetails::default() };
        let opening = vec![OpeningLot { lot: LotId::default(), units: units.try_into()? }];
        block_on(care.start_stock(name.key().clone(), UnitName::new("tablets")?, details, opening))?;
    }
    Ok(Shelf { name, is_regular })
}

/// Prescribes the medicine to this number of patients.
fn prescribe(care: &CareService, shelf: &Shelf, count: usize) -> Result<Vec<PrescriptionId>, Failure> {
    let details = PrescriptionDetails { is_regular: shelf.is_regular.into(), ..PrescriptionDetails::default() };
    let one = |_| {
        let patient = block_on(care.register_patient(PatientDetails::default()))?.patient_id;
        let new = NewPrescription { details: details.clone(), ..NewPrescription::of(shelf.name.clone()) };
        Ok::<_, Failure>(block_on(care.prescribe(patient, new))?.prescription.prescription_id)
    };
    (0..count).map(one).collect()
}

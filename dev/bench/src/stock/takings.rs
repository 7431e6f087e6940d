//! The report on takings of a year.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use care_core::{
    model::{Date, Patch, PatientDetails, PrescriptionDetails, Timestamp},
    service::{CareService, NewPrescription, TakingsPeriod},
    store::MemoryStore,
};
use futures_executor::block_on;

use super::{
    plans::{DAY, milliseconds},
    shelf,
};
use crate::{Failure, Setting, Table, compare::database, figure, median};

/// Measures a report on a year in which each holder was paid each day.
pub(super) fn measure(setting: &Setting, table: &mut Table) -> Result<(), Failure> {
    let (holders, days) = if setting.quick { (3, 5) } else { (20, 366) };
    let clock = Arc::new(AtomicI64::new(20_000 * DAY));
    let read = Arc::clone(&clock);
    let now = move || Timestamp::from_unix_millis(read.load(Ordering::Relaxed)).expect("a day of the benchmark");
    let draft = CareService::new(MemoryStore::new()).with_clock(now.clone());
    let medicine = shelf(&draft, "Sampleol 250", None, false)?.name;
    let patient = block_on(draft.register_patient(PatientDetails::default()))?.patient_id;
    for day in 0..days {
        clock.store((20_000 + day) * DAY, Ordering::Relaxed);
        for holder in 0..holders {
            let care = draft.acting_as(format!("holder {holder}"));
            let details = PrescriptionDetails { price: Patch::Set(10.try_into()?), ..PrescriptionDetails::default() };
            let new = NewPrescription { details, ..NewPrescription::of(medicine.clone()) };
            let prescription = block_on(care.prescribe(patient, new))?.prescription.prescription_id;
            let invoice = block_on(care.issue_invoice(prescription))?.invoice.invoice_id;
            block_on(care.pay_invoice(invoice))?;
        }
    }
    let care = CareService::new(database(setting, "takings.db", &draft)?).with_clock(now);
    let today = care.today()?;
    let mut found = Vec::new();
    for _ in 0..setting.rounds {
        found.push(milliseconds(setting.time() / 5, || {
            let period = TakingsPeriod::new(Some(Date::from_unix_days(20_000)?), None, today)?;
            let mut items = 0;
            block_on(care.takings(period, None, |_| items += 1))?;
            if items == holders * days { Ok(()) } else { Err(format!("{items} items").into()) }
        })?);
    }
    table.row([&format!("`GET /takings`, {holders} holders over {days} days"), &figure(median(found)), "20"]);
    Ok(())
}

//! The service inside a program of your own: no HTTP, no server, no async runtime.
//!
//! It prescribes a medicine, bills it, takes the payment and reads the history that the payment has updated.
//!
//! ```text
//! cargo run -p care-core --example embed
//! ```

use std::error::Error;

use care_core::{
    model::{Address, Disease, ItemDetails, MedicineName, PatientDetails},
    service::{CareService, Facility, NewConsultation, NewPrescription},
    store::{Limit, MemoryStore, Seq},
};

fn main() -> Result<(), Box<dyn Error>> {
    // Any store will do. This one keeps its records in memory.
    let facility = Facility { address: Some(Address::new("1 Sample Street, Sampleton")?), ..Facility::default() };
    let care = CareService::new(MemoryStore::new()).with_facility(facility);
    // Every use case is a future that needs no particular runtime.
    futures_executor::block_on(visit(&care))
}

async fn visit(care: &CareService) -> Result<(), Box<dyn Error>> {
    let medicine = MedicineName::new("Ibuprofen 400")?;
    let stock = ItemDetails::default().price(4)?;
    care.add_item(medicine.clone(), stock).await?;

    let details = PatientDetails::named("Ada Example")?;
    let ada = care.register_patient(details).await?.patient_id;

    // The actor whom the journal names.
    let doctor = care.acting_as("Dr Sample");
    let visit =
        NewConsultation::of(ada).diagnosing([Disease::new("migraine")?]).prescribing([NewPrescription::of(medicine)]);
    let visit = doctor.record_consultation(visit).await?;

    for &prescription in &visit.prescription_ids {
        let invoice = care.issue_invoice(prescription).await?.invoice.record;
        println!("invoice {}: {}", invoice.invoice_id, serde_json::to_string(&invoice)?);
        // The payment completes the flow, which counts the visit.
        care.pay_invoice(invoice.invoice_id).await?;
    }

    let history = care.history(ada).await?.record;
    println!("history: {}", serde_json::to_string(&history)?);
    for entry in care.store().journal(Seq::ZERO, Limit::items(100)).await?.items {
        println!("{} {} {} by {}", entry.seq, entry.at, entry.operation, entry.actor);
    }
    Ok(())
}

//! Erasing a person from a store of any kind: from the memory store here.
//!
//! Voiding a patient keeps the past in the journal. An erasure takes the person out of it too, and keeps what the books
//! need: numbers, days, medicines and amounts.
//!
//! ```text
//! cargo run -p care-core --example erase_on_memory
//! ```

use std::error::Error;

use care_core::{
    audit,
    model::{MedicineName, Name, PatientDetails},
    service::{CareService, NewPrescription},
    store::{Limit, MemoryStore, Query, Seq},
};

fn main() -> Result<(), Box<dyn Error>> {
    futures_executor::block_on(erase(&CareService::new(MemoryStore::new())))
}

async fn erase(care: &CareService) -> Result<(), Box<dyn Error>> {
    let details = PatientDetails { name: Name::new("Ada Example")?.into(), ..PatientDetails::default() };
    let ada = care.register_patient(details).await?.patient_id;
    let prescribed = care.prescribe(ada, NewPrescription::of(MedicineName::new("Ibuprofen 400")?)).await?;
    let invoice = care.issue_invoice(prescribed.prescription.prescription_id).await?.invoice.invoice_id;
    care.pay_invoice(invoice).await?;
    println!("before: {} texts name her", named(care).await?);

    let erased = care.acting_as("data protection").erase_patient(ada).await?;
    println!("entry {} erased her, and {} entries were rewritten", erased.entry, erased.rewritten);
    println!("after: {} texts name her", named(care).await?);
    // A store that is a file may still have her name in pages that it no longer uses.
    if let Some(maintenance) = care.store().maintenance() {
        maintenance.scrub().await?;
    }

    let invoice = care.invoice(invoice).await?;
    println!("invoice {} is still of {}", invoice.invoice_id, invoice.medicine.as_str());
    let sound = audit::verify(care.store()).await?;
    println!("{} entries still make the {} records", sound.entries, sound.records);
    Ok(())
}

/// Returns the number of records and journal entries that contain the name.
async fn named(care: &CareService) -> Result<usize, Box<dyn Error>> {
    let records = care.store().list(&Query::All { after: None }, Limit::ALL).await?.items;
    let entries = care.store().journal(Seq::ZERO, Limit::ALL).await?.items;
    let texts = records.iter().map(|found| serde_json::to_string(&found.record));
    let texts = texts.chain(entries.iter().map(serde_json::to_string)).collect::<Result<Vec<_>, _>>()?;
    Ok(texts.iter().filter(|text| text.contains("Ada")).count())
}

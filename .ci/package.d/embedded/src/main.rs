//! The service without HTTP, on a database: what was paid is there when the file is opened again.

use std::error::Error;

use care_core::{
    CareService,
    model::{MedicineName, PatientDetails},
    service::NewPrescription,
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("care.db");

    let care = CareService::new(SqliteStore::open(&path)?);
    let paid = block_on(async {
        let details = PatientDetails::named("Ada Example")?;
        let ada = care.register_patient(details).await?;
        let new = NewPrescription::of(MedicineName::new("Ibuprofen 400")?);
        let prescribed = care.prescribe(ada.patient_id, new).await?;
        let issued = care.issue_invoice(prescribed.prescription.prescription_id).await?;
        Ok::<_, Box<dyn Error>>(care.pay_invoice(issued.invoice.invoice_id).await?)
    })?;
    assert_eq!(paid.visits, 1);
    drop(care);

    let care = CareService::new(SqliteStore::open(&path)?);
    let kept = block_on(care.history(paid.patient_id))?;
    assert_eq!(kept.visits, 1);
    println!("embedded: patient {} has paid for a visit", paid.patient_id);
    Ok(())
}

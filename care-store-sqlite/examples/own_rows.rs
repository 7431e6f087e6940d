//! A program whose orders are rows of its own: a job prescribes and bills each order in the service, once, even if it
//! is cut off anywhere and runs again.
//!
//! The two files have a transaction each, so a crash may fall between them. The service therefore does each request
//! under the number of its row, for a day: who repeats it gets the first answer.
//!
//! ```text
//! cargo run -p care-store-sqlite --example own_rows
//! ```

#![expect(clippy::future_not_send, reason = "a connection of rusqlite stays on its thread")]

use std::error::Error;

use care_core::{
    CareService,
    model::{InvoiceId, MedicineName, PatientDetails, PatientId},
    service::{Idempotency, NewPrescription},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use rusqlite::Connection;

/// Does every order that has no invoice yet. `is_cut_off` stands for a crash before our own commit.
async fn work(ours: &Connection, care: &CareService, is_cut_off: bool) -> Result<(), Box<dyn Error>> {
    let mut open = ours.prepare("SELECT id, patient, medicine FROM ordering WHERE invoice IS NULL")?;
    let open = open.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for order in open.collect::<Result<Vec<(i64, i64, String)>, _>>()? {
        let invoice = bill(care, &order).await?;
        if is_cut_off {
            println!("order {}: invoice {invoice}, and a crash", order.0);
            return Ok(());
        }
        ours.execute("UPDATE ordering SET invoice = ? WHERE id = ?", (i64::from(invoice), order.0))?;
        println!("order {}: invoice {invoice}", order.0);
    }
    Ok(())
}

/// Prescribes and bills in one commit, each under a key that the row gives.
async fn bill(care: &CareService, (id, patient, medicine): &(i64, i64, String)) -> Result<InvoiceId, Box<dyn Error>> {
    let (patient, new) = (PatientId::try_from(*patient)?, NewPrescription::of(MedicineName::new(medicine)?));
    let key = |step: &str| Idempotency::new(format!("order-{id}-{step}"));
    let (prescribe, issue) = (key("prescribe")?, key("issue")?);
    let issued = care.together(async move |care| {
        let prescribed = care.once(prescribe).prescribe(patient, new).await?;
        care.once(issue).issue_invoice(prescribed.prescription.prescription_id).await
    });
    Ok(issued.await?.invoice.invoice_id)
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let ours = Connection::open(directory.path().join("ours.db"))?;
    ours.execute_batch(
        "CREATE TABLE ordering (id INTEGER PRIMARY KEY, patient INTEGER, medicine TEXT, invoice INTEGER);
         INSERT INTO ordering (patient, medicine) VALUES (1, 'Ibuprofen 400'), (1, 'Aspirin');",
    )?;
    // The service's file is its own: nothing else opens it.
    let care = CareService::new(SqliteStore::open(directory.path().join("care.db"))?).acting_as("orders");
    block_on(async {
        care.register_patient(PatientDetails::named("Ada Example")?).await?;
        work(&ours, &care, true).await?;
        work(&ours, &care, false).await?;
        println!("the journal has {} entries", care.last().await?);
        Ok(())
    })
}

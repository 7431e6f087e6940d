//! A program with a schema of its own in the database that also holds the service's: one server, one backup, one point
//! in time to restore both to, and still two transactions.
//!
//! ```text
//! cargo run -p care-store-postgres --example own_schema -- 'postgres://care@localhost/clinic'
//! ```

use std::{env, error::Error};

use care_core::{CareService, model::PatientDetails};
use care_store_postgres::PostgresStore;
use tokio_postgres::NoTls;

/// Returns the address with this schema as the search path.
fn in_schema(address: &str, schema: &str) -> String {
    let sign = if address.contains('?') { '&' } else { '?' };
    format!("{address}{sign}options=-c%20search_path%3D{schema}")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).ok_or("the address of a database")?;
    let (ours, connection) = tokio_postgres::connect(&in_schema(&address, "ours"), NoTls).await?;
    tokio::spawn(connection);
    ours.batch_execute("CREATE SCHEMA IF NOT EXISTS ours; CREATE SCHEMA IF NOT EXISTS care;").await?;
    ours.batch_execute("CREATE TABLE IF NOT EXISTS appointment (patient bigint PRIMARY KEY, at text)").await?;

    // The service fills its schema when it is opened, and looks at no other.
    let in_care = in_schema(&address, "care");
    let store = tokio::task::spawn_blocking(move || PostgresStore::open(&in_care)).await??;
    let care = CareService::new(store);
    let ada = care.register_patient(PatientDetails::named("Ada Example")?).await?;

    let (id, version) = (i64::from(ada.patient_id), ada.version);
    ours.execute("INSERT INTO appointment VALUES ($1, '09:00')", &[&id]).await?;
    // Our queries may read its tables, which may change with each version, and never write them.
    let joined = "SELECT p.name FROM appointment a JOIN care.patient p ON p.patient_id = a.patient";
    let name: String = ours.query_one(joined, &[]).await?.get(0);
    println!("{name} comes at 09:00, known since entry {version}");
    Ok(())
}

//! A host with tables of its own in PostgreSQL, by sqlx, beside the service's stores. It needs no server: it goes as
//! far as one refuses.

#[path = "../care.rs"]
mod care;

use care_store_postgres::PostgresStore;

/// An address where no server listens.
const NOWHERE: &str = "postgres://nobody@127.0.0.1:1/none?connect_timeout=1";

#[tokio::main]
async fn main() {
    assert!(sqlx::PgPool::connect(NOWHERE).await.is_err());
    assert!(tokio::task::spawn_blocking(|| PostgresStore::open(NOWHERE)).await.expect("it ends").is_err());
    care::works();
    println!("PostgreSQL by both");
}

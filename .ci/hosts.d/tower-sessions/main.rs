//! A host with sessions of tower-sessions in SQLite.

#[path = "../care.rs"]
mod care;

use tower_sessions_rusqlite_store::{RusqliteStore, tokio_rusqlite::Connection};

#[tokio::main]
async fn main() {
    let sessions = RusqliteStore::new(Connection::open_in_memory().await.expect("a database"));
    sessions.migrate().await.expect("a table");
    care::works();
    println!("sessions beside it");
}

//! A host with tables of its own in SQLite, by sqlx.

#[path = "../care.rs"]
mod care;

#[tokio::main]
async fn main() {
    let ours = sqlx::SqlitePool::connect("sqlite::memory:").await.expect("a database");
    let (version,): (String,) = sqlx::query_as("SELECT sqlite_version()").fetch_one(&ours).await.expect("a row");
    care::works();
    println!("SQLite {version}");
}

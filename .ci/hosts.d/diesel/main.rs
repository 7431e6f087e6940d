//! A host with tables of its own in SQLite, by Diesel.

#[path = "../care.rs"]
mod care;

use diesel::{Connection as _, RunQueryDsl as _, SqliteConnection};

fn main() {
    let mut ours = SqliteConnection::establish(":memory:").expect("a database");
    diesel::sql_query("CREATE TABLE visit (id INTEGER)").execute(&mut ours).expect("a table");
    care::works();
    println!("Diesel beside it");
}

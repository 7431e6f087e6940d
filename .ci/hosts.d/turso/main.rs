//! A host with tables of its own in Turso, which is SQLite written anew and so brings no second one.

#[path = "../care.rs"]
mod care;

#[tokio::main]
async fn main() {
    let ours = turso::Builder::new_local(":memory:").build().await.expect("a database");
    let connection = ours.connect().expect("a connection");
    connection.execute("CREATE TABLE visit (id INTEGER)", ()).await.expect("a table");
    care::works();
    println!("Turso beside SQLite");
}

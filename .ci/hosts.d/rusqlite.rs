//! A host with tables of its own in rusqlite: one with the oldest that fits, one with the newest.

mod care;

fn main() {
    let ours = rusqlite::Connection::open_in_memory().expect("a database");
    let one: i64 = ours.query_row("SELECT 1", [], |row| row.get(0)).expect("a row");
    assert_eq!(one, 1);
    care::works();
    println!("SQLite {}", rusqlite::version());
}

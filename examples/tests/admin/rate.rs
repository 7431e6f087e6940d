//! How fast a million patients are imported, beside inserting the same rows with nothing around it. For people to read:
//! `cargo test --release -p care-examples --test admin rate -- --ignored --nocapture`

use std::{
    fs::File,
    io::{BufWriter, Write},
    time::Instant,
};

use rusqlite::{Connection, params};

use crate::bench::Bench;

const PATIENTS: i64 = 1_000_000;
const BATCH: i64 = 5000;

#[test]
#[ignore = "it takes a minute, and says what it finds instead of failing"]
fn a_million_patients() {
    let bench = Bench::new();
    drop(bench.store("raw.db"));
    let conn = Connection::open(bench.path("raw.db")).unwrap();
    conn.pragma_update(None, "synchronous", 2).unwrap();
    let started = Instant::now();
    for first in (1..=PATIENTS).step_by(BATCH as usize) {
        insert(&conn, first..first + BATCH);
    }
    report("raw inserts into the same table", started);
    conn.close().unwrap();

    write(&bench);
    let started = Instant::now();
    bench.admin(&["import-patients", "care.db", "patients.csv"]).done();
    report("care-admin import-patients", started);
    let started = Instant::now();
    bench.admin(&["import-patients", "all.db", "patients.csv", "--all-or-nothing"]).done();
    report("care-admin import-patients --all-or-nothing", started);

    let started = Instant::now();
    bench.admin(&["export", "care.db", "--out", "journal.ndjson"]).done();
    report("care-admin export", started);
    let started = Instant::now();
    bench.admin(&["import", "copy.db", "--in", "journal.ndjson"]).done();
    report("care-admin import", started);
    let started = Instant::now();
    bench.admin(&["verify", "copy.db"]).done();
    report("care-admin verify", started);
}

fn report(what: &str, started: Instant) {
    let seconds = started.elapsed().as_secs_f64();
    println!("{what}: {seconds:.1} s, {:.0} patients a second", PATIENTS as f64 / seconds);
}

fn insert(conn: &Connection, numbers: std::ops::Range<i64>) {
    let transaction = conn.unchecked_transaction().unwrap();
    let mut statement = transaction
        .prepare_cached(
            "INSERT INTO patient (version, patient_id, name, folded_name, phone, insurance, age, address, gender, \
             weight, email, location, lastvisit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .unwrap();
    for number in numbers {
        statement
            .execute(params![
                number,
                number,
                format!("Patient {number}"),
                format!("patient {number}"),
                441_632_000_000 + number,
                number % 3 > 0,
                number % 100,
                format!("{} Sample Street", number % 200),
                "female",
                60.5,
                format!("patient{number}@example.org"),
                format!("Sampleton {}", number % 1000),
                20_000 + number % 1000,
            ])
            .unwrap();
    }
    drop(statement);
    transaction.commit().unwrap();
}

fn write(bench: &Bench) {
    let mut csv = BufWriter::new(File::create(bench.path("patients.csv")).unwrap());
    let header = "patientId,name,phone,insurance,age,address,gender,weight,email,location,lastvisit";
    writeln!(csv, "{header}").unwrap();
    for number in 1..=PATIENTS {
        writeln!(
            csv,
            "{number},Patient {number},{},{},{},{} Sample Street,female,60.5,patient{number}@example.org,\
             Sampleton {},{:02}/{:02}/20{:02}",
            441_632_000_000 + number,
            number % 3 > 0,
            number % 100,
            number % 200,
            number % 1000,
            number % 28 + 1,
            number % 12 + 1,
            number % 20 + 10,
        )
        .unwrap();
    }
    csv.flush().unwrap();
}

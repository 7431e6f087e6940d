//! The speed of importing patients from a file, compared with plain inserts of the same rows; and that of importing
//! medicines with their lots.

use std::{
    env,
    fs::{self, File},
    io::{BufWriter, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use care_core::model::folded_name;
use care_store_sqlite::SqliteStore;
use rusqlite::{Connection, params};

use crate::{Failure, Report, Setting, Table, clinic, figure};

/// The highest number of patients that are imported.
pub(crate) const MOST: u64 = 1_000_000;
const BATCH: usize = 5000;
/// The highest number of medicines that are imported, and the lots of each.
const MEDICINES: u64 = 10_000;
const LOTS: u64 = 3;

/// Measures each direction once: it takes long enough for a steady figure.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let patients = setting.sizes.last().copied().unwrap_or(MOST).min(MOST);
    let directory = Directory::with_patients(setting, patients)?;
    let raw = insert(&directory.path.join("raw.db"), patients)?;
    let mut table = Table::new(["way", "seconds", "patients a second", "against plain inserts"]);
    let mut tell = |what: &str, seconds: f64| {
        table.row([what.to_owned(), figure(seconds), figure(patients as f64 / seconds), figure(raw / seconds)]);
    };
    tell("plain inserts into the same table", raw);
    for (database, arguments) in [
        ("care.db", &["import-patients", "patients.csv"][..]),
        ("all.db", &["import-patients", "patients.csv", "--all-or-nothing"]),
        ("care.db", &["export", "--out", "journal.ndjson"]),
        ("copy.db", &["import", "--in", "journal.ndjson"]),
        ("copy.db", &["verify"]),
    ] {
        tell(&format!("`care-admin {}`", arguments.join(" ")), directory.admin(database, arguments)?);
    }
    report.add(&format!("{patients} patients in and out"), &table);
    measure_medicines(&directory, patients.min(MEDICINES), report)
}

fn measure_medicines(directory: &Directory, medicines: u64, report: &mut Report) -> Result<(), Failure> {
    write_medicines(&directory.path.join("medicines.csv"), medicines)?;
    let mut table = Table::new(["way", "seconds", "medicines a second"]);
    for (database, arguments) in [
        ("stock.db", &["import-medicines", "medicines.csv"][..]),
        ("whole.db", &["import-medicines", "medicines.csv", "--all-or-nothing"]),
        ("stock.db", &["export-medicines", "--out", "again.csv"]),
    ] {
        let seconds = directory.admin(database, arguments)?;
        let way = format!("`care-admin {}`", arguments.join(" "));
        table.row([way, figure(seconds), figure(medicines as f64 / seconds)]);
    }
    report.add(&format!("{medicines} medicines with {LOTS} lots each, in and out"), &table);
    Ok(())
}

/// A directory with patients to import in `patients.csv`. Dropping it removes the directory.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
}

impl Directory {
    pub(crate) fn with_patients(setting: &Setting, patients: u64) -> Result<Self, Failure> {
        let path = setting.directory.join("import");
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        let this = Self { path };
        write(&this.path.join("patients.csv"), patients)?;
        Ok(this)
    }

    /// Runs `care-admin`, which is part of this program, on this database, and returns the time in seconds.
    pub(crate) fn admin(&self, database: &str, arguments: &[&str]) -> Result<f64, Failure> {
        let mut command = Command::new(env::current_exe()?);
        command
            .arg0("care-admin")
            .args(["--database", database])
            .args(arguments)
            .current_dir(&self.path)
            .stdout(Stdio::null());
        let started = Instant::now();
        let status = command.status()?;
        match status.success() {
            true => Ok(started.elapsed().as_secs_f64()),
            false => Err(format!("care-admin {}: {status}", arguments.join(" ")).into()),
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Inserts the same rows as the import, without a journal or checks, and returns the time in seconds.
fn insert(path: &Path, patients: u64) -> Result<f64, Failure> {
    drop(SqliteStore::open(path)?);
    let mut conn = Connection::open(path)?;
    conn.pragma_update(None, "synchronous", 2)?;
    let started = Instant::now();
    for first in (1..=patients).step_by(BATCH) {
        let transaction = conn.transaction()?;
        let mut statement = transaction.prepare_cached(
            "INSERT INTO patient (version, patient_id, name, folded_name, phone, insurance, age, address, gender, \
             weight, email, location, lastvisit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        for number in first..(first + BATCH as u64).min(patients + 1) {
            let name = clinic::name(number);
            let row = number.cast_signed();
            statement.execute(params![
                row,
                row,
                name,
                folded_name(&name),
                clinic::phone(number),
                !number.is_multiple_of(3),
                row % 100,
                format!("{} Sample Street", number % 200),
                "female",
                60.5,
                format!("patient{number}@example.org"),
                format!("Sampleton {}", number % 1000),
                20_454 + row % 28,
            ])?;
        }
        drop(statement);
        transaction.commit()?;
    }
    conn.close().map_err(|(_, error)| error)?;
    Ok(started.elapsed().as_secs_f64())
}

fn write(path: &Path, patients: u64) -> Result<(), Failure> {
    let mut csv = BufWriter::new(File::create(path)?);
    writeln!(csv, "patientId,name,phone,insurance,age,address,gender,weight,email,location,lastvisit")?;
    for number in 1..=patients {
        writeln!(
            csv,
            "{number},{},{},{},{},{} Sample Street,female,60.5,patient{number}@example.org,Sampleton {},{:02}/01/2026",
            clinic::name(number),
            clinic::phone(number),
            !number.is_multiple_of(3),
            number % 100,
            number % 200,
            number % 1000,
            number % 28 + 1,
        )?;
    }
    csv.flush()?;
    Ok(())
}

fn write_medicines(path: &Path, medicines: u64) -> Result<(), Failure> {
    let mut csv = BufWriter::new(File::create(path)?);
    writeln!(csv, "medicine,dosage,price,currency,unit,packUnits,supplyUnits,lot,expires,units")?;
    for number in 1..=medicines {
        for lot in 1..=LOTS {
            let settings = match lot {
                1 => format!("{number} mg tablet,{},EUR,tablets,20,10", number % 90 + 1),
                _ => ",,,,,".to_owned(),
            };
            writeln!(csv, "Medicine {number},{settings},L{lot},28/02/{},{}", 2097 + lot, number % 500 + 1)?;
        }
    }
    csv.flush()?;
    Ok(())
}

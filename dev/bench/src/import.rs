//! The speed of importing patients from a file.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::PathBuf,
    process::Stdio,
    time::Instant,
};

use crate::{Failure, Setting, Table, clinic, figure, server::program};

/// The highest number of patients that are imported.
const MOST: u64 = 1_000_000;

/// Measures each direction once: it takes long enough for a steady figure.
pub(crate) fn measure(setting: &Setting) -> Result<(), Failure> {
    let (directory, patients) = Directory::with_patients(setting, setting.largest()?)?;
    let mut table = Table::new(["way", "seconds", "patients a second"]);
    for (database, arguments) in [
        ("care.db", &["import-patients", "patients.csv"][..]),
        ("all.db", &["import-patients", "patients.csv", "--all-or-nothing"]),
        ("care.db", &["export", "--out", "journal.ndjson"]),
        ("copy.db", &["import", "--in", "journal.ndjson"]),
        ("copy.db", &["verify"]),
    ] {
        let seconds = directory.admin(database, arguments)?;
        let way = format!("`care-admin {}`", arguments.join(" "));
        table.row([way, figure(seconds), figure(patients as f64 / seconds)]);
    }
    table.print(&format!("{patients} patients in and out"));
    Ok(())
}

/// A directory with patients to import in `patients.csv`. Dropping it removes the directory.
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// Returns a directory with this number of patients, but no more than are imported, and their number.
    pub(crate) fn with_patients(setting: &Setting, patients: u64) -> Result<(Self, u64), Failure> {
        let (path, patients) = (setting.directory.join("import"), patients.min(MOST));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path)?;
        let this = Self(path);
        let mut csv = BufWriter::new(File::create(this.0.join("patients.csv"))?);
        writeln!(csv, "patientId,name,phone,insurance,age,address,gender,weight,email,location,lastvisit")?;
        for number in 1..=patients {
            writeln!(
                csv,
                "{number},{},{},{},{},{} Sample Street,female,60.5,patient{number}@example.org,Sampleton {},\
                 {:02}/01/2026",
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
        Ok((this, patients))
    }

    /// Runs `care-admin`, which is part of this program, on this database, and returns the time in seconds.
    pub(crate) fn admin(&self, database: &str, arguments: &[&str]) -> Result<f64, Failure> {
        let mut command = program("care-admin")?;
        command.args(["--database", database]).args(arguments).current_dir(&self.0).stdout(Stdio::null());
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
        let _ = fs::remove_dir_all(&self.0);
    }
}

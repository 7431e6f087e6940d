//! A clinic with many patients.

use std::{fmt::Write, fs, process::Command, time::Duration};

use tempfile::TempDir;

use crate::{Verdict, process::Server, stage::Stage};

const PATIENTS: usize = 10_000;

pub(crate) fn search(stage: &Stage) -> Verdict {
    let folder = TempDir::new()?;
    let (file, table) = (folder.path().join("care.db"), folder.path().join("patients.csv"));
    let mut text = String::from("name,phone,email\n");
    for number in 0..PATIENTS {
        writeln!(text, "Patient {number:05} Example,4416329{number:05},patient{number}@example.org")?;
    }
    fs::write(&table, text)?;
    let options = ["--console", "--database", file.to_str().ok_or("a path in Unicode")?];
    drop(stage.serve(&options)?);
    let mut import = Command::new(stage.folder.join("care-admin"));
    let imported = import.arg("import-patients").arg(&table).arg("--database").arg(&file).output()?;
    if !imported.status.success() {
        return Err(String::from_utf8_lossy(&imported.stderr).into());
    }
    let server = stage.serve(&options)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients")?;
    page.says("The first 25. Keep typing to narrow it down.")?;
    let rows = |count: usize| format!("document.querySelectorAll('tbody tr').length === {count}");
    for (typed, found) in
        [("example 0777", 11), ("441632907771", 1), ("7772", 2), ("PATIENT1234@example.org", 1), ("another", 0)]
    {
        page.fill("search", typed)?;
        let took = page.within(Duration::from_secs(5), &rows(found))?;
        println!("  {typed}: {} ms", took.as_millis());
        if took > Duration::from_secs(2) {
            return Err(format!("{typed} took {} ms", took.as_millis()).into());
        }
    }
    page.is_clean()
}

//! Patients in and out of PostgreSQL, compared with one file.

use super::beside::Beside;
use crate::{
    Failure, Report, Table, figure,
    import::{Directory, MOST},
};

/// Measures each way once: they take long enough for a steady figure.
pub(super) fn measure(on: &Beside<'_>, report: &mut Report) -> Result<(), Failure> {
    let patients = on.clinic.patients.min(MOST);
    let directory = Directory::with_patients(on.setting, patients)?;
    let (imported, copied) = (on.database.empty()?, on.database.empty()?);
    let mut table = Table::new(["way", "seconds", "in one file", "ratio", "at least"]);
    for (arguments, [ours, theirs], least) in [
        (&["import-patients", "patients.csv"][..], [imported.as_str(), "care.db"], "1.0"),
        (&["export", "--out", "journal.ndjson"], [&imported, "care.db"], ""),
        (&["import", "--in", "journal.ndjson"], [&copied, "copy.db"], ""),
        (&["verify"], [&copied, "copy.db"], ""),
    ] {
        let (theirs, ours) = (directory.admin(theirs, arguments)?, directory.admin(ours, arguments)?);
        let work = format!("`care-admin {}`", arguments.join(" "));
        table.row([&work, &figure(ours), &figure(theirs), &format!("{:.2}", theirs / ours), least]);
    }
    report.add(&format!("{patients} patients in and out of PostgreSQL, beside one file"), &table);
    Ok(())
}

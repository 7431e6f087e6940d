//! The service on PostgreSQL, compared with hand-written servers, with several servers and with one file.

mod beside;
mod database;
mod file;
mod hand_written;
mod in_and_out;
mod several;

use crate::{Failure, Report, Setting, clinic::Clinic, compare};
use database::Database;

/// Measures everything on a PostgreSQL server that is started for it.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let clinic = match setting.quick {
        true => Clinic::kept_in(&setting.directory, 1000)?,
        false => compare::clinic(setting)?,
    };
    let database = Database::of(&clinic)?;
    let on = beside::Beside { setting, clinic: &clinic, database: &database };
    database.commits(report)?;
    hand_written::measure(&on, report)?;
    several::measure(&on, report)?;
    file::measure(&on, report)?;
    in_and_out::measure(&on, report)
}

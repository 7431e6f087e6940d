//! Erasing a person.

use care_core::{
    error::Error,
    model::{KeyName, PatientId},
    service::ErasureReport,
};

use super::{
    AdminError,
    database::{Database, upkeep},
    terminal::{self, say},
};

pub(super) async fn erase(database: &Database, patient: PatientId) -> Result<(), AdminError> {
    let store = database.existing()?;
    let care = database.care(&store).acting_as(KeyName::ADMIN);
    let bar = terminal::waiting("rewriting the journal");
    let erased = care.erase_patient(patient).await.map_err(|error| match error {
        Error::Store(error) => AdminError::Store(error),
        _ => AdminError::NoPatient,
    })?;
    // This is printed first, in case the task is interrupted later.
    let ErasureReport { entry, rewritten } = erased;
    let said = bar.suspend(|| {
        say(format_args!("patient {patient} was erased in journal entry {entry}; {rewritten} entries were rewritten"))
    });
    let (work, done) = match database.file() {
        Ok(_) => ("rewriting the file", "nothing about the person is left in the file or in its log"),
        Err(_) => (
            "vacuuming the tables",
            "the tables are vacuumed; PostgreSQL's write-ahead log, its archives and backups hold the person until \
             they are removed",
        ),
    };
    bar.set_message(work);
    upkeep(&*store)?.scrub().await.map_err(AdminError::Traces)?;
    bar.finish_and_clear();
    said.and_then(|()| say(done))
}

//! Erasing a person.

use std::sync::Arc;

use care_core::{
    error::Error,
    model::PatientId,
    service::{CareService, ErasureReport},
};

use super::{
    AdminError,
    database::{Database, upkeep},
    progress,
};

pub(super) async fn erase(database: &Database, patient: PatientId) -> Result<(), AdminError> {
    let store = database.existing()?;
    let care = CareService::new(Arc::clone(&store)).acting_as("care-admin");
    let bar = progress::waiting("rewriting the journal");
    let erased = care.erase_patient(patient).await.map_err(|error| match error {
        Error::Store(error) => AdminError::Store(error),
        _ => AdminError::NoPatient,
    })?;
    // This is printed first, in case the task is interrupted.
    let ErasureReport { entry, rewritten } = erased;
    bar.suspend(|| {
        println!("patient {patient} is erased, as entry {entry} says; {rewritten} entries were rewritten");
    });
    bar.set_message("writing the file anew");
    upkeep(&*store)?.scrub().await.map_err(AdminError::Traces)?;
    bar.finish_and_clear();
    println!("nothing of the person is left in the file or in its log");
    Ok(())
}

//! Erasing a person.

use std::{path::PathBuf, time::SystemTime};

use care_core::{
    error::Error,
    model::{Invalid, PatientId},
    service::Erasure,
    store::Act,
};
use care_store_sqlite::Erased;
use clap::Args;

use super::{AdminError, database, progress};

/// The person to erase, and the database.
#[derive(Debug, Args)]
pub(super) struct Erase {
    /// The patient's number. The patient may be voided already.
    #[arg(value_name = "ID", value_parser = patient)]
    patient: PatientId,
    /// The database.
    #[arg(long, env = "CARE_DATABASE", value_name = "FILE", default_value = "care.db")]
    database: PathBuf,
}

pub(super) async fn erase(Erase { patient, database }: Erase) -> Result<(), AdminError> {
    let store = database::existing(&database)?;
    let bar = progress::waiting("rewriting the journal");
    let act =
        Act { actor: "care-admin".into(), operation: Erasure::OPERATION, at: SystemTime::now().into(), until: None };
    let erased = store.erase(patient, act).await.map_err(|error| match error {
        Error::Store(error) => AdminError::Store(error),
        _ => AdminError::NoPatient,
    })?;
    // This is printed first, in case the task is interrupted.
    let Erased { entry, rewritten } = erased;
    bar.suspend(|| {
        println!("patient {patient} is erased, as entry {entry} says; {rewritten} entries were rewritten");
    });
    bar.set_message("writing the file anew");
    store.scrub().await.map_err(AdminError::Traces)?;
    bar.finish_and_clear();
    println!("nothing of the person is left in the file or in its log");
    Ok(())
}

fn patient(number: &str) -> Result<PatientId, String> {
    let number: i64 = number.parse().map_err(|_| "must be a whole number".to_owned())?;
    PatientId::try_from(number).map_err(|invalid: Invalid| invalid.to_string())
}

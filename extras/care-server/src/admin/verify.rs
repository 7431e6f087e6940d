//! Checking that a database does not contradict itself, and the head that proves it later.

use std::sync::Arc;

use care_core::{audit, store::Head};
use care_store_sqlite::SqliteStore;

use super::{
    AdminError,
    database::{Database, Store, upkeep},
    terminal::{self, say},
};
use crate::InputFile;

pub(super) async fn verify(
    database: &Database,
    backup: Option<&InputFile>,
    from: Option<Head>,
) -> Result<(), AdminError> {
    let store: Arc<dyn Store> = match backup.map(InputFile::path) {
        Some(file) if !file.exists() => return Err(AdminError::Absent(file.to_owned())),
        Some(file) => Arc::new(SqliteStore::open_backup(file)?),
        None => database.existing()?,
    };
    let bar = terminal::waiting("checking every row");
    upkeep(&*store)?.check().await?;
    bar.set_message("replaying the journal");
    let audit::Summary { entries, records, imported, head } = audit::verify_with_keys(&store, &store, from).await?;
    bar.finish_and_clear();
    say(format_args!("the chain of {entries} journal entries is whole, with the head {head}"))?;
    if let Some(Head { seq, .. }) = from {
        say(format_args!("nothing up to entry {seq} was changed or cut off since its head was printed"))?;
    }
    say("every value is the one committed to, or in the list of an erasure")?;
    if let Some(imported) = imported {
        say(format_args!("what the entries up to {imported} say of keys is not compared: they were imported"))?;
    }
    say(format_args!("{entries} journal entries and {records} records agree"))
}

/// Prints the head of the journal.
pub(super) async fn head(database: &Database) -> Result<(), AdminError> {
    say(database.existing()?.head().await?)
}

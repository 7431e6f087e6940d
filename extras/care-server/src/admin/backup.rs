//! Backups and restores.

use std::path::Path;

use care_core::{
    audit,
    model::{ApiKey, Visible, VisiblePath},
    service::{Clock, SystemClock},
    store::{ApiKeys, Maintenance},
};
use care_store_sqlite::{DatabaseCopy, OpenErrorKind};
use clap::Args;
use indicatif::ProgressBar;

use super::{
    AdminError,
    database::Database,
    terminal::{self, say},
};
use crate::files::{InputFile, OutputFile, Replaces};

/// The place of a backup.
#[derive(Debug, Args)]
pub(super) struct Backup {
    /// The backup.
    file: OutputFile,
    /// Replace an existing backup: a database of this service that is neither the one that is copied nor in use.
    #[arg(long)]
    overwrite: bool,
}

/// A backup that is to be restored.
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// The backup.
    file: InputFile,
    /// Replace an existing database.
    #[arg(long)]
    overwrite: bool,
}

pub(super) async fn backup(database: &Database, to: &Backup) -> Result<(), AdminError> {
    let database = database.file()?;
    let Backup { file, overwrite } = to;
    exists(database)?;
    file.admit(Some(database), if *overwrite { Replaces::Databases } else { Replaces::Nothing })?;
    let file = file.path();
    let bar = terminal::waiting("copying");
    let copy = DatabaseCopy::backup(database, file, *overwrite)?;
    let (proven, _) = put(copy, bar).await?;
    say(format_args!(
        "{} journal entries and {} records agree, and are now in {}",
        proven.entries,
        proven.records,
        VisiblePath(file)
    ))
}

pub(super) async fn restore(database: &Database, from: &Restore) -> Result<(), AdminError> {
    let database = database.file()?;
    let file = from.file.path();
    let overwrite = from.overwrite;
    exists(file)?;
    // This is checked again when the copy is moved there.
    if database.exists() && !overwrite {
        return Err(AdminError::Exists(database.to_owned()));
    }
    let bar = terminal::waiting("copying");
    let restored = match DatabaseCopy::restore(file, database, overwrite) {
        Ok(copy) => put(copy, bar).await,
        Err(error) => Err(error.into()),
    };
    let (proven, keys) = restored.map_err(|error| match error {
        AdminError::Open(error) if error.kind() == OpenErrorKind::Unconfirmed => AdminError::Open(error),
        error => AdminError::NotRestored(database.to_owned(), Box::new(error)),
    })?;
    say(format_args!(
        "{} journal entries and {} records agree, and are now in {}",
        proven.entries,
        proven.records,
        VisiblePath(database)
    ))?;
    // A restore brings back keys that were revoked since, so their names are shown.
    let now = SystemClock.now();
    keys.iter()
        .filter(|key| key.is_valid_at(now))
        .try_for_each(|key| say(format_args!("the key {} of {} is valid", key.id, Visible(key.name.as_str()))))
}

fn exists(database: &Path) -> Result<(), AdminError> {
    if database.exists() { Ok(()) } else { Err(AdminError::Absent(database.to_owned())) }
}

/// Checks that a copy is sound, and then moves it to its place. Returns its keys, too.
async fn put(copy: DatabaseCopy, bar: ProgressBar) -> Result<(audit::Summary, Vec<ApiKey>), AdminError> {
    bar.set_message("checking every row of the copy");
    let store = copy.open()?;
    store.check().await?;
    bar.set_message("replaying the journal of the copy");
    let proven = audit::verify_with_keys(&store, &store, None).await?;
    let keys = store.api_keys().await?;
    drop(store);
    copy.put()?;
    bar.finish_and_clear();
    Ok((proven, keys))
}

//! Backups and restores.

use std::path::{Path, PathBuf};

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

/// The path of a copy of the database.
#[derive(Debug, Args)]
pub(super) struct Copy {
    /// The backup.
    file: PathBuf,
    /// Replace an existing file.
    #[arg(long)]
    overwrite: bool,
}

pub(super) async fn backup(database: &Database, Copy { file, overwrite }: Copy) -> Result<(), AdminError> {
    let database = database.file()?;
    place_is_free(database, &file, overwrite)?;
    let bar = terminal::waiting("copying");
    let copy = DatabaseCopy::backup(database, &file, overwrite)?;
    let (proven, _) = put(copy, bar).await?;
    say(format_args!(
        "{} journal entries and {} records agree, and are now in {}",
        proven.entries,
        proven.records,
        VisiblePath(&file)
    ))
}

pub(super) async fn restore(database: &Database, Copy { file, overwrite }: Copy) -> Result<(), AdminError> {
    let database = database.file()?;
    place_is_free(&file, database, overwrite)?;
    let bar = terminal::waiting("copying");
    let restored = match DatabaseCopy::restore(&file, database, overwrite) {
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

/// Refuses a destination that exists, before the copy is made. This is checked again when the copy is moved there.
fn place_is_free(from: &Path, to: &Path, overwrite: bool) -> Result<(), AdminError> {
    if !from.exists() {
        return Err(AdminError::Absent(from.to_owned()));
    }
    if to.exists() && !overwrite {
        return Err(AdminError::Exists(to.to_owned()));
    }
    Ok(())
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

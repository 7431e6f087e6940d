//! Backups, and the way back.

use std::path::{Path, PathBuf};

use care_core::audit;
use care_store_sqlite::Draft;
use clap::Args;

use super::{AdminError, progress};

/// A copy of a database, and the database.
#[derive(Debug, Args)]
pub(super) struct Copy {
    /// The backup
    file: PathBuf,
    /// The database
    #[arg(long, env = "CARE_DATABASE", value_name = "FILE", default_value = "care.db")]
    database: PathBuf,
    /// Replace what is there
    #[arg(long)]
    overwrite: bool,
}

pub(super) async fn backup(Copy { file, database, overwrite }: Copy) -> Result<(), AdminError> {
    copy(&database, &file, overwrite).await
}

pub(super) async fn restore(Copy { file, database, overwrite }: Copy) -> Result<(), AdminError> {
    copy(&file, &database, overwrite).await
}

/// Copies a database, and proves that the copy is sound before it takes its place.
async fn copy(from: &Path, to: &Path, overwrite: bool) -> Result<(), AdminError> {
    if !from.exists() {
        return Err(AdminError::Absent(from.to_owned()));
    }
    // Said here so that nobody waits for a copy that cannot be kept; judged again when it is put there.
    if to.exists() && !overwrite {
        return Err(AdminError::Exists(to.to_owned()));
    }
    let bar = progress::waiting("copying");
    let draft = Draft::copy(from, to)?;
    bar.set_message("looking over every row of the copy");
    let store = draft.open()?;
    store.check().await?;
    bar.set_message("replaying the journal of the copy");
    let audit::Summary { entries, records } = audit::verify(&store).await?;
    drop(store);
    draft.put(overwrite)?;
    bar.finish_and_clear();
    println!("{entries} journal entries and {records} records agree, and are now in {}", to.display());
    Ok(())
}

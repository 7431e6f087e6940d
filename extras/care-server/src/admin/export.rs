//! Writing the journal to a file or to standard output.

use std::{
    fs::{self, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use care_core::store::{Limit, Seq};
use care_store_sqlite::Staging;

use super::{
    AdminError,
    database::{Database, Store},
    terminal,
};

/// The size of a page of entries, in items and bytes.
const PAGE: Limit = Limit::items(500).bytes(1 << 20);

/// The name of the file while it is written.
const DRAFT: &str = "draft";

/// Writes the journal to a file, or to standard output.
pub(super) async fn export(database: &Database, out: Option<&Path>) -> Result<(), AdminError> {
    let store = database.existing()?;
    into(out, async |to, name| write(&*store, to, name).await).await
}

/// Lets a task write to a file, or to standard output.
pub(super) async fn into(
    out: Option<&Path>,
    write: impl AsyncFnOnce(&mut (dyn Write + Send), &Path) -> Result<(), AdminError>,
) -> Result<(), AdminError> {
    let Some(out) = out else {
        let name = PathBuf::from("standard output");
        return write(&mut io::stdout(), &name).await;
    };
    let failed = |error| AdminError::Write(out.to_owned(), error);
    match fs::symlink_metadata(out) {
        Ok(there) if there.is_symlink() => return Err(AdminError::Link(out.to_owned())),
        // An existing pipe or device is written to directly.
        Ok(there) if !there.is_file() => {
            let mut options = OpenOptions::new();
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::custom_flags(
                &mut options,
                rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
            );
            return write(&mut options.write(true).open(out).map_err(failed)?, out).await;
        }
        _ => {}
    }
    // A file appears complete or not at all.
    let staging = Staging::beside(out).map_err(failed)?;
    let mut file = staging.create(DRAFT).map_err(failed)?;
    write(&mut file, out).await?;
    file.sync_all().and_then(|()| fs::rename(staging.path(DRAFT), out)).map_err(failed)
}

async fn write(store: &dyn Store, to: &mut (dyn Write + Send), name: &Path) -> Result<(), AdminError> {
    let failed = |error| AdminError::Write(name.to_owned(), error);
    let mut to = BufWriter::with_capacity(1 << 16, to);
    let bar = terminal::of(store.last().await?.value(), "entries");
    let mut last = Seq::ZERO;
    loop {
        let page = store.journal(last, PAGE).await?;
        for entry in &page.items {
            serde_json::to_writer(&mut to, entry)
                .map_err(io::Error::from)
                .and_then(|()| to.write_all(b"\n"))
                .map_err(failed)?;
            last = entry.seq;
        }
        bar.set_position(last.value());
        if !page.more {
            break;
        }
    }
    to.flush().map_err(failed)?;
    bar.finish_and_clear();
    Ok(())
}

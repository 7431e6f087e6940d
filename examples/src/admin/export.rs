//! Writing the journal down.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use care_core::store::{Journal, Seq};
use care_store_sqlite::SqliteStore;

use super::{AdminError, database, progress};

/// So many entries are read at once.
const PAGE: usize = 500;

pub(super) async fn export(path: &Path, out: Option<&Path>) -> Result<(), AdminError> {
    let store = database::existing(path)?;
    let Some(out) = out else {
        let name = PathBuf::from("standard output");
        return write(&store, io::stdout(), &name).await;
    };
    let failed = |error| AdminError::Write(out.to_owned(), error);
    // What is there and is no file (a pipe, say) is written to as it is.
    if fs::metadata(out).is_ok_and(|there| !there.is_file()) {
        let file = OpenOptions::new().write(true).open(out).map_err(failed)?;
        return write(&store, file, out).await;
    }
    // A file appears whole or not at all.
    let unfinished = beside(out);
    let file = private(&unfinished).map_err(failed)?;
    write(&store, &file, out).await?;
    file.sync_all().and_then(|()| fs::rename(&unfinished, out)).map_err(failed)
}

async fn write(store: &SqliteStore, to: impl Write + Send, name: &Path) -> Result<(), AdminError> {
    let failed = |error| AdminError::Write(name.to_owned(), error);
    let mut to = BufWriter::with_capacity(1 << 16, to);
    let bar = progress::of(database::last(store).await?.value(), "entries");
    let mut last = Seq::ZERO;
    loop {
        let page = store.journal(last, PAGE).await?;
        for entry in &page {
            serde_json::to_writer(&mut to, entry)
                .map_err(io::Error::from)
                .and_then(|()| to.write_all(b"\n"))
                .map_err(failed)?;
            last = entry.seq;
        }
        bar.set_position(last.value());
        if page.len() < PAGE {
            break;
        }
    }
    to.flush().map_err(failed)?;
    bar.finish_and_clear();
    Ok(())
}

fn beside(out: &Path) -> PathBuf {
    let mut name = OsString::from(out);
    name.push(".unfinished");
    name.into()
}

/// A new file that only its owner can read: there is nothing in it but health data.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

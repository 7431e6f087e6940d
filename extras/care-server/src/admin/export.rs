//! Writing the journal to a file or to standard output.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use care_core::store::{Limit, Seq};
use clap::Args;

use super::{
    AdminError,
    database::{Database, Store},
    terminal,
};
use crate::files::{OutputFile, Replaces};

/// The size of a page of entries, in items and bytes.
const PAGE: Limit = Limit::items(500).bytes(1 << 20);

/// The file to which a task writes its result.
#[derive(Debug, Args)]
pub(super) struct Output {
    /// The file to write, where there is none yet; standard output unless given.
    #[arg(long, value_name = "FILE")]
    out: Option<OutputFile>,
    /// Replace an existing file, unless it is a database or belongs to one.
    #[arg(long, requires = "out")]
    overwrite: bool,
}

impl Output {
    /// Refuses a place to which the task may not write, before the database is opened.
    pub(super) fn admit(&self, database: &Database) -> Result<(), AdminError> {
        self.out.as_ref().map_or(Ok(()), |out| out.admit(database.file().ok(), self.replaces()))
    }

    /// Lets a task write to the file, or to standard output.
    pub(super) async fn write(
        &self,
        database: &Database,
        write: impl AsyncFnOnce(&mut (dyn Write + Send), &Path) -> Result<(), AdminError>,
    ) -> Result<(), AdminError> {
        match &self.out {
            Some(out) => out.write(database.file().ok(), self.replaces(), write).await,
            None => write(&mut io::stdout(), Path::new("standard output")).await,
        }
    }

    const fn replaces(&self) -> Replaces {
        if self.overwrite { Replaces::Files } else { Replaces::Nothing }
    }
}

/// Writes the journal to a file, or to standard output.
pub(super) async fn export(database: &Database, out: &Output) -> Result<(), AdminError> {
    out.admit(database)?;
    let store = database.existing()?;
    out.write(database, async |to, name| write(&*store, to, name).await).await
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

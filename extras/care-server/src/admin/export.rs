//! Writing the journal to a file or to standard output.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use care_core::{
    operation::JournalOperation,
    store::{Entry, Limit, Seq},
};
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

/// Writes every entry. A person who is erased meanwhile may be whole in the pages that were read before, so the task
/// ends with an error then, and standard output never gets the entry that says so.
async fn write(store: &dyn Store, to: &mut (dyn Write + Send), name: &Path) -> Result<(), AdminError> {
    let failed = |error| AdminError::Write(name.to_owned(), error);
    let mut to = BufWriter::with_capacity(1 << 16, to);
    let began = store.last().await?;
    let bar = terminal::of(began.value(), "entries");
    let mut last = Seq::ZERO;
    loop {
        let page = store.journal(last, PAGE).await?;
        unless_erased(&page.items, began)?;
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
    loop {
        let page = store.journal(last, PAGE).await?;
        unless_erased(&page.items, began)?;
        match page.items.last() {
            Some(entry) if page.more => last = entry.seq,
            _ => break,
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Refuses to go on behind an entry that erases a person since the task began.
fn unless_erased(entries: &[Entry], began: Seq) -> Result<(), AdminError> {
    let is_erasure = |entry: &Entry| entry.seq > began && entry.operation == JournalOperation::ErasePatient.name();
    match entries.iter().any(is_erasure) {
        true => Err(AdminError::ErasedMeanwhile),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use async_trait::async_trait;
    use care_core::{
        error::{StoreError, StoreErrorKind},
        model::{PatientDetails, PatientId},
        service::CareService,
        store::{Journal, MemoryStore, Portion},
    };
    use care_testkit::{Hooks, Wrap};
    use clap::FromArgMatches;
    use futures_executor::block_on;

    use super::*;

    /// A store in which a person is erased right after one of the reads of the journal.
    struct Erasing {
        store: Arc<MemoryStore>,
        /// The number of the read, from 1.
        at: usize,
        reads: AtomicUsize,
    }

    #[async_trait]
    impl Hooks for Erasing {
        type Store = Arc<MemoryStore>;

        fn store(&self) -> &Self::Store {
            &self.store
        }

        async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
            let found = self.store.journal(after, limit).await?;
            if self.reads.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
                let erased = CareService::new(Arc::clone(&self.store)).erase_patient(PatientId::FIRST).await;
                erased.map_err(|error| StoreError::new(StoreErrorKind::Broken, error))?;
            }
            Ok(found)
        }
    }

    #[async_trait]
    impl Store for Wrap<Erasing> {
        async fn renew_epoch(&self) -> Result<(), StoreError> {
            Ok(())
        }
    }

    #[test]
    fn no_file_holds_a_person_who_was_erased_while_it_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("journal.ndjson");
        let task = Output::augment_args(clap::Command::new("export"));
        let task = task.get_matches_from(["export", "--overwrite", "--out", &out.display().to_string()]);
        let output = Output::from_arg_matches(&task).unwrap();
        let file = output.out.as_ref().unwrap();
        // Three pages are read, and then whether more has come.
        for at in 1..=4 {
            fs::write(&out, "an earlier export").unwrap();
            let store = Arc::new(MemoryStore::new());
            let care = CareService::new(Arc::clone(&store));
            for _ in 0..2 * PAGE.items + 1 {
                block_on(care.register_patient(PatientDetails::default())).unwrap();
            }
            let store = Wrap(Erasing { store, at, reads: AtomicUsize::new(0) });
            let written = file.write(None, output.replaces(), async |to, name| write(&store, to, name).await);
            let written = block_on(written);
            let left = fs::read_to_string(&out).unwrap();
            if at < 4 {
                assert!(matches!(written, Err(AdminError::ErasedMeanwhile)), "{at}: {written:?}");
                assert_eq!(left, "an earlier export", "{at}");
            } else {
                // The file is from before the erasure, which came after the last look.
                written.unwrap();
                assert_eq!(left.lines().count(), 2 * PAGE.items + 1);
            }
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "{at}");
        }
    }
}

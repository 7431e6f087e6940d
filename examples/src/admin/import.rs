//! Taking a journal in.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use care_core::{
    model::KeyName,
    rest::Operation,
    store::{Entry, Journal, Limit, ReplayError, Seq},
};
use care_store_sqlite::SqliteStore;
use indicatif::ProgressBar;
use serde_json::Value;

use super::{AdminError, database, progress};

/// So many entries, or so many bytes of them, share a transaction.
const BATCH: usize = 2000;
const BATCH_BYTES: usize = 8 << 20;
/// No entry is nearly as long, and a file that is no journal need not fit into memory.
const LONGEST_LINE: u64 = 64 << 20;

/// Where the lines come from.
type Source = Box<dyn BufRead + Send>;

pub(super) async fn import(path: &Path, input: Option<&Path>) -> Result<(), AdminError> {
    let (name, source, size) = match input {
        None => {
            let stdin: Source = Box::new(BufReader::new(io::stdin()));
            (PathBuf::from("standard input"), stdin, None)
        }
        Some(file) => {
            let failed = |error| AdminError::Read(file.to_owned(), error);
            let opened = File::open(file).map_err(failed)?;
            let metadata = opened.metadata().map_err(failed)?;
            let size = Some(metadata.len()).filter(|_| metadata.is_file());
            let source: Source = Box::new(BufReader::with_capacity(1 << 16, opened));
            (file.to_owned(), source, size)
        }
    };
    let store = database::existing_or_new(path)?;
    let bar = size.map_or_else(|| progress::unknown("entries"), progress::bytes);
    let known = database::last(&store).await?;
    let mut import = Import {
        store,
        known,
        due: Seq::new(1),
        line: 0,
        compared: VecDeque::new(),
        batch: Vec::new(),
        batch_bytes: 0,
        is_renewed: false,
        counts_bytes: size.is_some(),
        bar,
    };
    let taken = import.take(source, &name).await;
    // Whatever is wrong with a line, those before it are good.
    let flushed = import.flush().await;
    import.bar.finish_and_clear();
    taken?;
    flushed?;
    let total = import.due.value() - 1;
    let there = total.min(known.value());
    println!("{} entries imported, {there} were there already", total - there);
    Ok(())
}

/// Whether an entry may come from this operation: one of the interface, or one of this program.
fn is_known(operation: &str) -> bool {
    matches!(operation, "erasePatient" | "importPatients") || Operation::all().any(|known| known.id() == operation)
}

/// Whether the line holds nothing but the entry, which a record's reader would pass over.
fn says_all_of(entry: &Entry, line: &[u8]) -> bool {
    if serde_json::to_vec(entry).is_ok_and(|written| written == line.trim_ascii()) {
        return true;
    }
    // Written by another hand, in another order or with other white space.
    let there = serde_json::from_slice::<Value>(line);
    there.is_ok_and(|there| serde_json::to_value(entry).is_ok_and(|entry| entry == there))
}

struct Import {
    store: SqliteStore,
    /// The last entry that the database had before.
    known: Seq,
    /// The entry that the next line must hold.
    due: Seq,
    line: u64,
    /// Entries of the database that lines are still to be compared with.
    compared: VecDeque<Entry>,
    batch: Vec<Entry>,
    batch_bytes: usize,
    /// Whether the database has another epoch already.
    is_renewed: bool,
    counts_bytes: bool,
    bar: ProgressBar,
}

impl Import {
    /// Takes line after line.
    async fn take(&mut self, mut source: Source, name: &Path) -> Result<(), AdminError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            source
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)
                .map_err(|error| AdminError::Read(name.to_owned(), error))?;
            if line.is_empty() {
                return Ok(());
            }
            self.line += 1;
            self.enter(&line).await?;
            self.bar.inc(if self.counts_bytes { line.len() as u64 } else { 1 });
        }
    }

    async fn enter(&mut self, line: &[u8]) -> Result<(), AdminError> {
        let entry: Entry = match serde_json::from_slice(line) {
            Ok(entry) => entry,
            Err(error) if error.is_eof() && !line.ends_with(b"\n") => {
                return Err(self.wrong("is cut off: the file ends within it"));
            }
            Err(_) => return Err(self.wrong("is not a journal entry")),
        };
        if entry.seq != self.due {
            return Err(self.wrong("is not the entry that comes next"));
        }
        if entry.changes.is_empty() {
            return Err(self.wrong("is an entry that changes nothing"));
        }
        if KeyName::check(&entry.actor).is_err() {
            return Err(self.wrong("is an entry whose actor breaks the rule for names"));
        }
        if !is_known(&entry.operation) {
            return Err(self.wrong("is an entry of an operation that there is not"));
        }
        if !says_all_of(&entry, line) {
            return Err(self.wrong("is an entry with something in it that no entry has"));
        }
        self.due = entry.seq.next();
        if entry.seq <= self.known {
            return self.compare(&entry).await;
        }
        self.batch.push(entry);
        self.batch_bytes += line.len();
        if self.batch.len() >= BATCH || self.batch_bytes >= BATCH_BYTES {
            self.flush().await?;
        }
        Ok(())
    }

    /// Skips what the database has already, if it is the same.
    async fn compare(&mut self, entry: &Entry) -> Result<(), AdminError> {
        if self.compared.is_empty() {
            let before = Seq::new(entry.seq.value() - 1);
            self.compared = self.store.journal(before, Limit::items(BATCH)).await?.items.into();
        }
        match self.compared.pop_front() {
            Some(there) if there == *entry => Ok(()),
            _ => Err(self.wrong("is not the entry that the database has with this number")),
        }
    }

    /// Commits the batch.
    async fn flush(&mut self) -> Result<(), AdminError> {
        self.batch_bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        if !batch.is_empty() && !std::mem::replace(&mut self.is_renewed, true) {
            // Followers and clients are to notice that it goes on with the past of another database.
            self.store.renew_epoch().await?;
        }
        match self.store.replay(batch).await {
            Ok(()) => Ok(()),
            Err(ReplayError::Store(error)) => Err(error.into()),
            Err(ReplayError::NotNext { .. } | ReplayError::Empty(_)) => {
                Err(self.wrong("comes after entries that somebody else has written meanwhile"))
            }
        }
    }

    fn wrong(&self, what: &'static str) -> AdminError {
        AdminError::Line { line: self.line, what: what.into() }
    }
}

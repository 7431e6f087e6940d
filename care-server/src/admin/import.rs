//! Reading a journal into a database.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use care_core::{
    model::KeyName,
    operation::JournalOperation,
    store::{Entry, Head, Limit, Link, ReplayError, Seq},
};
use indicatif::ProgressBar;
use serde_json::Value;

use super::{
    AdminError,
    database::{Database, Store},
    terminal::{self, say},
};

/// Most entries in one transaction.
const BATCH: usize = 10_000;
/// Most bytes of entries in one transaction.
const BATCH_BYTES: usize = 8 << 20;
/// The entries that are read together to be compared.
const COMPARED: Limit = Limit::items(BATCH).bytes(BATCH_BYTES);
/// The longest line in bytes, far above any entry. A file without line ends need not fit into memory.
const LONGEST_LINE: u64 = 64 << 20;

/// The source of the lines.
type Source = Box<dyn BufRead + Send>;

pub(super) async fn import(database: &Database, input: Option<&Path>) -> Result<(), AdminError> {
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
    let store = database.existing_or_new()?;
    let bar = size.map_or_else(|| terminal::unknown("entries"), terminal::bytes);
    let known = store.last().await?;
    let mut import = Import {
        store,
        known,
        last: Head::START,
        line: 0,
        compared: VecDeque::new(),
        batch: Vec::new(),
        batch_bytes: 0,
        is_renewed: false,
        counts_bytes: size.is_some(),
        bar,
    };
    let taken = import.take(source, &name).await;
    // When a line is at fault, the lines before it are still imported.
    let flushed = import.flush().await;
    import.bar.finish_and_clear();
    taken?;
    flushed?;
    let total = import.last.seq.value();
    let there = total.min(known.value());
    say(format_args!("{} entries imported, {there} were already there", total - there))
}

/// Returns whether the entry holds everything that the line does. Deserialising skips unknown members.
fn says_all_of(entry: &Entry, line: &[u8]) -> bool {
    if serde_json::to_vec(entry).is_ok_and(|written| written == line.trim_ascii()) {
        return true;
    }
    // Another program may have written the members in another order, or with other white space.
    let there = serde_json::from_slice::<Value>(line);
    there.is_ok_and(|there| serde_json::to_value(entry).is_ok_and(|entry| entry == there))
}

struct Import {
    store: Arc<dyn Store>,
    /// The last entry of the database before the import.
    known: Seq,
    /// The entry of the last line, which that of the next line must follow in the chain.
    last: Head,
    line: u64,
    /// The links of the database's entries, to compare with those of the next lines.
    compared: VecDeque<Link>,
    batch: Vec<Entry>,
    batch_bytes: usize,
    /// Whether the database already has a new epoch.
    is_renewed: bool,
    counts_bytes: bool,
    bar: ProgressBar,
}

impl Import {
    /// Reads all lines.
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
                return Err(self.wrong("is cut off: the file ends in the middle of it"));
            }
            Err(_) => return Err(self.wrong("is not a journal entry")),
        };
        if self.line == 1 && entry.seq == self.known.next() {
            // The file begins where the database ends.
            self.last = self.store.head().await?;
        }
        if entry.seq != self.last.seq.next() {
            return Err(self.wrong("is not the next entry"));
        }
        if entry.is_empty() {
            return Err(self.wrong("is an entry that changes nothing"));
        }
        if KeyName::check(&entry.actor).is_err() {
            return Err(self.wrong("is an entry whose actor breaks the rule for names"));
        }
        if JournalOperation::named(&entry.operation).is_none() {
            return Err(self.wrong("is an entry of an unknown operation"));
        }
        if !says_all_of(&entry, line) {
            return Err(self.wrong("is an entry with unknown members"));
        }
        if entry.link_after(&self.last.link)? != entry.link {
            return Err(self.wrong("does not follow the line before it in the chain"));
        }
        self.last = entry.head();
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

    /// Skips an entry that the database already has, if the two have one link. Then they say the same, and only the
    /// values may differ that an erasure has replaced in one of them.
    async fn compare(&mut self, entry: &Entry) -> Result<(), AdminError> {
        if self.compared.is_empty() {
            let before = Seq::new(entry.seq.value() - 1);
            let there = self.store.journal(before, COMPARED).await?.items;
            self.compared = there.iter().map(|entry| entry.link).collect();
        }
        match self.compared.pop_front() {
            Some(there) if there == entry.link => Ok(()),
            _ => Err(self.wrong("differs from the entry that the database has under this number")),
        }
    }

    /// Commits the batch.
    async fn flush(&mut self) -> Result<(), AdminError> {
        self.batch_bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        if !batch.is_empty() && !std::mem::replace(&mut self.is_renewed, true) {
            // The new epoch tells followers and clients that the database now continues another one's history.
            self.store.renew_epoch().await?;
        }
        match self.store.replay(batch).await {
            Ok(()) => Ok(()),
            Err(ReplayError::Store(error)) => Err(error.into()),
            Err(ReplayError::NotNext { .. } | ReplayError::Empty(_) | ReplayError::Unlinked(_)) => {
                Err(self.wrong("comes after entries that another process has written meanwhile"))
            }
        }
    }

    fn wrong(&self, what: &'static str) -> AdminError {
        AdminError::Line { line: self.line, what: what.into() }
    }
}

//! A store of one's own: records in memory, and a file with its epoch and one JSON line for each commit.
//!
//! A store knows no rules, so these few lines make one that survives a power cut. It keeps the records in a
//! `MemoryStore`, which answers decisions and lists, and writes the changes of each decision to the file before the
//! memory store applies them. Its program has no clients with keys, so it implements no `ApiKeys`. The conformance
//! suite at the end proves it.
//!
//! ```text
//! cargo run -p care-conformance --example own_store -- practice.jsonl
//! cargo test -p care-conformance --example own_store
//! ```

use std::{
    env,
    error::Error as StdError,
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    path::Path,
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::PatientDetails,
    service::CareService,
    store::{
        Act, CommitNotifier, Decision, Entry, Epoch, Head, Journal, Limit, MemoryStore, Plan, Portion, Query, Question,
        Record, Records, ReplayError, Seen, Seq, Versioned,
    },
};
use futures_executor::block_on;

struct FileStore {
    records: MemoryStore,
    /// The file. The thread that holds its lock is the only writer, so the file and the records stay in step.
    log: Mutex<Log>,
}

struct Log {
    /// The file; `None` once a write has failed: its content is unknown then, and another write could damage it
    /// further.
    file: Option<File>,
    last: Head,
}

impl FileStore {
    fn open(path: &Path) -> Result<Self, Box<dyn StdError>> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.try_lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        // A last line without an end was cut off by a crash, before its entry was acknowledged.
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        file.set_len(u64::try_from(whole.len())?)?;

        let mut lines = whole.lines();
        let epoch = match lines.next() {
            Some(line) => Epoch::new(line.parse()?),
            None => {
                let epoch = Epoch::random();
                writeln!(file, "{}", epoch.value())?;
                file.sync_data()?;
                epoch
            }
        };
        let records = MemoryStore::new().with_epoch(epoch);
        let mut last = Head::START;
        for line in lines {
            let entries: Vec<Entry> = serde_json::from_str(line)?;
            last = entries.last().map_or(last, Entry::head);
            at_once(records.replay(entries))?;
        }
        let file = Some(file);
        Ok(Self { records, log: Mutex::new(Log { file, last }) })
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Records for FileStore {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        self.records.read(question).await
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.records.list(query, limit).await
    }
}

#[async_trait]
impl Journal for FileStore {
    fn epoch(&self) -> Epoch {
        self.records.epoch()
    }

    async fn transact(&self, act: Act, mut decision: Decision) -> Result<Option<Seq>, Error> {
        // Only one writer at a time gets past here, so what is decided is still right when it is written.
        let mut log = self.log();
        let mut plan = Plan::default();
        at_once(self.records.read(&mut |seen: &mut Seen| {
            act.in_time()?;
            plan = Plan::of(decision(seen)?, seen)?;
            Ok(())
        }))?;
        if plan.is_empty() {
            return Ok(None);
        }
        let entry = act.enter(log.last, plan)?;
        let seq = entry.seq;
        // The memory store follows the disk, so readers only see what is there.
        log.append(std::slice::from_ref(&entry))?;
        at_once(self.records.replay(vec![entry])).map_err(|_| StoreError::from(StoreErrorKind::Broken))?;
        Ok(Some(seq))
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        let mut log = self.log();
        ReplayError::unless_next(log.last, &entries)?;
        log.append(&entries)?;
        at_once(self.records.replay(entries))
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        self.records.journal(after, limit).await
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.records.add_notifier(notifier);
    }
}

impl Log {
    /// Writes entries to the disk as one line, all of them or none. This blocks, so a busy server would do it on a
    /// thread of its own.
    fn append(&mut self, entries: &[Entry]) -> Result<(), StoreError> {
        let Some(last) = entries.last().map(Entry::head) else {
            return Ok(());
        };
        let broken = |error| StoreError::new(StoreErrorKind::Broken, error);
        let mut line = serde_json::to_vec(entries).map_err(broken)?;
        line.push(b'\n');
        let mut file = self.file.take().ok_or(StoreErrorKind::Stopped)?;
        let unknown = |error: io::Error| StoreError::new(StoreErrorKind::Unknown, error);
        file.write_all(&line).map_err(unknown)?;
        file.sync_data().map_err(unknown)?;
        self.file = Some(file);
        self.last = last;
        Ok(())
    }
}

/// Returns the result of a memory store's future, which is ready at once.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(answer) = future.as_mut().poll(&mut context) {
            return answer;
        }
    }
}

fn main() -> Result<(), Box<dyn StdError>> {
    let path = env::args().nth(1).ok_or("which file?")?;
    let care = CareService::new(FileStore::open(Path::new(&path))?);
    let new = block_on(care.register_patient(PatientDetails::default()))?;
    println!("{path} now keeps patient {}", new.patient_id);
    Ok(())
}

#[cfg(test)]
mod tests {
    use care_conformance::store::StoreFixture;
    use futures_executor::block_on;
    use tempfile::TempDir;

    use super::*;

    care_conformance::store_suite!(InDirectory(tempfile::tempdir().unwrap()));

    struct InDirectory(TempDir);

    impl StoreFixture for InDirectory {
        type Store = FileStore;

        fn open(&self) -> FileStore {
            FileStore::open(&self.0.path().join("practice.jsonl")).unwrap()
        }

        fn keys<'a>(&self, _: &'a FileStore) -> Option<&'a dyn care_core::store::ApiKeys> {
            None
        }

        fn reopen(&self, store: FileStore) -> Option<FileStore> {
            drop(store);
            Some(self.open())
        }

        // One lock guards the whole store.
        fn reads_pass_decisions(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_line_that_a_crash_cut_off_is_as_if_it_had_never_been_begun() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("practice.jsonl");
        let register = || {
            let care = CareService::new(FileStore::open(&path).unwrap());
            let new = block_on(care.register_patient(PatientDetails::default()));
            new.unwrap().patient_id.value()
        };
        assert_eq!(register(), 1);
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(register(), 2);
        let longer = std::fs::read(&path).unwrap();
        for end in [whole.len(), whole.len() + 1, longer.len() - 1] {
            std::fs::write(&path, &longer[..end]).unwrap();
            assert_eq!(register(), 2);
        }
        assert_eq!(register(), 3);
    }

    #[test]
    fn a_second_program_is_kept_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("practice.jsonl");
        let first = FileStore::open(&path).unwrap();
        assert!(FileStore::open(&path).is_err());
        drop(first);
        assert!(FileStore::open(&path).is_ok());
    }
}

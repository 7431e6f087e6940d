//! Reads and writes as a typical hand-written server has them.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use rusqlite::{Connection, OpenFlags};

use super::{
    group::Group,
    record::{Patient, Prescription},
};
use crate::Failure;

/// The state that the handlers of a server share: reads on the thread of the request, and one writer.
#[derive(Debug, Clone)]
pub(super) struct Access {
    file: PathBuf,
    /// The writer, which the first write starts: most servers here are only read.
    group: Arc<OnceLock<Group>>,
}

thread_local! {
    static READER: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

impl Access {
    pub(super) fn open(file: &Path) -> Self {
        Self { file: file.to_owned(), group: Arc::default() }
    }

    /// Returns a patient as JSON.
    pub(super) fn patient(&self, id: i64) -> Result<Option<Vec<u8>>, Failure> {
        json(self.read(|conn| Patient::read(conn, id))?.as_ref())
    }

    /// Returns a prescription as JSON.
    pub(super) fn prescription(&self, id: i64) -> Result<Option<Vec<u8>>, Failure> {
        json(self.read(|conn| Prescription::read(conn, id))?.as_ref())
    }

    /// Writes a patient, and returns the record once it is on disk.
    pub(super) async fn update(&self, body: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let patient: Patient = serde_json::from_slice(body)?;
        let answer = json(Some(&patient))?;
        let was_there = self.group()?.write(patient).await?;
        Ok(answer.filter(|_| was_there))
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>) -> Result<T, Failure> {
        READER.with_borrow_mut(|reader| {
            let conn = match reader {
                Some(conn) => conn,
                None => {
                    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                    let conn = Connection::open_with_flags(&self.file, flags)?;
                    conn.pragma_update(None, "cache_size", -8192)?;
                    reader.insert(conn)
                }
            };
            Ok(read(conn)?)
        })
    }

    /// Returns the writer, whose commits are on disk when they return.
    fn group(&self) -> Result<&Group, Failure> {
        if let Some(group) = self.group.get() {
            return Ok(group);
        }
        let conn = Connection::open(&self.file)?;
        conn.pragma_update(None, "journal_mode", "wal")?;
        conn.pragma_update(None, "synchronous", "full")?;
        conn.pragma_update(None, "cache_size", -8192)?;
        let started = Group::start(conn)?;
        Ok(self.group.get_or_init(|| started))
    }
}

fn json(record: Option<&impl serde::Serialize>) -> Result<Option<Vec<u8>>, Failure> {
    Ok(record.map(serde_json::to_vec).transpose()?)
}

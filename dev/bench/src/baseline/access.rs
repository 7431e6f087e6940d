//! Reads and writes as a typical hand-written server has them.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use rusqlite::{Connection, OpenFlags};

#[cfg(feature = "postgres")]
use super::pool::Pools;
use super::{
    Handler,
    group::Group,
    record::{Patient, Prescription},
};
use crate::Failure;

/// The state that the handlers of a server share.
#[derive(Debug, Clone)]
pub(super) enum Access {
    File(Arc<InFile>),
    #[cfg(feature = "postgres")]
    Pools(Arc<Pools>),
}

/// Reads on the thread of the request, and one writer.
#[derive(Debug)]
pub(super) struct InFile {
    file: PathBuf,
    /// The writer, which the first write starts: most servers here are only read.
    group: OnceLock<Group>,
}

thread_local! {
    static READER: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

impl Access {
    pub(super) fn open(handler: Handler, file: &Path) -> Result<Self, Failure> {
        Ok(match handler {
            Handler::Statement => Self::File(Arc::new(InFile { file: file.to_owned(), group: OnceLock::new() })),
            #[cfg(feature = "postgres")]
            Handler::Pool => Self::Pools(Arc::new(Pools::open(file.to_str().ok_or("an address is text")?))),
        })
    }

    /// Returns a patient as JSON.
    pub(super) async fn patient(&self, id: i64) -> Result<Option<Vec<u8>>, Failure> {
        match self {
            Self::File(file) => json(file.read(|conn| Patient::read(conn, id))?.as_ref()),
            #[cfg(feature = "postgres")]
            Self::Pools(pools) => json(pools.patient(id).await?.as_ref()),
        }
    }

    /// Returns a prescription as JSON.
    pub(super) async fn prescription(&self, id: i64) -> Result<Option<Vec<u8>>, Failure> {
        match self {
            Self::File(file) => json(file.read(|conn| Prescription::read(conn, id))?.as_ref()),
            #[cfg(feature = "postgres")]
            Self::Pools(pools) => json(pools.prescription(id).await?.as_ref()),
        }
    }

    /// Writes a patient, and returns the record once it is on disk.
    pub(super) async fn update(&self, body: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let patient = Patient::parse(body)?;
        let answer = json(Some(&patient))?;
        let was_there = match self {
            Self::File(file) => file.group()?.write(patient).await?,
            #[cfg(feature = "postgres")]
            Self::Pools(pools) => pools.update(&patient).await?,
        };
        Ok(answer.filter(|_| was_there))
    }

    /// Prescribes a medicine, and returns the prescription once it is on disk. Only the measurements on PostgreSQL use
    /// it.
    pub(super) async fn prescribe(&self, body: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let prescription = Prescription::parse(body)?;
        match self {
            Self::File(_) => Err(format!("{} is prescribed on PostgreSQL only", prescription.medicine).into()),
            #[cfg(feature = "postgres")]
            Self::Pools(pools) => {
                pools.prescribe(&prescription).await?;
                json(Some(&prescription))
            }
        }
    }
}

impl InFile {
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

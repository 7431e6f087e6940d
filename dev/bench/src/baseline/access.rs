//! Reads and writes as a typical hand-written server has them.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
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
    Constant,
    Inline(Arc<Inline>),
    Naive(Arc<Mutex<Connection>>),
    #[cfg(feature = "postgres")]
    Pools(Arc<Pools>),
}

/// Reads on the thread of the request, and one writer.
#[derive(Debug)]
pub(super) struct Inline {
    file: PathBuf,
    holds: bool,
    commits: Arc<AtomicU64>,
    /// The writer, which the first write starts: most servers here are only read.
    group: OnceLock<Group>,
}

/// A thread's own connection. If it keeps its read transaction, also the commit at which that began.
struct Reader {
    conn: Connection,
    held: Option<u64>,
}

thread_local! {
    static READER: RefCell<Option<Reader>> = const { RefCell::new(None) };
}

impl Access {
    pub(super) fn open(handler: Handler, file: &Path) -> Result<Self, Failure> {
        let inline = |holds| {
            let (file, commits) = (file.to_owned(), Arc::default());
            Self::Inline(Arc::new(Inline { file, holds, commits, group: OnceLock::new() }))
        };
        Ok(match handler {
            Handler::Constant => Self::Constant,
            Handler::Statement => inline(false),
            Handler::Snapshot => inline(true),
            Handler::Naive => Self::Naive(Arc::new(Mutex::new(writing(file)?))),
            #[cfg(feature = "postgres")]
            Handler::Pool => Self::Pools(Arc::new(Pools::open(file.to_str().ok_or("an address is text")?))),
        })
    }

    /// Returns a patient as JSON.
    pub(super) async fn patient(&self, id: i64) -> Result<Option<Vec<u8>>, Failure> {
        match self {
            Self::Constant => Ok(Some(CONSTANT.to_vec())),
            Self::Inline(inline) => json(inline.read(|conn| Patient::read(conn, id))?.as_ref()),
            Self::Naive(conn) => json(blocking(conn, move |conn| Patient::read(conn, id)).await?.as_ref()),
            #[cfg(feature = "postgres")]
            Self::Pools(pools) => json(pools.patient(id).await?.as_ref()),
        }
    }

    /// Returns a prescription as JSON.
    pub(super) async fn prescription(&self, id: i64) -> Result<Option<Vec<u8>>, Failure> {
        match self {
            Self::Constant => Ok(Some(CONSTANT.to_vec())),
            Self::Inline(inline) => json(inline.read(|conn| Prescription::read(conn, id))?.as_ref()),
            Self::Naive(conn) => json(blocking(conn, move |conn| Prescription::read(conn, id)).await?.as_ref()),
            #[cfg(feature = "postgres")]
            Self::Pools(pools) => json(pools.prescription(id).await?.as_ref()),
        }
    }

    /// Writes a patient, and returns the record once it is on disk.
    pub(super) async fn update(&self, body: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let patient = Patient::parse(body)?;
        let answer = json(Some(&patient))?;
        let was_there = match self {
            Self::Constant => true,
            Self::Inline(inline) => {
                let group = match inline.group.get() {
                    Some(group) => group,
                    None => {
                        let started = Group::start(writing(&inline.file)?, Arc::clone(&inline.commits))?;
                        inline.group.get_or_init(|| started)
                    }
                };
                group.write(patient).await?
            }
            Self::Naive(conn) => blocking(conn, move |conn| patient.write(conn)).await?,
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
            #[cfg(feature = "postgres")]
            Self::Pools(pools) => {
                pools.prescribe(&prescription).await?;
                json(Some(&prescription))
            }
            _ => Err(format!("{} is prescribed on PostgreSQL only", prescription.medicine).into()),
        }
    }
}

impl Inline {
    fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>) -> Result<T, Failure> {
        READER.with_borrow_mut(|reader| {
            let reader = match reader {
                Some(reader) => reader,
                None => {
                    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                    let conn = Connection::open_with_flags(&self.file, flags)?;
                    conn.pragma_update(None, "cache_size", -8192)?;
                    reader.insert(Reader { conn, held: None })
                }
            };
            if self.holds {
                reader.renew(self.commits.load(Ordering::SeqCst))?;
            }
            Ok(read(&reader.conn)?)
        })
    }
}

impl Reader {
    fn renew(&mut self, commits: u64) -> Result<(), rusqlite::Error> {
        if self.held != Some(commits) {
            if self.held.take().is_some() {
                self.conn.execute_batch("ROLLBACK")?;
            }
            self.conn.execute_batch("BEGIN")?;
            self.held = Some(commits);
        }
        Ok(())
    }
}

/// A record of usual length.
const CONSTANT: &[u8] = br#"{"name":"Ada Example","phone":441632960001,"insurance":true,"patientId":7,"age":36,"address":"1 Sample Street","gender":"female","weight":61.5,"email":"ada@example.org","location":"Sampleton","lastvisit":"31/01/2026"}"#;

/// Opens a connection whose commits are on disk when they return.
fn writing(file: &Path) -> Result<Connection, Failure> {
    let conn = Connection::open(file)?;
    conn.pragma_update(None, "journal_mode", "wal")?;
    conn.pragma_update(None, "synchronous", "full")?;
    conn.pragma_update(None, "cache_size", -8192)?;
    Ok(conn)
}

async fn blocking<T: Send + 'static>(
    conn: &Arc<Mutex<Connection>>,
    run: impl FnOnce(&Connection) -> Result<T, rusqlite::Error> + Send + 'static,
) -> Result<T, Failure> {
    let conn = Arc::clone(conn);
    let done = tokio::task::spawn_blocking(move || run(&conn.lock().unwrap_or_else(PoisonError::into_inner)));
    Ok(done.await??)
}

fn json(record: Option<&impl serde::Serialize>) -> Result<Option<Vec<u8>>, Failure> {
    Ok(record.map(serde_json::to_vec).transpose()?)
}

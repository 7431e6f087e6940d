//! Reads and writes as a typical hand-written server has them: reads on the thread of the request, and one writer.

use std::{
    cell::RefCell,
    iter,
    path::PathBuf,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;

use super::record::{Patient, Prescription};
use crate::Failure;

/// Most writes in one commit, as in the service.
const MOST: usize = 1024;

/// The state that the handlers of a server share.
#[derive(Clone)]
pub(crate) struct Access {
    file: PathBuf,
    /// The queue of the writer.
    jobs: SyncSender<Job>,
}

/// A patient to write. The answer says whether there was one.
struct Job {
    patient: Patient,
    answer: oneshot::Sender<bool>,
}

thread_local! {
    static READER: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

impl Access {
    /// Opens a database that the service has made, and starts the writer, whose commits are on disk when they return.
    pub(super) fn open(file: PathBuf) -> Result<Self, Failure> {
        let conn = Connection::open(&file)?;
        conn.pragma_update(None, "synchronous", "full")?;
        conn.pragma_update(None, "cache_size", -8192)?;
        let (jobs, queue) = sync_channel(4096);
        thread::Builder::new().name("writer".to_owned()).spawn(move || {
            if let Err(failure) = write(&conn, &queue) {
                eprintln!("error: {failure}");
            }
        })?;
        Ok(Self { file, jobs })
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
        let record = json(Some(&patient))?;
        let (answer, answered) = oneshot::channel();
        self.jobs.try_send(Job { patient, answer }).map_err(|_| "the writer is busy or gone")?;
        let was_there = answered.await?;
        Ok(record.filter(|_| was_there))
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
}

/// Writes what comes, with one commit for all waiting writes: group commit by hand.
fn write(conn: &Connection, queue: &Receiver<Job>) -> Result<(), Failure> {
    let mut done = Vec::new();
    while let Ok(first) = queue.recv() {
        conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for job in iter::once(first).chain(queue.try_iter().take(MOST - 1)) {
            done.push((job.patient.write(conn)?, job.answer));
        }
        conn.prepare_cached("COMMIT")?.execute([])?;
        for (was_there, answer) in done.drain(..) {
            // The request may have been dropped.
            let _ = answer.send(was_there);
        }
    }
    Ok(())
}

fn json(record: Option<&impl serde::Serialize>) -> Result<Option<Vec<u8>>, Failure> {
    Ok(record.map(serde_json::to_vec).transpose()?)
}

//! Group commit by hand: one writer, and one commit for all waiting writes.

use std::{
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::record::Patient;
use crate::Failure;

/// Most writes in one commit, as in the service.
const MOST: usize = 1024;

/// The queue of the writer.
#[derive(Debug)]
pub(super) struct Group {
    jobs: SyncSender<Job>,
}

struct Job {
    patient: Patient,
    answer: oneshot::Sender<bool>,
}

impl Group {
    pub(super) fn start(conn: Connection) -> Result<Self, Failure> {
        let (jobs, queue) = sync_channel(4096);
        thread::Builder::new().name("writer".to_owned()).spawn(move || {
            if let Err(failure) = run(&conn, &queue) {
                eprintln!("error: {failure}");
            }
        })?;
        Ok(Self { jobs })
    }

    /// Writes a patient, and returns whether there was one once the write is on disk.
    pub(super) async fn write(&self, patient: Patient) -> Result<bool, Failure> {
        let (answer, answered) = oneshot::channel();
        self.jobs.try_send(Job { patient, answer }).map_err(|_| "the writer is busy or gone")?;
        Ok(answered.await?)
    }
}

fn run(conn: &Connection, queue: &Receiver<Job>) -> Result<(), Failure> {
    let mut done = Vec::new();
    while let Ok(first) = queue.recv() {
        conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for job in std::iter::once(first).chain(queue.try_iter().take(MOST - 1)) {
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

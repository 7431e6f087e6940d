//! Leaving nothing in the file and its log of what is no longer in any record.

use std::{
    thread,
    time::{Duration, Instant},
};

use rusqlite::{DEFAULT_NAME, wal::CheckpointMode};

use crate::{
    Staging,
    error::Fault,
    writer::{Job, POLL, Work, Writer},
};

/// How long other writers are kept waiting at once while readers are waited for: less than a server lets a client wait.
const TURN: Duration = Duration::from_secs(1);
/// How long they have their turn in between.
const BREAK: Duration = Duration::from_millis(20);

impl Writer {
    /// Writes the file anew and empties the log.
    ///
    /// `VACUUM` puts only what is in a record or an entry now into new pages, all of which go into the log first. Once all
    /// of the log is copied into the file and no snapshot needs it, both are as the new pages are: the log is cut to
    /// nothing, and what stood in it and in the file before is gone. Others that use the file, of this process or another,
    /// commit and copy meanwhile. That does no harm, because their pages are made of new ones: it only has to be tried
    /// again until this one meets the moment.
    pub(crate) fn scrub(&mut self, job: Job) {
        let Work::Scrub(answer) = job.work else {
            return;
        };
        let scrubbed = self.write_anew(job.since + self.wait).and_then(|()| {
            self.signals.committed();
            let emptied = self.empty_log(Instant::now() + self.wait);
            Staging::clear(&self.path);
            emptied
        });
        // The caller may have gone.
        let _ = answer.send(scrubbed.map_err(|fault| self.failed(fault)));
    }

    fn write_anew(&mut self, deadline: Instant) -> Result<(), Fault> {
        self.wait_until(deadline)?;
        Ok(self.conn.execute_batch("VACUUM")?)
    }

    /// Copies the log into the file, without keeping writers from it, and then cuts it to nothing at a moment when little
    /// is left to copy.
    fn empty_log(&mut self, deadline: Instant) -> Result<(), Fault> {
        loop {
            self.wait_until(deadline.min(Instant::now() + TURN))?;
            let right = self.signals.log.copying();
            let emptied = self.readers.without_snapshots(|| {
                self.conn.wal_checkpoint_v2(DEFAULT_NAME, CheckpointMode::PASSIVE)?;
                self.conn.wal_checkpoint_v2(DEFAULT_NAME, CheckpointMode::TRUNCATE)
            });
            drop(right);
            match emptied.map_err(Fault::from) {
                Ok(_) => {
                    self.signals.log.set_pages(0);
                    return Ok(());
                }
                Err(fault) if fault.is_busy() && Instant::now() < deadline => {
                    // Another process may just be copying, which is over soon, or a reader may need more than a turn.
                    thread::sleep(if self.ownership.is_held() { POLL } else { BREAK });
                }
                Err(fault) => return Err(fault),
            }
        }
    }
}

//! Removing deleted data from the file and its log.

use std::{
    thread,
    time::{Duration, Instant},
};

use care_core::store::queue::Job;

use super::{
    callbacks::{self, POLL},
    writer::{Work, Writer},
};
use crate::{
    base::{error::Fault, log::Checkpoint},
    file::staging::Staging,
};

/// The longest time for which other writers wait while this waits for readers: less than a server lets a client wait.
const TURN: Duration = Duration::from_secs(1);
/// The pause in between, in which the others write.
const BREAK: Duration = Duration::from_millis(20);

impl Writer {
    /// Rewrites the file and empties the log.
    ///
    /// `VACUUM` writes only the data of present records and entries into new pages, all of which go into the log first.
    /// Once the whole log is copied into the file and no snapshot needs it, the old pages are gone from both: the log
    /// is then truncated. Other connections, of this process or another, commit and checkpoint meanwhile. That does no
    /// harm, because their pages are made of new ones: the truncation only has to be tried again until it succeeds.
    pub(crate) fn scrub(&mut self, job: Job<Work>) {
        let Work::Scrub(answer) = job.work else {
            return;
        };
        let scrubbed = self.write_anew(job.since + self.wait).and_then(|()| {
            self.signals.committed();
            let emptied = self.empty_log(Instant::now() + self.wait);
            Staging::clear(&self.path);
            emptied
        });
        // The future may have been dropped.
        let _ = answer.send(scrubbed.map_err(|fault| self.failed(fault)));
    }

    fn write_anew(&mut self, deadline: Instant) -> Result<(), Fault> {
        callbacks::wait_until(deadline);
        Ok(self.conn.execute_batch("VACUUM")?)
    }

    /// Copies the log into the file without blocking writers, and then truncates it at a moment when few pages are left
    /// to copy.
    fn empty_log(&mut self, deadline: Instant) -> Result<(), Fault> {
        loop {
            callbacks::wait_until(deadline.min(Instant::now() + TURN));
            let right = self.signals.log.copying();
            let emptied = self.readers.without_snapshots(|| {
                Checkpoint::Passive.run(&self.conn)?;
                Checkpoint::Truncate.run(&self.conn)
            });
            drop(right);
            match emptied.map_err(Fault::from) {
                Ok(_) => {
                    self.signals.log.set_pages(0);
                    return Ok(());
                }
                Err(fault) if fault.is_busy() && Instant::now() < deadline => {
                    // Another process may be copying, which ends soon, or a reader may take longer than this turn.
                    thread::sleep(if self.ownership.is_held() { POLL } else { BREAK });
                }
                Err(fault) => return Err(fault),
            }
        }
    }
}

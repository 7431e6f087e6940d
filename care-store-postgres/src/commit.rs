//! Committing, and finding out what became of a commit without an answer.

use std::time::{Duration, Instant};

use care_core::store::{
    Seq,
    rows::{RowError, RowReader},
};
use futures_executor::block_on;
use tokio_postgres::error::Severity;

use crate::{
    blocking,
    error::{Fault, source},
    records::Cells,
    resolved::Resolved,
    session::{Request, Session},
    transaction::{Transaction, begin},
    writer::Writer,
};

/// The time between two attempts to find out.
const PAUSE: Duration = Duration::from_millis(50);

/// Whether the batch with this id is there at its first entry, and the last batch without entries, noted beside the epoch.
const LOOK: &str = "SELECT EXISTS (SELECT 1 FROM journal WHERE seq = $1 AND batch = $2), alone FROM care";

/// A change of no meaning. Its commit waits for the standby, and so for everything before it.
const BEHIND: &str = "UPDATE care SET resolved = resolved + 1";

/// The outcome of a transaction.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is committed, as durably as the database is at all.
    Committed,
    /// Nothing of it happened, and nothing will.
    Not(Fault),
    /// Whether it happened is not known; this is what tells it from others.
    Open(Open),
}

/// A transaction whose outcome is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    first: Seq,
    batch: i64,
    /// The number of its last entry, if it has one.
    last: Option<Seq>,
    /// The last batch without entries before it.
    alone: Option<i64>,
    /// When it was sent.
    since: Instant,
}

impl Transaction<'_> {
    /// Writes what is pending and commits, in one round trip. Waits for the answer for half of the patience at most, and
    /// leaves the rest for finding out: a commit waits for its standby without end, and is never cancelled, because PostgreSQL
    /// would then call it done.
    pub(crate) fn commit(self, writer: &Writer, session: &Session) -> Outcome {
        let since = Instant::now();
        let outcome = self.send_commit(writer, session, since);
        match outcome {
            Outcome::Committed => writer.signals.figures.writer.commit(since, true),
            Outcome::Not(_) => writer.signals.figures.writer.commit(since, false),
            // Counted when it is known.
            Outcome::Open(_) => {}
        }
        outcome
    }

    fn send_commit(mut self, writer: &Writer, session: &Session, since: Instant) -> Outcome {
        let last = self.first().map(|_| self.last());
        let (first, batch, alone) = (self.first().unwrap_or_default(), self.batch, self.alone);
        let open = Open { first, batch, last, alone, since };
        let mut requests = match self.wait().and_then(|()| self.pending().take()) {
            Ok(requests) => requests,
            Err(fault) => {
                self.roll_back();
                return Outcome::Not(fault);
            }
        };
        requests.push(Request::plain("COMMIT"));
        let warnings = session.warnings();
        let answers = match blocking::within(writer.patience / 2, session.pipeline(&requests)) {
            Some(Ok(answers)) => answers,
            // A statement could not be prepared: the commit was not sent.
            Some(Err(fault)) => {
                self.roll_back();
                return Outcome::Not(fault);
            }
            None => return Outcome::Open(open),
        };
        let commit = answers.len().checked_sub(1);
        for (place, answer) in answers.into_iter().enumerate() {
            let Err(error) = answer else {
                continue;
            };
            let is_refused = error.as_db_error().is_some_and(|error| {
                // A connection that is ended while it commits may have done so.
                Some(place) != commit || error.parsed_severity() == Some(Severity::Error)
            });
            return match is_refused {
                true => Outcome::Not(error.into()),
                false => Outcome::Open(open),
            };
        }
        match session.warnings() == warnings {
            true => {
                open.note(writer);
                Outcome::Committed
            }
            // Perhaps that it is here and not on the standby.
            false => Outcome::Open(open),
        }
    }

    /// Makes sure that everything it has seen is as durable as the database is at all. A transaction can see commits that
    /// the standby may not have: those of another server, and this server's own from before a crash of PostgreSQL. An answer
    /// that relies on one of them must not come before the standby has it.
    pub(crate) fn settle(mut self, writer: &Writer, session: &Session) -> Result<(), Fault> {
        let last = self.last();
        if writer.signals.is_settled(last) {
            self.roll_back();
            return Ok(());
        }
        if let Err(fault) = self.write([Request::new(BEHIND, [])]) {
            self.roll_back();
            return Err(fault);
        }
        match self.commit(writer, session) {
            Outcome::Committed => {
                writer.signals.settle(last);
                Ok(())
            }
            Outcome::Not(fault) => Err(fault),
            // Its commit may be waiting there for the standby.
            Outcome::Open(_) => Err(Fault::NoConnection),
        }
    }
}

impl Writer {
    /// Finds out what became of a transaction, on a new connection and with the lock that the transaction had: as long as
    /// it is under way, nothing is known of it.
    pub(crate) fn resolve(&mut self, open: Open) -> Resolved {
        let resolved = self.find_out(open);
        let figures = &self.signals.figures;
        figures.resolved(resolved);
        figures.writer.commit(open.since, resolved == Resolved::Happened);
        resolved
    }

    fn find_out(&mut self, open: Open) -> Resolved {
        // Its commit may be waiting there.
        self.session = None;
        loop {
            match self.look(open) {
                Ok(Resolved::Happened) => {
                    open.note(self);
                    return Resolved::Happened;
                }
                Ok(Resolved::DidNot) => return Resolved::DidNot,
                Ok(Resolved::Unknown) => break,
                Err(fault) => {
                    tracing::info!(error = %fault, cause = source(&fault), "the outcome of a commit is not known yet");
                }
            }
            self.session = None;
            if open.since.elapsed() >= self.patience || block_on(self.wire.pause(PAUSE)).is_err() {
                break;
            }
        }
        tracing::error!("the outcome of a commit is unknown");
        Resolved::Unknown
    }

    fn look(&mut self, Open { since, first, batch, last, alone }: Open) -> Result<Resolved, Fault> {
        let first = i64::try_from(first.value()).map_err(|_| RowError::TooMany)?;
        let session = self.connected(Instant::now())?;
        let requests = [begin(&session), Request::new(LOOK, [first.into(), batch.into()])];
        let answers = session.wait_for(session.run(&requests))?;
        let mut cells = Cells::new("care", answers.last().and_then(|rows| rows.first()).ok_or(Fault::Unexpected)?);
        let (is_there, now) = (cells.boolean()?, cells.maybe_integer()?);
        if !is_there && now != Some(batch) {
            session.send("ROLLBACK");
            // A batch without entries has left no trace where the mark is still the earlier one. A later mark may have
            // replaced its own.
            let is_certain = last.is_some() || now == alone;
            return Ok(if is_certain { Resolved::DidNot } else { Resolved::Unknown });
        }
        let warnings = session.warnings();
        let left = self.patience.saturating_sub(since.elapsed()).max(PAUSE);
        let behind = [Request::new(BEHIND, []), Request::plain("COMMIT")];
        match blocking::within(left, session.run(&behind)) {
            Some(Ok(_)) if session.warnings() == warnings => Ok(Resolved::Happened),
            Some(Err(fault)) => Err(fault),
            Some(Ok(_)) | None => Err(Fault::NoConnection),
        }
    }
}

impl Open {
    /// Tells the store that its entries are committed.
    fn note(self, writer: &Writer) {
        if let Some(last) = self.last {
            writer.signals.committed(self.first..=last);
        }
    }
}

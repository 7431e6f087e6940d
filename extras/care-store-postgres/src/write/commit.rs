//! Committing, and finding out the outcome of a commit whose answer was lost.

use std::time::{Duration, Instant};

use care_core::store::{
    Seq,
    rows::{RowError, RowReader},
};
use futures_executor::block_on;
use tokio_postgres::error::Severity;

use super::{
    transaction::{Transaction, begin},
    writer::Writer,
};
use crate::{
    base::{blocking::within, cells::Cells, error::Fault, figures::Resolved},
    connect::{
        session::{Request, Session},
        synchronous::{AGAIN, Durable, Standbys, durably},
    },
};

/// Pause between two attempts to find out.
const PAUSE: Duration = Duration::from_millis(50);

/// Whether the batch with this id is there at its first entry, and the id of the last batch without entries, which is
/// stored beside the epoch.
const LOOK: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM journal WHERE seq = $1 AND batch = $2), unjournaled_batch, ",
    durably!(),
    " FROM care"
);

/// A no-op update. Its commit waits for the standby, and so for everything before it.
const BEHIND: &str = "UPDATE care SET resolved = resolved + 1";

/// The outcome of a transaction.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is committed, on the standby too where commits wait for one.
    Committed,
    /// It was rolled back, or will be.
    Not(Fault),
    /// It may or may not have been committed; this identifies it.
    Open(Open),
}

/// The answer of the server and its standbys to the last statements of a transaction.
enum Verdict {
    Committed,
    /// The transaction is not committed, for this reason.
    Refused(Fault),
    /// The transaction may be committed now or later.
    Unsure,
}

/// A transaction whose outcome is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Open {
    first: Seq,
    batch: i64,
    /// The number of its last entry, if it has one.
    last: Option<Seq>,
    /// The id of the batch without entries that came last before it.
    unjournaled_batch: Option<i64>,
    /// When its commit was sent.
    since: Instant,
}

impl Transaction<'_> {
    /// Writes what is pending and commits, in one round trip. It spends at most half of the patience on waiting for the
    /// answer, and leaves the rest for finding out the outcome. A commit waits for its standby indefinitely, and is
    /// never cancelled, because PostgreSQL would then report it as done.
    pub(crate) fn commit(self, writer: &Writer, session: &Session) -> Outcome {
        let since = Instant::now();
        let outcome = self.send_commit(writer, session, since);
        match outcome {
            Outcome::Committed => writer.signals.figures.writer.commit(since, true),
            Outcome::Not(_) => writer.signals.figures.writer.commit(since, false),
            // This is counted once the outcome is known.
            Outcome::Open(_) => {}
        }
        outcome
    }

    fn send_commit(mut self, writer: &Writer, session: &Session, since: Instant) -> Outcome {
        let last = self.first.map(|_| self.last.seq);
        let (first, batch, unjournaled_batch, durable) =
            (self.first.unwrap_or_default(), self.batch, self.unjournaled_batch, self.durable);
        let open = Open { first, batch, last, unjournaled_batch, since };
        let requests = match self.underway.wait().and_then(|()| self.pending.take()) {
            Ok(requests) => requests,
            Err(fault) => {
                self.roll_back();
                return Outcome::Not(fault);
            }
        };
        match writer.commit(session, requests, durable, writer.patience / 2) {
            Ok(Verdict::Committed) => {
                open.note(writer);
                Outcome::Committed
            }
            Ok(Verdict::Refused(fault)) => Outcome::Not(fault),
            Ok(Verdict::Unsure) => Outcome::Open(open),
            Err(fault) => {
                self.roll_back();
                Outcome::Not(fault)
            }
        }
    }

    /// Makes sure that everything the transaction has seen is durable, on the standby too where commits wait for one. A
    /// transaction can see commits that the standby may not have yet: another server's, or this server's own from
    /// before PostgreSQL crashed. An answer that relies on one of them must not be sent before the standby has it.
    pub(crate) fn settle(mut self, writer: &Writer, session: &Session) -> Result<(), Fault> {
        let last = self.last.seq;
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
    /// Runs the last statements of a transaction and commits it. Asks the standbys that the commit waited for whether
    /// they have it, in the same round trip if the statements are prepared. Fails if a statement cannot be prepared;
    /// then none was sent.
    fn commit(
        &self,
        session: &Session,
        mut requests: Vec<Request>,
        durable: Durable,
        limit: Duration,
    ) -> Result<Verdict, Fault> {
        let since = Instant::now();
        let commit = requests.len();
        requests.push(Request::plain("COMMIT"));
        // This goes after the commit, whose wait for the standbys may have been cancelled even though it was answered.
        requests.extend(durable.question(None).into_iter().flat_map(|question| session.by_itself(question)));
        let Some(answers) = within(limit, session.pipeline(&requests)).transpose()? else {
            return Ok(Verdict::Unsure);
        };
        let mut said = Vec::new();
        for (place, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok(rows) if place > commit => said.extend(rows),
                Ok(_) => {}
                Err(error) => {
                    let is_refused = error.as_db_error().is_some_and(|error| {
                        // A connection that ends during the commit may have committed.
                        place < commit || (place == commit && error.parsed_severity() == Some(Severity::Error))
                    });
                    return Ok(if is_refused { Verdict::Refused(error.into()) } else { Verdict::Unsure });
                }
            }
        }
        if durable == Durable::ByItself {
            return Ok(Verdict::Committed);
        }
        // Nothing is certain about a commit whose standbys do not answer.
        let Ok(mut asked) = Standbys::read(&said) else {
            return Ok(Verdict::Unsure);
        };
        while let Some(question) = durable.question(Some(asked)) {
            let left = limit.saturating_sub(since.elapsed());
            if left.is_zero() || block_on(self.wire.pause(AGAIN)).is_err() {
                return Ok(Verdict::Unsure);
            }
            let answer = within(left, session.single(question));
            match answer.and_then(Result::ok).and_then(|rows| Standbys::read(&rows).ok()) {
                Some(answer) => asked = answer,
                None => return Ok(Verdict::Unsure),
            }
        }
        Ok(Verdict::Committed)
    }

    /// Finds out the outcome of a transaction, on a new connection and under the lock that the transaction held: while
    /// it is still running, its outcome is open.
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
                    tracing::info!(error = %fault, "the outcome of a commit is not known yet");
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

    fn look(&mut self, Open { since, first, batch, last, unjournaled_batch }: Open) -> Result<Resolved, Fault> {
        let first = i64::try_from(first.value()).map_err(|_| RowError::TooMany)?;
        let session = self.connected(Instant::now())?;
        let requests = [begin(&session), Request::new(LOOK, [first.into(), batch.into()])];
        let answers = session.wait_for(session.run(&requests))?;
        let mut cells = Cells::first("care", answers.last().map_or(&[], Vec::as_slice))?;
        let (is_there, now) = (cells.get::<bool>()?, cells.maybe_integer()?);
        let durable = Durable::read(&mut cells, &session);
        if !is_there && now != Some(batch) {
            session.send("ROLLBACK");
            // If the mark is still the earlier batch's, a batch without entries left no trace. A later batch's mark may
            // have replaced its own.
            let is_certain = last.is_some() || now == unjournaled_batch;
            return Ok(if is_certain { Resolved::DidNot } else { Resolved::Unknown });
        }
        let left = self.patience.saturating_sub(since.elapsed()).max(PAUSE);
        match self.commit(&session, vec![Request::new(BEHIND, [])], durable?, left)? {
            Verdict::Committed => Ok(Resolved::Happened),
            Verdict::Refused(fault) => Err(fault),
            Verdict::Unsure => Err(Fault::NoConnection),
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

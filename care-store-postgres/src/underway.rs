//! Statements of a transaction that were sent, and whose answers have not been awaited yet.

use std::{collections::VecDeque, fmt, pin::Pin};

use futures_util::FutureExt;
use tokio_postgres::Row;

use crate::{
    error::Fault,
    session::{Request, Session},
};

/// The highest number of pipelines under way, so that memory does not grow with the work.
const MOST: usize = 8;

/// A connection with the statements that are under way on it. PostgreSQL runs them in their order, and after a failure
/// none of those behind it.
pub(crate) struct Underway<'a> {
    session: &'a Session,
    sent: VecDeque<Sent<'a>>,
}

/// The answers to statements that were sent together.
type Sent<'a> = Pin<Box<dyn Future<Output = Result<Vec<Vec<Row>>, Fault>> + 'a>>;

impl<'a> Underway<'a> {
    pub(crate) const fn on(session: &'a Session) -> Self {
        Self { session, sent: VecDeque::new() }
    }

    pub(crate) const fn session(&self) -> &'a Session {
        self.session
    }

    /// Sends statements, and returns before they are answered: the answers are awaited with later ones. Returns the
    /// fault of an earlier statement.
    pub(crate) fn send(&mut self, requests: Vec<Request>) -> Result<(), Fault> {
        while self.sent.len() >= MOST {
            self.wait_for_first()?;
        }
        let sent = self.start(requests)?;
        self.sent.push_back(sent);
        Ok(())
    }

    /// Runs statements behind those that are under way, in one round trip.
    pub(crate) fn run(&mut self, requests: Vec<Request>) -> Result<Vec<Vec<Row>>, Fault> {
        let sent = self.start(requests)?;
        self.wait()?;
        self.session.wait_for(sent)
    }

    /// Waits until nothing is under way.
    pub(crate) fn wait(&mut self) -> Result<(), Fault> {
        while !self.sent.is_empty() {
            self.wait_for_first()?;
        }
        Ok(())
    }

    fn wait_for_first(&mut self) -> Result<(), Fault> {
        self.sent.pop_front().map_or(Ok(()), |sent| self.session.wait_for(sent).map(drop))
    }

    fn start(&mut self, requests: Vec<Request>) -> Result<Sent<'a>, Fault> {
        let session = self.session;
        // A statement that has to be prepared first would be sent behind later ones. Its answer comes behind those that are
        // under way, which are read only as they are awaited.
        if !session.is_prepared(&requests) {
            self.wait()?;
            session.wait_for(session.prepare_all(&requests))?;
        }
        let mut sent: Sent<'a> = Box::pin(async move { session.run(&requests).await });
        // The first look sends all of them.
        Ok(match (&mut sent).now_or_never() {
            Some(answered) => Box::pin(async { answered }),
            None => sent,
        })
    }
}

impl fmt::Debug for Underway<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Underway").field("sent", &self.sent.len()).finish_non_exhaustive()
    }
}

//! Work that has a transaction to itself, on the writing thread.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use care_core::{
    error::{StoreError, StoreErrorKind},
    store::queue::Exclusive,
};

use super::{
    bulk::{AloneWork, Bulk},
    commit::Outcome,
    transaction::Transaction,
    writer::Writer,
};
use crate::{
    base::error::Fault,
    connect::session::{Request, Session},
};

/// Such a transaction may pause for longer than a batch, which pauses only if its server hangs.
const LEISURE: &str = "SET LOCAL idle_in_transaction_session_timeout = '60s'";

impl Writer {
    /// Runs work that has a transaction to itself.
    pub(crate) fn run_exclusive(&mut self, since: Instant, mut work: AloneWork) {
        let session = match self.connected(since) {
            Ok(session) => session,
            Err(fault) => return work.end(Err(self.failed(fault))),
        };
        let outcome = match self.attempt_exclusive(&session, &mut *work) {
            Ok(outcome) => outcome,
            Err(error) => return work.end(Err(error)),
        };
        work.end(match outcome {
            Outcome::Committed => Ok(()),
            Outcome::Not(fault) if fault.is_beaten() => Err(StoreErrorKind::Busy.into()),
            Outcome::Not(fault) => Err(self.failed(fault)),
            Outcome::Open(open) => self.resolve(open).into(),
        });
    }

    fn attempt_exclusive(
        &mut self,
        session: &Arc<Session>,
        work: &mut dyn for<'b> Exclusive<Bulk<'b>>,
    ) -> Result<Outcome, StoreError> {
        let transaction = Transaction::begin(session, Vec::new()).map_err(|fault| self.failed(fault))?;
        let mut bulk = Bulk::new(transaction);
        let begun = bulk.transaction.prepare([Request::plain(LEISURE)]);
        let is_kept = begun.map(|()| catch_unwind(AssertUnwindSafe(|| work.run(&mut bulk))));
        let Bulk { mut transaction, failure, .. } = bulk;
        let fault = match (is_kept, failure) {
            (Ok(Ok(true)), None) if transaction.has_written => {
                let marked = match transaction.first {
                    Some(_) => Ok(()),
                    // A transaction without an entry has no other place for its id.
                    None => transaction.mark(),
                };
                match marked {
                    Ok(()) => return Ok(transaction.commit(self, session)),
                    Err(fault) => fault,
                }
            }
            (Ok(Ok(true)), None) => {
                let settled = transaction.settle(self, session);
                return settled.map(|()| Outcome::Committed).map_err(|fault| self.failed(fault));
            }
            (Ok(Ok(false)), None) => {
                transaction.roll_back();
                return Ok(Outcome::Committed);
            }
            (_, Some(fault)) | (Err(fault), None) => fault,
            (Ok(Err(_)), None) => Fault::Panicked,
        };
        transaction.roll_back();
        Err(self.failed(fault))
    }
}

//! Noticing what other servers commit.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use care_core::store::{Epoch, Seq, rows::RowReader};

use crate::{
    base::{cells::Cells, error::Fault, settings::Settings},
    connect::{
        session::{Request, Session},
        signals::Signals,
        wire::Wire,
    },
};

/// Time between two looks at the journal while there is a listener. `NOTIFY` is not an option: PostgreSQL takes an
/// instance-wide lock for it at each commit, and a pooler in between drops the notification.
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// Time between two looks at the epoch, which changes with an import or a restore.
const EPOCH_EVERY: Duration = Duration::from_millis(500);

/// Longest time that a look may take. A server that hangs never answers.
const LIMIT: Duration = Duration::from_secs(15);

/// The journal's last entry and the epoch.
const LOOK: &str = "SELECT (SELECT coalesce(pg_catalog.max(seq), 0) FROM journal), epoch FROM care";

/// Looks at the database on behalf of all listeners, on a connection of its own, until the wire stops or the signals
/// are dropped.
pub(crate) fn watch(wire: &Arc<Wire>, signals: Arc<Signals>) {
    wire.spawn(Look { wire: Arc::downgrade(wire), signals, session: None, epoch_at: None }.run());
}

struct Look {
    wire: Weak<Wire>,
    signals: Arc<Signals>,
    session: Option<Session>,
    epoch_at: Option<Instant>,
}

impl Look {
    async fn run(mut self) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let is_awaited = self.signals.notifiers.are_awaited();
            let is_due = self.epoch_at.is_none_or(|at| at.elapsed() >= EPOCH_EVERY);
            if !is_awaited && !is_due {
                continue;
            }
            self.epoch_at = Some(Instant::now());
            let looked = tokio::time::timeout(LIMIT, self.look()).await;
            match looked.unwrap_or(Err(Fault::NoConnection)) {
                Ok((last, epoch)) => {
                    self.signals.set_epoch(epoch);
                    self.signals.notifiers.announce(last);
                }
                Err(Fault::Closed) => return,
                Err(fault) => {
                    tracing::debug!(error = %fault, "the journal could not be read");
                    self.session = None;
                }
            }
        }
    }

    async fn look(&mut self) -> Result<(Seq, Epoch), Fault> {
        let session = match self.session.take().filter(|session| !session.is_closed()) {
            Some(session) => session,
            None => {
                let wire = self.wire.upgrade().ok_or(Fault::Closed)?;
                wire.attempt(&Settings::default().with("statement_timeout", "5s")).await?
            }
        };
        let rows = session.single(Request::new(LOOK, [])).await?;
        self.session = Some(session);
        let mut cells = Cells::first("care", &rows)?;
        Ok((Seq::new(cells.get::<u64>()?), cells.epoch()?))
    }
}

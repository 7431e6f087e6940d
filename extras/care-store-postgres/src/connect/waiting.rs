//! The watchdog of an opening: it logs what the opening waits for, and ends it when that takes too long.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, Instant},
};

use care_core::{model::Visible, store::rows::RowReader};

use super::{
    session::{Request, Session},
    wire::Wire,
};
use crate::base::{
    error::Fault,
    open_error::{OpenError, OpenErrorKind},
    records::Cells,
    settings::Settings,
};

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(2);

/// Whether the opening's PostgreSQL process waits for a standby, and the processes that hold a lock it waits for, one a
/// row. PostgreSQL hides from many roles what another role's process is doing, but not the role's and the program's
/// names.
const LOOK: &str = "SELECT w.wait_event = 'SyncRep'::text, b.pid, a.usename::text, a.application_name, \
     pg_catalog.date_part('epoch'::text, pg_catalog.clock_timestamp() - a.state_change)::int8 \
     FROM pg_catalog.pg_stat_activity AS w \
     LEFT JOIN LATERAL pg_catalog.unnest(pg_catalog.pg_blocking_pids(w.pid)) AS b (pid) ON true \
     LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = b.pid WHERE w.pid = $1::int4 LIMIT 3";

/// Watches an opening.
pub(crate) struct Waiting<'a> {
    pub(crate) wire: &'a Wire,
    /// The PostgreSQL process that serves the opening; zero until it is known.
    pub(crate) process: &'a AtomicI64,
    /// Longest total time spent waiting for others.
    pub(crate) limit: Duration,
}

impl Waiting<'_> {
    /// Looks every few seconds, and logs what the opening waits for. Returns the error that ends the opening once it
    /// has waited too long. Time that the opening spends on its own work does not count.
    pub(crate) async fn watch(self) -> OpenError {
        let mut waited = Duration::ZERO;
        let mut session = None;
        loop {
            let since = Instant::now();
            if let Err(fault) = self.wire.pause(EVERY.min(self.limit / 4)).await {
                return fault.into();
            }
            let holder = match self.look(&mut session).await {
                Ok(Some(holder)) => holder,
                Ok(None) => continue,
                Err(fault) => {
                    session = None;
                    match fault.is_silence() {
                        true => "an answer of PostgreSQL".to_owned(),
                        // The server does answer, just not this query.
                        false => continue,
                    }
                }
            };
            waited += since.elapsed();
            if waited >= self.limit {
                return OpenError::with(OpenErrorKind::Waited, format!("waited {} s for {holder}", waited.as_secs()));
            }
            tracing::warn!(seconds = waited.as_secs(), "the opening of the database waits for {holder}");
        }
    }

    /// Returns what the opening waits for.
    async fn look(&self, session: &mut Option<Session>) -> Result<Option<String>, Fault> {
        let process = self.process.load(Ordering::SeqCst);
        let session = match session {
            Some(session) => session,
            none => none.insert(self.wire.connect(&Settings::default().with("statement_timeout", "5s")).await?),
        };
        let rows = session.single(Request::new(LOOK, [process.into()])).await?;
        let mut holders = Vec::new();
        for row in &rows {
            let mut cells = Cells::new("pg_stat_activity", row);
            if cells.maybe_boolean()? == Some(true) {
                return Ok(Some("a synchronous standby, which the commit needs".to_owned()));
            }
            holders.extend(holder(&mut cells)?);
        }
        Ok((!holders.is_empty()).then(|| holders.join(" and ")))
    }
}

/// Describes a process that holds a lock.
pub(crate) fn holder(cells: &mut Cells<'_>) -> Result<Option<String>, Fault> {
    let words = match cells.maybe_integer()? {
        None => return Ok(None),
        Some(0) => return Ok(Some("a prepared transaction, which holds a lock".to_owned())),
        Some(process) => format!("the process {process} of PostgreSQL, which holds a lock"),
    };
    let mut shown = |name: &str| -> Result<String, Fault> {
        let text = cells.maybe_str()?.filter(|text| !text.is_empty());
        Ok(text.map(|text| format!(", {name} {}", Visible(text))).unwrap_or_default())
    };
    let (role, program) = (shown("role")?, shown("application")?);
    let idle = cells.maybe_integer()?.map(|seconds| format!(", in its state for {seconds} s")).unwrap_or_default();
    Ok(Some(format!("{words}{role}{program}{idle}")))
}

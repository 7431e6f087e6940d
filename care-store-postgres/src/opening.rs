//! Opening a database: what is checked before the first use.

use std::{
    pin::pin,
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use care_core::store::Epoch;
use futures_util::future::{Either, select};

use crate::{
    open_error::{OpenError, OpenErrorKind},
    schema, search_path,
    session::Session,
    settings::Settings,
    synchronous,
    waiting::Waiting,
    wire::Wire,
};

/// Beyond the longest wait, of which the opening knows more than PostgreSQL, PostgreSQL ends it.
const GRACE: Duration = Duration::from_secs(30);

/// The parts that it takes to open a database.
pub(crate) struct Opening {
    pub(crate) wire: Arc<Wire>,
    pub(crate) settings: Settings,
    pub(crate) requires_synchronous: bool,
    pub(crate) fills: bool,
    /// The longest time that it waits for others.
    pub(crate) limit: Duration,
}

impl Opening {
    /// Returns the connection that writes, and the epoch.
    pub(crate) async fn open(self) -> Result<(Session, Epoch), OpenError> {
        let process = AtomicI64::new(0);
        let work = pin!(self.prepare(&process));
        let waiting = Waiting { wire: &self.wire, process: &process, limit: self.limit };
        match select(work, pin!(waiting.watch())).await {
            Either::Left((opened, _)) => opened,
            Either::Right((ended, _)) => Err(ended),
        }
    }

    async fn prepare(&self, process: &AtomicI64) -> Result<(Session, Epoch), OpenError> {
        let endpoint = self.wire.endpoint();
        let lock_timeout = (self.limit + GRACE).as_millis();
        let settings = Settings::default().with("lock_timeout", lock_timeout).with("statement_timeout", 0);
        // A server that is ended while it waits leaves nothing that goes on waiting.
        let settings = settings.with("client_connection_check_interval", "1s");
        let session = self.wire.connect(&settings).await?;
        // Reset, because another client of a pooler may have had this session before.
        let path = session.shown("RESET search_path; SHOW search_path").await?;
        let schema = search_path::schema(&path).ok_or(OpenErrorKind::NoSchema)?;
        endpoint.pin(&schema);
        session.set(&endpoint.pinned(&settings)).await?;
        if session.shown("SHOW server_encoding").await? != "UTF8" {
            return Err(OpenErrorKind::Encoding.into());
        }
        synchronous::check(&session, self.requires_synchronous).await?;
        for name in ["fsync", "full_page_writes"] {
            if session.shown(&format!("SHOW {name}")).await? != "on" {
                tracing::warn!("{name} is off in PostgreSQL: a crash of the machine loses what was acknowledged");
            }
        }
        let epoch = schema::migrate(&session, &schema, self.fills, process).await?;
        session.set(&endpoint.pinned(&self.settings)).await?;
        Ok((session, epoch))
    }
}

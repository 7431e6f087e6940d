//! Opening a database: what is checked before the first use.

use std::sync::Arc;

use care_core::store::{Epoch, rows::RowReader};

use crate::{
    open_error::{OpenError, OpenErrorKind},
    records::Cells,
    schema,
    session::{Request, Session},
    settings::Settings,
    synchronous,
    wire::Wire,
};

/// The parts that it takes to open a database.
pub(crate) struct Opening {
    pub(crate) wire: Arc<Wire>,
    pub(crate) settings: Settings,
}

impl Opening {
    /// Returns the connection that writes, and the epoch.
    pub(crate) async fn open(self, requires_synchronous: bool, fills: bool) -> Result<(Session, Epoch), OpenError> {
        // Migrations wait for each other, for as long as they take.
        let session = self.wire.connect(&Settings::default().with("lock_timeout", 0)).await?;
        if setting(&session, "server_encoding").await? != "UTF8" {
            return Err(OpenErrorKind::Encoding.into());
        }
        if requires_synchronous {
            synchronous::check(&session).await?;
        }
        for name in ["fsync", "full_page_writes"] {
            if setting(&session, name).await? != "on" {
                tracing::warn!("{name} is off in PostgreSQL: a crash of the machine loses what was acknowledged");
            }
        }
        let epoch = schema::migrate(&session, fills).await?;
        session.set(&self.settings).await?;
        Ok((session, epoch))
    }
}

async fn setting(session: &Session, name: &str) -> Result<String, OpenError> {
    let rows = session.query(Request::new("SELECT current_setting($1)", [name.into()])).await?;
    let row = rows.first().ok_or(OpenErrorKind::Failed)?;
    Ok(Cells::new("pg_settings", row).string()?)
}

//! Whether a commit waits for a standby.

use care_core::store::rows::RowReader;

use crate::{
    error::Fault,
    open_error::{OpenError, OpenErrorKind},
    records::Cells,
    session::{Request, Session},
};

/// The two settings that decide it, how many standbys do it now, and whether this user may know.
const STATE: &str = "SELECT pg_catalog.current_setting('synchronous_standby_names'), \
     pg_catalog.current_setting('synchronous_commit'), (SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication \
         WHERE state = 'streaming'::text AND sync_state IN ('sync'::text, 'quorum'::text)), \
     pg_catalog.pg_has_role(current_user, 'pg_read_all_stats'::name, 'USAGE'::text)";

/// Refuses a server that acknowledges what no standby has, and names the first thing that is missing.
pub(crate) async fn check(session: &Session) -> Result<(), OpenError> {
    let rows = session.query(Request::new(STATE, [])).await?;
    let mut cells = Cells::new("pg_settings", rows.first().ok_or(Fault::Unexpected)?);
    let names = cells.string()?;
    let commit = cells.string()?;
    let standbys = cells.integer()?;
    let may_know = cells.boolean()?;
    if names.trim().is_empty() {
        return Err(OpenErrorKind::NotSynchronous.into());
    }
    if !["on", "remote_apply"].contains(&commit.as_str()) {
        return Err(OpenErrorKind::CommitsAhead.into());
    }
    match (standbys, may_know) {
        (1.., _) => Ok(()),
        (_, true) => Err(OpenErrorKind::NoStandby.into()),
        (_, false) => Err(OpenErrorKind::StandbysHidden.into()),
    }
}

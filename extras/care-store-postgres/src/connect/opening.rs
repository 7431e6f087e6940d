//! Opening a database: the checks before its first use.

use std::{
    pin::pin,
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use care_core::store::Epoch;
use futures_util::future::{Either, select};

use super::{schema, session::Session, synchronous, waiting::Waiting, wire::Wire};
use crate::base::{
    open_error::{OpenError, OpenErrorKind},
    settings::Settings,
};

/// PostgreSQL's own timeout fires this much later than ours, whose error can say who was waited for.
const GRACE: Duration = Duration::from_secs(30);

/// Longest time that a transaction of this store may sit idle before PostgreSQL ends it.
pub(crate) const IDLE: &str = "5s";

/// Everything needed to open a database.
pub(crate) struct Opener {
    pub(crate) wire: Arc<Wire>,
    pub(crate) settings: Settings,
    pub(crate) requires_synchronous: bool,
    pub(crate) fills: bool,
    /// Longest wait for others.
    pub(crate) limit: Duration,
    /// The migration scripts: [`schema::MIGRATIONS`], except in tests.
    pub(crate) scripts: &'static [&'static str],
}

impl Opener {
    /// Opens the database, and returns the connection that writes and the epoch.
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
        // If this process is killed while it waits, PostgreSQL notices and stops waiting too.
        let settings = settings.with("client_connection_check_interval", "1s");
        // If this process stops in the middle of a start, its transaction soon releases its locks to other starts.
        let settings = settings.with("idle_in_transaction_session_timeout", IDLE);
        let session = self.wire.attempt(&settings).await?;
        // The session may come from a pooler, where another client has used it before.
        let path = session.shown("RESET search_path; SHOW search_path").await?;
        if endpoint.names_a_path() && session.shown(PATH_FROM).await? != "client" {
            return Err(OpenErrorKind::PathIgnored.into());
        }
        let schema = named_schema(&path).ok_or(OpenErrorKind::NoSchema)?;
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
        let epoch = schema::migrate(&session, &schema, self.fills, self.scripts, process).await?;
        session.set(&endpoint.pinned(&self.settings)).await?;
        Ok((session, epoch))
    }
}

/// The origin of the search path: `client` if the connection brought it. The path is not pinned yet, so nothing here is
/// looked up along it.
const PATH_FROM: &str = "SELECT source FROM pg_catalog.pg_settings \
     WHERE name OPERATOR(pg_catalog.=) 'search_path'::pg_catalog.text";

/// The search path's entry for a schema named like the role. Any role that may create schemas in the database could
/// create that schema, and thereby choose where the service keeps its records.
const OF_THE_ROLE: &str = "$user";

/// Returns the first schema that a search path names. The address sets the path; without one there, the role's or the
/// database's setting does, and PostgreSQL's default ends in `public`. A schema that is merely named like the role
/// never counts.
fn named_schema(path: &str) -> Option<String> {
    let own = |name: &String| ["pg_catalog", "pg_temp", OF_THE_ROLE, ""].contains(&name.as_str());
    names(path).into_iter().find(|name| !own(name))
}

/// Splits a list of names as PostgreSQL does: unquoted names become lower case.
fn names(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = path.trim_start();
    while !rest.is_empty() {
        let mut name = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            while let Some((part, behind)) = rest.split_once('"') {
                name.push_str(part);
                rest = behind;
                // A doubled quote stands for one quote in the name.
                match rest.strip_prefix('"') {
                    Some(behind) => rest = behind,
                    None => break,
                }
                name.push('"');
            }
        }
        let (bare, behind) = rest.split_once(',').unwrap_or((rest, ""));
        name.push_str(&bare.trim().to_ascii_lowercase());
        names.push(name);
        rest = behind.trim_start();
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_named_schema_is_meant_and_never_that_of_the_role() {
        for (path, due) in [
            ("\"$user\", public", Some("public")),
            ("$user,public", Some("public")),
            ("care_1", Some("care_1")),
            ("Care , public", Some("care")),
            ("\"Facility \"\"A\"\", B\", public", Some("Facility \"A\", B")),
            ("pg_catalog, care, pg_temp", Some("care")),
            ("\"$user\"", None),
            ("\"\"", None),
            ("", None),
        ] {
            assert_eq!(named_schema(path).as_deref(), due, "{path}");
        }
    }
}

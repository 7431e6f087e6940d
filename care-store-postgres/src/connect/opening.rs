//! Opening a database: what is checked before the first use.

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

/// Beyond the longest wait, of which the opening knows more than PostgreSQL, PostgreSQL ends it.
const GRACE: Duration = Duration::from_secs(30);

/// The longest that a transaction of this store is left open without a statement.
pub(crate) const IDLE: &str = "5s";

/// The parts that it takes to open a database.
pub(crate) struct Opening {
    pub(crate) wire: Arc<Wire>,
    pub(crate) settings: Settings,
    pub(crate) requires_synchronous: bool,
    pub(crate) fills: bool,
    /// The longest time that it waits for others.
    pub(crate) limit: Duration,
    /// The scripts that lead to the schema: [`schema::MIGRATIONS`], but in tests.
    pub(crate) scripts: &'static [&'static str],
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
        // A server that is stopped within a transaction of its start holds up no other start for longer.
        let settings = settings.with("idle_in_transaction_session_timeout", IDLE);
        let session = self.wire.connect(&settings).await?;
        // Reset, because another client of a pooler may have had this session before.
        let path = session.shown("RESET search_path; SHOW search_path").await?;
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

/// The place in a search path that stands for a schema named like the role. Any role that may make schemas in the
/// database could make that one, and so choose where the service keeps its records.
const OF_THE_ROLE: &str = "$user";

/// Returns the first schema that a search path names: the one that stands in the address or, without one there, the one
/// that was set for the role or the database. Unless anything was set, it is `public`. A schema that is there because
/// it is named like the role is never meant.
fn named_schema(path: &str) -> Option<String> {
    let own = |name: &String| ["pg_catalog", "pg_temp", OF_THE_ROLE, ""].contains(&name.as_str());
    names(path).into_iter().find(|name| !own(name))
}

/// Returns the names of a list as PostgreSQL reads them: those without quotes in lower case.
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
                // Two are one in the name.
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

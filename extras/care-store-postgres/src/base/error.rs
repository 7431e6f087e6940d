//! Failures inside the store, and what they mean to a caller.

use care_core::{
    error::{StoreError, StoreErrorKind},
    model::Visible,
    store::{Damage, rows::RowError},
};
use tokio_postgres::error::{DbError, Severity, SqlState};

/// The reason why a statement failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// Its text quotes no value. The error is no `source`, because PostgreSQL's own text may quote a patient's data.
    #[error("{}", shown(.0))]
    Postgres(tokio_postgres::Error),
    /// The thread that drives the sockets has ended because the store is being closed.
    #[error("the store is being closed")]
    Closed,
    /// No connection became free in time.
    #[error("there was no answer, or no free connection, in time")]
    NoConnection,
    #[error(transparent)]
    Row(#[from] RowError),
    /// The finding of a check.
    #[error(transparent)]
    Damage(#[from] Damage),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the database was brought to a newer version")]
    Newer,
    /// Commits wait for standbys, but this role may not see how far the standbys are.
    #[error("commits wait for a standby, and what it has is hidden from this role, which needs pg_read_all_stats")]
    Hidden,
    /// A standby is required, and commits wait for none.
    #[error("a standby is required, and commits wait for none: synchronous_standby_names is empty")]
    Alone,
    #[error("a decision panicked")]
    Panicked,
    #[error("a statement answered something else than it should")]
    Unexpected,
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl Fault {
    /// Returns what the fault means before `COMMIT` was sent: whatever failed, nothing was written.
    pub(crate) fn kind(&self) -> StoreErrorKind {
        let error = match self {
            Self::Postgres(error) => error,
            Self::Closed | Self::Newer | Self::Hidden | Self::Alone => return StoreErrorKind::Stopped,
            Self::NoConnection => return StoreErrorKind::Busy,
            _ => return StoreErrorKind::Broken,
        };
        match error.code().map(SqlState::code) {
            // Without a code, the connection broke or was never made.
            None if self.is_lost() => StoreErrorKind::Busy,
            None => StoreErrorKind::Broken,
            Some(code) => meaning(code),
        }
    }

    /// Returns whether the connection broke, or could not be made.
    pub(crate) fn is_lost(&self) -> bool {
        match self {
            Self::Postgres(error) => {
                let ends = |error: &DbError| {
                    // A primary that was demoted or fenced will refuse every later write on this connection too.
                    is_severe(error, &[Severity::Fatal, Severity::Panic]) || error.code() == &READ_ONLY
                };
                let is_fatal = error.as_db_error().is_some_and(ends);
                let is_io = std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>());
                // Without a code and without a source of our own, the socket or the handshake failed.
                error.is_closed() || is_fatal || is_io || (error.code().is_none() && is_about_a_connection(error))
            }
            Self::NoConnection => true,
            _ => false,
        }
    }

    /// Returns whether the server asked for a password and there is none to send.
    pub(crate) fn lacks_a_password(&self) -> bool {
        let lacks = |source: &dyn std::error::Error| source.to_string() == NO_PASSWORD;
        matches!(self, Self::Postgres(error) if std::error::Error::source(error).is_some_and(lacks))
    }

    /// Returns whether a wait for another transaction's lock timed out.
    pub(crate) fn is_locked(&self) -> bool {
        matches!(self, Self::Postgres(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE))
    }

    /// Returns whether the server sent no answer at all.
    pub(crate) fn is_silence(&self) -> bool {
        match self {
            Self::Postgres(error) => error.code().is_none(),
            fault => matches!(fault, Self::NoConnection),
        }
    }

    /// Returns whether the connection failed in the TLS handshake, or because the certificate is not trusted.
    pub(crate) fn is_about_tls(&self) -> bool {
        matches!(self, Self::Postgres(error) if error.to_string().starts_with(HANDSHAKE))
    }

    /// Returns whether a retry is likely to succeed because another writer merely came first.
    pub(crate) fn is_beaten(&self) -> bool {
        let Self::Postgres(error) = self else {
            return false;
        };
        let Some(error) = error.as_db_error() else {
            return false;
        };
        let is_taken = error.code() == &SqlState::UNIQUE_VIOLATION && error.constraint() == Some(JOURNAL_KEY);
        is_taken || [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(error.code())
    }

    /// Returns whether the database's files can no longer be trusted, so that the store must stop writing to them.
    pub(crate) fn is_fatal(&self) -> bool {
        match self {
            Self::Postgres(error) => error.code().is_some_and(|state| ruins(state.code())),
            Self::Newer => true,
            _ => false,
        }
    }
}

/// The code of a write on a read-only connection.
const READ_ONLY: SqlState = SqlState::READ_ONLY_SQL_TRANSACTION;

/// The constraint on which two concurrent writers collide.
const JOURNAL_KEY: &str = "journal_pkey";

/// tokio-postgres's message for a missing password.
const NO_PASSWORD: &str = "password missing";

/// tokio-postgres's message for a failed TLS handshake.
const HANDSHAKE: &str = "error performing TLS handshake";

/// Returns whether a message has one of these severities, or gives its severity only as a localised word.
pub(crate) fn is_severe(message: &DbError, severities: &[Severity]) -> bool {
    message.parsed_severity().is_none_or(|severity| severities.contains(&severity))
}

/// Returns the meaning of an error before `COMMIT`, by its SQLSTATE.
fn meaning(code: &str) -> StoreErrorKind {
    match code {
        // Another writer's lock, a statement timeout, a deadlock, too many connections.
        "55P03" | "57014" | "40001" | "40P01" | "53300" => StoreErrorKind::Busy,
        // The server is shutting down, starting, recovering from a crash or now a standby, or the writer held its lock
        // too long.
        "57P01" | "57P02" | "57P03" | "57P05" | "25006" | "25P03" => StoreErrorKind::Busy,
        "53100" => StoreErrorKind::Full,
        // An earlier statement failed, for a reason that another attempt shows.
        "25P02" => StoreErrorKind::Busy,
        // Any other connection or resource error.
        _ if code.starts_with("08") || code.starts_with("53") => StoreErrorKind::Busy,
        _ if ruins(code) => StoreErrorKind::Stopped,
        _ => StoreErrorKind::Broken,
    }
}

fn ruins(code: &str) -> bool {
    matches!(code, "XX001" | "XX002" | "58030")
}

/// Returns whether tokio-postgres failed to connect. Its error kinds are private, so this compares the message.
fn is_about_a_connection(error: &tokio_postgres::Error) -> bool {
    let text = error.to_string();
    let known = ["error connecting to server", "error communicating with the server", "connection closed"];
    known.iter().chain(&["timeout waiting", HANDSHAKE]).any(|known| text.starts_with(known))
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        let kind = fault.kind();
        if matches!(kind, StoreErrorKind::Broken | StoreErrorKind::Stopped) {
            tracing::error!(error = %fault, "the store failed");
        }
        Self::new(kind, fault)
    }
}

/// Returns an error's text in one line, for logs and terminals. PostgreSQL quotes values in `DETAIL`, and those that it
/// cannot convert or that break a constraint in the message too; of these only the place is shown.
fn shown(error: &tokio_postgres::Error) -> String {
    let Some(error) = error.as_db_error() else {
        let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
        let texts = std::iter::once(error.to_string()).chain(causes.map(ToString::to_string));
        return texts.map(|text| Visible(&text).to_string()).collect::<Vec<_>>().join(": ");
    };
    let code = error.code().code();
    if !QUOTING.iter().any(|class| code.starts_with(class)) {
        return format!("{}: {} (SQLSTATE {code})", Visible(error.severity()), Visible(error.message()));
    }
    let places = [("table", error.table()), ("column", error.column()), ("constraint", error.constraint())];
    let places = places.into_iter().filter_map(|(what, name)| Some(format!(", {what} {}", Visible(name?))));
    format!("{}: SQLSTATE {code}{}", Visible(error.severity()), places.collect::<String>())
}

/// The classes of errors whose message may quote a value: data exceptions, violated constraints, and whatever a
/// function raises.
const QUOTING: [&str; 3] = ["22", "23", "P0"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_a_commit_nothing_was_written() {
        for (code, kind) in [
            ("55P03", StoreErrorKind::Busy),
            ("53300", StoreErrorKind::Busy),
            ("57P01", StoreErrorKind::Busy),
            ("57P03", StoreErrorKind::Busy),
            ("25006", StoreErrorKind::Busy),
            ("08006", StoreErrorKind::Busy),
            ("53200", StoreErrorKind::Busy),
            ("53100", StoreErrorKind::Full),
            ("25P02", StoreErrorKind::Busy),
            ("XX001", StoreErrorKind::Stopped),
            ("58030", StoreErrorKind::Stopped),
            ("23514", StoreErrorKind::Broken),
            ("42P01", StoreErrorKind::Broken),
        ] {
            assert_eq!(meaning(code), kind, "{code}");
        }
    }

    #[test]
    fn a_closed_store_takes_nothing_more() {
        assert_eq!(Fault::Closed.kind(), StoreErrorKind::Stopped);
        assert!(Fault::Newer.is_fatal() && !Fault::NoConnection.is_fatal());
    }
}

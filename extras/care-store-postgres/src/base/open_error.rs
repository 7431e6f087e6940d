//! The reasons why the store refuses to open a database.

use std::fmt;

use care_core::store::rows::RowError;

use super::error::Fault;

/// The reason why the store refuses to open a database. Its message names the address without the password.
#[derive(Debug)]
pub struct OpenError {
    address: String,
    kind: OpenErrorKind,
    /// The finding or the remedy, in words that can be shown.
    detail: Option<String>,
    source: Option<Box<Fault>>,
}

/// The kind of reason why a database is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum OpenErrorKind {
    /// The address is malformed.
    #[error("is not the address of a PostgreSQL database")]
    Address,
    /// The server cannot be reached, or refuses this user's connection.
    #[error("cannot be reached")]
    Unreachable,
    /// No schema of the search path exists.
    #[error("has no schema to keep tables in")]
    NoSchema,
    /// The address names a search path, which a pooler in between has not passed on.
    #[error(
        "is not opened, because the search_path in its options does not reach PostgreSQL: a pooler ignores it; set \
             the schema with ALTER ROLE … IN DATABASE … SET search_path instead"
    )]
    PathIgnored,
    /// Other roles may create objects in the schema.
    #[error(
        "is not opened, because other roles may create objects in its schema, which the service might then run; this \
             revokes it"
    )]
    Shared,
    /// Opening waited too long for others, who hold locks or do not answer.
    #[error("was not opened in time")]
    Waited,
    /// The schema holds objects that do not belong to this service.
    #[error("holds objects that do not belong to the Patient Care Service")]
    Foreign,
    /// A newer version of the service has written to the database.
    #[error("was written by a newer version of the service")]
    Newer,
    /// The database's encoding is not UTF-8.
    #[error("does not use the encoding UTF-8")]
    Encoding,
    /// The address holds a password, and other users can read the address.
    #[error(
        "is given with a password, which every user who lists the processes can read: put it in PGPASSWORD, or in the \
             file that PGPASSFILE names"
    )]
    Password,
    /// The server asks for a password, and there is none that may be sent over this connection.
    #[error(
        "asks for a password, and there is none that may be sent: set PGPASSWORD, or put it in the file that \
             PGPASSFILE names; unless the address says auth=plain, it is sent only over sockets and over TLS with \
             sslmode=require"
    )]
    PasswordAsked,
    /// The schema is empty, and the options say not to create the tables.
    #[error("holds no database of the service yet")]
    Empty,
    /// A synchronous standby is required, but the server is not configured to wait for one.
    #[error("does not wait for a synchronous standby: synchronous_standby_names is empty")]
    NotSynchronous,
    /// A synchronous standby is required, but the server acknowledges commits before the standby has them.
    #[error("does not wait for a synchronous standby: synchronous_commit is neither on nor remote_apply")]
    CommitsAhead,
    /// A synchronous standby is required, but none is connected.
    #[error("has no synchronous standby: no standby in synchronous_standby_names is streaming")]
    NoStandby,
    /// Commits wait for standbys, but this user may not see how far the standbys are.
    #[error(
        "waits for standbys, but does not let this user see how far they are: a superuser of PostgreSQL must GRANT \
             pg_read_all_stats TO the user of the address"
    )]
    StandbysHidden,
    /// The address asks for TLS, but the crate was built without its feature `tls`.
    #[error("is to be reached by TLS, and this program is built without the feature tls of care-store-postgres")]
    WithoutTls,
    /// The address asks for TLS, but the server does not offer it or its certificate is not trusted.
    #[error(
        "offers no TLS or shows a certificate that is not trusted: name the file of the certificate's issuer in \
             sslrootcert, or set sslmode=disable"
    )]
    Tls,
    /// The file of root certificates cannot be read.
    #[error("is not opened, because the file of root certificates cannot be read")]
    RootCertificates,
    /// The system could not start a thread, or the server failed.
    #[error("cannot be opened")]
    Failed,
}

impl OpenError {
    /// Returns the kind of reason.
    pub const fn kind(&self) -> OpenErrorKind {
        self.kind
    }

    /// Returns an error of this kind, with what was found in words that can be shown.
    pub(crate) fn with(kind: OpenErrorKind, detail: String) -> Self {
        Self { detail: Some(detail), ..kind.into() }
    }

    /// Returns the error with this address in its message.
    pub(crate) fn of(self, address: &str) -> Self {
        Self { address: address.to_owned(), ..self }
    }
}

impl From<OpenErrorKind> for OpenError {
    fn from(kind: OpenErrorKind) -> Self {
        Self { address: String::new(), kind, detail: None, source: None }
    }
}

impl From<Fault> for OpenError {
    fn from(fault: Fault) -> Self {
        let kind = match &fault {
            fault if fault.is_about_tls() => OpenErrorKind::Tls,
            fault if fault.lacks_a_password() => OpenErrorKind::PasswordAsked,
            fault if fault.is_lost() || is_refused(fault) => OpenErrorKind::Unreachable,
            _ => OpenErrorKind::Failed,
        };
        Self { address: String::new(), kind, detail: None, source: Some(Box::new(fault)) }
    }
}

impl From<RowError> for OpenError {
    fn from(error: RowError) -> Self {
        Fault::from(error).into()
    }
}

/// Returns whether the server refuses the connection: the database, the user or the password is wrong.
fn is_refused(fault: &Fault) -> bool {
    match fault {
        Fault::Postgres(error) => error.code().is_some_and(|state| ["28", "3D"].contains(&&state.code()[..2])),
        _ => false,
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, kind, .. } = self;
        write!(f, "{address} {kind}")?;
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        // The sentence already says it all, in better words.
        let source = self.source.as_ref().filter(|_| *kind != OpenErrorKind::PasswordAsked);
        source.map_or(Ok(()), |fault| write!(f, ": {fault}"))
    }
}

impl std::error::Error for OpenError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_silent_is_said_to_be() {
        let said = OpenError::from(Fault::NoConnection).of("postgres://db/care").to_string();
        assert_eq!(said, "postgres://db/care cannot be reached: there was no answer, or no free connection, in time");
    }
}

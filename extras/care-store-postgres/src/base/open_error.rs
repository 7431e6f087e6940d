//! The reasons why the store refuses to open a database.

use std::fmt;

use super::error::Fault;

/// The reason why the store refuses to open a database. Its message names the address without the password.
#[derive(Debug)]
pub struct OpenError {
    address: String,
    kind: OpenErrorKind,
    /// The finding or the remedy, in words that can be shown.
    detail: Option<String>,
    source: Option<Fault>,
}

/// The kind of reason why a database is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpenErrorKind {
    /// The address is malformed.
    Address,
    /// The server cannot be reached, or refuses this user's connection.
    Unreachable,
    /// No schema of the search path exists.
    NoSchema,
    /// The address names a search path, which a pooler in between has not passed on.
    PathIgnored,
    /// Other roles may create objects in the schema.
    Shared,
    /// Opening waited too long for others, who hold locks or do not answer.
    Waited,
    /// The schema holds objects that do not belong to this service.
    Foreign,
    /// A newer version of the service has written to the database.
    Newer,
    /// The database's encoding is not UTF-8.
    Encoding,
    /// The address holds a password, and other users can read the address.
    Password,
    /// The server asks for a password, and there is none that may be sent over this connection.
    PasswordAsked,
    /// The schema is empty, and the options say not to create the tables.
    Empty,
    /// A synchronous standby is required, but the server is not configured to wait for one.
    NotSynchronous,
    /// A synchronous standby is required, but the server acknowledges commits before the standby has them.
    CommitsAhead,
    /// A synchronous standby is required, but none is connected.
    NoStandby,
    /// Commits wait for standbys, but this user may not see how far the standbys are.
    StandbysHidden,
    /// The address asks for TLS, but the crate was built without its feature `tls`.
    WithoutTls,
    /// The address asks for TLS, but the server does not offer it or its certificate is not trusted.
    Tls,
    /// The file of root certificates cannot be read.
    RootCertificates,
    /// The system could not start a thread, or the server failed.
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
        Self { address: String::new(), kind, detail: None, source: Some(fault) }
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
        match kind {
            OpenErrorKind::Address => write!(f, "{address} is not the address of a PostgreSQL database")?,
            OpenErrorKind::Unreachable => write!(f, "{address} cannot be reached")?,
            OpenErrorKind::Shared => write!(
                f,
                "{address} is not opened, because other roles may create objects in its schema, which the service \
                 might then run; this revokes it"
            )?,
            OpenErrorKind::Waited => write!(f, "{address} was not opened in time")?,
            OpenErrorKind::NoSchema => write!(f, "{address} has no schema to keep tables in")?,
            OpenErrorKind::PathIgnored => write!(
                f,
                "{address} is not opened, because the search_path in its options does not reach PostgreSQL: a pooler \
                 ignores it; set the schema with ALTER ROLE … IN DATABASE … SET search_path instead"
            )?,
            OpenErrorKind::Foreign => {
                write!(f, "{address} holds objects that do not belong to the Patient Care Service")?
            }
            OpenErrorKind::Newer => write!(f, "{address} was written by a newer version of the service")?,
            OpenErrorKind::Encoding => write!(f, "{address} does not use the encoding UTF-8")?,
            OpenErrorKind::Password => write!(
                f,
                "the address of {address} holds a password, which every user who lists the processes can read: put it \
                 in PGPASSWORD, or in the file that PGPASSFILE names"
            )?,
            OpenErrorKind::PasswordAsked => write!(
                f,
                "{address} asks for a password, and there is none that may be sent: set PGPASSWORD, or put it in the \
                 file that PGPASSFILE names; unless the address says auth=plain, it is sent only over sockets and \
                 over TLS with sslmode=require"
            )?,
            OpenErrorKind::Empty => write!(f, "{address} holds no database of the service yet")?,
            OpenErrorKind::NotSynchronous => {
                write!(f, "{address} does not wait for a synchronous standby: synchronous_standby_names is empty")?;
            }
            OpenErrorKind::CommitsAhead => write!(
                f,
                "{address} does not wait for a synchronous standby: synchronous_commit is neither on nor remote_apply"
            )?,
            OpenErrorKind::NoStandby => {
                write!(f, "{address} has no synchronous standby: no standby in synchronous_standby_names is streaming")?
            }
            OpenErrorKind::StandbysHidden => write!(
                f,
                "{address} waits for standbys, but does not let this user see how far they are: a superuser of \
                 PostgreSQL must GRANT pg_read_all_stats TO the user of the address"
            )?,
            OpenErrorKind::WithoutTls => write!(
                f,
                "the address of {address} asks for TLS, but this program is built without the feature tls of \
                 care-store-postgres"
            )?,
            OpenErrorKind::Tls => write!(
                f,
                "{address} offers no TLS or shows a certificate that is not trusted: name the file of the \
                 certificate's issuer in sslrootcert, or set sslmode=disable"
            )?,
            OpenErrorKind::RootCertificates => {
                write!(f, "{address} is not opened, because the file of root certificates cannot be read")?;
            }
            OpenErrorKind::Failed => write!(f, "{address} cannot be opened")?,
        }
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

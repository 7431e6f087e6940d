//! Opening a database in PostgreSQL.

use care_store_postgres::{OpenError, Options, PostgresStore};

/// Opens the database at this address, which stands among the arguments of the process: so the password comes from the
/// environment.
pub(crate) fn open(options: Options, address: &str) -> Result<PostgresStore, OpenError> {
    options.password_from_environment().open(address)
}

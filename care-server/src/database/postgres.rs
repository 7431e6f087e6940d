//! Opening a database in PostgreSQL.

use std::env;

use care_store_postgres::{OpenError, Options, PostgresStore};

/// Opens the database at this address. The address is visible among the process's arguments, so the password comes from
/// the environment, as does the file of root certificates, under libpq's names.
pub(crate) fn open(options: Options, address: &str) -> Result<PostgresStore, OpenError> {
    let roots = env::var_os("PGSSLROOTCERT").filter(|path| !path.is_empty());
    let options = match roots {
        Some(path) => options.root_certificates(path),
        None => options,
    };
    options.password_from_environment().open(address)
}

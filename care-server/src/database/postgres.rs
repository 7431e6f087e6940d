//! Opening a database in PostgreSQL.

use std::env;

use care_store_postgres::{OpenError, Options, PostgresStore};

/// Opens the database at this address, which stands among the arguments of the process: so the password comes from the
/// environment, and so does, as libpq names it, the file of the certificates to trust.
pub(crate) fn open(options: Options, address: &str) -> Result<PostgresStore, OpenError> {
    let roots = env::var_os("PGSSLROOTCERT").filter(|path| !path.is_empty());
    let options = match roots {
        Some(path) => options.root_certificates(path),
        None => options,
    };
    options.password_from_environment().open(address)
}

//! Databases: where they are, and the stores that are opened there.

mod address;
#[cfg(feature = "postgres")]
mod postgres;
mod served;

pub use address::DatabaseAddress;
#[cfg(feature = "postgres")]
pub(crate) use postgres::open as open_postgres;
pub(crate) use served::ServedStore;

/// The sentence about a URL of PostgreSQL in a program that is built without it.
#[cfg(not(feature = "postgres"))]
pub(crate) const NO_POSTGRES: &str = "this program knows databases in files only: for postgres:// build it with \
     `cargo build --release -p care-server --features postgres`";

//! PostgreSQL in a temporary directory, for tests: found, started, and gone again when the test is over.
//!
//! A [`Cluster`] listens on a socket in a directory that its owner alone may enter, and on no port. Where the tests run
//! as root, which `initdb` refuses, PostgreSQL runs as another user of the machine.

mod cluster;
mod installation;
mod messages;
mod pooler;
mod processes;
mod proxy;
mod standby;
mod user;

pub use cluster::{Cluster, Durability};
pub use installation::{Installation, Missing, REQUIRED, installations};
pub use pooler::{NoPooler, Pooler};
pub use proxy::{Deed, Proxy, Rule, Statement};

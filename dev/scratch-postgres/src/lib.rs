//! PostgreSQL in a temporary directory, for tests: found, started, and removed when the test is over.
//!
//! A [`Cluster`] listens on a socket in a directory that only its owner may enter, and on no port. If the tests run as
//! root, which `initdb` refuses, PostgreSQL runs as another user of the machine.

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
pub use pooler::Pooler;
pub use proxy::{Deed, Proxy, Rule, Statement};

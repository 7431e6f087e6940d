//! Properties that hold for any bytes: the targets of the fuzzers in `dev/fuzz/`, which tests run on a stable toolchain
//! too.
//!
//! Each function makes a request or a value of arbitrary bytes, and panics when the service breaks the contract.

mod bodies;
mod clinic;
mod heads;
mod values;

pub use bodies::{json, round_trip, xml};
pub use heads::{accept, exchange, path};
pub use values::{date, key};

/// The name of a fuzz target, its property, and its first inputs.
type Property = (&'static str, fn(&[u8]), &'static [&'static str]);

/// All properties.
pub const PROPERTIES: [Property; 7] = [
    ("json", json, bodies::JSON),
    ("xml", xml, bodies::XML),
    ("path", path, heads::PATHS),
    ("accept", accept, heads::ACCEPTS),
    ("date", date, values::DATES),
    ("key", key, values::KEYS),
    ("exchange", exchange, heads::EXCHANGES),
];

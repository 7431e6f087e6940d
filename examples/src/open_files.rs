//! How many connections the system allows.

/// The files that a server opens beside its connections, and some to spare.
const OTHERS: usize = 128;
/// A server with fewer connections is none.
const LEAST: usize = 16;
/// With fewer open files a server cannot start its threads, its database, its socket and the least connections.
const FEWEST: u64 = 64;

/// Lets this process have this number of connections, each of which is an open file, and returns how many it may have:
/// fewer when the system does not let it, and `None` when it lets it have too few for a server.
///
/// The system's own limit is often 1,024 at first. It is lowered, too: a framework that accepts what comes stops there.
#[cfg(unix)]
pub(crate) fn allow(connections: usize) -> Option<usize> {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    let wanted = u64::try_from(connections.saturating_add(OTHERS)).unwrap_or(u64::MAX);
    let wanted = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
    limit.current = Some(wanted);
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "the number of connections stays as the system has it");
    }
    let current = getrlimit(Resource::Nofile).current.unwrap_or(wanted).min(wanted);
    let allowed = usize::try_from(current).unwrap_or(usize::MAX).saturating_sub(OTHERS).max(LEAST);
    (current >= FEWEST).then_some(allowed)
}

#[cfg(not(unix))]
pub(crate) const fn allow(connections: usize) -> Option<usize> {
    Some(connections)
}

//! The number of connections that the system allows.

/// The number of files that a server opens beside its connections, and some to spare.
const OTHERS: usize = 128;
/// The lowest number of connections with which a server starts.
const LEAST: usize = 16;
/// The lowest limit of open files with which a server can start: threads, database, socket and the fewest connections.
const FEWEST: u64 = 64;

/// Raises the limit of open files for this number of connections, and returns the number of connections that it allows.
/// That is fewer when the system refuses more, and `None` when it is too few for a server.
///
/// The system's limit is often 1,024 at first. It may also be lowered here: a framework that accepts every connection
/// then stops at the limit.
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

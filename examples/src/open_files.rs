//! How many connections the system allows.

/// Raises the number of files that may be open, as far as the system lets it: often it is 1,024 at
/// first, and every connection is one.
#[cfg(unix)]
pub(crate) fn allow_many() {
    use rustix::process::{Resource, getrlimit, setrlimit};

    const MANY: u64 = 65_536;
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(MANY, |maximum| maximum.min(MANY));
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%error, "the number of connections stays limited");
        }
    }
}

#[cfg(not(unix))]
pub(crate) fn allow_many() {}

//! The functions that SQLite calls while the writer's connection runs a statement.
//!
//! Not every rusqlite that the store takes accepts a closure here. So their state is that of the thread, which has one
//! connection that writes.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, hooks::Wal};

use crate::base::signals::Signals;

/// The time between two tries for a lock of another process. SQLite's own handler soon waits a hundred times as long,
/// and would never meet the moment between two commits of a busy process that shares the file.
pub(crate) const POLL: Duration = Duration::from_millis(1);

thread_local! {
    /// The time until which another process's lock is awaited.
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
    /// The place for the length of the log.
    static SIGNALS: RefCell<Option<Arc<Signals>>> = const { RefCell::new(None) };
}

/// Lets a connection call these functions, on whatever thread it runs.
pub(crate) fn install(conn: &mut Connection) -> rusqlite::Result<()> {
    // This goes before the constant of the same name below, where there is one.
    #[allow(clippy::wildcard_imports, unused_imports, reason = "the name is not in every version")]
    use rusqlite::*;
    conn.busy_handler(Some(wait as fn(i32) -> bool))?;
    // Versions that pass a shared reference return nothing, and the others refuse only a connection of others.
    let _ = conn.wal_hook(Some(DEFAULT_NAME.hook()));
    Ok(())
}

/// The constant of versions that pass the log to its hook as a shared reference: the others have one of this name.
#[allow(dead_code, reason = "it depends on the version")]
const DEFAULT_NAME: Shared = Shared;
struct Shared;

/// A version of rusqlite, and the reference by which it passes the log to its hook.
trait Passes {
    type Hook;
    fn hook(self) -> Self::Hook;
}

impl Passes for Shared {
    type Hook = fn(&Wal, i32) -> rusqlite::Result<()>;

    fn hook(self) -> Self::Hook {
        |_, pages| logged(pages)
    }
}

impl Passes for Option<&'static str> {
    type Hook = fn(&mut Wal, i32) -> rusqlite::Result<()>;

    fn hook(self) -> Self::Hook {
        |_, pages| logged(pages)
    }
}

/// Makes this thread the one that writes for a store.
pub(crate) fn write_for(signals: &Arc<Signals>) {
    SIGNALS.set(Some(Arc::clone(signals)));
}

/// Sets the time until which this thread waits for another process's lock.
pub(crate) fn wait_until(deadline: Instant) {
    DEADLINE.set(Some(deadline));
}

fn logged(pages: i32) -> rusqlite::Result<()> {
    SIGNALS.with_borrow(|signals| {
        if let Some(signals) = signals {
            signals.logged(u64::try_from(pages).unwrap_or_default());
        }
    });
    Ok(())
}

fn wait(_: i32) -> bool {
    let has_time = DEADLINE.get().is_some_and(|deadline| Instant::now() < deadline);
    if has_time {
        thread::sleep(POLL);
    }
    has_time
}

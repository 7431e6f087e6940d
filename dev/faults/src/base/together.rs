//! Clients that work at once.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use crate::{Failure, Result, joined};

/// The stack of a client: a crowd has many, which do little.
const STACK: usize = 1 << 20;

/// Whether what the clients work beside is over.
#[derive(Debug, Default)]
pub(crate) struct Over(AtomicBool);

impl Over {
    pub(crate) fn is(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs this many clients, each told its number, beside something; they end when that is over. Returns what both have
/// found.
pub(crate) fn beside<C: Send, T>(
    clients: usize,
    client: impl Fn(u64, &Over) -> Result<C> + Sync,
    act: impl FnOnce() -> Result<T>,
) -> Result<(Vec<C>, T)> {
    let (over, client) = (Over::default(), &client);
    thread::scope(|scope| {
        let start = |number| {
            let over = &over;
            let named = thread::Builder::new().stack_size(STACK);
            named.spawn_scoped(scope, move || client(number, over))
        };
        let running: Result<Vec<_>, _> = (0..clients as u64).map(start).collect();
        let done = running.as_ref().map_err(Failure::from).and_then(|_| act());
        over.now();
        let found: Result<Vec<C>> = running?.into_iter().map(joined).collect();
        // The failure of the disturbance explains more than those of its clients.
        let done = done?;
        Ok((found?, done))
    })
}

/// Runs this many clients to their end.
pub(crate) fn at_once<C: Send>(clients: usize, client: impl Fn(u64) -> Result<C> + Sync) -> Result<Vec<C>> {
    Ok(beside(clients, |number, _| client(number), || Ok(()))?.0)
}

/// Locks, also what a thread has left that panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

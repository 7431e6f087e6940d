//! Concurrent threads.

use std::{sync::Barrier, thread};

/// Runs the racer on this number of threads, all started at once, and returns their results.
pub(super) fn race<T: Send>(racers: usize, racer: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(racers);
    thread::scope(|scope| {
        let running: Vec<_> = (0..racers)
            .map(|number| {
                let (start, racer) = (&start, &racer);
                scope.spawn(move || {
                    start.wait();
                    racer(number)
                })
            })
            .collect();
        running.into_iter().map(|racer| racer.join().expect("every racer comes home")).collect()
    })
}

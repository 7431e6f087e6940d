//! Many threads at once.

use std::{sync::Barrier, thread};

/// Runs a racer on each of so many threads, all let go at once, and hands back what each came home with.
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

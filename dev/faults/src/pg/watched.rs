//! A client that counts its answers by status.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use crate::{Ending, Port, Request, lock};

/// The statuses that were answered, and how often.
#[derive(Debug, Clone, Default)]
pub(super) struct Statuses(Arc<Mutex<BTreeMap<u16, u64>>>);

/// A client whose answers are counted.
pub(super) struct Watched {
    port: Box<dyn Port>,
    statuses: Statuses,
}

impl Statuses {
    /// Counts the answers to these clients.
    pub(super) fn of(&self, ports: Vec<Box<dyn Port>>) -> Vec<Box<dyn Port>> {
        let watched = |port| Box::new(Watched { port, statuses: self.clone() }) as Box<dyn Port>;
        ports.into_iter().map(watched).collect()
    }

    /// Returns how often this status was answered.
    pub(super) fn count(&self, status: u16) -> u64 {
        lock(&self.0).get(&status).copied().unwrap_or_default()
    }
}

impl Port for Watched {
    fn ask(&mut self, request: &Request) -> Ending {
        let ending = self.port.ask(request);
        if let Ending::Answer(answer) = &ending {
            *lock(&self.statuses.0).entry(answer.status).or_default() += 1;
        }
        ending
    }
}

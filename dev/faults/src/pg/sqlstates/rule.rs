//! The proxy's rule: an error in place of the answer to one statement.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use care_scratch_postgres::{Deed, Statement};

use crate::lock;

/// The pseudo-statement that starts every connection.
pub(super) const STARTUP: &str = "startup";

/// The purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    Writes,
    Reads,
    /// It looks for other servers' entries.
    Looks,
}

/// A statement on one kind of connection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) role: Role,
    pub(super) text: String,
}

/// The error to cause, and the statements seen so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Injection(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    roles: BTreeMap<u64, Role>,
    places: BTreeSet<Place>,
    armed: Option<Armed>,
    hits: u64,
}

/// An error to cause.
#[derive(Debug, Clone)]
pub(super) struct Armed {
    pub(super) place: Place,
    pub(super) deed: Deed,
    /// The treatment of new connections meanwhile.
    pub(super) startup: Option<Deed>,
    pub(super) is_once: bool,
}

impl Injection {
    /// Decides what to do with a statement.
    pub(super) fn judge(&self, Statement { connection, text }: &Statement) -> Deed {
        let mut state = self.state();
        if text == STARTUP {
            let armed = state.armed.as_ref().filter(|_| state.hits > 0);
            return armed.and_then(|armed| armed.startup.clone()).unwrap_or(Deed::Pass);
        }
        let Some(role) = state.roles.get(connection).copied() else {
            // A connection's settings show what it is for.
            if let Some(role) = role(text) {
                state.roles.insert(*connection, role);
            }
            return Deed::Pass;
        };
        let place = Place { role, text: text.clone() };
        let is_over = |armed: &Armed| armed.is_once && state.hits > 0;
        let armed = state.armed.as_ref().filter(|armed| armed.place == place && !is_over(armed));
        let deed = armed.map(|armed| armed.deed.clone());
        state.hits += u64::from(deed.is_some());
        state.places.insert(place);
        deed.unwrap_or(Deed::Pass)
    }

    /// Forgets the statements seen so far.
    pub(super) fn forget(&self) {
        self.state().places.clear();
    }

    /// Starts causing an error.
    pub(super) fn arm(&self, armed: Armed) {
        let mut state = self.state();
        (state.armed, state.hits) = (Some(armed), 0);
    }

    /// Stops causing errors.
    pub(super) fn disarm(&self) {
        self.state().armed = None;
    }

    /// Returns how often the error happened.
    pub(super) fn hits(&self) -> u64 {
        self.state().hits
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    /// Returns the statements that a server can answer with an error.
    pub(super) fn places(&self) -> Vec<Place> {
        let state = self.state();
        let is_one =
            |place: &&Place| !place.text.is_empty() && !place.text.starts_with("SET ") && place.text != "ROLLBACK";
        state.places.iter().filter(is_one).cloned().collect()
    }
}

fn role(settings: &str) -> Option<Role> {
    let known = [
        // Readers have a lock timeout too.
        ("default_transaction_read_only", Role::Reads),
        ("lock_timeout", Role::Writes),
        ("statement_timeout", Role::Looks),
    ];
    known.iter().find(|(name, _)| settings.contains(name)).map(|(_, role)| *role)
}

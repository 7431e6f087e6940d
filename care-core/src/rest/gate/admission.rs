//! Admission: the places that a request's work waits for, and the room that its answer waits for and keeps until it is
//! read.

use std::{pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use http::request::Parts;

use super::{settings::Api, throttle::Peer};
use crate::{
    keys::Principal,
    operation::Nature,
    rest::{
        contract::{
            facade::Load,
            limits::{Limits, MAX_PAGE_BYTES},
            operation::Operation,
            problem::Problem,
        },
        fair::{
            Fair, Place,
            set::{Ask, Set},
        },
        http::path,
        operations::{queries::parameters, query::DEFAULT_LIMIT},
    },
};

/// The length of answers that are always given, at most.
pub(super) const SHORT: usize = 64 * 1024;
/// The changes that the store has at once, counted in light ones. A batch of light ones takes the store some 50 ms, and
/// one of the heaviest twice as long. A key alone still fills it: with 64 clients that send short bodies.
const WRITES: usize = 72;
/// The bytes of its body for each of which a change counts once more: a visit with 30 prescriptions takes 1.5 ms.
const HEAVIER_EACH: usize = 512;
/// The most that a change counts, so that four of the heaviest run at once. A visit of 64 KiB takes as long as 35 light
/// changes.
const HEAVIEST: usize = WRITES / 4;
/// The lists by a parameter without an index that are read at once. Such a page may look at a million rows.
const SCANS: usize = 1;
/// The reports that are computed at once, and beside them the looks at the front desk's day. Each takes a processor for
/// as long as it is computed.
const REPORTS: usize = 1;
/// The places of a history among lists: 10,000 diseases take a processor for 30 ms and 48 MiB.
const HISTORY: usize = 2;
/// The part of the room for reads, as a divisor, that there is beside it for clients without a key, and again for the
/// answers to the changes of each key.
const PART_BESIDE: usize = 8;
/// The polls of one key that wait.
const POLLS_OF_A_KEY: usize = 128;
/// A key alone leaves one of each of these places free.
const SPARE: usize = 16;
/// The longest wait for room.
const PATIENCE: Duration = Duration::from_secs(2);

impl Load {
    /// The load of the entry of a read in the journal.
    pub(super) const NOTE: Self = Self { work: Some((Set::Writes, 1)), room: 0 };

    /// Returns the load of a request for an operation, with a body of this length.
    pub(super) fn of(operation: Operation, query: Option<&str>, body: usize, limits: &Limits) -> Self {
        let change = Some((Set::Writes, (1 + body / HEAVIER_EACH).min(HEAVIEST)));
        match operation.nature() {
            Nature::Plain | Nature::Single | Nature::News | Nature::Document => Self::SHORT,
            Nature::LongSingle => Self { work: Some((Set::Lists, HISTORY)), room: MAX_PAGE_BYTES },
            Nature::Page(kibibytes) => Self::of_page(operation, query, kibibytes << 10, limits),
            Nature::Journal => Self::of_page(operation, query, MAX_PAGE_BYTES, limits),
            Nature::Report => Self { work: Some((Set::Reports, 1)), room: MAX_PAGE_BYTES },
            Nature::Day => Self { work: Some((Set::Days, 1)), room: MAX_PAGE_BYTES },
            Nature::Change(_) | Nature::VersionedChange(_) => Self { work: change, room: 0 },
        }
    }

    /// Returns the load of a request for a page of items of at most this many bytes.
    fn of_page(operation: Operation, query: Option<&str>, item: usize, limits: &Limits) -> Self {
        let (mut set, mut items) = (Set::Lists, None);
        for pair in query.unwrap_or_default().split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match path::decode(name) {
                Ok(name) if name == "limit" => {
                    items = path::decode(value).ok().and_then(|value| value.parse().ok());
                }
                Ok(name) if parameters(operation).any(|known| known.is_unindexed && known.name == name) => {
                    set = Set::Scans;
                }
                Ok(_) | Err(_) => {}
            }
        }
        let items = items.unwrap_or(DEFAULT_LIMIT).min(limits.page);
        Self { work: Some((set, 1)), room: items.saturating_mul(item).min(MAX_PAGE_BYTES) }
    }
}

impl Api {
    /// Returns whether a client without a request under way would get a place for one. A host says so to probes.
    pub fn has_place(&self) -> bool {
        self.settings.fair.has_place(requests(self.limits()))
    }

    /// Takes the place of a request under way of this principal, which it needs to use the store.
    pub(super) fn take_place(&self, principal: &Principal) -> Result<Place, Problem> {
        self.settings.fair.take(self.key_of(principal), requests(self.limits())).ok_or(Problem::Overloaded)
    }

    /// Takes the place of a poll, which ends the oldest one of a key that has many.
    pub(super) fn take_poll_place(&self, place: &Place) -> Result<Place, Problem> {
        let most = self.limits().polls;
        let share = POLLS_OF_A_KEY.min(most - most.div_ceil(SPARE)).max(1);
        place.poll(Ask::new(Set::Polls, 1, most), share).ok_or(Problem::Overloaded)
    }

    /// Waits in turn for room for the answer, if it may be long: for two seconds at most.
    pub(super) async fn wait_for_room(&self, load: Load, place: &Place) -> Result<Option<Place>, Problem> {
        if load.room <= SHORT {
            return Ok(None);
        }
        let ask = Ask::new(Set::Room, load.room, self.limits().unread);
        let room = self.settings.patience.within(PATIENCE, pin!(place.beside(ask, self.waiting()))).await;
        room.flatten().map(Some).ok_or(Problem::Overloaded)
    }

    /// Waits in turn for what an answer of this length takes beyond the room that it has: for as much as a key may
    /// have, so that the longest answer is given to a key that has no other.
    pub(super) async fn wait_for_more_room(&self, room: &Place, length: usize) -> Result<(), Problem> {
        let most = self.limits().unread;
        let more = length.min(most - most.div_ceil(SPARE)).saturating_sub(room.held());
        if more == 0 {
            return Ok(());
        }
        let has_room = self.settings.patience.within(PATIENCE, pin!(room.grow(more, self.waiting()))).await;
        if has_room == Some(true) { Ok(()) } else { Err(Problem::Overloaded) }
    }

    /// Refuses a change of a key that has left more than its part of such answers unread, or any while all keys have
    /// left as much of them as there is room for reads. Otherwise its answer will be given, whatever other keys leave
    /// unread. The answers to the changes that a key has under way come on top.
    pub(super) fn admit_change(&self, place: &Place) -> Result<(), Problem> {
        let (own, all) = place.held_beside(Set::ChangeAnswers);
        let most = self.limits().unread;
        let is_crowded = own > most / PART_BESIDE || own > 0 && all > most;
        if is_crowded { Err(Problem::Overloaded) } else { Ok(()) }
    }

    /// Returns room for an answer for which none was kept, if there is some now. The answer to a change always has it,
    /// since the change is made. Clients without a key have room of their own, so that they never take that of others.
    pub(super) fn take_room(&self, head: &Parts, principal: Option<&Principal>, length: usize) -> Option<Place> {
        let (fair, most) = (&self.settings.fair, self.limits().unread);
        match principal {
            Some(principal) if head.method.is_safe() => {
                fair.take(self.key_of(principal), Ask::new(Set::Room, length, most))
            }
            Some(principal) => {
                Some(fair.take_anyway(self.key_of(principal), Ask::new(Set::ChangeAnswers, length, length)))
            }
            None => {
                let told = match &self.settings.throttle {
                    Some(throttle) => throttle.address(head),
                    None => head.extensions.get().copied().map(Peer::subscriber),
                };
                let address = told.map_or_else(String::new, |address| address.to_string());
                fair.take(&address.into(), Ask::new(Set::KeylessRoom, length, most / PART_BESIDE))
            }
        }
    }

    /// Waits in turn for a place for the work, if it needs one.
    pub(super) async fn wait_for_turn(&self, load: Load, place: &Place) -> Result<Option<Place>, Problem> {
        let Some((set, amount)) = load.work else {
            return Ok(None);
        };
        let most = match set {
            Set::Lists => self.limits().lists(),
            Set::Scans => SCANS,
            Set::Reports | Set::Days => REPORTS,
            Set::Writes => WRITES,
            Set::Requests | Set::Room | Set::ChangeAnswers | Set::KeylessRoom | Set::Polls => {
                return Err(Problem::Internal);
            }
        };
        let turn = place.beside(Ask::new(set, amount, most), self.waiting()).await;
        turn.map(Some).ok_or(Problem::Overloaded)
    }

    /// Returns the name under which a principal's requests count.
    fn key_of<'a>(&self, principal: &'a Principal) -> &'a Arc<str> {
        if self.wants_principal() { &principal.name } else { &principal.id }
    }

    /// Returns the number of requests of a key that may wait: they hold their places, of which others need some.
    fn waiting(&self) -> usize {
        self.limits().in_flight.div_ceil(4)
    }

    fn limits(&self) -> &Limits {
        self.settings.contract.limits()
    }
}

/// Asks for the place of a request under way.
fn requests(limits: &Limits) -> Ask {
    Ask::new(Set::Requests, 1, limits.in_flight)
}

/// A body that counts as unread until it is dropped: by the frontend, once its last byte is handed to the socket.
#[derive(Debug)]
struct UnreadBody {
    body: Bytes,
    fair: Arc<Fair>,
    /// The room of a long answer, which is kept as long as the body.
    _room: Option<Place>,
}

/// Returns the body, which counts as unread, and keeps its room, until it is dropped.
pub(super) fn unread(body: Bytes, room: Option<Place>, fair: &Arc<Fair>) -> Bytes {
    fair.unread().rise_by(body.len());
    Bytes::from_owner(UnreadBody { body, fair: Arc::clone(fair), _room: room })
}

impl AsRef<[u8]> for UnreadBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for UnreadBody {
    fn drop(&mut self) {
        self.fair.unread().fall_by(self.body.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operation: Operation, query: &str) -> Load {
        Load::of(operation, Some(query), 0, &Limits::new())
    }

    #[test]
    fn a_list_that_no_index_serves_waits_apart() {
        let list = Operation::ListMovements;
        for query in ["from=01/01/2026", "limit=1&to=x", "fr%6fm=", "medicine=a&lot=b", "kind=refund"] {
            assert_eq!(of(list, query).work, Some((Set::Scans, 1)), "{query}");
        }
        assert_eq!(of(Operation::ListStock, "expiresTo=31/12/2026").work, Some((Set::Scans, 1)));
        for query in ["", "state=paid&newest=true", "medicine=a", "holder=from", "%zz"] {
            assert_eq!(of(list, query).work, Some((Set::Lists, 1)), "{query}");
        }
    }

    #[test]
    fn a_page_needs_room_for_as_many_items_as_it_may_have() {
        for (operation, query, room) in [
            (Operation::ListPatients, "limit=5", 80 << 10),
            (Operation::ListPatients, "", 800 << 10),
            (Operation::ListPatients, "l%69mit=500", MAX_PAGE_BYTES),
            (Operation::ListPatients, "limit=99999999999999999999", 800 << 10),
            (Operation::ListEvents, "limit=1", MAX_PAGE_BYTES),
            (Operation::GetHistory, "", MAX_PAGE_BYTES),
            (Operation::GetRestock, "", MAX_PAGE_BYTES),
            (Operation::PayInvoice, "", 0),
            (Operation::GetPatient, "limit=500", 0),
        ] {
            assert_eq!(of(operation, query).room, room, "{} {query}", operation.id());
        }
    }

    #[test]
    fn a_change_weighs_by_its_body() {
        let of = |body| Load::of(Operation::AddConsultation, None, body, &Limits::new()).work;
        assert_eq!((of(0), of(511)), (Some((Set::Writes, 1)), Some((Set::Writes, 1))));
        assert_eq!((of(600), of(64 << 10)), (Some((Set::Writes, 2)), Some((Set::Writes, 18))));
    }
}

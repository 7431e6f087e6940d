//! Admission: the slots that a request's work waits for, and the memory that its answer waits for and keeps until it is
//! read.

use std::{
    borrow::Cow,
    future::poll_fn,
    mem,
    net::IpAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::request::Parts;

use super::{
    bodies::{Bodies, BodyPermit},
    deadline::Deadlines,
    head,
    settings::Api,
    throttle::Peer,
};
use crate::{
    keys::Principal,
    meter::{Meter, Pause, Work},
    operation::Nature,
    rest::{
        admission::{
            Admission, Permit,
            resource::{Claim, Resource},
        },
        contract::{
            facade::Load,
            limits::{Limits, MAX_PAGE_BYTES, threads},
            operation::Operation,
            problem::Problem,
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
/// The lists by a parameter without an index that are under way at once. Such a page may look at a million rows. A key
/// alone has one of them.
const SCANS: usize = 2;
/// The reports that are under way at once, each of which holds the figures of all medicines. A key alone has one.
const REPORTS: usize = 2;
/// The histories that are under way at once: 10,000 diseases take 48 MiB. A key alone has one.
const HISTORIES: usize = 2;
/// The work of a request as such, in bytes that are read: as long as a read of a record takes.
const REQUEST: u64 = 4096;
/// The work of a byte that arrives, in bytes that are read: it is parsed.
const ARRIVED: u64 = 4;
/// The longest wait of a change for a slot after its commit.
const SLOT_TIMEOUT: Duration = Duration::from_secs(2);
/// The part of the memory for reads, as a divisor, that there is beside it for clients without a key, and again for the
/// answers to the changes of each key.
const PART_BESIDE: usize = 8;
/// The polls of one key that wait.
const POLLS_OF_A_KEY: usize = 128;
/// A key alone leaves one of each of these slots free.
const SPARE: usize = 16;
/// The longest wait for memory.
const MEMORY_TIMEOUT: Duration = Duration::from_secs(2);

impl Load {
    /// The load of the entry of a read in the journal.
    pub(super) const NOTE: Self = Self { work: Some((Resource::Writes, 1)), memory: 0 };

    /// Returns the load of a request for an operation, with a body of this length.
    pub(super) fn of(operation: Operation, query: Option<&str>, body: usize, limits: &Limits) -> Self {
        let change = Some((Resource::Writes, (1 + body / HEAVIER_EACH).min(HEAVIEST)));
        match operation.nature() {
            Nature::Plain | Nature::Single | Nature::News | Nature::Document => Self::SHORT,
            Nature::LongSingle => Self { work: Some((Resource::Histories, 1)), memory: MAX_PAGE_BYTES },
            Nature::Page(kibibytes) => Self::of_page(operation, query, kibibytes << 10, limits),
            Nature::Journal => Self::of_page(operation, query, MAX_PAGE_BYTES, limits),
            Nature::Report => Self { work: Some((Resource::Reports, 1)), memory: MAX_PAGE_BYTES },
            Nature::Day => Self { work: None, memory: MAX_PAGE_BYTES },
            Nature::Change(_) | Nature::VersionedChange(_) => Self { work: change, memory: 0 },
        }
    }

    /// Returns the load of a request for a page of items of at most this many bytes.
    fn of_page(operation: Operation, query: Option<&str>, item: usize, limits: &Limits) -> Self {
        let mut work = None;
        let mut items = None;
        for pair in query.unwrap_or_default().split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match path::decode(name) {
                Ok(name) if name == "limit" => {
                    items = path::decode(value).ok().and_then(|value| value.parse().ok());
                }
                Ok(name) if parameters(operation).any(|known| known.is_unindexed && known.name == name) => {
                    work = Some((Resource::Scans, 1));
                }
                Ok(_) | Err(_) => {}
            }
        }
        let items = items.unwrap_or(DEFAULT_LIMIT).min(limits.page);
        Self { work, memory: items.saturating_mul(item).min(MAX_PAGE_BYTES) }
    }
}

impl Api {
    /// Returns whether a client without a request under way would get a slot for one. A host says so to probes.
    pub fn has_capacity(&self) -> bool {
        self.settings.admission.has_capacity(requests(self.limits()))
    }

    /// Takes the slot of a request under way of this principal, which it needs to send a body and to use the store.
    pub(super) fn acquire_slot(&self, head: &Parts, principal: &Principal) -> Result<Permit, Problem> {
        let work = work_of(head::size(head));
        let permit = self.settings.admission.arrive(&self.key_of(head, principal), requests(self.limits()), work);
        permit.ok_or(Problem::Overloaded)
    }

    /// Waits until a client without a key whose address has used much lately may go on to be parsed. The wait is over
    /// once the result is dropped.
    pub(super) async fn enter_keyless(&self, head: &Parts) -> Result<Option<Permit>, Problem> {
        let threads = Claim::new(Resource::Entry, 1, threads());
        let work = work_of(head::size(head));
        let permit = self.settings.admission.arrive_keyless(&self.name_of_address(head), threads, work);
        self.enter(&permit).await
    }

    /// Waits for a thread if the key has used much lately while others are active.
    async fn enter(&self, permit: &Permit) -> Result<Option<Permit>, Problem> {
        if !permit.gives_way() {
            return Ok(None);
        }
        let threads = Claim::new(Resource::Entry, 1, threads());
        permit.acquire(threads, self.waiting()).await.map(Some).ok_or(Problem::Overloaded)
    }

    /// Awaits a request and counts its work, for which its key is charged. At the short bound it waits for a slot of
    /// long work, and after each quantum it lets others pass. A change waits as long as its patience lasts, and then
    /// goes on without a slot: it is made.
    pub(super) async fn metered<T>(
        &self,
        permit: &Permit,
        mut patience: Option<Patience<'_>>,
        mut request: Pin<&mut (impl Future<Output = Result<T, Problem>> + ?Sized)>,
    ) -> Result<T, Problem> {
        let mut counted = Counted { meter: Meter::new(), permit };
        let mut entry = self.enter(permit).await?;
        let mut slot = None;
        let mut quanta = 0_u32;
        loop {
            let done = poll_fn(|context| {
                let (polled, pause) = counted.meter.poll(request.as_mut(), context);
                // The request is parsed before its first wait.
                entry = None;
                match (polled, pause) {
                    (Poll::Ready(done), _) => Poll::Ready(Some(done)),
                    (Poll::Pending, Some(Pause::Due)) => Poll::Ready(None),
                    (Poll::Pending, Some(Pause::ForAnother)) => {
                        slot = None;
                        counted.meter.exhaust();
                        Poll::Pending
                    }
                    (Poll::Pending, None) => Poll::Pending,
                }
            });
            let done = done.await;
            counted.take();
            if let Some(done) = done {
                return done;
            }
            permit.charge();
            let is_first = quanta == 0;
            let has_slot = pin!(self.take_turn(permit, &mut slot, length(quanta)));
            quanta += 1;
            match &mut patience {
                None => has_slot.await?,
                Some(patience) => patience.wait(&self.settings.timeouts, has_slot).await,
            }
            // It may have been served at once, and the tasks of its thread have not run.
            if !is_first {
                yield_now().await;
            }
        }
    }

    /// Waits for a slot of long work, or lets others pass if the request has one.
    async fn take_turn(&self, permit: &Permit, slot: &mut Option<Permit>, length: u8) -> Result<(), Problem> {
        match slot {
            Some(slot) => slot.pass(length).await,
            None => {
                let threads = Claim::new(Resource::LongWork, 1, self.limits().long_work());
                *slot = Some(permit.acquire(threads, self.waiting()).await.ok_or(Problem::Overloaded)?);
            }
        }
        Ok(())
    }

    /// Returns the permit to receive the body of a request of this principal.
    pub(super) fn body_permit(&self, head: &Parts, principal: Option<&Principal>) -> BodyPermit {
        let key = principal.map(|principal| self.key_of(head, principal).into_owned()).unwrap_or_default();
        Bodies::permit(Arc::clone(&self.settings.bodies), key, self.limits().body)
    }

    /// Returns whether a further poll of the key would end its oldest one.
    pub(super) fn has_all_polls(&self, permit: &Permit) -> bool {
        permit.usage_of(Resource::Polls).0 >= self.polls_of_a_key()
    }

    /// Takes the slot of a poll, which ends the oldest one of a key that has many.
    pub(super) fn acquire_poll_slot(&self, permit: &Permit) -> Result<Permit, Problem> {
        let claim = Claim::new(Resource::Polls, 1, self.limits().polls);
        permit.poll(claim, self.polls_of_a_key()).ok_or(Problem::Overloaded)
    }

    fn polls_of_a_key(&self) -> usize {
        let most = self.limits().polls;
        POLLS_OF_A_KEY.min(most - most.div_ceil(SPARE)).max(1)
    }

    /// Waits in its queue for memory for the answer, if it may be long: for two seconds at most.
    pub(super) async fn reserve_memory(&self, load: Load, permit: &Permit) -> Result<Option<Permit>, Problem> {
        if load.memory <= SHORT {
            return Ok(None);
        }
        let ask = Claim::new(Resource::AnswerMemory, load.memory, self.limits().unread);
        let memory = self.settings.timeouts.within(MEMORY_TIMEOUT, pin!(permit.acquire(ask, self.waiting()))).await;
        memory.flatten().map(Some).ok_or(Problem::Overloaded)
    }

    /// Waits in its queue for what an answer of this length takes beyond the memory that it has: for as much as a key
    /// may have, so that the longest answer is given to a key that has no other.
    pub(super) async fn reserve_more_memory(&self, memory: &Permit, length: usize) -> Result<(), Problem> {
        let most = self.limits().unread;
        let more = length.min(most - most.div_ceil(SPARE)).saturating_sub(memory.held());
        if more == 0 {
            return Ok(());
        }
        let has_memory = self.settings.timeouts.within(MEMORY_TIMEOUT, pin!(memory.grow(more, self.waiting()))).await;
        if has_memory == Some(true) { Ok(()) } else { Err(Problem::Overloaded) }
    }

    /// Refuses a change of a key that has left more than its part of such answers unread, or any while all keys have
    /// left as much of them as there is memory for reads. Otherwise its answer will be given, whatever other keys leave
    /// unread. The answers to the changes that a key has under way come on top.
    pub(super) fn admit_change(&self, permit: &Permit) -> Result<(), Problem> {
        let (own, all) = permit.usage_of(Resource::ChangeMemory);
        let most = self.limits().unread;
        let is_crowded = own > most / PART_BESIDE || own > 0 && all > most;
        if is_crowded { Err(Problem::Overloaded) } else { Ok(()) }
    }

    /// Reserves memory for an answer for which none was reserved, if there is some now. The answer to a change always
    /// has it, since the change is made. Clients without a key have a budget of their own.
    pub(super) fn try_reserve_memory(
        &self,
        head: &Parts,
        principal: Option<&Principal>,
        length: usize,
    ) -> Option<Permit> {
        let (admission, most) = (&self.settings.admission, self.limits().unread);
        match principal {
            Some(principal) if head.method.is_safe() => {
                admission.try_acquire(&self.key_of(head, principal), Claim::new(Resource::AnswerMemory, length, most))
            }
            Some(principal) => {
                let claim = Claim::new(Resource::ChangeMemory, length, length);
                Some(admission.force_acquire(&self.key_of(head, principal), claim))
            }
            None => {
                let claim = Claim::new(Resource::KeylessMemory, length, most / PART_BESIDE);
                admission.try_acquire(&self.name_of_address(head), claim)
            }
        }
    }

    /// Waits in its queue for a slot for the work, if it needs one.
    pub(super) async fn await_slot(&self, load: Load, permit: &Permit) -> Result<Option<Permit>, Problem> {
        let Some((resource, amount)) = load.work else {
            return Ok(None);
        };
        let most = match resource {
            Resource::Scans => SCANS,
            Resource::Reports => REPORTS,
            Resource::Histories => HISTORIES,
            Resource::Writes => WRITES,
            Resource::Requests
            | Resource::Entry
            | Resource::LongWork
            | Resource::AnswerMemory
            | Resource::ChangeMemory
            | Resource::KeylessMemory
            | Resource::Polls => {
                return Err(Problem::Internal);
            }
        };
        let slot = permit.acquire(Claim::new(resource, amount, most), self.waiting()).await;
        slot.map(Some).ok_or(Problem::Overloaded)
    }

    /// Returns the name under which the requests of a client without a key count: its address, as far as it is known.
    fn name_of_address(&self, head: &Parts) -> Arc<str> {
        self.address_of(head).map_or_else(String::new, |address| address.to_string()).into()
    }

    /// Returns the name under which a principal's request counts.
    fn key_of<'a>(&self, head: &Parts, principal: &'a Principal) -> Cow<'a, Arc<str>> {
        let key = if self.wants_principal() { &principal.name } else { &principal.id };
        let address = self.settings.by_address.as_ref().and_then(|_| self.address_of(head));
        address.map_or(Cow::Borrowed(key), |address| Cow::Owned(format!("{key} {address}").into()))
    }

    /// Returns the address under which a request counts.
    fn address_of(&self, head: &Parts) -> Option<IpAddr> {
        match (&self.settings.throttle, &self.settings.by_address) {
            (Some(throttle), _) => throttle.address(head),
            (None, Some(by_address)) => by_address.of(head),
            (None, None) => head.extensions.get().copied().map(Peer::subscriber),
        }
    }

    /// Returns the number of requests of a key that may wait: they hold their slots, of which others need some.
    fn waiting(&self) -> usize {
        self.limits().in_flight.div_ceil(4)
    }

    fn limits(&self) -> &Limits {
        self.settings.contract.limits()
    }
}

/// The time for which a change that is made still waits for slots.
#[derive(Debug)]
pub(super) struct Patience<'a> {
    left: Duration,
    /// The time at which its request is late.
    until: Option<Instant>,
    /// The slot of the store, which other changes need meanwhile.
    slot: Option<&'a Permit>,
}

impl<'a> Patience<'a> {
    /// Returns the patience of a change whose request is late at this time: two seconds, and half of the rest at most.
    pub(super) const fn until(until: Option<Instant>, slot: Option<&'a Permit>) -> Self {
        Self { left: SLOT_TIMEOUT, until, slot }
    }

    /// Waits for a slot as long as this allows, and gives back the store's. After one wait that was too long, it no
    /// longer waits.
    async fn wait(&mut self, timeouts: &Deadlines, has_slot: Pin<&mut impl Future<Output = Result<(), Problem>>>) {
        if let Some(slot) = self.slot.take() {
            slot.shrink(0);
        }
        let since = Instant::now();
        let rest = self.until.map_or(Duration::MAX, |until| until.saturating_duration_since(since) / 2);
        let time = self.left.min(rest);
        if !time.is_zero() {
            let in_time = timeouts.within(time, has_slot).await;
            let is_over = !matches!(in_time, Some(Ok(())));
            self.left = if is_over { Duration::ZERO } else { self.left.saturating_sub(since.elapsed()) };
        }
    }
}

/// The meter of a request, whose work counts also where the request is dropped in the middle of it.
struct Counted<'a> {
    meter: Meter,
    permit: &'a Permit,
}

impl Counted<'_> {
    /// Counts the work that was done, and allows a quantum more.
    fn take(&mut self) {
        self.permit.count(self.meter.take(Work::QUANTUM).units() as u64);
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.take();
    }
}

/// Notes that a body of this many bytes has arrived.
pub(super) fn note_body(permit: &Permit, length: usize) {
    permit.arrived(ARRIVED * length as u64);
}

/// Returns the work of a request of which this many bytes have arrived.
const fn work_of(arrived: usize) -> u64 {
    REQUEST + ARRIVED * arrived as u64
}

/// Returns how long a request is that has done this many quanta: its key's shorter ones go first.
const fn length(quanta: u32) -> u8 {
    match quanta {
        0..16 => 0,
        16..256 => 1,
        _ => 2,
    }
}

/// Lets the other tasks of the thread run.
async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Asks for the slot of a request under way.
fn requests(limits: &Limits) -> Claim {
    Claim::new(Resource::Requests, 1, limits.in_flight)
}

/// A body that counts as unread until it is dropped: by the frontend, once its last byte is handed to the socket.
#[derive(Debug)]
struct UnreadBody {
    body: Bytes,
    admission: Arc<Admission>,
    /// The memory of a long answer, which is kept as long as the body.
    _memory: Option<Permit>,
}

/// Returns the body, which counts as unread, and keeps its memory, until it is dropped.
pub(super) fn unread(body: Bytes, memory: Option<Permit>, admission: &Arc<Admission>) -> Bytes {
    admission.unread().rise_by(body.len());
    Bytes::from_owner(UnreadBody { body, admission: Arc::clone(admission), _memory: memory })
}

impl AsRef<[u8]> for UnreadBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for UnreadBody {
    fn drop(&mut self) {
        self.admission.unread().fall_by(self.body.len());
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::{meter, service::CareService, store::MemoryStore};

    fn of(operation: Operation, query: &str) -> Load {
        Load::of(operation, Some(query), 0, &Limits::new())
    }

    #[test]
    fn a_list_that_no_index_serves_waits_apart() {
        let list = Operation::ListMovements;
        for query in ["from=01/01/2026", "limit=1&to=x", "fr%6fm=", "medicine=a&lot=b", "kind=refund"] {
            assert_eq!(of(list, query).work, Some((Resource::Scans, 1)), "{query}");
        }
        assert_eq!(of(Operation::ListStock, "expiresTo=31/12/2026").work, Some((Resource::Scans, 1)));
        for query in ["", "state=paid&newest=true", "medicine=a", "holder=from", "%zz"] {
            assert_eq!(of(list, query).work, None, "{query}");
        }
    }

    #[test]
    fn a_page_needs_room_for_as_many_items_as_it_may_have() {
        for (operation, query, memory) in [
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
            assert_eq!(of(operation, query).memory, memory, "{} {query}", operation.id());
        }
    }

    fn key(name: &str) -> Arc<str> {
        name.into()
    }

    #[test]
    fn a_change_waits_for_no_slot_for_which_it_would_be_late() {
        let api = Api::new(CareService::new(MemoryStore::new()));
        let admission = &api.settings.admission;
        let all = api.limits().long_work();
        let _held = admission.force_acquire(&key("other"), Claim::new(Resource::LongWork, all, all));
        let permit = admission.try_acquire(&key("desk"), requests(api.limits())).unwrap();
        let done = |patience| {
            let long = async {
                meter::before(Work::LONG).await;
                Ok(())
            };
            api.metered(&permit, patience, pin!(long)).now_or_never()
        };
        assert!(matches!(done(Some(Patience::until(Some(Instant::now()), None))), Some(Ok(()))));
        assert!(done(Some(Patience::until(None, None))).is_none() && done(None).is_none());
    }

    #[test]
    fn the_work_of_a_request_that_is_dropped_counts() {
        let api = Api::new(CareService::new(MemoryStore::new()));
        let admission = &api.settings.admission;
        let permit = admission.try_acquire(&key("busy"), requests(api.limits())).unwrap();
        let long = async {
            meter::count(Work::bytes(1 << 30));
            pending::<Result<(), Problem>>().await
        };
        assert!(api.metered(&permit, None, pin!(long)).now_or_never().is_none());
        drop(permit);
        let gives_way = |name| admission.arrive(&key(name), requests(api.limits()), 1).unwrap().gives_way();
        assert!(!gives_way("other") && gives_way("busy"));
    }

    #[test]
    fn a_change_weighs_by_its_body() {
        let of = |body| Load::of(Operation::AddConsultation, None, body, &Limits::new()).work;
        assert_eq!((of(0), of(511)), (Some((Resource::Writes, 1)), Some((Resource::Writes, 1))));
        assert_eq!((of(600), of(64 << 10)), (Some((Resource::Writes, 2)), Some((Resource::Writes, 18))));
    }
}

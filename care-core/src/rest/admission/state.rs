//! The rule by which keys hold permits and wait for them, without a lock, a future or a clock.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::{BuildHasherDefault, Hasher},
    sync::Arc,
    task::Waker,
};

use super::{
    recent::{Millis, Recent},
    resource::{Claim, Resource},
};

/// A key alone may hold this many times what it leaves free: all but one permit for each 16.
const TIMES_FREE: usize = 15;
/// The share of a resource above which a key gets no more while another one waits, as a divisor.
const SHARE: usize = 4;
/// The number of keys that are remembered although they hold nothing, so that most requests allocate nothing.
const KEPT: usize = 256;

/// The permits of all keys.
#[derive(Debug)]
pub(super) struct State {
    slots: HashMap<Arc<str>, usize, BuildHasherDefault<KeyHasher>>,
    accounts: Vec<Account>,
    vacant: Vec<usize>,
    /// The number of keys at which those without a handle are forgotten.
    crowded: usize,
    queues: [Queue; Resource::COUNT],
    last: i64,
    /// The time of the last call that told it.
    now: Millis,
    /// The account that did something last, and when.
    latest: Option<(usize, Millis)>,
    /// The last one that was another.
    before: Option<(usize, Millis)>,
}

/// The number of a request in the queue of its key: how long it is, and when it came. Longer requests come after
/// shorter ones.
pub(super) type Number = (u8, i64);

/// A hasher of keys, which takes a third of the instructions of the usual one: every request looks its key up. Clients
/// do not choose the ids of their keys. Names of a host's principals and addresses may have equal hashes, but few of
/// them are remembered at once.
#[derive(Debug, Default)]
struct KeyHasher(u64);

/// The permits that a key holds, and its requests that wait.
#[derive(Debug, Default)]
struct Account {
    /// The handles on this account. Without any it may be forgotten.
    handles: usize,
    /// The number of its requests that wait, in all resources.
    waiting: usize,
    /// The work that it did lately.
    recent: Recent,
    shares: [Share; Resource::COUNT],
}

#[derive(Debug, Default)]
struct Share {
    held: usize,
    /// Its requests that wait for a permit, the first one first. Of polls, those that hold one.
    queue: BTreeMap<Number, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    claim: Claim,
    waker: Option<Waker>,
}

/// The state of a resource.
#[derive(Debug, Default)]
struct Queue {
    taken: usize,
    /// The accounts that wait, in turn: one that is served goes behind the others again.
    accounts: VecDeque<usize>,
}

/// The result of asking for permits.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Taken,
    /// It waits under this number.
    Waits(Number),
    /// Too many of its key wait.
    Refused,
}

/// The tasks to wake once the lock is free.
pub(super) type Wakers = Vec<Waker>;

impl KeyHasher {
    const fn add(&mut self, word: [u8; 8]) {
        self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.as_chunks().0.iter().for_each(|word| self.add(*word));
        match bytes.last_chunk() {
            Some(last) => self.add(*last),
            None => bytes.iter().for_each(|byte| self.add([*byte; 8])),
        }
    }

    fn write_u8(&mut self, _: u8) {
        // It ends a text, and there is only one.
    }

    fn finish(&self) -> u64 {
        // The upper bits are the better mixed ones, and the map uses the lower ones as well.
        self.0 ^ self.0 >> 32
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            slots: HashMap::default(),
            accounts: Vec::new(),
            vacant: Vec::new(),
            crowded: KEPT,
            queues: Default::default(),
            last: 0,
            now: 0,
            latest: None,
            before: None,
        }
    }
}

impl State {
    /// Returns the key's account and increments its handle count.
    pub(super) fn account(&mut self, key: &Arc<str>) -> usize {
        let slot = match self.slots.get(key) {
            Some(slot) => *slot,
            None => self.open(key),
        };
        self.accounts[slot].handles += 1;
        slot
    }

    fn open(&mut self, key: &Arc<str>) -> usize {
        if self.slots.len() >= self.crowded {
            let Self { slots, accounts, vacant, now, .. } = self;
            slots.retain(|_, slot| {
                // A key that has used much lately must not be new again because many others came.
                let has_used_much = accounts[*slot].recent.at(*now) > Recent::LITTLE;
                let is_used = accounts[*slot].handles > 0 || has_used_much;
                vacant.extend((!is_used).then_some(*slot));
                is_used
            });
            self.crowded = KEPT.max(2 * self.slots.len());
        }
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.accounts.push(Account::default());
            self.accounts.len() - 1
        });
        self.accounts[slot].recent = Recent::default();
        self.slots.insert(Arc::clone(key), slot);
        slot
    }

    pub(super) fn add_handle(&mut self, account: usize) {
        self.accounts[account].handles += 1;
    }

    pub(super) fn drop_handle(&mut self, account: usize) {
        self.accounts[account].handles -= 1;
    }

    /// Notes that a key does something now, which is this much work. Returns whether it gives way: it has used much
    /// lately, and another key was active within the same time.
    pub(super) fn arrive(&mut self, account: usize, now: Millis, work: u64) -> bool {
        self.now = self.now.max(now);
        if self.latest.is_some_and(|(latest, _)| latest != account) {
            self.before = self.latest;
        }
        self.latest = Some((account, self.now));
        let is_active = |at: Millis| self.now.saturating_sub(at) <= Recent::MILLIS;
        let has_others = self.before.is_some_and(|(other, at)| other != account && is_active(at));
        !self.charge(account, work) && has_others
    }

    /// Adds work to what a key did lately. Returns whether that is still little.
    pub(super) fn charge(&mut self, account: usize, work: u64) -> bool {
        let now = self.now;
        self.accounts[account].recent.add(now, work) <= Recent::LITTLE
    }

    /// Returns the work that a key did lately.
    pub(super) fn recent(&self, account: usize) -> u64 {
        self.accounts[account].recent.at(self.now)
    }

    /// Returns whether a key that holds nothing would get a permit at once.
    pub(super) fn has_capacity(&self, claim: Claim) -> bool {
        self.left(claim).is_some()
    }

    /// Takes permits if the key may have them now and no key waits for the resource, and returns whether it did.
    pub(super) fn try_acquire(&mut self, account: usize, claim: Claim) -> bool {
        let is_taken = self.queue(claim.resource).accounts.is_empty() && self.fits(account, claim);
        if is_taken {
            self.hold(account, claim.resource, claim.amount);
        }
        is_taken
    }

    /// Takes permits now or in turn, unless this many requests of the key wait already.
    pub(super) fn acquire(&mut self, account: usize, claim: Claim, waiting: usize) -> (Outcome, Wakers) {
        if self.try_acquire(account, claim) {
            return (Outcome::Taken, Wakers::new());
        }
        if self.accounts[account].waiting >= waiting {
            return (Outcome::Refused, Wakers::new());
        }
        self.last += 1;
        let number = (0, self.last);
        let share = self.share(account, claim.resource);
        let is_new = share.queue.is_empty();
        share.queue.insert(number, Waiting { claim, waker: None });
        self.accounts[account].waiting += 1;
        if is_new {
            self.queue_mut(claim.resource).accounts.push_back(account);
        }
        // This one can be served if the others have their share. Others can if one before them took what was not free,
        // so that no permits are gathered for it any longer.
        let wakers = self.serve(claim.resource);
        match self.share(account, claim.resource).queue.contains_key(&number) {
            true => (Outcome::Waits(number), wakers),
            false => (Outcome::Taken, wakers),
        }
    }

    /// Releases the permits and queues for them again, ahead of this key's requests that have not started, if another
    /// key waits that has done less lately. It is served again once that one has done as much.
    ///
    /// A request of its own key goes first as well if it is shorter: `length` says how long this one is by now.
    pub(super) fn pass(&mut self, account: usize, claim: Claim, length: u8, now: Millis) -> Option<(Outcome, Wakers)> {
        self.now = self.now.max(now);
        let own = self.recent(account);
        let goes_first = |other: usize| match other == account {
            true => self.first_number(other, claim.resource).is_some_and(|(other, _)| other < length),
            false => self.recent(other) < own,
        };
        if !self.queue(claim.resource).accounts.iter().any(|other| goes_first(*other)) {
            return None;
        }
        self.last += 1;
        // Below the numbers of all that have not begun, and never that of one who was served and does not know it yet.
        let number = (length, i64::MIN + self.last);
        self.queue_mut(claim.resource).accounts.retain(|other| *other != account);
        self.queue_mut(claim.resource).accounts.push_back(account);
        self.share(account, claim.resource).queue.insert(number, Waiting { claim, waker: None });
        self.accounts[account].waiting += 1;
        let wakers = self.release(account, claim.resource, claim.amount);
        let has_passed = self.share(account, claim.resource).queue.contains_key(&number);
        Some((if has_passed { Outcome::Waits(number) } else { Outcome::Taken }, wakers))
    }

    /// Returns whether one who waits under this number still does, and wakes its task later.
    pub(super) fn waits(&mut self, account: usize, resource: Resource, number: Number, waker: &Waker) -> bool {
        let found = self.share(account, resource).queue.get_mut(&number);
        found.is_some_and(|waiting| {
            waiting.waker = Some(waker.clone());
            true
        })
    }

    /// Leaves the queue. Returns `None` for one who has been served by now.
    pub(super) fn leave(&mut self, account: usize, resource: Resource, number: Number) -> Option<Wakers> {
        let share = self.share(account, resource);
        share.queue.remove(&number)?;
        let is_last = share.queue.is_empty();
        self.accounts[account].waiting -= 1;
        if is_last {
            self.queue_mut(resource).accounts.retain(|other| *other != account);
        }
        Some(self.serve(resource))
    }

    /// Gives permits back.
    pub(super) fn release(&mut self, account: usize, resource: Resource, amount: usize) -> Wakers {
        self.share(account, resource).held -= amount;
        let queue = self.queue_mut(resource);
        queue.taken -= amount;
        match queue.accounts.is_empty() {
            true => Wakers::new(),
            false => self.serve(resource),
        }
    }

    /// Takes permits, whether they are free or not.
    pub(super) fn hold(&mut self, account: usize, resource: Resource, amount: usize) {
        self.share(account, resource).held += amount;
        self.queue_mut(resource).taken += amount;
    }

    /// Returns what a key holds.
    pub(super) fn held(&self, account: usize, resource: Resource) -> usize {
        self.accounts[account].shares[resource as usize].held
    }

    /// Returns what all keys hold.
    pub(super) const fn taken(&self, resource: Resource) -> usize {
        self.queue(resource).taken
    }

    /// Takes the permit of a poll. A key with `share` of them ends its oldest one for it.
    pub(super) fn poll(&mut self, account: usize, claim: Claim, share: usize) -> Option<(Number, Wakers)> {
        let mut wakers = Wakers::new();
        if self.share(account, claim.resource).queue.len() >= share {
            let oldest = self.share(account, claim.resource).queue.pop_first();
            wakers.extend(oldest.and_then(|(_, oldest)| oldest.waker));
        } else if self.has_capacity(claim) {
            self.hold(account, claim.resource, 1);
        } else {
            return None;
        }
        self.last += 1;
        let number = (0, self.last);
        self.share(account, claim.resource).queue.insert(number, Waiting { claim, waker: None });
        Some((number, wakers))
    }

    /// Gives the permit of a poll back, unless another one has it by now.
    pub(super) fn end_poll(&mut self, account: usize, number: Number) -> Wakers {
        match self.share(account, Resource::Polls).queue.remove(&number) {
            Some(_) => self.release(account, Resource::Polls, 1),
            None => Wakers::new(),
        }
    }

    /// Serves those who wait, as many as there are permits for.
    fn serve(&mut self, resource: Resource) -> Wakers {
        let mut wakers = Wakers::new();
        while let Some(index) = self.next(resource) {
            let Some(account) = self.queue_mut(resource).accounts.remove(index) else {
                break;
            };
            let Some((_, Waiting { claim, waker })) = self.share(account, resource).queue.pop_first() else {
                break;
            };
            self.accounts[account].waiting -= 1;
            self.hold(account, resource, claim.amount);
            if !self.share(account, resource).queue.is_empty() {
                self.queue_mut(resource).accounts.push_back(account);
            }
            wakers.extend(waker);
        }
        wakers
    }

    /// Returns the position in the queue of the next key to serve.
    fn next(&self, resource: Resource) -> Option<usize> {
        if !resource.is_by_work() {
            return self.next_in_turn(resource);
        }
        let waiting = self.queue(resource).accounts.iter().enumerate();
        let fitting = waiting.filter(|(_, account)| {
            self.first(**account, resource).is_some_and(|(_, claim)| self.fits(**account, claim))
        });
        fitting.min_by_key(|(_, account)| self.recent(**account)).map(|(index, _)| index)
    }

    /// Returns the position of the next key in turn. Keys within their share come before the others.
    fn next_in_turn(&self, resource: Resource) -> Option<usize> {
        let mut somebody_is_within = false;
        for (index, account) in self.queue(resource).accounts.iter().enumerate() {
            let (held, claim) = self.first(*account, resource)?;
            if held > 0 && held + claim.amount > (claim.capacity / SHARE).max(1) {
                continue;
            }
            somebody_is_within = true;
            match self.fits(*account, claim) {
                true => return Some(index),
                // Permits are gathered for a key that holds none, so that those who claim less cannot starve it.
                false if held == 0 => return None,
                false => {}
            }
        }
        let mut others = self.queue(resource).accounts.iter();
        match somebody_is_within {
            true => None,
            false => others.position(|account| {
                self.first(*account, resource).is_some_and(|(_, claim)| self.fits(*account, claim))
            }),
        }
    }

    /// Returns the number of the first request of a key that waits.
    fn first_number(&self, account: usize, resource: Resource) -> Option<Number> {
        self.accounts[account].shares[resource as usize].queue.first_key_value().map(|(number, _)| *number)
    }

    /// Returns what a waiting key holds, and what its first request asks for.
    fn first(&self, account: usize, resource: Resource) -> Option<(usize, Claim)> {
        let share = &self.accounts[account].shares[resource as usize];
        share.queue.first_key_value().map(|(_, waiting)| (share.held, waiting.claim))
    }

    /// Returns whether there are enough permits, and enough left over for a key that holds none.
    fn fits(&self, account: usize, claim: Claim) -> bool {
        self.left(claim).is_some_and(|left| match self.held(account, claim.resource) {
            0 => true,
            held => held + claim.amount <= left.saturating_mul(TIMES_FREE),
        })
    }

    /// Returns what is left free.
    fn left(&self, claim: Claim) -> Option<usize> {
        claim.capacity.checked_sub(self.queue(claim.resource).taken)?.checked_sub(claim.amount)
    }

    fn share(&mut self, account: usize, resource: Resource) -> &mut Share {
        &mut self.accounts[account].shares[resource as usize]
    }

    const fn queue(&self, resource: Resource) -> &Queue {
        &self.queues[resource as usize]
    }

    const fn queue_mut(&mut self, resource: Resource) -> &mut Queue {
        &mut self.queues[resource as usize]
    }

    /// Returns the number of keys that are remembered.
    #[cfg(test)]
    pub(super) fn keys(&self) -> usize {
        self.slots.len()
    }

    /// Returns the number of keys that hold something or wait.
    #[cfg(test)]
    pub(super) fn keys_in_use(&self) -> usize {
        self.slots.values().filter(|slot| self.accounts[**slot].handles > 0).count()
    }
}

//! The rule by which keys hold places and wait for them, without a lock, a future or a clock.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::{BuildHasherDefault, Hasher},
    sync::Arc,
    task::Waker,
};

use super::set::{Ask, Set};

/// A key alone may hold this many times what it leaves free: all but one place for each 16.
const TIMES_FREE: usize = 15;
/// The share of a set above which a key gets no more while another one waits, as a divisor.
const SHARE: usize = 4;
/// The number of keys that are remembered although they hold nothing, so that most requests allocate nothing.
const KEPT: usize = 256;

/// The places of all keys.
#[derive(Debug)]
pub(super) struct State {
    slots: HashMap<Arc<str>, usize, BuildHasherDefault<KeyHasher>>,
    accounts: Vec<Account>,
    vacant: Vec<usize>,
    /// The number of keys at which those without a handle are forgotten.
    crowded: usize,
    lines: [Line; Set::COUNT],
    last: i64,
}

/// A hasher of keys, which takes a third of the instructions of the usual one: every request looks its key up. Clients
/// do not choose the ids of their keys. Names of a host's principals and addresses may have equal hashes, but few of
/// them are remembered at once.
#[derive(Debug, Default)]
struct KeyHasher(u64);

/// The places that a key holds, and its requests that wait.
#[derive(Debug, Default)]
struct Account {
    /// The handles on this account. Without any it may be forgotten.
    handles: usize,
    /// The number of its requests that wait, in all sets.
    waiting: usize,
    stakes: [Stake; Set::COUNT],
}

#[derive(Debug, Default)]
struct Stake {
    held: usize,
    /// Its requests that wait for a place, the first one first. Of polls, those that hold one.
    queue: BTreeMap<i64, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    ask: Ask,
    waker: Option<Waker>,
}

/// The state of a set.
#[derive(Debug, Default)]
struct Line {
    taken: usize,
    /// The accounts that wait, in turn: one that is served stands behind the others again.
    accounts: VecDeque<usize>,
}

/// The result of asking for places.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Taken,
    /// It waits under this number.
    Waits(i64),
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
            lines: Default::default(),
            last: 0,
        }
    }
}

impl State {
    /// Returns the account of a key, with one handle more.
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
            let Self { slots, accounts, vacant, .. } = self;
            slots.retain(|_, slot| {
                let is_used = accounts[*slot].handles > 0;
                vacant.extend((!is_used).then_some(*slot));
                is_used
            });
            self.crowded = KEPT.max(2 * self.slots.len());
        }
        let slot = self.vacant.pop().unwrap_or_else(|| {
            self.accounts.push(Account::default());
            self.accounts.len() - 1
        });
        self.slots.insert(Arc::clone(key), slot);
        slot
    }

    pub(super) fn add_handle(&mut self, account: usize) {
        self.accounts[account].handles += 1;
    }

    pub(super) fn drop_handle(&mut self, account: usize) {
        self.accounts[account].handles -= 1;
    }

    /// Returns whether a key that holds nothing would get a place at once.
    pub(super) fn has_place(&self, ask: Ask) -> bool {
        self.left(ask).is_some()
    }

    /// Takes places if the key may have them now and no key waits for the set, and returns whether it did.
    pub(super) fn take(&mut self, account: usize, ask: Ask) -> bool {
        let is_taken = self.line(ask.set).accounts.is_empty() && self.fits(account, ask);
        if is_taken {
            self.hold(account, ask.set, ask.amount);
        }
        is_taken
    }

    /// Takes places now or in turn, unless this many requests of the key wait already.
    pub(super) fn ask(&mut self, account: usize, ask: Ask, waiting: usize) -> (Asked, Wakers) {
        if self.take(account, ask) {
            return (Asked::Taken, Wakers::new());
        }
        if self.accounts[account].waiting >= waiting {
            return (Asked::Refused, Wakers::new());
        }
        self.last += 1;
        let number = self.last;
        let stake = self.stake(account, ask.set);
        let is_new = stake.queue.is_empty();
        stake.queue.insert(number, Waiting { ask, waker: None });
        self.accounts[account].waiting += 1;
        if is_new {
            self.line_mut(ask.set).accounts.push_back(account);
        }
        // This one can be served if the others have their share. Others can if one before them took what was not free,
        // so that no places are gathered for it any longer.
        let wakers = self.serve(ask.set);
        match self.stake(account, ask.set).queue.contains_key(&number) {
            true => (Asked::Waits(number), wakers),
            false => (Asked::Taken, wakers),
        }
    }

    /// Gives places back and takes them again in turn: behind all other keys, and before those of its own that have not
    /// begun.
    pub(super) fn pass(&mut self, account: usize, ask: Ask) -> (Asked, Wakers) {
        self.last += 1;
        // Below the numbers of all that have not begun, and never that of one who was served and does not know it yet.
        let number = i64::MIN + self.last;
        self.line_mut(ask.set).accounts.retain(|other| *other != account);
        self.line_mut(ask.set).accounts.push_back(account);
        self.stake(account, ask.set).queue.insert(number, Waiting { ask, waker: None });
        self.accounts[account].waiting += 1;
        (Asked::Waits(number), self.release(account, ask.set, ask.amount))
    }

    /// Returns whether one who waits under this number still does, and wakes its task later.
    pub(super) fn waits(&mut self, account: usize, set: Set, number: i64, waker: &Waker) -> bool {
        let found = self.stake(account, set).queue.get_mut(&number);
        found.is_some_and(|waiting| {
            waiting.waker = Some(waker.clone());
            true
        })
    }

    /// Leaves the line. Returns `None` for one who has been served by now.
    pub(super) fn leave(&mut self, account: usize, set: Set, number: i64) -> Option<Wakers> {
        let stake = self.stake(account, set);
        stake.queue.remove(&number)?;
        let is_last = stake.queue.is_empty();
        self.accounts[account].waiting -= 1;
        if is_last {
            self.line_mut(set).accounts.retain(|other| *other != account);
        }
        Some(self.serve(set))
    }

    /// Gives places back.
    pub(super) fn release(&mut self, account: usize, set: Set, amount: usize) -> Wakers {
        self.stake(account, set).held -= amount;
        let line = self.line_mut(set);
        line.taken -= amount;
        match line.accounts.is_empty() {
            true => Wakers::new(),
            false => self.serve(set),
        }
    }

    /// Takes places, whether they are free or not.
    pub(super) fn hold(&mut self, account: usize, set: Set, amount: usize) {
        self.stake(account, set).held += amount;
        self.line_mut(set).taken += amount;
    }

    /// Returns what a key holds.
    pub(super) fn held(&self, account: usize, set: Set) -> usize {
        self.accounts[account].stakes[set as usize].held
    }

    /// Returns what all keys hold.
    pub(super) const fn taken(&self, set: Set) -> usize {
        self.line(set).taken
    }

    /// Returns whether another key waits.
    pub(super) fn another_waits(&self, account: usize, set: Set) -> bool {
        self.line(set).accounts.iter().any(|other| *other != account)
    }

    /// Takes the place of a poll. A key with `share` of them ends its oldest one for it.
    pub(super) fn poll(&mut self, account: usize, ask: Ask, share: usize) -> Option<(i64, Wakers)> {
        let mut wakers = Wakers::new();
        if self.stake(account, ask.set).queue.len() >= share {
            let oldest = self.stake(account, ask.set).queue.pop_first();
            wakers.extend(oldest.and_then(|(_, oldest)| oldest.waker));
        } else if self.has_place(ask) {
            self.hold(account, ask.set, 1);
        } else {
            return None;
        }
        self.last += 1;
        let number = self.last;
        self.stake(account, ask.set).queue.insert(number, Waiting { ask, waker: None });
        Some((number, wakers))
    }

    /// Gives the place of a poll back, unless another one has it by now.
    pub(super) fn end_poll(&mut self, account: usize, number: i64) -> Wakers {
        match self.stake(account, Set::Polls).queue.remove(&number) {
            Some(_) => self.release(account, Set::Polls, 1),
            None => Wakers::new(),
        }
    }

    /// Serves those who wait, as many as there are places for.
    fn serve(&mut self, set: Set) -> Wakers {
        let mut wakers = Wakers::new();
        while let Some(place) = self.next(set) {
            let Some(account) = self.line_mut(set).accounts.remove(place) else {
                break;
            };
            let Some((_, Waiting { ask, waker })) = self.stake(account, set).queue.pop_first() else {
                break;
            };
            self.accounts[account].waiting -= 1;
            self.hold(account, set, ask.amount);
            if !self.stake(account, set).queue.is_empty() {
                self.line_mut(set).accounts.push_back(account);
            }
            wakers.extend(waker);
        }
        wakers
    }

    /// Returns the place in the line of the next key to serve. Keys within their share come before the others.
    fn next(&self, set: Set) -> Option<usize> {
        let mut somebody_is_within = false;
        for (place, account) in self.line(set).accounts.iter().enumerate() {
            let (held, ask) = self.first(*account, set)?;
            if held > 0 && held + ask.amount > (ask.most / SHARE).max(1) {
                continue;
            }
            somebody_is_within = true;
            match self.fits(*account, ask) {
                true => return Some(place),
                // Places are gathered for a key that holds none, so that those who ask for less cannot starve it.
                false if held == 0 => return None,
                false => {}
            }
        }
        let mut others = self.line(set).accounts.iter();
        match somebody_is_within {
            true => None,
            false => {
                others.position(|account| self.first(*account, set).is_some_and(|(_, ask)| self.fits(*account, ask)))
            }
        }
    }

    /// Returns what a waiting key holds, and what its first request asks for.
    fn first(&self, account: usize, set: Set) -> Option<(usize, Ask)> {
        let stake = &self.accounts[account].stakes[set as usize];
        stake.queue.first_key_value().map(|(_, waiting)| (stake.held, waiting.ask))
    }

    /// Returns whether there are enough places, and enough beside them for a key that holds none.
    fn fits(&self, account: usize, ask: Ask) -> bool {
        self.left(ask).is_some_and(|left| match self.held(account, ask.set) {
            0 => true,
            held => held + ask.amount <= left.saturating_mul(TIMES_FREE),
        })
    }

    /// Returns what is left free.
    fn left(&self, ask: Ask) -> Option<usize> {
        ask.most.checked_sub(self.line(ask.set).taken)?.checked_sub(ask.amount)
    }

    fn stake(&mut self, account: usize, set: Set) -> &mut Stake {
        &mut self.accounts[account].stakes[set as usize]
    }

    const fn line(&self, set: Set) -> &Line {
        &self.lines[set as usize]
    }

    const fn line_mut(&mut self, set: Set) -> &mut Line {
        &mut self.lines[set as usize]
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

//! Slowing down clients that repeatedly present a wrong key.

use std::{
    collections::HashMap,
    fmt,
    hash::{BuildHasher as _, Hash, RandomState},
    net::{IpAddr, SocketAddr},
    num::NonZero,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use http::{HeaderName, request::Parts};

use crate::rest::contract::problem::Problem;

/// The address at the other end of a request's connection. A frontend puts it into the extensions of the head for
/// [`Api::begin`](super::Api::begin). Clients without a key whose frontend does not are one, and share the room for
/// their long answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

impl Peer {
    /// Returns the address under which a client counts: of IPv6 the first 64 bits, which one subscriber has.
    pub(super) fn subscriber(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
            v4 => v4,
        }
    }
}

/// The way to the address under which a request counts.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientAddress {
    header: Option<HeaderName>,
}

impl ClientAddress {
    /// Returns the way through this header; without it, or a valid address in it, the connection's address counts.
    pub(super) const fn new(header: Option<HeaderName>) -> Self {
        Self { header }
    }

    /// Returns the address under which a request counts; `None` where the frontend does not name one.
    pub(super) fn of(&self, head: &Parts) -> Option<IpAddr> {
        let named = self.header.as_ref().and_then(|name| {
            let last = head.headers.get_all(name).iter().next_back()?.to_str().ok()?;
            let last = last.rsplit(',').next()?.trim();
            last.parse().ok().or_else(|| last.parse().ok().map(|at: SocketAddr| at.ip()))
        });
        named.map(Peer).or_else(|| head.extensions.get().copied()).map(Peer::subscriber)
    }
}

/// The highest number of remembered addresses, and of keys at addresses. Beyond it, the oldest ones are forgotten.
const MOST: usize = 10_000;

/// The time in which a key that was valid from an address passes although the address is locked.
const TRUSTED_FOR: Duration = Duration::from_secs(60 * 60);

/// The number of requests with a wrong key that one address may send: this many at once, and this many again in the
/// time given. After that the address is locked until one more may fail: a key that was valid from this address within
/// the hour before passes as ever, and any other is answered 429 with `Retry-After` and not looked up.
///
/// A request without a key counts for nothing, since any web page can make a browser send one.
///
/// IPv6 addresses count by their first 64 bits, which one subscriber has. Requests whose frontend does not name an
/// address are never slowed down.
///
/// ```
/// use care_core::{rest::{Api, Throttle}, service::CareService, store::MemoryStore};
/// use std::{num::NonZero, time::Duration};
///
/// let ten = NonZero::new(10).ok_or("not zero")?;
/// // Ten a minute; the proxy in front puts the client's address into this header.
/// let throttle = Throttle::new(ten, Duration::from_secs(60))
///     .client_address_header(http::HeaderName::from_static("x-forwarded-for"));
/// let api = Api::new(CareService::new(MemoryStore::new())).with_throttle(throttle);
/// # let _ = api;
/// # Ok::<(), &str>(())
/// ```
pub struct Throttle {
    failures: NonZero<u32>,
    within: Duration,
    address: ClientAddress,
    since: Instant,
    /// For each address the time at which all its failures are forgiven, counted from `since`.
    debts: Mutex<HashMap<IpAddr, Duration>>,
    /// The last of these times in milliseconds after `since`. Later requests need no lock.
    last_debt: AtomicU64,
    /// For each address, and each key that was valid from there, the time until which the key passes.
    trusted: Mutex<HashMap<(IpAddr, u64), Duration>>,
    /// Makes the numbers under which keys are remembered, which say nothing about a key.
    hasher: RandomState,
}

impl Throttle {
    /// Allows this number of failures within this time.
    pub fn new(failures: NonZero<u32>, within: Duration) -> Self {
        Self {
            failures,
            within,
            address: ClientAddress::default(),
            since: Instant::now(),
            debts: Mutex::default(),
            last_debt: AtomicU64::new(0),
            trusted: Mutex::default(),
            hasher: RandomState::new(),
        }
    }

    /// Sets the header that names the client's address. This is only for a server that every client reaches through a
    /// proxy which sets the header: of several addresses with commas between them, the last one counts. A request
    /// without a valid address in it counts under the address of its connection.
    #[must_use]
    pub fn client_address_header(self, header: HeaderName) -> Self {
        Self { address: ClientAddress::new(Some(header)), ..self }
    }

    /// Returns the address under which a request counts.
    pub(crate) fn address(&self, head: &Parts) -> Option<IpAddr> {
        self.address.of(head)
    }

    /// Refuses a key from an address that has failed too often, unless the key was valid from there lately.
    pub(crate) fn admit(&self, address: IpAddr, key: &[u8]) -> Result<(), Problem> {
        self.admit_at(self.since.elapsed(), address, key)
    }

    /// Counts a request from this address with a wrong key.
    pub(crate) fn failed(&self, address: IpAddr) {
        self.failed_at(self.since.elapsed(), address);
    }

    /// Remembers that this key was valid from this address.
    pub(crate) fn passed(&self, address: IpAddr, key: &[u8]) {
        self.passed_at(self.since.elapsed(), address, key);
    }

    fn admit_at(&self, now: Duration, address: IpAddr, key: &[u8]) -> Result<(), Problem> {
        if millis(now) > self.last_debt.load(Ordering::Relaxed) {
            return Ok(());
        }
        let Some(debt) = locked(&self.debts).get(&address).copied() else {
            return Ok(());
        };
        if locked(&self.trusted).get(&(address, self.hasher.hash_one(key))).is_some_and(|until| *until > now) {
            return Ok(());
        }
        // One more failure must still fit into the time.
        match debt.saturating_add(self.cost()).checked_sub(now.saturating_add(self.within)) {
            Some(wait) if !wait.is_zero() => {
                let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                Err(Problem::TooManyFailures { seconds })
            }
            _ => Ok(()),
        }
    }

    fn failed_at(&self, now: Duration, address: IpAddr) {
        let mut debts = locked(&self.debts);
        if debts.len() >= MOST && !debts.contains_key(&address) {
            make_room(&mut debts, now);
        }
        let debt = debts.entry(address).or_default();
        *debt = (*debt).max(now) + self.cost();
        self.last_debt.fetch_max(millis(*debt), Ordering::Relaxed);
    }

    fn passed_at(&self, now: Duration, address: IpAddr, key: &[u8]) {
        let visitor = (address, self.hasher.hash_one(key));
        let mut trusted = locked(&self.trusted);
        if trusted.len() >= MOST && !trusted.contains_key(&visitor) {
            make_room(&mut trusted, now);
        }
        trusted.insert(visitor, now + TRUSTED_FOR);
    }

    /// Returns the time that a failure costs.
    fn cost(&self) -> Duration {
        self.within / self.failures.get()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Forgets what is over, and if nothing is, the half that ends first.
fn make_room<K: Eq + Hash>(ends: &mut HashMap<K, Duration>, now: Duration) {
    ends.retain(|_, end| *end > now);
    if ends.len() >= MOST {
        let mut sorted: Vec<_> = ends.values().copied().collect();
        let (_, middle, _) = sorted.select_nth_unstable(MOST / 2);
        let middle = *middle;
        ends.retain(|_, end| *end > middle);
    }
}

impl fmt::Debug for Throttle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failures, within, address, .. } = self;
        let mut shown = f.debug_struct("Throttle");
        shown.field("failures", failures).field("within", within).field("address", address).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle() -> Throttle {
        Throttle::new(NonZero::new(2).unwrap(), Duration::from_secs(3600))
    }

    fn head(peer: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = http::Request::get("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (mut head, ()) = request.body(()).unwrap().into_parts();
        head.extensions.insert(Peer(peer.parse().unwrap()));
        head
    }

    #[test]
    fn who_fails_too_often_waits_and_nobody_else() {
        let throttle = throttle();
        let [one, other]: [IpAddr; 2] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        throttle.failed(one);
        assert!(throttle.admit(one, b"key").is_ok());
        throttle.failed(one);
        let Err(Problem::TooManyFailures { seconds }) = throttle.admit(one, b"key") else {
            panic!("it was not refused");
        };
        assert!((1700..=1800).contains(&seconds), "{seconds}");
        assert!(throttle.admit(other, b"key").is_ok());
    }

    #[test]
    fn who_has_waited_may_fail_again() {
        let throttle = throttle();
        let one: IpAddr = "192.0.2.1".parse().unwrap();
        let at = Duration::from_secs;
        throttle.failed_at(at(0), one);
        throttle.failed_at(at(0), one);
        assert!(throttle.admit_at(at(1799), one, b"key").is_err());
        assert!(throttle.admit_at(at(1800), one, b"key").is_ok());
    }

    #[test]
    fn a_key_that_was_valid_from_a_locked_address_passes_for_an_hour() {
        let throttle = Throttle::new(NonZero::new(1).unwrap(), Duration::from_secs(86_400));
        let [one, other]: [IpAddr; 2] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().unwrap());
        let at = Duration::from_secs;
        throttle.passed_at(at(1), one, b"desk");
        throttle.passed_at(at(1), other, b"lab");
        throttle.failed_at(at(2), one);
        let passes = |seconds, key: &[u8]| throttle.admit_at(at(seconds), one, key).is_ok();
        assert!(passes(3, b"desk") && !passes(3, b"lab") && !passes(3, b"wrong"));
        assert!(passes(3600, b"desk") && !passes(3601, b"desk"));
        // Each time counts anew.
        throttle.passed_at(at(3600), one, b"desk");
        assert!(passes(7199, b"desk") && !passes(7200, b"desk"));
    }

    #[test]
    fn only_the_header_of_the_settings_holds_the_address() {
        let told = [("x-forwarded-for", "198.51.100.7, 203.0.113.9")];
        let peer = |throttle: Throttle, headers: &[(&str, &str)]| {
            throttle.address(&head("192.0.2.1", headers)).unwrap().to_string()
        };
        let behind_proxy = || throttle().client_address_header(HeaderName::from_static("x-forwarded-for"));
        assert_eq!(peer(throttle(), &told), "192.0.2.1");
        assert_eq!(peer(behind_proxy(), &told), "203.0.113.9");
        assert_eq!(peer(behind_proxy(), &[told[0], ("x-forwarded-for", "203.0.113.1:443")]), "203.0.113.1");
        assert_eq!(peer(behind_proxy(), &[("x-forwarded-for", "unknown")]), "192.0.2.1");
        assert_eq!(peer(behind_proxy(), &[("x-real-ip", "203.0.113.9")]), "192.0.2.1");
    }

    #[test]
    fn an_ipv6_subscriber_is_one_address() {
        let of = |peer| throttle().address(&head(peer, &[])).unwrap().to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.1"), "192.0.2.1");
    }

    #[test]
    fn the_addresses_that_are_remembered_are_bounded() {
        let throttle = throttle();
        let address = |number: u32| IpAddr::V4(number.into());
        for number in 0..25_000 {
            throttle.failed(address(number));
            throttle.failed(address(number));
        }
        assert!(locked(&throttle.debts).len() <= MOST);
        assert!(throttle.admit(address(24_999), b"key").is_err() && throttle.admit(address(0), b"key").is_ok());
        for number in 0..25_000 {
            throttle.passed(address(number), b"key");
        }
        assert!(locked(&throttle.trusted).len() <= MOST);
        assert!(throttle.admit(address(24_999), b"key").is_ok() && throttle.admit(address(24_999), b"new").is_err());
    }
}

//! Slowing down clients that repeatedly fail to present a valid key.

use std::{
    collections::HashMap,
    fmt,
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

/// The highest number of remembered addresses. Beyond it, those that failed longest ago are forgotten.
const MOST: usize = 10_000;

/// The number of requests without a valid key that one address may send: this many at once, and this many again in the
/// time given. After that the address is answered 429 with `Retry-After`, with any key, until one more may fail.
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
    address_header: Option<HeaderName>,
    since: Instant,
    /// For each address the time at which all its failures are forgiven, counted from `since`.
    debts: Mutex<HashMap<IpAddr, Duration>>,
    /// The last of these times in milliseconds after `since`. Later requests need no lock.
    last_debt: AtomicU64,
}

impl Throttle {
    /// Allows this number of failures within this time.
    pub fn new(failures: NonZero<u32>, within: Duration) -> Self {
        Self {
            failures,
            within,
            address_header: None,
            since: Instant::now(),
            debts: Mutex::default(),
            last_debt: AtomicU64::new(0),
        }
    }

    /// Sets the header that names the client's address. This is only for a server that every client reaches through a
    /// proxy which sets the header: of several addresses with commas between them, the last one counts. A request
    /// without a valid address in it counts under the address of its connection.
    #[must_use]
    pub fn client_address_header(self, header: HeaderName) -> Self {
        Self { address_header: Some(header), ..self }
    }

    /// Returns the address under which a request counts.
    pub(crate) fn address(&self, head: &Parts) -> Option<IpAddr> {
        let told = self.address_header.as_ref().and_then(|name| {
            let last = head.headers.get_all(name).iter().next_back()?.to_str().ok()?;
            let last = last.rsplit(',').next()?.trim();
            last.parse().ok().or_else(|| last.parse().ok().map(|at: SocketAddr| at.ip()))
        });
        told.map(Peer).or_else(|| head.extensions.get().copied()).map(Peer::subscriber)
    }

    /// Refuses an address that has failed too often.
    pub(crate) fn admit(&self, address: IpAddr) -> Result<(), Problem> {
        let now = self.since.elapsed();
        if millis(now) > self.last_debt.load(Ordering::Relaxed) {
            return Ok(());
        }
        let Some(debt) = self.debts().get(&address).copied() else {
            return Ok(());
        };
        // One more failure must still fit into the time.
        match (debt + self.cost()).checked_sub(now + self.within) {
            Some(wait) if !wait.is_zero() => {
                let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                Err(Problem::TooManyFailures { seconds })
            }
            _ => Ok(()),
        }
    }

    /// Counts a request from this address without a valid key.
    pub(crate) fn failed(&self, address: IpAddr) {
        let now = self.since.elapsed();
        let mut debts = self.debts();
        if debts.len() >= MOST && !debts.contains_key(&address) {
            make_room(&mut debts, now);
        }
        let debt = debts.entry(address).or_default();
        *debt = (*debt).max(now) + self.cost();
        self.last_debt.fetch_max(millis(*debt), Ordering::Relaxed);
    }

    /// Returns the time that a failure costs.
    fn cost(&self) -> Duration {
        self.within / self.failures.get()
    }

    fn debts(&self) -> MutexGuard<'_, HashMap<IpAddr, Duration>> {
        self.debts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Forgets the addresses that are forgiven, and if there are none, the half whose time comes first.
fn make_room(debts: &mut HashMap<IpAddr, Duration>, now: Duration) {
    debts.retain(|_, debt| *debt > now);
    if debts.len() >= MOST {
        let mut ends: Vec<_> = debts.values().copied().collect();
        let (_, middle, _) = ends.select_nth_unstable(MOST / 2);
        let middle = *middle;
        debts.retain(|_, debt| *debt > middle);
    }
}

impl fmt::Debug for Throttle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { failures, within, address_header, .. } = self;
        let mut shown = f.debug_struct("Throttle");
        shown
            .field("failures", failures)
            .field("within", within)
            .field("address_header", address_header)
            .finish_non_exhaustive()
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
        assert!(throttle.admit(one).is_ok());
        throttle.failed(one);
        let Err(Problem::TooManyFailures { seconds }) = throttle.admit(one) else {
            panic!("it was not refused");
        };
        assert!((1700..=1800).contains(&seconds), "{seconds}");
        assert!(throttle.admit(other).is_ok());
    }

    #[test]
    fn who_has_waited_may_fail_again() {
        let throttle = Throttle::new(NonZero::new(1).unwrap(), Duration::from_millis(20));
        let one: IpAddr = "192.0.2.1".parse().unwrap();
        throttle.failed(one);
        let begun = Instant::now();
        while throttle.admit(one).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(5));
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(begun.elapsed() > Duration::from_millis(10));
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
        assert!(throttle.debts().len() <= MOST);
        assert!(throttle.admit(address(24_999)).is_err() && throttle.admit(address(0)).is_ok());
    }
}

//! Long polls of the journal and of its news.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    },
    task::{Context, Wake, Waker},
    thread,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    error::{Error, StoreError},
    keys::{Authenticator, KeyRing, Principal, Scopes},
    model::{Patient, PatientDetails, Timestamp},
    rest::{Api, Facade, FacadeAnswer, FacadeRequest, HeadOutcome, Limits, Load, Plan, Refusal},
    service::CareService,
    store::{
        CommitNotifier, Epoch, Journal as _, Limit, List, MemoryStore, Portion, Query, Record, Records as _, Seq,
        Versioned,
    },
};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;
use futures_util::{
    FutureExt as _,
    future::{Either, select},
};
use http::{Response, header};

use super::{Answer, begun, exchanged, finished, get, is_problem, request, request_of, serving, text};

/// A time far above that of any step here, and far below the longest wait.
const SOON: Duration = Duration::from_secs(10);

#[test]
fn a_reader_who_waits_is_answered_with_the_next_entry() {
    let care = CareService::new(MemoryStore::new());
    let api = serving(care.clone());
    let begun = Instant::now();
    let poll = waiting(&api, "/journal?wait=30");
    register(&care);
    assert!(text(&block_on(poll)).contains("\"seq\":1"));
    // A poll does not wait for an entry that exists.
    assert!(text(&get(&api, "/journal?wait=30")).contains("\"seq\":1"));
    assert!(begun.elapsed() < SOON);
}

#[test]
fn what_another_handle_on_the_store_commits_is_seen_as_well() {
    // Two services on one store do not notify each other, like two processes on one file.
    let store = Arc::new(MemoryStore::new());
    let (ours, theirs) = (Arc::clone(&store), store);
    let begun = Instant::now();
    let poll = waiting(&serving(CareService::new(ours)), "/journal?wait=30");
    register(&CareService::new(theirs));
    assert!(text(&block_on(poll)).contains("\"seq\":1"));
    assert!(begun.elapsed() < SOON);
}

#[test]
fn a_read_that_is_written_down_is_news() {
    let care = CareService::new(MemoryStore::new());
    let api = serving(care.clone()).with_read_audit();
    register(&care);
    let begun = Instant::now();
    let poll = waiting(&api, "/journal?after=1&wait=30");
    assert_eq!(get(&api, "/patient/1").status(), 200);
    assert!(text(&block_on(poll)).contains(r#""changes":[{"change":"read","record":"Patient","id":1}]"#));
    assert!(begun.elapsed() < SOON);
}

#[test]
fn a_host_that_shuts_down_lets_everybody_go() {
    let care = CareService::new(MemoryStore::new());
    let begun = Instant::now();
    let poll = waiting(&serving(care.clone()), "/journal?wait=30");
    care.stop_waiting();
    let (epoch, link) = (care.epoch(), "0".repeat(64));
    let page = format!(r#"{{"items":[],"epoch":"{epoch}","head":{{"seq":0,"link":"{link}"}}}}"#);
    assert_eq!(text(&block_on(poll)), page);
    assert!(begun.elapsed() < SOON);
}

/// Returns a poll that has begun to wait.
fn waiting(api: &Api, path: &str) -> Answer {
    waiting_as(api, "key", path)
}

fn waiting_as(api: &Api, key: &str, path: &str) -> Answer {
    let mut answer = exchanged(api, request_of(key, "GET", path), "");
    assert!(answer.as_mut().now_or_never().is_none(), "{path} does not wait");
    answer
}

fn register(care: &CareService) {
    block_on(care.register_patient(PatientDetails::default())).unwrap();
}

#[test]
fn any_key_hears_that_something_changed() {
    let care = CareService::new(dated());
    let keys = KeyRing::new().with_key("key", "key", Scopes::NONE);
    let api = Api::new(care.clone()).with_keys(keys);
    assert_eq!(text(&get(&api, "/news")), r#"{"epoch":"00000001","seq":0,"kinds":[]}"#);
    let news = waiting(&api, "/news?wait=30");
    register(&care);
    let begun = Instant::now();
    assert_eq!(text(&block_on(news)), r#"{"epoch":"00000001","seq":1,"kinds":["Patient"]}"#);
    assert_eq!(text(&get(&api, "/news?wait=30")), r#"{"epoch":"00000001","seq":1,"kinds":["Patient"]}"#);
    // A journal that was restored may end before the entry that the client knows.
    assert_eq!(text(&get(&api, "/news?after=25&wait=30")), r#"{"epoch":"00000001","seq":1,"all":true}"#);
    assert!(begun.elapsed() < SOON);
    let (begun, late) = (Instant::now(), waiting(&api, "/news?after=1&wait=1"));
    // No further entry comes.
    assert_eq!(text(&block_on(late)), r#"{"epoch":"00000001","seq":1,"kinds":[]}"#);
    assert!(begun.elapsed() >= Duration::from_millis(900));
}

/// Returns a store whose epoch is known.
fn dated() -> MemoryStore {
    MemoryStore::new().with_epoch(Epoch::new(1))
}

/// A key until it is revoked.
#[derive(Default)]
struct Revocable(AtomicBool);

#[async_trait]
impl Authenticator for Revocable {
    async fn authenticate(&self, _: &[u8]) -> Option<Principal> {
        let principal = Principal::new("desk", Scopes::ALL).unwrap();
        (!self.0.load(Ordering::SeqCst)).then_some(principal)
    }
}

#[test]
fn a_key_that_is_revoked_while_its_requests_wait_reads_and_writes_nothing() {
    let (care, keys) = (CareService::new(MemoryStore::new()), Arc::new(Revocable::default()));
    let api = Api::new(care.clone()).with_keys(Arc::clone(&keys));
    // A poll's key is looked up anew however short its wait was.
    for path in ["/journal?wait=30", "/news?wait=30", "/events?wait=30"] {
        let care = CareService::new(MemoryStore::new());
        let keys = Arc::new(Revocable::default());
        let poll = waiting(&Api::new(care.clone()).with_keys(Arc::clone(&keys)), path);
        keys.0.store(true, Ordering::SeqCst);
        register(&care);
        assert!(is_problem(&block_on(poll), 401, "unauthorized"), "{path}");
    }
    let poll = waiting(&api, "/journal?wait=30");
    let head = request("POST", "/patient").header("content-type", "application/json").header("content-length", "2");
    let written = begun(&api, head);
    keys.0.store(true, Ordering::SeqCst);
    thread::sleep(Duration::from_millis(600));
    register(&care);
    assert!(is_problem(&block_on(poll), 401, "unauthorized"));
    let written = block_on(finished(written, "{}"));
    assert!(is_problem(&written, 401, "unauthorized"));
    assert_eq!(block_on(care.last()).unwrap(), Seq::new(1));
}

/// A store whose key is revoked while a list is read, which takes longer than what was known of a key then counts.
struct Slow {
    store: MemoryStore,
    keys: Arc<Revocable>,
}

#[async_trait]
impl Hooks for Slow {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.keys.0.store(true, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(600));
        self.store.list(query, limit).await
    }
}

/// A facade that lists the patients.
struct Patients;

#[async_trait]
impl Facade for Patients {
    fn prefix(&self) -> &str {
        "patients"
    }

    fn name(&self) -> &str {
        "Patients"
    }

    fn plan(&self, _: &[String]) -> Option<Plan> {
        Some(Plan { operation: "list", needs: Some(Scopes::NONE), load: Load::SHORT })
    }

    async fn answer(&self, care: &CareService, _: &FacadeRequest<'_>) -> Result<FacadeAnswer, Error> {
        care.page(List::<Patient>::all(None), 1).await?;
        Ok(Response::new(Bytes::new()).into())
    }

    fn refusal(&self, _: &FacadeRequest<'_>, refusal: &Refusal) -> Response<Bytes> {
        Response::builder().status(refusal.status).body(Bytes::new()).unwrap()
    }
}

#[test]
fn a_key_that_is_revoked_while_a_read_is_under_way_is_shown_nothing() {
    for path in ["/patient", "/patients/all"] {
        let keys = Arc::new(Revocable::default());
        let store = Wrap(Slow { store: MemoryStore::new(), keys: Arc::clone(&keys) });
        let api = Api::new(CareService::new(store)).with_keys(Arc::clone(&keys)).with_facade(Patients);
        assert_eq!(get(&api, path).status(), 401, "{path}");
    }
}

/// A key whose end its authenticator does not look at.
struct Ending(Timestamp);

#[async_trait]
impl Authenticator for Ending {
    async fn authenticate(&self, _: &[u8]) -> Option<Principal> {
        Principal::new("desk", Scopes::ALL).ok().map(|principal| principal.until(self.0))
    }
}

#[test]
fn what_has_ended_is_401_whoever_made_it_before_and_after_each_wait() {
    let at = |millis| Timestamp::from_unix_millis(millis).unwrap();
    let millis = Arc::new(AtomicI64::new(0));
    let clock = Arc::clone(&millis);
    let care = CareService::new(MemoryStore::new()).with_clock(move || at(clock.load(Ordering::SeqCst)));
    let by_key = Api::new(care.clone()).with_keys(Ending(at(1_000)));
    let by_host = Api::new(care.clone()).with_host_principals("Bearer").unwrap();
    let ending = || Principal::new("desk", Scopes::ALL).unwrap().until(at(1_000));
    for api in [by_key, by_host] {
        let ask = |method: &str, path: &str| request(method, path).extension(ending());
        millis.store(0, Ordering::SeqCst);
        let head = |length| {
            ask("POST", "/patient").header("content-type", "application/json").header("content-length", length)
        };
        // One waits for its body, and one for news.
        let written = begun(&api, head("2"));
        let after = block_on(care.last()).unwrap();
        let mut poll = exchanged(&api, ask("GET", &format!("/news?wait=30&after={after}")), "");
        assert!(poll.as_mut().now_or_never().is_none());
        millis.store(1_000, Ordering::SeqCst);
        let written = block_on(finished(written, "{}"));
        assert_eq!((written.status().as_u16(), block_on(care.last()).unwrap()), (401, after));
        register(&care);
        assert_eq!(block_on(poll).status().as_u16(), 401);
        let (head, ()) = ask("GET", "/patient/1").body(()).unwrap().into_parts();
        let HeadOutcome::Answer(refused) = block_on(api.begin(head)) else { panic!("it waits for a body") };
        assert_eq!(refused.status().as_u16(), 401);
    }
}

/// A key that has all scopes when it is looked at first, which takes longer than what was known then counts, and none
/// later.
#[derive(Default)]
struct Narrowed(AtomicBool);

#[async_trait]
impl Authenticator for Narrowed {
    async fn authenticate(&self, _: &[u8]) -> Option<Principal> {
        let is_first = !self.0.swap(true, Ordering::SeqCst);
        if is_first {
            thread::sleep(Duration::from_millis(600));
        }
        Principal::new("desk", if is_first { Scopes::ALL } else { Scopes::NONE }).ok()
    }
}

#[test]
fn a_key_that_loses_scopes_while_its_request_waits_is_shown_no_more_than_it_may_read() {
    let keys = Arc::new(Narrowed::default());
    let api = Api::new(CareService::new(MemoryStore::new())).with_keys(Arc::clone(&keys));
    let answer = get(&api, "/today");
    assert!(text(&answer).contains(r#""left":["openVisits","#), "{}", text(&answer));
}

/// Returns the API with keys of these numbers.
fn with_keys(care: &CareService, keys: usize) -> Api {
    let ring = (0..keys).fold(KeyRing::new(), |ring, key| {
        let key = key.to_string();
        ring.with_key(&key, key.as_str(), Scopes::ALL)
    });
    Api::new(care.clone()).with_keys((ring, KeyRing::new().with_key("key", "key", Scopes::ALL)))
}

#[test]
fn polls_take_no_place_of_a_request_and_have_places_of_their_own() {
    let care = CareService::new(dated());
    let api = with_keys(&care, 2).with_limits(Limits::new().with_in_flight(1).with_polls(2));
    let (first, second) = (waiting_as(&api, "0", "/news?wait=30"), waiting_as(&api, "1", "/journal?wait=30"));
    let refused = get(&api, "/news?wait=30");
    assert!(is_problem(&refused, 503, "overloaded"), "{refused:?}");
    assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
    // Requests that do not wait need no place among polls.
    assert_eq!(get(&api, "/news").status(), 200);
    assert!(is_problem(&get(&api, "/patient/1"), 404, "not-found"));
    // Dropping the poll of a disconnected client frees its place.
    drop(first);
    let third = waiting(&api, "/news?wait=30");
    register(&care);
    assert_eq!(block_on(second).status(), 200);
    assert_eq!(text(&block_on(third)), r#"{"epoch":"00000001","seq":1,"kinds":["Patient"]}"#);
}

#[test]
fn a_key_has_128_polls_and_its_next_one_waits_a_second_and_ends_its_oldest() {
    let care = CareService::new(dated());
    let api = with_keys(&care, 8);
    let news = |key: &str| waiting_as(&api, key, "/news?wait=30");
    let mut polls: Vec<_> = (0..128).map(|_| news("0")).collect();
    assert!(polls.iter_mut().all(|poll| poll.as_mut().now_or_never().is_none()));
    let begun = Instant::now();
    polls.push(news("0"));
    let oldest = polls.remove(0);
    let mut newest = polls.pop().unwrap();
    let ended = block_on(async {
        match select(oldest, &mut newest).await {
            Either::Left((ended, _)) => ended,
            Either::Right((answer, _)) => panic!("the newest one is over: {answer:?}"),
        }
    });
    assert!(begun.elapsed() >= Duration::from_millis(900), "{:?}", begun.elapsed());
    assert_eq!((ended.status().as_u16(), text(&ended)), (200, r#"{"epoch":"00000001","seq":0,"kinds":[]}"#));
    assert_eq!(ended.headers()[header::RETRY_AFTER], "1");
    polls.push(newest);
    assert!(polls.iter_mut().all(|poll| poll.as_mut().now_or_never().is_none()));
    // Only when all places are held, another key is refused.
    for key in 1..8 {
        polls.extend((0..128).map(|_| news(&key.to_string())));
    }
    assert!(is_problem(&get(&api, "/news?wait=30"), 503, "overloaded"));
    // A poll that waits for its slot hears of news as the others do, and so does one that has no more time.
    let (begun, short) = (Instant::now(), waiting_as(&api, "7", "/news?wait=1"));
    let unchanged = block_on(short);
    assert!(begun.elapsed() >= Duration::from_millis(900) && !unchanged.headers().contains_key(header::RETRY_AFTER));
    assert!(polls.iter_mut().all(|poll| poll.as_mut().now_or_never().is_none()), "it has ended another");
    let last = news("7");
    register(&care);
    assert_eq!(text(&block_on(last)), r#"{"epoch":"00000001","seq":1,"kinds":["Patient"]}"#);
    let answers: Vec<_> = polls.into_iter().map(block_on).collect();
    assert!(answers.iter().all(|answer| !answer.headers().contains_key(header::RETRY_AFTER)));
}

#[test]
fn the_kinds_of_changes_are_known_for_the_last_thousand_entries() {
    let store = Arc::new(dated());
    let (ours, theirs) = (Arc::clone(&store), store);
    let care = CareService::new(ours);
    let api = serving(care.clone()).with_read_audit();
    let news = |after: u64| text(&get(&api, &format!("/news?after={after}"))).to_owned();
    (0..1000).for_each(|_| register(&care));
    assert_eq!(news(0), r#"{"epoch":"00000001","seq":1000,"kinds":["Patient"]}"#);
    register(&care);
    assert_eq!(
        (news(0), news(1)),
        (
            r#"{"epoch":"00000001","seq":1001,"all":true}"#.into(),
            r#"{"epoch":"00000001","seq":1001,"kinds":["Patient"]}"#.into()
        )
    );
    // The entry of a read changes nothing.
    assert_eq!(get(&api, "/patient/1").status(), 200);
    assert_eq!(news(1001), r#"{"epoch":"00000001","seq":1002,"kinds":[]}"#);
    // Another process says nothing of its changes.
    register(&CareService::new(theirs));
    assert_eq!(news(1002), r#"{"epoch":"00000001","seq":1003,"all":true}"#);
    register(&care);
    assert_eq!(
        (news(1002), news(1003)),
        (
            r#"{"epoch":"00000001","seq":1004,"all":true}"#.into(),
            r#"{"epoch":"00000001","seq":1004,"kinds":["Patient"]}"#.into()
        )
    );
}

#[test]
fn what_waits_is_woken_by_nothing_but_news() {
    struct Woken(AtomicUsize);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    let store = Counting::default();
    let looks = Arc::clone(&store.looks);
    let care = CareService::new(Wrap(store));
    let api = with_keys(&care, 4);
    let mut polls: Vec<_> = (0..500).map(|poll| waiting_as(&api, &(poll % 4).to_string(), "/news?wait=30")).collect();
    looks.store(0, Ordering::SeqCst);
    let wakers: Vec<_> = polls.iter().map(|_| Arc::new(Woken(AtomicUsize::new(0)))).collect();
    let woken = || wakers.iter().map(|woken| woken.0.swap(0, Ordering::SeqCst)).sum::<usize>();
    let poll = |polls: &mut Vec<Answer>| {
        let each = polls.iter_mut().zip(&wakers).map(|(poll, woken)| {
            let waker = Waker::from(Arc::clone(woken));
            Future::poll(poll.as_mut(), &mut Context::from_waker(&waker)).is_ready()
        });
        each.filter(|is_over| *is_over).count()
    };
    assert_eq!(poll(&mut polls), 0);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(1) {
        thread::sleep(Duration::from_millis(20));
        assert_eq!((woken(), poll(&mut polls)), (0, 0));
    }
    assert_eq!(looks.load(Ordering::SeqCst), 0, "a listener reads the store");
    register(&care);
    assert!(woken() >= 500);
    assert_eq!(poll(&mut polls), 500);
}

#[test]
fn a_store_that_hears_of_other_processes_announces_what_they_append() {
    let store = Telling { store: Arc::new(dated()), ..Telling::default() };
    let (theirs, notifier) = (Arc::clone(&store.store), Arc::clone(&store.notifier));
    let api = serving(CareService::new(Wrap(store)));
    let news = waiting(&api, "/news?wait=30");
    let other = CareService::new(theirs);
    register(&other);
    let begun = Instant::now();
    notifier.lock().unwrap().as_ref().unwrap().announce(Seq::new(1));
    assert_eq!(text(&block_on(news)), r#"{"epoch":"00000001","seq":1,"all":true}"#);
    assert!(begun.elapsed() < SOON);
}

/// A store that counts the reads of its last entry.
#[derive(Debug, Default)]
struct Counting {
    store: MemoryStore,
    looks: Arc<AtomicUsize>,
}

#[async_trait]
impl Hooks for Counting {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        self.store.last().await
    }
}

/// A store that announces only the entries of other processes.
#[derive(Debug, Default)]
struct Telling {
    store: Arc<MemoryStore>,
    notifier: Arc<Mutex<Option<CommitNotifier>>>,
}

#[async_trait]
impl Hooks for Telling {
    type Store = Arc<MemoryStore>;

    fn store(&self) -> &Self::Store {
        &self.store
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        *self.notifier.lock().unwrap() = Some(notifier);
    }
}

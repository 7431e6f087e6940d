//! Reports are bounded in bytes, computed in pieces and one at a time, and end at their deadline.

use std::{
    future::poll_fn,
    mem,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use care_core::{
    error::{Error, StoreError},
    keys::{KeyRing, Scopes},
    model::{
        EveryDays, Item, Lot, LotId, LotText, MedicineKey, MedicineName, OpenLot, PrescribedUnits, RegularDemand,
        Stock, StockSettings, UnitName, Units,
    },
    rest::{Api, Limits},
    service::{CareService, RestockPeriod, RestockReport},
    store::{
        Limit, MemoryStore, Portion, Query, Question, Record, RecordKey, RecordKind, Records, Rows, Seq, Versioned,
    },
};
use care_testkit::{Hooks, Wrap};
use futures_executor::block_on;
use futures_util::{FutureExt as _, future::join_all};
use http::{Response, header};

use super::{Answer, asked, get, is_problem, request, send, serving, text};

const MOST: usize = 1024 * 1024;
/// Lots of each medicine.
const LOTS: usize = 64;
/// Intervals of the prescriptions of each medicine.
const INTERVALS: usize = 365;

/// A store with this many medicines, each with 64 lots and prescriptions of 365 intervals.
#[derive(Debug)]
struct Shelves {
    medicines: usize,
    /// The highest number of records in one answer.
    at_once: usize,
    /// The reports that are reading now, and the most that ever were.
    reading: AtomicUsize,
    most_reading: AtomicUsize,
    /// The number of reports that were begun, and of answers to them.
    begun: AtomicUsize,
    listed: AtomicUsize,
    /// The single records that are read now, and the most that ever were.
    asked: AtomicUsize,
    most_asked: AtomicUsize,
    others: MemoryStore,
}

impl Shelves {
    fn new(medicines: usize) -> Self {
        let [reading, most_reading, begun, listed, asked, most_asked] = [0; 6].map(AtomicUsize::new);
        let others = MemoryStore::new();
        Self { medicines, at_once: usize::MAX, reading, most_reading, begun, listed, asked, most_asked, others }
    }

    /// Returns the records from this place on.
    fn from(&self, from: usize, all: usize, limit: Limit, of: impl Fn(usize) -> Record) -> Vec<Record> {
        (from..all).take(limit.items.min(self.at_once)).map(of).collect()
    }
}

fn name(number: usize) -> MedicineName {
    MedicineName::new(format!("m{number:09}")).unwrap()
}

fn number(medicine: &MedicineKey) -> usize {
    medicine.as_str()[1..].parse().unwrap()
}

fn item(number: usize) -> Record {
    Record::Item(Item::new(name(number)))
}

fn stock(number: usize) -> Record {
    let settings = StockSettings::new(UnitName::new("𝔲&".repeat(16)).unwrap());
    Record::Stock(Stock::new(name(number), settings, None))
}

/// Returns the lots of all medicines, by their places in the order of the list.
fn lot(place: usize) -> Record {
    let id = LotId { lot: LotText::new(format!("{:020}", place % LOTS)).ok(), expires: "31/12/2998".parse().ok() };
    let lot = Lot { id, on_hand: Units::try_from(1_000_000).unwrap() };
    Record::OpenLot(OpenLot::new(name(place / LOTS), lot))
}

fn regular(place: usize) -> Record {
    let days = i64::try_from(place % INTERVALS).unwrap() + 1;
    let wanted = PrescribedUnits { units: 1, unnamed: 0 };
    let none = RegularDemand::new(name(place / INTERVALS), EveryDays::clamped(days));
    Record::RegularDemand(RegularDemand { active_regular: 1, wanted, ..none })
}

#[async_trait]
impl Hooks for Shelves {
    type Store = MemoryStore;

    fn store(&self) -> &Self::Store {
        &self.others
    }

    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_asked.fetch_max(asked, Ordering::Relaxed);
        // Others may run in between.
        let mut has_waited = false;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            if mem::replace(&mut has_waited, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        let read = self.others.read(question).await;
        self.asked.fetch_sub(1, Ordering::Relaxed);
        read
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        self.listed.fetch_add(1, Ordering::Relaxed);
        let Query::Rows(Rows { selection, after }) = query else {
            // The last of what a report reads.
            self.reading.fetch_sub(1, Ordering::Relaxed);
            return Ok(Portion { items: Vec::new(), more: false });
        };
        let passed = match after {
            None => 0,
            Some(RecordKey::Item(key) | RecordKey::Stock(key)) => number(key) + 1,
            Some(RecordKey::OpenLot((key, lot))) => {
                number(key) * LOTS + lot.lot.as_ref().unwrap().as_str().parse::<usize>().unwrap() + 1
            }
            Some(RecordKey::RegularDemand((key, days))) => {
                number(key) * INTERVALS + usize::try_from(days.value()).unwrap()
            }
            Some(other) => panic!("{other:?}"),
        };
        let records = match selection.kind {
            RecordKind::Item => {
                if after.is_none() {
                    let reading = self.reading.fetch_add(1, Ordering::Relaxed) + 1;
                    self.most_reading.fetch_max(reading, Ordering::Relaxed);
                    self.begun.fetch_add(1, Ordering::Relaxed);
                }
                self.from(passed, self.medicines, limit, item)
            }
            RecordKind::Stock => self.from(passed, self.medicines, limit, stock),
            RecordKind::OpenLot => self.from(passed, self.medicines * LOTS, limit, lot),
            RecordKind::RegularDemand => self.from(passed, self.medicines * INTERVALS, limit, regular),
            _ => Vec::new(),
        };
        let more = !records.is_empty();
        let versioned = |record| Versioned { record, version: Seq::new(1) };
        Ok(Portion { items: records.into_iter().map(versioned).collect(), more })
    }
}

fn api(store: Shelves) -> Api {
    serving(CareService::new(Wrap(store)))
}

#[test]
fn a_report_ends_before_a_mebibyte() {
    let api = api(Shelves::new(300));
    for (form, items, more) in [
        ("application/json", "\"medicine\":", ",\"more\":true}"),
        ("application/xml", "<medicine>", "<more>true</more></Restock>"),
    ] {
        let asked = |path| send(&api, request("GET", path).header(header::ACCEPT, form).body(Bytes::new()).unwrap());
        let answer = asked("/restock");
        let body = text(&answer);
        assert!(answer.status() == 200 && body.len() <= MOST, "{} bytes", body.len());
        assert!(body.ends_with(more) && body.len() > MOST - 32 * 1024, "it is not ended before it is full");
        let held = body.matches(items).count();
        assert!((50..300).contains(&held), "{held} items");
        // The list begins as a shorter one does.
        let some = asked("/restock?limit=3");
        let shorter = text(&some).strip_suffix(more).unwrap().trim_end_matches(']');
        assert!(body.starts_with(shorter) && some.body().len() < 64 * 1024);
    }
}

/// Counts how often it is woken.
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn others_run_after_each_few_medicines() {
    let medicines = 400;
    let care = CareService::new(Wrap(Shelves::new(medicines)));
    let period = RestockPeriod::new(None, None, care.today().unwrap()).unwrap();
    let woken = Arc::new(Woken(AtomicUsize::new(0)));
    let (waker, mut polls) = (Waker::from(Arc::clone(&woken)), 0);
    let mut report = pin!(care.restock(period, RestockReport::MAX_ITEMS));
    let report = loop {
        polls += 1;
        match report.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(report) => break report.unwrap(),
            Poll::Pending => assert_eq!(woken.0.load(Ordering::Relaxed), polls, "it asks to be polled again"),
        }
    };
    assert_eq!(report.items.len(), medicines);
    // Each medicine is planned, and later told: at most eight at a time.
    assert!(polls >= 2 * medicines / 8, "{polls} polls");
}

#[test]
fn a_report_ends_at_its_deadline() {
    // One medicine at a time, so that the report does little else than read.
    let medicines = 1_000_000;
    let store = Arc::new(Wrap(Shelves { at_once: 1, ..Shelves::new(medicines) }));
    let limits = Limits::new().with_deadline(Duration::from_millis(50));
    let api = serving(CareService::new(Arc::clone(&store))).with_limits(limits);
    let answer = get(&api, "/restock");
    assert!(is_problem(&answer, 503, "late"), "{answer:?}");
    // In that time no machine reads a half of them, or anything like it.
    let listed = store.0.listed.load(Ordering::Relaxed);
    assert!(listed < medicines / 2, "it asked {listed} times");
}

#[test]
fn reports_are_computed_one_at_a_time() {
    let store = Arc::new(Wrap(Shelves::new(20)));
    let api = serving(CareService::new(Arc::clone(&store)));
    let asked = || api.handle(request("GET", "/restock").body(Bytes::new()).unwrap());
    let answers = block_on(join_all((0..16).map(|_| asked())));
    assert!(answers.iter().all(|answer| answer.status() == 200 && answer.body() == answers[0].body()));
    assert_eq!(store.0.most_reading.load(Ordering::Relaxed), 1);
}

#[test]
fn one_report_serves_the_orders_of_all_who_ask_within_two_seconds() {
    let store = Arc::new(Wrap(Shelves::new(20)));
    let api = serving(CareService::new(Arc::clone(&store)));
    let asked = || api.handle(request("GET", "/today?part=orders").body(Bytes::new()).unwrap());
    let answers = block_on(join_all((0..16).map(|_| asked())));
    assert!(answers.iter().all(|answer| answer.status() == 200 && answer.body() == answers[0].body()));
    assert_eq!(store.0.begun.load(Ordering::Relaxed), 1);
    std::thread::sleep(Duration::from_millis(2001));
    assert_eq!(block_on(asked()).body(), answers[0].body());
    assert_eq!(store.0.begun.load(Ordering::Relaxed), 2);
}

/// Returns an API with two keys over these shelves.
fn shared(shelves: Shelves) -> (Api, Arc<Wrap<Shelves>>) {
    let store = Arc::new(Wrap(shelves));
    let keys = KeyRing::new().with_key("key", "key", Scopes::ALL).with_key("other", "other", Scopes::ALL);
    (Api::new(CareService::new(Arc::clone(&store))).with_keys(keys), store)
}

/// Lets these requests go on in turn, until the first of them is answered.
fn answered(answers: &mut [Answer]) -> (usize, Response<Bytes>) {
    for _ in 0..1_000_000 {
        for (place, answer) in answers.iter_mut().enumerate() {
            if let Some(answer) = answer.as_mut().now_or_never() {
                return (place, answer);
            }
        }
    }
    panic!("they wait for each other");
}

#[test]
fn reports_of_several_keys_take_turns() {
    let (api, store) = shared(Shelves { at_once: 1, ..Shelves::new(1000) });
    let mut answers = [asked(&api, "key", "/restock"), asked(&api, "other", "/restock?limit=1")];
    assert!(answers[0].as_mut().now_or_never().is_none() && answers[1].as_mut().now_or_never().is_none());
    for _ in 0..4 {
        assert!(answers.iter_mut().all(|answer| answer.as_mut().now_or_never().is_none()));
    }
    assert_eq!(store.0.begun.load(Ordering::Relaxed), 2, "the second one begins after a piece of the first");
    // The shorter report ends first.
    answers[1] = asked(&api, "other", "/takings");
    let (first, answer) = answered(&mut answers);
    assert_eq!((first, answer.status().as_u16()), (1, 200));
}

#[test]
fn the_day_waits_for_no_report() {
    let (api, store) = shared(Shelves { at_once: 1, ..Shelves::new(1000) });
    let mut report = asked(&api, "key", "/restock");
    // It is long by now.
    assert!((0..100).all(|_| report.as_mut().now_or_never().is_none()));
    for key in ["key", "other"] {
        let mut both = [report, asked(&api, key, "/today?part=openVisits")];
        let (first, answer) = answered(&mut both);
        assert_eq!((first, answer.status().as_u16()), (1, 200));
        [report, _] = both;
    }
    // A day that takes long, since it needs a report, lets that of another key pass.
    let orders = asked(&api, "key", "/today?part=orders");
    let (first, _) = answered(&mut [report, orders, asked(&api, "other", "/today?part=openVisits")]);
    assert_eq!((first, store.0.most_reading.load(Ordering::Relaxed)), (2, 1));
}

#[test]
fn two_keys_that_ask_for_the_orders_do_not_wait_for_each_other() {
    let (api, store) = shared(Shelves::new(20));
    let mut both = ["key", "other"].map(|key| asked(&api, key, "/today?part=orders"));
    let (first, answer) = answered(&mut both);
    assert_eq!((first, answer.status().as_u16()), (0, 200));
    assert_eq!(answered(&mut both[1..]).1.body(), answer.body());
    assert_eq!(store.0.begun.load(Ordering::Relaxed), 1);
}

#[test]
fn histories_of_one_key_take_turns() {
    let store = Arc::new(Wrap(Shelves::new(1)));
    let api = serving(CareService::new(Arc::clone(&store))).with_limits(Limits::new().with_long_work(4));
    let ask = |path: &'static str| {
        let answers = (0..16).map(|_| api.handle(request("GET", path).body(Bytes::new()).unwrap()));
        assert!(block_on(join_all(answers)).iter().all(|answer| answer.status() == 404));
        store.0.most_asked.swap(0, Ordering::Relaxed)
    };
    assert_eq!((ask("/history/1"), ask("/patient/1")), (1, 16));
}

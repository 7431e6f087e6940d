//! The number of round trips, counted by a proxy.
//!
//! The proxy holds answers back until the client has been quiet for a while. Everything that the client sends without
//! having seen an answer therefore belongs to one round trip, however slow its threads are.

use std::{
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use care_core::{
    model::{Age, MedicineName, PatientDetails, PatientId, PrescriptionId},
    operation::JournalOperation,
    service::{CareService, ExpectedVersion, NewPrescription},
    store::{Act, Decision, Journal as _, Outcome, Transaction},
};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;
use futures_util::{FutureExt, future::join_all};

use super::{
    proxy::{Proxy, Watch},
    scratch::{Server, Test, test},
};

/// The time without a byte from the client after which it counts as waiting for an answer.
const QUIET: Duration = Duration::from_millis(60);
/// The number of decisions that an import hands over together: more than are written at once.
const WINDOW: i64 = 700;
/// The number of requests that wait for the writer together.
const TOGETHER: i64 = 20;
/// A setting that tells the connections that read from the one that writes.
const READER: &[u8] = b"default_transaction_read_only";
const WRITER: &[u8] = b"lock_timeout = '2000'";
/// The message that ends a transaction, whose answer no caller awaits.
const ROLLBACK: &[u8] = b"Q\0\0\0\rROLLBACK\0";

pub(super) fn tests() -> Vec<Test> {
    vec![test("requests_take_as_few_round_trips_as_they_need", |server| {
        let counted = Counted::open(server);
        let care = &counted.care;
        let patient = PatientId::FIRST;
        block_on(care.register_patient_as(patient, PatientDetails::default())).expect("a patient");
        let medicine = MedicineName::new("Paracetamol").expect("a name");
        block_on(care.prescribe(patient, NewPrescription::of(medicine))).expect("a prescription");
        let prescription = PrescriptionId::FIRST;

        let read = || drop(block_on(care.patient(patient)).expect("the patient"));
        assert_eq!(counted.trips(READER, read), 1, "a patient is one statement");
        let read = || drop(block_on(care.prescription(prescription)).expect("the prescription"));
        assert_eq!(counted.trips(READER, read), 2, "a prescription, and then its medicine");
        let list = || drop(block_on(care.patients(Default::default(), None, 10)).expect("the patients"));
        assert_eq!(counted.trips(READER, list), 1, "a list is one statement");
        let age = AtomicI64::new(0);
        let update = || {
            // The ages differ, because an unchanged record is not written.
            let other = Age::try_from(age.fetch_add(1, Ordering::Relaxed)).expect("an age");
            let details = PatientDetails { age: Some(other).into(), ..PatientDetails::default() };
            let updated = care.update_patient(patient, details, ExpectedVersion::Any);
            drop(block_on(updated).expect("the patient"));
        };
        assert_eq!(counted.trips(WRITER, update), 2, "one for the lock and the load, one for all that is written");

        for number in 2..=TOGETHER {
            let patient = PatientId::try_from(number).expect("a number");
            block_on(care.register_patient_as(patient, PatientDetails::default())).expect("a patient");
        }
        let medicine = AtomicI64::new(0);
        let prescribe = || prescribe_together(&counted, medicine.fetch_add(1, Ordering::Relaxed));
        let trips = counted.trips(WRITER, prescribe);
        // Four: one for what comes before the batch, one for the lock and the load, one for the new numbers, and one
        // for all that is written. On a slow machine the requests make a second or third batch.
        assert!((4..12).contains(&trips), "{TOGETHER} prescriptions took {trips} round trips");

        let first = AtomicI64::new(100);
        let import = || import(&counted, first.fetch_add(2 * WINDOW, Ordering::Relaxed));
        let trips = counted.trips(WRITER, import);
        // Six, if the decisions between two pipelines take less time than the proxy counts as quiet.
        assert!((6..20).contains(&trips), "an import of {} patients took {trips} round trips", 2 * WINDOW);
    })]
}

/// Prescribes one medicine to patients whose requests wait at the same time.
fn prescribe_together(counted: &Counted, medicine: i64) {
    let ((begin, begun), (release, held)) = (mpsc::channel(), mpsc::channel::<()>());
    let hold: Decision = Box::new(move |_| {
        // The writer blocks in its first run until all others wait.
        if begin.send(()).is_ok() {
            let _ = held.recv();
        }
        Ok(Outcome::default())
    });
    let mut holding = Box::pin(counted.store.transact(act(), hold));
    assert!((&mut holding).now_or_never().is_none());
    begun.recv().expect("the decision runs");
    drop(begun);
    let new = || NewPrescription::of(MedicineName::new(format!("Medicine {medicine}")).expect("a name"));
    let patients = (1..=TOGETHER).map(|number| PatientId::try_from(number).expect("a number"));
    let mut waiting: Vec<_> = patients.map(|patient| Box::pin(counted.care.prescribe(patient, new()))).collect();
    assert!(waiting.iter_mut().all(|waiting| waiting.now_or_never().is_none()));
    drop(release);
    block_on(holding).expect("nothing to do");
    block_on(join_all(waiting)).into_iter().for_each(|made| drop(made.expect("a prescription")));
}

fn act() -> Act {
    Act::new("tests", JournalOperation::ImportPatients, SystemTime::now().into())
}

/// Registers patients as an import does: numbered from `first`, in two windows of one transaction.
fn import(Counted { store, care, .. }: &Counted, first: i64) {
    let care = care.clone();
    let work = move |transaction: &mut dyn Transaction| {
        for from in [first, first + WINDOW] {
            let numbers = (from..from + WINDOW).map(|number| PatientId::try_from(number).expect("a number"));
            let registered =
                numbers.map(|number| care.registration(Some(number), PatientDetails::default(), &Arc::default()));
            let mut decisions: Vec<_> = registered.collect();
            transaction.decide_each(&act(), &mut decisions)?.into_iter().collect::<Result<Vec<_>, _>>()?;
        }
        Ok(())
    };
    let maintenance = store.maintenance().expect("the store is capable of it");
    block_on(maintenance.transaction(work)).expect("free numbers");
}

/// A service whose connections pass through a counting proxy.
struct Counted {
    store: Arc<PostgresStore>,
    care: CareService,
    connections: Arc<Mutex<Vec<Arc<Counter>>>>,
    _proxy: Proxy,
}

impl Counted {
    fn open(server: &Server) -> Self {
        let connections = Arc::<Mutex<Vec<Arc<Counter>>>>::default();
        let known = Arc::clone(&connections);
        let watcher = move || {
            let counter = Arc::new(Counter::default());
            lock(&known).push(Arc::clone(&counter));
            counter
        };
        let proxy = Proxy::before(server.cluster().socket(), watcher).expect("a socket");
        let store = PostgresStore::open(&proxy.address(server, &server.schema())).expect("an empty schema");
        let store = Arc::new(store);
        Self { care: CareService::new(Arc::clone(&store)), store, connections, _proxy: proxy }
    }

    /// Returns how many round trips the run takes on connections with this setting, once its statements are prepared.
    fn trips(&self, setting: &[u8], run: impl Fn()) -> usize {
        run();
        let before = self.count(setting);
        run();
        self.count(setting) - before
    }

    fn count(&self, setting: &[u8]) -> usize {
        let counters = lock(&self.connections);
        let trips = counters.iter().map(|counter| lock(&counter.state).trips.clone());
        let has_set = |trips: &Vec<Vec<u8>>| trips.iter().any(|sent| has(sent, setting));
        let counted = trips.filter(has_set).flatten().filter(|sent| sent != ROLLBACK);
        counted.count()
    }
}

/// Counts the round trips of one connection.
#[derive(Default)]
struct Counter {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// When the client last sent something.
    at: Option<Instant>,
    /// The bytes that it has sent since the last answer was passed on.
    sent: Vec<u8>,
    /// The bytes that it sent in each round trip.
    trips: Vec<Vec<u8>>,
}

impl Watch for Arc<Counter> {
    fn sent(&self, bytes: &[u8]) {
        let mut state = lock(&self.state);
        state.at = Some(Instant::now());
        state.sent.extend_from_slice(bytes);
    }

    fn answered(&self) {
        loop {
            let mut state = lock(&self.state);
            let left = state.at.map_or(Duration::ZERO, |at| QUIET.saturating_sub(at.elapsed()));
            if left.is_zero() {
                let sent = mem::take(&mut state.sent);
                if !sent.is_empty() {
                    state.trips.push(sent);
                }
                return;
            }
            drop(state);
            thread::sleep(left);
        }
    }
}

fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Connections that take longer to open than any caller waits, and connections and hosts that are silent.

use std::{
    num::NonZero,
    os::unix::net::UnixListener,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use care_core::store::{Journal, Seq};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;
use futures_util::future::{Either, select};
use tempfile::TempDir;

use super::{
    opening::put,
    proxy::{Proxy, Watch},
    scratch::{Server, Test, test},
};

/// The delay of the server's greeting on a new connection.
const GREETING: Duration = Duration::from_millis(900);
/// The time that a caller waits.
const PATIENCE: Duration = Duration::from_millis(200);
/// The time limit for all callers to be served: several greetings long.
const LIMIT: Duration = Duration::from_secs(8);

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_read_finds_the_connection_that_those_before_it_waited_for", |server| {
            let slow = Slow::open(server, "read");
            slow.end_connections(server);
            slow.until_served(|| is_read_in_time(&slow.store));
        }),
        test("a_write_finds_the_connection_that_those_before_it_waited_for", |server| {
            let slow = Slow::open(server, "write");
            slow.end_connections(server);
            slow.until_served(|| put(&slow.store, 2).is_ok());
        }),
        test("a_host_that_hangs_hides_no_other", |server| {
            let hanging = TempDir::new().expect("a directory");
            // The system accepts connections for it, and no process ever answers on them.
            let _silent = UnixListener::bind(hanging.path().join(".s.PGSQL.5432")).expect("a socket");
            let socket = |path: &Path| path.display().to_string().replace('/', "%2F");
            let (address, alive) = (server.schema(), socket(server.cluster().socket()));
            let both = address.replace(&alive, &format!("{}&host={alive}", socket(hanging.path())));
            assert_ne!(both, address, "the address names the socket");
            let begun = Instant::now();
            let store = PostgresStore::open(&both).expect("an empty schema");
            put(&store, 1).expect("an entry");
            assert_eq!(block_on(store.last()).expect("a read"), Seq::new(1));
            assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
        }),
        test("a_connection_that_fell_silent_is_not_lent_again", |server| {
            let silent = Arc::new(AtomicUsize::new(0));
            let count = Arc::new(AtomicUsize::new(0));
            let (silenced, counted) = (Arc::clone(&silent), Arc::clone(&count));
            let watcher = move || Falling {
                silent: Arc::clone(&silenced),
                number: counted.fetch_add(1, Ordering::SeqCst),
                begun: Instant::now(),
            };
            let proxy = Proxy::before(server.cluster().socket(), watcher).expect("a socket");
            let options = PostgresStore::options().readers(NonZero::new(1).expect("not zero"));
            let store = options.open(&proxy.address(server, &server.schema())).expect("an empty schema");
            assert_eq!(block_on(store.last()).expect("a read"), Seq::ZERO);
            // Every connection made so far stays open and answers no more.
            silent.store(count.load(Ordering::SeqCst), Ordering::SeqCst);
            assert!(!is_read_in_time(&store), "the connection is silent");
            let begun = Instant::now();
            while !is_read_in_time(&store) {
                assert!(begun.elapsed() < LIMIT, "no caller was served");
            }
        }),
    ]
}

/// Returns whether a caller with little patience gets an answer. A caller that times out drops its question.
fn is_read_in_time(store: &PostgresStore) -> bool {
    let (late, waited) = futures_channel::oneshot::channel();
    thread::spawn(move || {
        thread::sleep(PATIENCE);
        late.send(())
    });
    matches!(block_on(select(Box::pin(store.last()), waited)), Either::Left((Ok(_), _)))
}

/// A connection that stops to answer once its number is among the silent ones.
struct Falling {
    silent: Arc<AtomicUsize>,
    number: usize,
    begun: Instant,
}

impl Watch for Falling {
    fn sent(&self, _: &[u8]) {}

    fn answered(&self) {
        while self.number < self.silent.load(Ordering::SeqCst) && self.begun.elapsed() < 3 * LIMIT {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A store whose server greets slowly.
struct Slow {
    store: PostgresStore,
    /// The name by which the server knows its connections. Each test has its own, since they run side by side.
    name: &'static str,
    is_slow: Arc<AtomicBool>,
    _proxy: Proxy,
}

impl Slow {
    /// Opens a store with one entry while the server is still fast. The server knows its connections by this name.
    fn open(server: &Server, name: &'static str) -> Self {
        let is_slow = Arc::new(AtomicBool::new(false));
        let slow = Arc::clone(&is_slow);
        let watcher = move || Greeting { is_slow: Arc::clone(&slow), is_due: AtomicBool::new(true) };
        let proxy = Proxy::before(server.cluster().socket(), watcher).expect("a socket");
        let address = format!("{}&application_name={name}", server.schema());
        let options = PostgresStore::options().lock_wait(PATIENCE);
        let store = options.open(&proxy.address(server, &address)).expect("an empty schema");
        put(&store, 1).expect("an entry");
        Self { store, name, is_slow, _proxy: proxy }
    }

    /// Closes the store's connections, so that it has to open slow ones.
    fn end_connections(&self, server: &Server) {
        self.is_slow.store(true, Ordering::SeqCst);
        let connections = format!("pg_stat_activity WHERE application_name = '{}'", self.name);
        let end = format!("SELECT pg_terminate_backend(pid, 1000) FROM {connections}");
        server.cluster().execute(&end).expect("the connections end");
    }

    /// Repeats the attempt until it succeeds, within the limit.
    fn until_served(&self, attempt: impl Fn() -> bool) {
        let begun = Instant::now();
        while !attempt() {
            assert!(begun.elapsed() < LIMIT, "no caller was served");
        }
        assert!(begun.elapsed() >= PATIENCE, "the first caller waited for nothing");
    }
}

/// The first answer on a connection, which is delayed.
struct Greeting {
    is_slow: Arc<AtomicBool>,
    is_due: AtomicBool,
}

impl Watch for Greeting {
    fn sent(&self, _: &[u8]) {}

    fn answered(&self) {
        if self.is_due.swap(false, Ordering::SeqCst) && self.is_slow.load(Ordering::SeqCst) {
            thread::sleep(GREETING);
        }
    }
}

//! Connections that take longer to open than any caller waits.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use care_core::store::{Journal, Seq};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;
use futures_util::future::{Either, select};

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
            slow.until_served(|| {
                let last = Box::pin(slow.store.last());
                let (late, waited) = futures_channel::oneshot::channel();
                thread::spawn(move || {
                    thread::sleep(PATIENCE);
                    late.send(())
                });
                // A caller that times out drops its question.
                matches!(block_on(select(last, waited)), Either::Left((Ok(last), _)) if last == Seq::new(1))
            });
        }),
        test("a_write_finds_the_connection_that_those_before_it_waited_for", |server| {
            let slow = Slow::open(server, "write");
            slow.end_connections(server);
            slow.until_served(|| put(&slow.store, 2).is_ok());
        }),
    ]
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

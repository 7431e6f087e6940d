//! Commits whose connection is cut: each write that is acknowledged is there, and there once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use care_core::{
    audit,
    store::{Journal, Limit, Seq},
};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;

use super::{
    number,
    opening::put,
    proxy::{Moment, Proxy, Watch},
    scratch::{Server, Test, test},
};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_commit_that_is_cut_before_it_arrives_happens_once", |server| cut(server, Moment::Before)),
        test("a_commit_that_is_cut_while_it_runs_happens_once", |server| cut(server, Moment::During)),
        test("a_commit_whose_answer_is_cut_happens_once", |server| cut(server, Moment::After)),
    ]
}

/// Cuts every other connection that commits.
struct Cutter {
    moment: Moment,
    /// The commits that were seen on all connections.
    commits: Arc<AtomicUsize>,
    is_silent: AtomicBool,
}

impl Watch for Cutter {
    fn sent(&self, bytes: &[u8]) -> Option<Moment> {
        let has_commit = bytes.windows(7).any(|window| window == b"COMMIT\0");
        let is_cut = has_commit && self.commits.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
        self.is_silent.store(is_cut && self.moment == Moment::After, Ordering::SeqCst);
        is_cut.then_some(self.moment)
    }

    fn answered(&self) -> bool {
        !self.is_silent.load(Ordering::SeqCst)
    }
}

/// Writes through a proxy that cuts commits, and counts.
fn cut(server: &Server, moment: Moment) {
    let address = server.schema();
    drop(PostgresStore::open(&address).expect("an empty schema"));
    // The statements that open the store are spared.
    let commits = Arc::new(AtomicUsize::new(1));
    let counted = Arc::clone(&commits);
    let watcher = move || Cutter { moment, commits: Arc::clone(&counted), is_silent: AtomicBool::new(false) };
    let proxy = Proxy::before(server.cluster().socket(), watcher).expect("a socket");
    let proxied = proxy.address(server, &address);
    let store = PostgresStore::options().open(&proxied).expect("the proxy passes what is no commit");
    commits.store(0, Ordering::SeqCst);
    let mut last = 0;
    while commits.load(Ordering::SeqCst) < 2 * number("CARE_CUTS", 12) {
        last += 1;
        let seq = put(&store, last).expect("the outcome is found out").expect("an entry");
        assert_eq!(seq, Seq::new(last.unsigned_abs()), "no write happens twice, and none is lost");
    }
    drop(store);
    let store = PostgresStore::open(&address).expect("the schema");
    let entries = block_on(store.journal(Seq::ZERO, Limit::ALL)).expect("the journal").items;
    assert_eq!(entries.len() as i64, last);
    block_on(store.check()).expect("every row is as it was written");
    block_on(audit::verify(&store)).expect("records and journal agree");
    drop(proxy);
}

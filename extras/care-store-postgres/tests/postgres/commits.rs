//! Commits whose connection is cut: each acknowledged write is there, exactly once.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use care_core::{
    audit,
    store::{Journal, Limit, Maintenance, Seq},
};
use care_scratch_postgres::{Deed, Proxy, Statement};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;

use super::{
    number,
    opening::put,
    scratch::{Server, Test, test},
};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_commit_that_is_cut_before_it_arrives_happens_once", |server| cut(server, Deed::CutBefore)),
        test("a_commit_that_is_cut_while_it_runs_happens_once", |server| cut(server, Deed::CutDuring)),
        test("a_commit_whose_answer_is_cut_happens_once", |server| cut(server, Deed::CutAfter)),
    ]
}

/// Writes through a proxy that cuts every other commit, and counts the cuts.
fn cut(server: &Server, deed: Deed) {
    let schema = server.cluster().schema().expect("a new schema");
    let address = server.cluster().address(&schema);
    drop(PostgresStore::open(&address).expect("an empty schema"));
    // The statements that open the store are not cut.
    let commits = Arc::new(AtomicUsize::new(1));
    let counted = Arc::clone(&commits);
    let rule = move |statement: &Statement| {
        let is_commit = statement.text == "COMMIT";
        let is_cut = is_commit && counted.fetch_add(1, Ordering::SeqCst).is_multiple_of(2);
        if is_cut { deed.clone() } else { Deed::Pass }
    };
    let proxy = Proxy::before(server.cluster(), rule).expect("a socket");
    let proxied = proxy.address(&schema);
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

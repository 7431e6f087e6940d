//! Answers that rely on commits which the standby does not have.

use std::{thread, time::Duration};

use care_core::{
    error::{Error, StoreErrorKind},
    store::{Journal, Seq},
};
use care_scratch_postgres::{Cluster, Durability, Pooler};
use care_store_postgres::{OpenErrorKind, Options, PostgresStore};
use care_testkit::{PATIENCE, until};
use futures_executor::block_on;

use super::{
    opening::{act, put},
    scratch::{Server, Test, pooled, test},
};

/// A commit is waiting for the standby.
const WAITS: &str = "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')";
/// Cancels every commit that is waiting for the standby.
const CANCEL: &str = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
/// Closes every connection whose commit is waiting for the standby.
const TERMINATE: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
/// An address setting that hides the messages in which PostgreSQL reports a cancelled commit.
const HIDDEN: &str = "%20-cclient_min_messages%3Derror";

pub(super) fn tests() -> Vec<Test> {
    let mut tests = hidden_messages();
    tests.extend([
        test("a_server_whose_standbys_cannot_be_asked_is_refused", |server| {
            let (primary, _standby) = pair(server);
            let role = primary.role().expect("a role");
            primary.execute(&format!("REVOKE pg_read_all_stats FROM {role}")).expect("a blind role");
            let address = primary.address(&role).replace("user=postgres", &format!("user={role}"));
            let refused = PostgresStore::open(&address).expect_err("it cannot be asked");
            assert_eq!(refused.kind(), OpenErrorKind::StandbysHidden);
            assert!(refused.to_string().contains("GRANT pg_read_all_stats TO"), "{refused}");
            primary.execute(&format!("GRANT pg_read_all_stats TO {role}")).expect("a role that may ask");
            let store = PostgresStore::open(&address).expect("an empty schema");
            assert_eq!(put(&store, 1).map_err(kind), Ok(Some(Seq::new(1))));
            // The store loses the right to see its standbys while it runs: it writes nothing, and loses nothing once it
            // has the right again.
            primary.execute(&format!("REVOKE pg_read_all_stats FROM {role}")).expect("a blind role");
            assert_eq!(put(&store, 2).map_err(kind), Err(Some(StoreErrorKind::Stopped)));
            assert_eq!(block_on(store.last()).ok(), Some(Seq::new(1)));
            primary.execute(&format!("GRANT pg_read_all_stats TO {role}")).expect("a role that may ask");
            assert_eq!(put(&store, 2).map_err(kind), Ok(Some(Seq::new(2))));
        }),
        test("a_standby_that_is_required_is_required_by_each_write", |server| {
            let (primary, _standby) = pair(server);
            let store = hasty().require_synchronous(true).open(&primary.address("public")).expect("an empty schema");
            assert_eq!(put(&store, 1).map_err(kind), Ok(Some(Seq::new(1))));
            let ready = || block_on(store.ready()).map_err(|error| error.kind());
            assert_eq!(ready(), Ok(()));
            let wait_for = |names: &str| {
                primary.execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'")).expect("a setting");
                reload(&primary, names);
            };
            wait_for("");
            assert_eq!(put(&store, 2).map_err(kind), Err(Some(StoreErrorKind::Stopped)));
            // A finding stays valid for a moment.
            assert!(until(PATIENCE, || ready() == Err(StoreErrorKind::Stopped)), "{:?}", ready());
            wait_for("*");
            assert_eq!(put(&store, 2).map_err(kind), Ok(Some(Seq::new(2))));
        }),
        test("a_server_whose_standbys_stand_still_is_not_ready", |server| {
            let (primary, standby) = pair(server);
            let role = primary.role().expect("a role");
            let address = primary.address(&role).replace("user=postgres", &format!("user={role}"));
            let store = hasty().open(&address).expect("an empty schema");
            let ready = || block_on(store.ready()).map_err(|error| error.kind());
            assert_eq!(ready(), Ok(()));
            // Nothing is written meanwhile that would show it.
            standby.stand_still();
            assert!(until(PATIENCE, || ready() == Err(StoreErrorKind::Busy)), "{:?}", ready());
            standby.go_on();
            assert!(until(PATIENCE, || ready().is_ok()), "the standby is back");
        }),
        test("a_commit_that_a_setting_releases_is_not_acknowledged_where_a_standby_is_required", |server| {
            for requires in [true, false] {
                let (primary, standby) = pair(server);
                let options = hasty().require_synchronous(requires);
                let store = options.open(&primary.address("public")).expect("an empty schema");
                assert_eq!(put(&store, 1).map_err(kind), Ok(Some(Seq::new(1))));
                standby.stand_still();
                let release = "ALTER SYSTEM SET synchronous_standby_names = ''";
                let outcome = disturbed(&primary, &store, 2, &[release, "SELECT pg_reload_conf()"]);
                match requires {
                    true => assert_eq!(outcome, Err(Some(StoreErrorKind::Unknown))),
                    // Commits wait for no standby by then.
                    false => assert!(matches!(outcome, Ok(Some(_))), "{outcome:?}"),
                }
            }
        }),
        test("as_many_standbys_are_asked_as_commits_wait_for", |server| {
            let (primary, _standby) = pair(server);
            let store = hasty().open(&primary.address("public")).expect("an empty schema");
            assert_eq!(put(&store, 1).map_err(kind), Ok(Some(Seq::new(1))));
            for (number, names) in
                ["ANY 1 (\"walreceiver\", other)", "FIRST 1 (other, *)", "1 (*)", "*", ""].iter().enumerate()
            {
                primary.execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'")).expect("a setting");
                reload(&primary, names);
                let number = i64::try_from(number).expect("few") + 2;
                assert!(matches!(put(&store, number), Ok(Some(_))), "{names}");
            }
            for names in ["ANY 2 (*)", "first 2 (*, other)", "2 (walreceiver, other)"] {
                primary.execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'")).expect("a setting");
                reload(&primary, names);
                let outcome = disturbed(&primary, &store, 10, &[CANCEL]);
                assert!(
                    matches!(outcome, Err(Some(StoreErrorKind::Unknown | StoreErrorKind::Busy))),
                    "{names}: {outcome:?}"
                );
            }
        }),
        test("nothing_to_do_is_no_answer_before_the_standby_has_what_was_done", |server| {
            let (mut primary, standby) = pair(server);
            let store = hasty().open(&primary.address("public")).expect("an empty schema");
            assert_eq!(put(&store, 1).map_err(kind), Ok(Some(Seq::new(1))));
            assert_eq!(nothing(&store).map_err(kind), Ok(None));

            standby.stand_still();
            assert_eq!(put(&store, 2).map_err(kind), Err(Some(StoreErrorKind::Unknown)));
            // After a crash, every reader sees the entry, although only one machine has it.
            primary.kill().expect("the primary is killed");
            primary.restart().expect("the primary recovers");
            assert_eq!(block_on(store.last()).ok(), Some(Seq::new(2)));
            assert_eq!(nothing(&store).map_err(kind), Err(Some(StoreErrorKind::Busy)));

            standby.go_on();
            assert!(until(PATIENCE, || matches!(nothing(&store), Ok(None))), "the standby is back");
        }),
    ]);
    tests
}

/// Tests of commits that are cancelled, or whose connections are closed, while a setting of the role, the database or
/// the address hides PostgreSQL's messages about it.
fn hidden_messages() -> Vec<Test> {
    let places = [
        ("role", "ALTER ROLE postgres SET client_min_messages = error", ""),
        ("database", "ALTER DATABASE postgres SET client_min_messages = error", ""),
        ("server", "ALTER SYSTEM SET client_min_messages = error", ""),
        ("address", "SELECT", HIDDEN),
    ];
    let mut tests = Vec::new();
    for (script, what) in [(CANCEL, "cancelled"), (TERMINATE, "ended")] {
        tests.extend(places.map(|(place, setting, options)| {
            test(format!("a_commit_that_is_{what}_while_the_{place}_hides_it_is_not_acknowledged"), move |server| {
                let (primary, standby) = pair(server);
                primary.execute(setting).expect("a setting");
                primary.execute("SELECT pg_reload_conf()").expect("a setting");
                let address = format!("{}{options}", primary.address("public"));
                holds(&primary, &standby, &address, script);
            })
        }));
        tests.push(pooled(format!("a_commit_that_is_{what}_behind_a_pooler_is_not_acknowledged"), move |server| {
            let (primary, standby) = pair(server);
            let role = primary.role().expect("a role");
            primary
                .execute(&format!(
                    "ALTER ROLE {role} SET client_min_messages = error; ALTER ROLE {role} SET synchronous_commit = off"
                ))
                .expect("a setting");
            let program = Pooler::program().expect("pgbouncer, without which the test is left out");
            let pooler = Pooler::start(&primary, &program, std::slice::from_ref(&role)).expect("PgBouncer starts");
            holds(&primary, &standby, &pooler.address(&role), script);
        }));
    }
    tests
}

/// Checks that a write whose commit is disturbed is not acknowledged while the standby hangs, that its repetition is
/// not acknowledged either, and that writes resume with the standby.
fn holds(primary: &Cluster, standby: &Cluster, address: &str, script: &'static str) {
    let store = hasty().open(address).expect("an empty schema");
    assert_eq!(put(&store, 1).map_err(kind), Ok(Some(Seq::new(1))));
    standby.stand_still();
    for _ in 0..2 {
        let outcome = disturbed(primary, &store, 2, &[script]);
        assert!(matches!(outcome, Err(Some(StoreErrorKind::Unknown | StoreErrorKind::Busy))), "{outcome:?}");
    }
    standby.go_on();
    assert!(until(PATIENCE, || put(&store, 2).is_ok()), "the standby is back");
}

/// Puts the patient with this number, and disturbs every commit that waits meanwhile.
fn disturbed(
    primary: &Cluster,
    store: &PostgresStore,
    number: i64,
    scripts: &[&str],
) -> Result<Option<Seq>, Option<StoreErrorKind>> {
    thread::scope(|scope| {
        let putting = scope.spawn(|| put(store, number).map_err(kind));
        // A repetition may be refused before it reaches its commit.
        while !putting.is_finished() {
            if primary.holds(WAITS).is_ok() {
                scripts.iter().for_each(|script| primary.execute(script).expect("an operator may"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        putting.join().expect("an outcome")
    })
}

/// Starts a primary whose commits wait for its standby.
fn pair(server: &Server) -> (Cluster, Cluster) {
    let settings = ["wal_retrieve_retry_interval=50ms"];
    let mut primary = Cluster::start(server.installation(), Durability::Full, &settings).expect("a primary");
    let standby = primary.standby().expect("a standby");
    primary.wait_for_standby(true).expect("a synchronous standby");
    (primary, standby)
}

/// Makes the server reload its settings, and waits until its standby streams under them.
fn reload(primary: &Cluster, names: &str) {
    primary.execute("SELECT pg_reload_conf()").expect("a setting");
    let seen = format!("current_setting('synchronous_standby_names') = '{names}'");
    primary.until(&seen).expect("the setting is read");
}

fn hasty() -> Options {
    PostgresStore::options().lock_wait(Duration::from_millis(300)).patience(Duration::from_millis(1000))
}

/// Runs a decision that finds nothing to do, as the repetition of a write does.
fn nothing(store: &PostgresStore) -> Result<Option<Seq>, Error> {
    block_on(store.transact(act(), Box::new(|_| Ok(Vec::new().into()))))
}

fn kind(error: Error) -> Option<StoreErrorKind> {
    match error {
        Error::Store(error) => Some(error.kind()),
        _ => None,
    }
}

//! Answers that rely on what the standby does not have.

use std::{thread, time::Duration};

use care_core::{
    error::{Error, StoreErrorKind},
    store::{Journal, Seq},
};
use care_scratch_postgres::{Cluster, Durability};
use care_store_postgres::PostgresStore;
use futures_executor::block_on;

use super::{
    opening::{act, put},
    scratch::{Test, test},
};

pub(super) fn tests() -> Vec<Test> {
    vec![test("nothing_to_do_is_no_answer_before_the_standby_has_what_was_done", |server| {
        let settings = ["wal_retrieve_retry_interval=50ms"];
        let mut primary = Cluster::start(server.installation(), Durability::Full, &settings).expect("a primary");
        let standby = primary.standby().expect("a standby");
        primary.wait_for_standby(true).expect("a synchronous standby");
        let hasty =
            PostgresStore::options().lock_wait(Duration::from_millis(300)).patience(Duration::from_millis(1000));
        let store = hasty.open(&primary.address("public")).expect("an empty schema");
        assert_eq!(put(&store, 1).map_err(kind), Ok(Some(Seq::new(1))));
        assert_eq!(nothing(&store).map_err(kind), Ok(None));

        standby.stand_still();
        assert_eq!(put(&store, 2).map_err(kind), Err(Some(StoreErrorKind::Unknown)));
        // After a crash every reader sees the entry, which one machine alone has.
        primary.kill().expect("the primary is killed");
        primary.restart().expect("the primary recovers");
        assert_eq!(block_on(store.last()).ok(), Some(Seq::new(2)));
        assert_eq!(nothing(&store).map_err(kind), Err(Some(StoreErrorKind::Busy)));

        standby.go_on();
        let answered = (0..600).any(|_| {
            let is_answered = matches!(nothing(&store), Ok(None));
            is_answered || {
                thread::sleep(Duration::from_millis(50));
                false
            }
        });
        assert!(answered, "the standby is back");
    })]
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

//! Schema creation and a test migration, killed at each statement that creates or changes a table.

#![cfg(test)]

use std::{sync::Arc, time::Duration};

use care_core::{
    error::{Error, StoreErrorKind},
    model::{Patient, PatientId, Timestamp},
    operation::Operation,
    store::{Act, Change, Journal, Maintenance, Seq},
};
use care_scratch_postgres::{Cluster, Durability, installations};
use futures_executor::block_on;

use crate::{
    OpenError, OpenErrorKind, PostgresStore,
    base::{figures::Figures, settings::Settings},
    connect::{
        endpoint::{Address, Endpoint},
        opening::Opener,
        schema::MIGRATIONS,
        wire::Wire,
    },
};

/// A migration that adds a column, fills a table and creates an index.
const PLANTED: &str = "ALTER TABLE patient ADD COLUMN planted text NOT NULL DEFAULT ''; \
     CREATE TABLE planted (number bigint PRIMARY KEY); \
     INSERT INTO planted SELECT patient_id FROM patient; \
     ALTER TABLE planted ADD COLUMN again bigint; \
     CREATE INDEX planted_again ON planted (again)";

/// The number of its statements that create or change something.
const STATEMENTS: u64 = 4;

/// Kills the PostgreSQL process at the statement with this number. The sequence counts statements that were rolled back
/// too.
const TRIGGER: &str = "CREATE SCHEMA tally; CREATE SEQUENCE tally.statements; \
     CREATE TABLE tally.due (number bigint); INSERT INTO tally.due VALUES (0); \
     CREATE FUNCTION tally.count() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF nextval('tally.statements') = (SELECT number FROM tally.due) THEN \
             PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); \
         END IF; END $$; \
     CREATE EVENT TRIGGER tally ON ddl_command_end EXECUTE FUNCTION tally.count()";

/// Starts a server whose processes can be killed. Returns `None` where PostgreSQL is not installed.
fn server() -> Option<Cluster> {
    let installed = installations().ok()?;
    let cluster = Cluster::start(installed.last()?, Durability::None, &[]).expect("PostgreSQL starts");
    cluster.execute(TRIGGER).expect("a trigger");
    Some(cluster)
}

/// Opens a schema with these scripts while the server kills the process at the statement with this number.
fn open(cluster: &Cluster, schema: &str, scripts: &'static [&'static str], dies_at: u64) -> Result<(), OpenError> {
    let due = format!("UPDATE tally.due SET number = {dies_at}; SELECT setval('tally.statements', 1, false)");
    cluster.execute(&due).expect("a statement to die at");
    let text = cluster.address(schema);
    let address = Address::parse(&text)?;
    let config = address.known.parse().expect("an address");
    let endpoint = Endpoint::new(config, &address, Arc::new(Figures::default()))?;
    let opening = Opener {
        wire: Arc::new(Wire::start(endpoint).expect("a thread")),
        settings: Settings::default(),
        requires_synchronous: false,
        fills: true,
        limit: Duration::from_secs(30),
        scripts,
    };
    block_on(opening.open()).map(drop)
}

/// Puts the patient with this number, as a server does.
fn put(store: &PostgresStore, number: i64) -> Result<Option<Seq>, Error> {
    let at = Timestamp::from_unix_millis(0).expect("1970");
    let act = Act::new("tests", Operation::AddPatient, at);
    let patient = Patient::new(PatientId::try_from(number).expect("a number"));
    block_on(store.transact(act, Box::new(move |_| Ok(vec![Change::put(patient.clone())].into()))))
}

/// Returns the first number at which an opening is not killed, because it has no such statement. Openings at every
/// smaller number were killed.
fn ended_at_each(mut open: impl FnMut(u64) -> Result<(), OpenError>, mut ended: impl FnMut(u64)) -> u64 {
    (1..200)
        .find(|&number| match open(number) {
            Ok(()) => true,
            Err(error) => {
                assert_eq!(error.kind(), OpenErrorKind::Unreachable, "statement {number}: {error}");
                ended(number);
                false
            }
        })
        .expect("an end of the statements")
}

#[test]
fn a_schema_whose_making_ends_at_any_statement_is_made_by_the_next_start() {
    let Some(cluster) = server() else { return };
    let schema = cluster.schema().expect("an empty schema");
    let is_empty = format!(
        "DO $$ BEGIN IF EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace \
             WHERE n.nspname = '{schema}') THEN RAISE EXCEPTION 'half a schema'; END IF; END $$"
    );
    let open = |dies_at| open(&cluster, &schema, &MIGRATIONS, dies_at);
    let last = ended_at_each(open, |_| cluster.execute(&is_empty).expect("nothing is left of it"));
    assert!(last > 30, "{last} statements make the schema");
    let store = PostgresStore::open(&cluster.address(&schema)).expect("the schema");
    put(&store, 1).expect("a write");
    block_on(store.check()).expect("every row is as it was written");
}

#[test]
fn a_migration_that_ends_at_any_statement_leaves_the_older_server_at_work_until_one_is_done() {
    const SCRIPTS: [&str; 2] = [MIGRATIONS[0], PLANTED];
    let Some(cluster) = server() else { return };
    let schema = cluster.schema().expect("an empty schema");
    let older = PostgresStore::open(&cluster.address(&schema)).expect("an empty schema");
    let is_old = format!(
        "DO $$ BEGIN IF to_regclass('{schema}.planted') IS NOT NULL OR (SELECT protocol FROM {schema}.care) <> 1 \
             THEN RAISE EXCEPTION 'half a migration'; END IF; END $$"
    );
    let write = |number: u64| {
        let seq = put(&older, number as i64).expect("the older server writes");
        assert_eq!(seq, Some(Seq::new(number)), "nothing is lost");
    };
    let open = |dies_at| open(&cluster, &schema, &SCRIPTS, dies_at);
    let last = ended_at_each(open, |number| {
        cluster.execute(&is_old).expect("the older version is whole");
        write(number);
    });
    assert_eq!(last, STATEMENTS + 1);
    let refused = put(&older, last as i64);
    assert!(matches!(refused, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Stopped));
    assert_eq!(block_on(older.last()).expect("its reads go on"), Seq::new(STATEMENTS));
    let refused = PostgresStore::open(&cluster.address(&schema)).expect_err("a newer schema");
    assert_eq!(refused.kind(), OpenErrorKind::Newer);
}

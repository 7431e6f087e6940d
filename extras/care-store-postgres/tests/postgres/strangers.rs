//! Functions, operators, types and tables that other roles plant, or could plant, where the service would find them.

use std::sync::atomic::{AtomicU64, Ordering};

use care_core::{
    model::{Name, Patch, PatientDetails},
    service::CareService,
    store::{Journal, Maintenance, Seq},
};
use care_store_postgres::{OpenErrorKind, PostgresStore};
use futures_executor::block_on;

use super::{
    opening::put,
    scratch::{Server, Test, pooled, test},
};

/// The beginning of a grant that lets others create objects.
const SHARED: &str = "GRANT USAGE, CREATE ON SCHEMA";

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("a_schema_in_which_others_may_create_is_refused", |server| {
            let address = server.schema();
            drop(PostgresStore::open(&address).expect("an empty schema"));
            let (schema, mallory) = (schema_of(&address), role(server));
            for (to, named) in [("PUBLIC", "PUBLIC".to_owned()), (&*mallory, format!("\"{mallory}\""))] {
                server.cluster().execute(&format!("{SHARED} {schema} TO {to}")).expect("a grant");
                let refused = PostgresStore::open(&address).expect_err("others may create there");
                assert_eq!(refused.kind(), OpenErrorKind::Shared);
                let mend = format!("REVOKE CREATE ON SCHEMA \"{schema}\" FROM {named}");
                let said = refused.to_string();
                assert!(said.ends_with(&mend), "{said}");
                server.cluster().execute(&mend).expect("what it says");
                drop(PostgresStore::open(&address).expect("nobody else may create there"));
            }
        }),
        test("a_schema_whose_tables_others_may_attach_to_is_refused", |server| {
            let address = server.schema();
            drop(PostgresStore::open(&address).expect("an empty schema"));
            let (schema, mallory) = (schema_of(&address), role(server));
            for (right, to, named) in [
                ("TRIGGER ON", "PUBLIC", "PUBLIC".to_owned()),
                ("REFERENCES ON", &*mallory, format!("\"{mallory}\"")),
                ("REFERENCES (patient_id) ON", &*mallory, format!("\"{mallory}\"")),
            ] {
                server.cluster().execute(&format!("GRANT {right} {schema}.voided TO {to}")).expect("a grant");
                let refused = PostgresStore::open(&address).expect_err("others may attach to the table");
                assert_eq!(refused.kind(), OpenErrorKind::Shared);
                let mend = format!("REVOKE TRIGGER, REFERENCES ON ALL TABLES IN SCHEMA \"{schema}\" FROM {named}");
                let said = refused.to_string();
                assert!(said.ends_with(&mend), "{said}");
                server.cluster().execute(&mend).expect("what it says");
                server.cluster().execute(&format!("GRANT SELECT ON {schema}.voided TO {to}")).expect("a reader");
                drop(PostgresStore::open(&address).expect("nobody else may attach to it"));
            }
        }),
        test("what_default_privileges_give_to_others_is_taken_back", |server| {
            let address = server.schema();
            let (schema, mallory) = (schema_of(&address), role(server));
            let given = format!("ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT ALL ON TABLES TO {mallory}, PUBLIC");
            server.cluster().execute(&given).expect("default privileges");
            drop(PostgresStore::open(&address).expect("an empty schema"));
            for right in ["TRIGGER", "REFERENCES"] {
                let may = format!("has_table_privilege('{mallory}', '{schema}.patient', '{right}')");
                server.cluster().holds(&format!("NOT {may}")).expect(right);
            }
            drop(PostgresStore::open(&address).expect("nobody else may attach to a table"));
        }),
        test("what_postgresql_quotes_from_a_record_is_not_passed_on", |server| {
            let address = server.schema();
            let care = CareService::new(PostgresStore::open(&address).expect("an empty schema"));
            server.execute(&address, "ALTER TABLE patient ADD CONSTRAINT other CHECK (name IS NULL)").expect("a rule");
            let name = Name::new("Ada Example").expect("a name");
            let ada = PatientDetails { name: Patch::Set(name), ..PatientDetails::default() };
            let refused = block_on(care.register_patient(ada)).expect_err("the rule");
            let chain = std::iter::successors(Some(&refused as &dyn std::error::Error), |error| error.source());
            let said: String = chain.map(|error| format!("{error} ")).collect();
            assert!(said.contains("SQLSTATE 23514, table patient, constraint other"), "{said}");
            assert!(!said.contains("Ada"), "{said}");
        }),
        test("what_a_schema_should_not_hold_is_refused_by_name", |server| {
            for (plant, named) in [
                (
                    "CREATE FUNCTION hashtext(name) RETURNS integer LANGUAGE plpgsql AS \
                     'BEGIN RAISE EXCEPTION ''planted''; END'",
                    "function ",
                ),
                (
                    "CREATE FUNCTION same(integer, integer) RETURNS boolean LANGUAGE sql AS 'SELECT true'; \
                     CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = integer, FUNCTION = same)",
                    "function ",
                ),
                ("CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq)", "operator "),
                ("CREATE TYPE text AS ENUM ('a')", "type "),
                ("CREATE DOMAIN int8 AS integer", "type "),
                ("CREATE TABLE other (number integer)", "table "),
                ("CREATE VIEW other AS SELECT 1", "view "),
                ("CREATE SEQUENCE other", "sequence "),
                ("CREATE CAST (patient AS json) WITH INOUT", "cast from "),
                ("CREATE RULE other AS ON INSERT TO voided DO NOTHING", "rule other"),
                ("CREATE POLICY other ON voided", "policy other"),
                ("CREATE TABLE public.child () INHERITS (voided)", "part public.child"),
                ("ALTER TABLE voided SET UNLOGGED", "unlogged table voided"),
            ] {
                let address = server.schema();
                drop(PostgresStore::open(&address).expect("an empty schema"));
                server.execute(&address, plant).expect(plant);
                let refused = PostgresStore::open(&address).expect_err(plant);
                assert_eq!(refused.kind(), OpenErrorKind::Foreign, "{plant}");
                let said = refused.to_string();
                assert!(said.contains(&format!("Care Service: {named}")), "{plant}: {said}");
                server.cluster().execute("DROP TABLE IF EXISTS public.child").expect("it goes");
            }
        }),
        test("an_index_or_a_rule_that_was_dropped_is_missed", |server| {
            for drop in ["DROP INDEX patient_by_name", "ALTER TABLE counter DROP CONSTRAINT counter_pkey"] {
                let address = server.schema();
                let store = PostgresStore::open(&address).expect("an empty schema");
                block_on(store.check()).expect("a whole schema");
                server.execute(&address, drop).expect(drop);
                let said = block_on(store.check()).expect_err(drop).to_string();
                assert!(said.contains("part of the indexes ("), "{drop}: {said}");
            }
        }),
        test("a_table_of_another_role_is_refused", |server| {
            let address = server.schema();
            drop(PostgresStore::open(&address).expect("an empty schema"));
            let mallory = role(server);
            server.execute(&address, &format!("ALTER TABLE voided OWNER TO {mallory}")).expect("another owner");
            let refused = PostgresStore::open(&address).expect_err("a table of another role");
            assert!(refused.to_string().contains(&format!("table voided of the role {mallory}")), "{refused}");
        }),
        test("nothing_planted_is_run_as_long_as_a_store_is_open", |server| {
            let address = server.schema();
            // `pg_catalog` comes last here, so everything planted comes before it.
            let store = PostgresStore::open(&format!("{address}%2Cpg_catalog")).expect("an empty schema");
            plant_everywhere(server, &address);
            work(&store, &address);
        }),
        pooled("nothing_planted_is_run_through_a_pooler", |server| {
            let address = server.pooled_schema();
            let schema = address.split_once("user=").expect("a user").1.split('&').next().expect("a user");
            let last = format!("ALTER ROLE {schema} SET search_path = {schema}, pg_catalog");
            server.cluster().execute(&last).expect("a search path");
            let store = PostgresStore::open(&address).expect("an empty schema");
            plant_everywhere(server, &server.cluster().address(schema));
            work(&store, &address);
        }),
        pooled("a_search_path_that_a_pooler_ignores_is_refused", |server| {
            let address = server.pooled_schema();
            for options in ["-csearch_path%3Dpublic", "--search-path%3Dpublic"] {
                let refused = PostgresStore::open(&format!("{address}&options={options}")).expect_err(options);
                assert_eq!(refused.kind(), OpenErrorKind::PathIgnored);
            }
            drop(PostgresStore::open(&address).expect("an empty schema"));
        }),
        test("a_schema_that_is_named_like_the_role_is_not_the_one_that_is_meant", |server| {
            let cluster = care_scratch_postgres::Cluster::start(
                server.installation(),
                care_scratch_postgres::Durability::None,
                &[],
            );
            let cluster = cluster.expect("PostgreSQL starts");
            cluster.execute("CREATE ROLE care LOGIN; GRANT CREATE ON SCHEMA public TO care").expect("a role");
            // This search path is PostgreSQL's default.
            let address = cluster.address("public").replace("user=postgres", "user=care");
            let address = address.split("&options").next().expect("an address").to_owned();
            let store = PostgresStore::open(&address).expect("an empty schema");
            put(&store, 1).expect("an entry");
            drop(store);
            cluster.execute("CREATE ROLE mallory; CREATE SCHEMA care AUTHORIZATION mallory").expect("a trap");
            cluster.execute("GRANT USAGE, CREATE ON SCHEMA care TO care").expect("a trap");
            let store = PostgresStore::open(&address).expect("the schema of before");
            assert_eq!(block_on(store.last()).expect("a read"), Seq::new(1));
        }),
    ]
}

/// Plants functions, operators, types and tables in a schema that match the store's statements at least as well as
/// PostgreSQL's own, and that fail whatever uses them.
fn plant_everywhere(server: &Server, address: &str) {
    let mut script = String::new();
    let body = "LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''planted''; END'";
    for (name, arguments, returns) in [
        ("hashtext", "name", "integer"),
        ("hashtext", "text", "integer"),
        ("unnest", "bigint[]", "SETOF bigint"),
        ("unnest", "integer[]", "SETOF integer"),
        ("unnest", "text[]", "SETOF text"),
        ("pg_advisory_xact_lock", "integer, integer", "void"),
        ("current_setting", "text", "text"),
        ("set_config", "text, text, boolean", "text"),
        ("length", "text", "integer"),
        ("json_typeof", "json", "text"),
    ] {
        script += &format!("CREATE FUNCTION {name}({arguments}) RETURNS {returns} {body}; ");
    }
    let types = ["bigint", "integer", "text", "name", "oid", "boolean"];
    for left in types {
        for right in types {
            let function = format!("trap_{left}_{right}");
            script += &format!("CREATE FUNCTION {function}({left}, {right}) RETURNS boolean {body}; ");
            for operator in ["=", "<>", "<", ">", "<=", ">=", "||", "~"] {
                let sides = format!("LEFTARG = {left}, RIGHTARG = {right}, FUNCTION = {function}");
                script += &format!("CREATE OPERATOR {operator} ({sides}); ");
            }
        }
    }
    for ty in ["int8", "int4", "text", "regclass", "oid", "\"char\""] {
        script += &format!("CREATE TYPE {ty} AS ENUM ('planted'); ");
    }
    for table in ["pg_namespace", "pg_class", "pg_roles", "pg_stat_activity"] {
        script += &format!("CREATE TABLE {table} (oid integer); ");
    }
    let schema = schema_of(address);
    server
        .cluster()
        .execute(&format!("SET search_path = pg_catalog, {schema}; SET search_path = {schema}; {script}"))
        .expect("traps");
}

/// Writes, reads and checks everything, which fails if a planted object is used.
fn work(store: &PostgresStore, address: &str) {
    for number in 1..=3 {
        put(store, number).expect(address);
    }
    assert_eq!(block_on(store.last()).expect("a read"), Seq::new(3));
    assert_eq!(block_on(store.journal(Seq::ZERO, care_core::store::Limit::ALL)).expect("a list").items.len(), 3);
    block_on(store.scrub()).expect("a vacuum");
    let damage = block_on(store.check()).expect_err("the traps are strangers");
    assert!(damage.to_string().contains("is not in the schema, or should not be there"), "{damage}");
}

fn schema_of(address: &str) -> &str {
    address.rsplit("%3D").next().expect("a schema")
}

/// Creates a role without privileges.
fn role(server: &Server) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = format!("mallory_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    server.cluster().execute(&format!("CREATE ROLE {name}")).expect("a role");
    name
}

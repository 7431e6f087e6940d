//! Foreign objects in a schema, and the roles that could put them there.

use care_core::{
    model::Visible,
    store::{RecordKind, rows::RowReader},
};

use super::session::{Request, Session};
use crate::base::{
    cells::Cells,
    error::Fault,
    open_error::{OpenError, OpenErrorKind},
    settings::quoted,
};

/// Whether the schema exists and may be used, and the roles other than its owner, superusers and this role that may
/// create objects in it, one a row. `NULL` stands for all roles.
const CREATORS: &str = "SELECT pg_catalog.has_schema_privilege(n.oid, 'USAGE'::text), a.grantee IS NOT NULL, \
     r.rolname::text FROM pg_catalog.pg_namespace AS n \
     LEFT JOIN LATERAL (SELECT grantee FROM pg_catalog.aclexplode(n.nspacl) \
         WHERE privilege_type = 'CREATE'::text AND grantee <> n.nspowner AND grantee NOT IN ( \
             SELECT oid FROM pg_catalog.pg_roles WHERE rolsuper OR rolname = current_user \
         )) AS a ON true \
     LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee WHERE n.nspname = $1::text ORDER BY 3";

/// The roles other than the tables' owners, superusers and this role that may attach triggers or foreign keys to tables
/// of a schema. `NULL` stands for all roles.
const ATTACHERS: &str = "SELECT DISTINCT r.rolname::text FROM pg_catalog.pg_class AS c \
     CROSS JOIN LATERAL ( \
         SELECT x.grantee, x.privilege_type FROM pg_catalog.aclexplode(c.relacl) AS x \
         UNION ALL SELECT x.grantee, x.privilege_type FROM pg_catalog.pg_attribute AS t \
             CROSS JOIN LATERAL pg_catalog.aclexplode(t.attacl) AS x WHERE t.attrelid = c.oid \
     ) AS a LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee \
     WHERE c.relnamespace IN (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1::text) \
     AND a.privilege_type IN ('TRIGGER'::text, 'REFERENCES'::text) AND a.grantee <> c.relowner \
     AND a.grantee NOT IN (SELECT oid FROM pg_catalog.pg_roles WHERE rolsuper OR rolname = current_user) ORDER BY 1";

/// The tables of this schema version that hold no kind of record.
const OTHERS: [&str; 4] = ["api_key", "care", "journal", "patient_term"];

/// Most foreign objects that one search returns.
const SOME: usize = 20;

/// Returns the names of all tables of this version.
pub(crate) fn tables() -> impl Iterator<Item = &'static str> {
    RecordKind::ALL.iter().map(|kind| kind.table().name).chain(OTHERS)
}

/// Refuses a schema that does not exist, or in which other roles may create objects or attach them to its tables: those
/// objects could run with the service's privileges.
pub(crate) async fn refuse_creators(session: &Session, schema: &str) -> Result<(), OpenError> {
    let rows = session.query(Request::new(CREATORS, [schema.into()])).await?;
    let mut creators = Vec::new();
    for row in &rows {
        let mut cells = Cells::new("pg_namespace", row);
        if !cells.get::<bool>()? {
            return Err(OpenErrorKind::NoSchema.into());
        }
        if cells.get::<bool>()? {
            creators.push(cells.maybe_str()?.map_or_else(|| "PUBLIC".to_owned(), quoted));
        }
    }
    if rows.is_empty() {
        return Err(OpenErrorKind::NoSchema.into());
    }
    let revoke = match creators.is_empty() {
        true => revoke_from_attachers(session, schema).await?,
        false => Some(format!("REVOKE CREATE ON SCHEMA {} FROM {}", quoted(schema), creators.join(", "))),
    };
    match revoke {
        None => Ok(()),
        Some(revoke) => Err(OpenError::with(OpenErrorKind::Shared, Visible(&revoke).to_string())),
    }
}

/// Takes from other roles what default privileges let them do with tables that this transaction has created: whatever
/// they attach to a table runs with the service's privileges.
pub(crate) async fn revoke_defaults(session: &Session, schema: &str) -> Result<(), Fault> {
    match revoke_from_attachers(session, schema).await? {
        None => Ok(()),
        Some(revoke) => session.execute(&revoke).await,
    }
}

/// Returns the statement after which no other role may attach anything to a table, or `None` when none may.
async fn revoke_from_attachers(session: &Session, schema: &str) -> Result<Option<String>, Fault> {
    let mut attachers = Vec::new();
    for row in &session.query(Request::new(ATTACHERS, [schema.into()])).await? {
        attachers.push(Cells::new("pg_class", row).maybe_str()?.map_or_else(|| "PUBLIC".to_owned(), quoted));
    }
    let rights = "REVOKE TRIGGER, REFERENCES ON ALL TABLES IN SCHEMA";
    Ok((!attachers.is_empty()).then(|| format!("{rights} {} FROM {}", quoted(schema), attachers.join(", "))))
}

/// Searches a schema for what does not belong there: functions, operators, types and every other object that is not a
/// table of this service; tables that other roles own or that a crash of PostgreSQL empties; objects that change what
/// statements on the tables mean; and casts that involve the schema's types or functions. Each comes with the table
/// that it is attached to.
pub(crate) fn search(schema: &str) -> Request {
    let tables: Vec<_> = tables().map(|name| format!("'{name}'::text")).collect();
    let sql = format!(
        "WITH home AS (SELECT oid, nspowner FROM pg_catalog.pg_namespace WHERE nspname = $1::text), \
         ours AS (SELECT oid, relname::text AS name, relowner, relpersistence FROM pg_catalog.pg_class \
             WHERE relnamespace IN (SELECT oid FROM home) AND relkind = 'r'::\"char\" AND relname::text IN ({})), \
         kin AS (SELECT oid FROM pg_catalog.pg_type WHERE typnamespace IN (SELECT oid FROM home)), \
         acts AS (SELECT oid FROM pg_catalog.pg_proc WHERE pronamespace IN (SELECT oid FROM home)) \
         SELECT i.type || ' '::text || i.identity, NULL::text FROM pg_catalog.pg_depend AS d \
             CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.classid, d.objid, 0) AS i \
             WHERE d.refclassid = 'pg_catalog.pg_namespace'::regclass::oid AND d.refobjid IN (SELECT oid FROM home) \
             AND d.deptype = 'n'::\"char\" AND NOT (d.classid = 'pg_catalog.pg_class'::regclass::oid \
                 AND d.objid IN (SELECT oid FROM ours)) \
         UNION ALL SELECT 'table '::text || name || ' of the role '::text || r.rolname::text, name FROM ours \
             JOIN pg_catalog.pg_roles AS r ON r.oid = relowner WHERE relowner NOT IN (SELECT nspowner FROM home) \
             AND NOT r.rolsuper AND r.rolname <> current_user \
         UNION ALL SELECT 'unlogged table '::text || name, name FROM ours WHERE relpersistence <> 'p'::\"char\" \
         UNION ALL SELECT 'trigger '::text || tgname::text, name FROM pg_catalog.pg_trigger \
             JOIN ours ON ours.oid = tgrelid WHERE NOT tgisinternal \
         UNION ALL SELECT 'rule '::text || rulename::text, name FROM pg_catalog.pg_rewrite \
             JOIN ours ON ours.oid = ev_class \
         UNION ALL SELECT 'policy '::text || polname::text, name FROM pg_catalog.pg_policy \
             JOIN ours ON ours.oid = polrelid \
         UNION ALL SELECT 'part '::text || inhrelid::regclass::text, name FROM pg_catalog.pg_inherits \
             JOIN ours ON ours.oid = inhparent \
         UNION ALL SELECT 'cast from '::text || pg_catalog.format_type(castsource, NULL) || ' to '::text \
             || pg_catalog.format_type(casttarget, NULL), NULL FROM pg_catalog.pg_cast \
             WHERE castsource IN (SELECT oid FROM kin) OR casttarget IN (SELECT oid FROM kin) \
             OR castfunc IN (SELECT oid FROM acts) \
         LIMIT {SOME}",
        tables.join(", ")
    );
    Request::new(sql, [schema.into()])
}

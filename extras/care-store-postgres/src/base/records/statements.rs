//! The statements of a table, generated from its columns.

use std::fmt::Write;

use care_core::store::rows::{Column, Role, Table, Type};

/// The statements of a table.
#[derive(Debug)]
pub(crate) struct Statements {
    /// `SELECT` with every column but the derived ones, to be followed by `WHERE` and the like.
    pub(crate) select: String,
    /// Selects the row with one key.
    pub(crate) one: String,
    /// Selects the rows with many keys; each key column is an array parameter.
    pub(crate) many: String,
    /// Inserts or replaces rows; each column is an array parameter, `version` first.
    pub(crate) put: String,
    /// Deletes the rows with these keys, with the same parameters as `many`.
    pub(crate) remove: String,
    /// Selects every row in key order, with the derived columns after the others.
    pub(crate) whole: String,
    /// The primary key's columns, for `ORDER BY`.
    pub(crate) key: String,
}

impl Statements {
    pub(crate) fn of(table: &Table) -> Self {
        let name = table.name;
        let read = names(table.read());
        let key = names(table.key.iter().copied());
        let asked = match table.key {
            [only] => format!("{} = ANY ($1::{}[])", only.name, spelling(only.ty)),
            several => format!("({key}) IN (SELECT * FROM ROWS FROM ({}))", unnested(several.iter().copied())),
        };
        let one = table.key.iter().zip(1..).map(|(column, number)| format!("{} = ${number}", column.name));
        let one = one.collect::<Vec<_>>().join(" AND ");
        let derived = table.all().filter(|column| column.role == Role::Derived);
        let mut set = "version = excluded.version".to_owned();
        for column in table.columns {
            // Writing to a `String` cannot fail.
            let _ = write!(set, ", {0} = excluded.{0}", column.name);
        }
        Self {
            one: format!("SELECT {read} FROM {name} WHERE {one}"),
            many: format!("SELECT {read} FROM {name} WHERE {asked}"),
            put: format!(
                "INSERT INTO {name} ({}) SELECT * FROM ROWS FROM ({}) ON CONFLICT ({key}) DO UPDATE SET {set}",
                names(table.all()),
                unnested(table.all())
            ),
            remove: format!("DELETE FROM {name} WHERE {asked}"),
            whole: format!("SELECT {} FROM {name} ORDER BY {key}", names(table.read().chain(derived))),
            select: format!("SELECT {read} FROM {name}"),
            key,
        }
    }
}

/// Returns the name of a type, as PostgreSQL spells it before `[]`.
const fn spelling(ty: Type) -> &'static str {
    match ty {
        Type::Int => "int4",
        Type::BigInt => "int8",
        Type::Bool => "bool",
        Type::Double => "float8",
        Type::Text => "text",
    }
}

/// Returns an `unnest` of one array parameter for each column.
fn unnested(columns: impl Iterator<Item = Column>) -> String {
    list(columns.zip(1..).map(|(column, number)| format!("pg_catalog.unnest(${number}::{}[])", spelling(column.ty))))
}

fn names(columns: impl Iterator<Item = Column>) -> String {
    list(columns.map(|column| column.name.to_owned()))
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_every_column_once() {
        const TABLE: Table = Table {
            name: "t",
            key: &[Column::big_int("a"), Column::text("b")],
            columns: &[Column::bool("c"), Column::text("d").derived()],
        };
        const ONLY: Table = Table { name: "t", key: &[Column::big_int("a")], columns: &[] };
        let of = Statements::of(&TABLE);
        assert_eq!(of.select, "SELECT version, a, b, c FROM t");
        assert_eq!(of.one, "SELECT version, a, b, c FROM t WHERE a = $1 AND b = $2");
        let asked =
            "(a, b) IN (SELECT * FROM ROWS FROM (pg_catalog.unnest($1::int8[]), pg_catalog.unnest($2::text[])))";
        assert_eq!(of.many, format!("SELECT version, a, b, c FROM t WHERE {asked}"));
        assert_eq!(of.remove, format!("DELETE FROM t WHERE {asked}"));
        assert_eq!(
            of.put,
            "INSERT INTO t (version, a, b, c, d) \
             SELECT * FROM ROWS FROM (pg_catalog.unnest($1::int8[]), pg_catalog.unnest($2::int8[]), \
             pg_catalog.unnest($3::text[]), pg_catalog.unnest($4::bool[]), pg_catalog.unnest($5::text[])) \
             ON CONFLICT (a, b) DO UPDATE SET version = excluded.version, c = excluded.c, d = excluded.d"
        );
        assert_eq!(of.whole, "SELECT version, a, b, c, d FROM t ORDER BY a, b");
        let of = Statements::of(&ONLY);
        assert_eq!(of.many, "SELECT version, a FROM t WHERE a = ANY ($1::int8[])");
    }
}

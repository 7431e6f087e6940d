//! The statements of a table, made from its columns.

use care_core::store::rows::{Column, Role, Table};

/// The statements of a table.
#[derive(Debug)]
pub(crate) struct Statements {
    /// The columns of the primary key.
    pub(crate) key: String,
    /// Every column but those that can be derived.
    pub(crate) columns: String,
    /// `SELECT` with these columns; a condition follows.
    pub(crate) select: String,
    /// Replaces the row of this key, or adds it.
    pub(crate) put: String,
    /// Replaces the row of this key, if every indexed column keeps its value: SQLite would enter the row again into
    /// each index with a column that is set, with any value.
    pub(crate) update: String,
    /// Replaces the row of this key, if every indexed column but the moving ones keeps its value, so that a change of
    /// state leaves the other indexes alone; `None` without moving columns.
    pub(crate) moved: Option<String>,
    /// Removes the row of this key.
    pub(crate) remove: String,
    /// The row of this key.
    pub(crate) one: String,
    /// The query whether each column of the row of this key has the value that would be put.
    pub(crate) same: String,
}

impl Statements {
    pub(crate) fn of(table: &Table) -> Self {
        let name = table.name;
        let (key, columns) = (|| table.key.iter().copied(), || table.columns.iter().copied());
        let read = list(table.read(), ", ", |name| name.to_owned());
        let select = format!("SELECT {read} FROM {name}");
        let all = list(table.all(), ", ", |name| name.to_owned());
        let values = list(table.all(), ", ", |name| format!(":{name}"));
        let names = list(key(), ", ", |name| name.to_owned());
        let one = list(key(), " AND ", |name| format!("{name} = ?"));
        let this = list(key(), " AND ", |name| format!("{name} = :{name}"));
        let version = || std::iter::once(Column::big_int("version"));
        let replaced = list(version().chain(columns()), ", ", |name| format!("{name} = excluded.{name}"));
        // The selection is never read. It numbers the parameters in the order of the columns.
        let update = |roles: &[Role]| {
            let (set, kept): (Vec<_>, Vec<_>) = columns().partition(|column| roles.contains(&column.role));
            let set = list(version().chain(set), ", ", |name| format!("{name} = :{name}"));
            let kept: String = kept.iter().map(|Column { name, .. }| format!(" AND {name} IS :{name}")).collect();
            format!("WITH unread AS (SELECT {values}) UPDATE {name} SET {set} WHERE {this}{kept}")
        };
        let compared = list(table.all(), ", ", |name| format!("{name} IS :{name}"));
        Self {
            one: format!("{select} WHERE {one}"),
            put: format!("INSERT INTO {name} ({all}) VALUES ({values}) ON CONFLICT ({names}) DO UPDATE SET {replaced}"),
            update: update(&[Role::Plain]),
            moved: columns().any(|column| column.role == Role::Moving).then(|| update(&[Role::Plain, Role::Moving])),
            remove: format!("DELETE FROM {name} WHERE {one}"),
            same: format!("SELECT {compared} FROM {name} WHERE {this}"),
            key: names,
            columns: read,
            select,
        }
    }
}

/// Returns a text for each column's name, with this between two of them.
fn list(columns: impl Iterator<Item = Column>, between: &str, text: impl Fn(&str) -> String) -> String {
    columns.map(|column| text(column.name)).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_every_column_once() {
        const TABLE: Table = Table {
            name: "t",
            key: &[Column::text("a"), Column::text("b")],
            columns: &[
                Column::text("c"),
                Column::text("d").indexed(),
                Column::text("e").derived(),
                Column { role: Role::Moving, ..Column::text("f") },
            ],
        };
        let table = Statements::of(&TABLE);
        assert_eq!(table.key, "a, b");
        assert_eq!(table.select, "SELECT version, a, b, c, d, f FROM t");
        assert_eq!(table.one, "SELECT version, a, b, c, d, f FROM t WHERE a = ? AND b = ?");
        assert_eq!(
            table.same,
            "SELECT version IS :version, a IS :a, b IS :b, c IS :c, d IS :d, e IS :e, f IS :f FROM t \
             WHERE a = :a AND b = :b"
        );
        assert_eq!(table.remove, "DELETE FROM t WHERE a = ? AND b = ?");
        assert_eq!(
            table.put,
            "INSERT INTO t (version, a, b, c, d, e, f) VALUES (:version, :a, :b, :c, :d, :e, :f) ON CONFLICT (a, b) \
             DO UPDATE SET version = excluded.version, c = excluded.c, d = excluded.d, e = excluded.e, \
             f = excluded.f"
        );
        assert_eq!(
            table.update,
            "WITH unread AS (SELECT :version, :a, :b, :c, :d, :e, :f) UPDATE t SET version = :version, c = :c \
             WHERE a = :a AND b = :b AND d IS :d AND e IS :e AND f IS :f"
        );
        assert_eq!(
            table.moved.unwrap(),
            "WITH unread AS (SELECT :version, :a, :b, :c, :d, :e, :f) UPDATE t SET version = :version, c = :c, f = :f \
             WHERE a = :a AND b = :b AND d IS :d AND e IS :e"
        );
    }
}

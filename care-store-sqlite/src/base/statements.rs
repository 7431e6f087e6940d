//! The statements of a table, made from its columns, and those about selections.

use std::{iter::once, sync::LazyLock};

use care_core::store::{
    Index, RecordKind, Rows, Selection,
    rows::{Column, Role, Table},
    sql::{Statement, list, names},
};

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
}

/// Returns the statements of a kind of record, which are made once.
pub(crate) fn sql(kind: RecordKind) -> &'static Statements {
    static ALL: LazyLock<Vec<Statements>> = LazyLock::new(|| {
        let of = |kind: &RecordKind| Statements::of(&kind.table(), |column| is_indexed(*kind, column));
        RecordKind::ALL.iter().map(of).collect()
    });
    &ALL[kind as usize]
}

/// Returns whether an index has a column.
fn is_indexed(kind: RecordKind, column: &str) -> bool {
    // This store alone has an index by which it finds what refers to a removed consultation.
    (kind, column) == (RecordKind::Prescription, "consultation_id")
        || Index::columns_of(kind).any(|indexed| indexed == column)
}

impl Statements {
    fn of(table: &Table, is_indexed: impl Fn(&str) -> bool) -> Self {
        let (name, select, has_key) = (table.name, table.select(), table.has_key());
        let columns = || table.columns.iter().copied();
        let bound = |Column { name, .. }: Column| format!(":{name}");
        let set = |Column { name, .. }: Column| format!("{name} = :{name}");
        let values = list(table.all(), ", ", bound);
        let this = list(table.key.iter().copied(), " AND ", set);
        // The selection is never read. It numbers the parameters in the order of the columns.
        let update = |with_moving: bool| {
            let is_set = |column: &Column| match column.role {
                Role::Plain => !is_indexed(column.name),
                Role::Moving => with_moving,
                Role::Derived => false,
            };
            let (changed, kept): (Vec<_>, Vec<_>) = columns().partition(is_set);
            let set = list(once(Column::big_int("version")).chain(changed), ", ", set);
            let kept = list(kept.into_iter(), "", |Column { name, .. }| format!(" AND {name} IS :{name}"));
            format!("WITH unread AS (SELECT {values}) UPDATE {name} SET {set} WHERE {this}{kept}")
        };
        Self {
            key: names(table.key.iter().copied()),
            columns: names(table.read()),
            one: format!("{select} WHERE {has_key}"),
            put: format!("INSERT INTO {name} ({}) VALUES ({values}) {}", names(table.all()), table.or_replace()),
            update: update(false),
            moved: columns().any(|column| column.role == Role::Moving).then(|| update(true)),
            remove: format!("DELETE FROM {name} WHERE {has_key}"),
            select,
        }
    }
}

/// Returns the beginning of a statement up to the name of the selection's table, with `INDEXED BY` and the name of its
/// index, or without where the table itself has its rows.
///
/// The index is named because there are no statistics that would lead the planner to it, and because a query that
/// cannot use it then fails at once instead of reading the whole table. Patients are found by their terms.
fn indexed(start: &str, selection: &Selection) -> Statement {
    let mut sql = String::with_capacity(2 * start.len());
    sql.push_str(start);
    let named = |index: &&Index| !index.is_primary && index.kind != RecordKind::Patient;
    if let Some(index) = selection.index.filter(named) {
        sql.push_str(" INDEXED BY ");
        sql.push_str(index.name);
    }
    Statement::new(sql)
}

/// Returns the statement that begins with the name of the selection's table, and keeps the selected rows.
pub(crate) fn selecting(start: &str, selection: &Selection) -> Statement {
    indexed(start, selection).of(selection)
}

/// Returns the statement that lists these rows.
pub(crate) fn listing(rows: &Rows) -> Statement {
    let mut statement = indexed(&sql(rows.selection.kind).select, &rows.selection).of_rows(rows);
    // The index has the rows of one word after those of another, each in the order of the list; SQLite merges them.
    if let Some((column, words)) = rows.selection.open_words() {
        let each = words.iter().map(|word| format!("{} AND {column} = '{word}'", statement.sql));
        statement.sql = each.collect::<Vec<_>>().join(" UNION ALL ");
    }
    statement.ordered(&rows.selection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_every_column_once() {
        const TABLE: Table = Table {
            name: "t",
            key: &[Column::text("a"), Column::text("b")],
            columns: &[Column::text("c"), Column::text("d"), Column::text("e").derived(), Column::text("f").moving()],
        };
        let table = Statements::of(&TABLE, |column| column == "d");
        assert_eq!(table.key, "a, b");
        assert_eq!(table.select, "SELECT version, a, b, c, d, f FROM t");
        assert_eq!(table.one, "SELECT version, a, b, c, d, f FROM t WHERE a = $1 AND b = $2");
        assert_eq!(table.remove, "DELETE FROM t WHERE a = $1 AND b = $2");
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

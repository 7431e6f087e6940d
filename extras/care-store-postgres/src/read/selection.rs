//! Selections as SQL.

use care_core::store::{
    Filling, Record, Versioned,
    rows::{Selection, Term},
};

use crate::{
    base::{
        error::Fault,
        records::{Cell, Kind, kind},
    },
    connect::{pool::Snapshot, session::Request},
};

/// The portion that a list is read into.
pub(crate) type Found = Filling<Versioned<Record>>;

/// A statement that selects rows of one table. Its SQL consists of constants; clients' values are only ever bound.
#[derive(Debug)]
pub(crate) struct Rows {
    kind: &'static Kind,
    sql: String,
    joint: &'static str,
    values: Vec<Cell>,
}

impl Rows {
    /// Selects the rows of a selection.
    pub(crate) fn of(selection: &Selection<'_>) -> Self {
        Self::whole(kind(selection.kind)).meeting(&selection.terms)
    }

    /// Selects all rows of a kind.
    pub(crate) fn whole(kind: &'static Kind) -> Self {
        Self::from(kind, kind.sql.select.clone(), Vec::new())
    }

    /// Counts the rows of a selection.
    pub(crate) fn counted(selection: &Selection<'_>) -> Self {
        let kind = kind(selection.kind);
        let sql = format!("SELECT pg_catalog.count(*) FROM {}", kind.table.name);
        Self::from(kind, sql, Vec::new()).meeting(&selection.terms)
    }

    /// Selects rows of a kind, with a `WITH` clause before the `SELECT` and a join after it.
    pub(crate) fn joined(kind: &'static Kind, with: &str, join: &str, values: Vec<Cell>) -> Self {
        Self::from(kind, format!("{with} {} {join}", kind.sql.select), values)
    }

    const fn from(kind: &'static Kind, sql: String, values: Vec<Cell>) -> Self {
        Self { kind, sql, joint: " WHERE ", values }
    }

    /// Keeps only the rows that meet these terms.
    pub(crate) fn meeting(self, terms: &[Term<'_>]) -> Self {
        terms.iter().fold(self, |rows, term| match term {
            Term::Word(column, word) => rows.only(&format!("{column} = '{word}'")),
            Term::Null(column) => rows.only(&format!("{column} IS NULL")),
            Term::NotTrue(column) => rows.only(&format!("{column} IS NOT TRUE")),
            Term::Compared(columns, by, values) => rows.compared(columns, by.as_str(), values.iter().cloned()),
        })
    }

    /// Keeps only the rows that meet this condition.
    pub(crate) fn only(mut self, condition: &str) -> Self {
        self.sql.push_str(self.joint);
        self.sql.push_str(condition);
        self.joint = " AND ";
        self
    }

    /// Keeps only the rows whose columns compare so with these values.
    pub(crate) fn compared<V: Into<Cell>>(
        mut self,
        columns: &str,
        operator: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let before = self.values.len();
        self.values.extend(values.into_iter().map(Into::into));
        let numbers: Vec<_> = (before + 1..=self.values.len()).map(|number| format!("${number}")).collect();
        match numbers.as_slice() {
            [number] => self.only(&format!("{columns} {operator} {number}")),
            numbers => self.only(&format!("({columns}) {operator} ({})", numbers.join(", "))),
        }
    }

    /// Returns the statement with this end.
    pub(crate) fn ending(self, end: &str) -> Request {
        Request::new(self.sql + end, self.values)
    }

    /// Reads the first rows until the portion is full. A row that does not fit is not read.
    pub(crate) async fn fill(self, snapshot: &mut Snapshot<'_>, order: &str, portion: &mut Found) -> Result<(), Fault> {
        let Self { kind, mut sql, mut values, .. } = self;
        values.push(rows(portion.wanted()).into());
        sql.push_str(&format!(" ORDER BY {order} LIMIT ${}", values.len()));
        let request = Request::new(sql, values);
        let mut found = snapshot.stream(&request).await?;
        while let Some(row) = found.next().await? {
            if !portion.takes(row.raw_size_bytes()) {
                break;
            }
            portion.push(kind.read(&row)?);
        }
        Ok(())
    }
}

/// Converts a number of rows to PostgreSQL's type.
pub(crate) fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

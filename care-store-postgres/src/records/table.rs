//! The statements of a table, made from its columns.

use std::fmt::Write;

/// A table: its name and its columns, without `version`, which stands first in each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// The columns of its primary key.
    pub(crate) key: &'static [Named],
    /// The other columns.
    pub(crate) columns: &'static [Named],
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named {
    pub(crate) name: &'static str,
    /// Its type, as PostgreSQL spells it in front of `[]`.
    pub(crate) ty: &'static str,
    /// Whether it can be told from the other columns, so that it is written and never read.
    pub(crate) is_derived: bool,
}

/// The statements of a table.
#[derive(Debug)]
pub(crate) struct Statements {
    /// `SELECT` with every column but the derived ones; what follows says which rows.
    pub(crate) select: String,
    /// The row of one key.
    pub(crate) one: String,
    /// The rows of many keys, each column of which comes as an array.
    pub(crate) many: String,
    /// Makes or replaces the rows whose columns come as arrays, `version` first.
    pub(crate) put: String,
    /// Removes the rows of these keys, which come as for `many`.
    pub(crate) remove: String,
    /// Every row in the order of the key, with the columns that are derived behind those that are read.
    pub(crate) whole: String,
    /// The columns of the primary key, for `ORDER BY`.
    pub(crate) key: String,
}

/// Names each column once, the key's first, each with its type, and `derived` behind those that can be told from others.
macro_rules! table {
    (@derived) => { false };
    (@derived derived) => { true };
    (@named $($column:literal $ty:ident $($derived:ident)?),*) => {
        &[$($crate::records::Named {
            name: $column,
            ty: stringify!($ty),
            is_derived: $crate::records::table!(@derived $($derived)?),
        }),*]
    };
    ($name:literal, [$($key:tt)*], [$($column:tt)*]) => {
        $crate::records::Table {
            name: $name,
            key: $crate::records::table!(@named $($key)*),
            columns: $crate::records::table!(@named $($column)*),
        }
    };
}
pub(crate) use table;

impl Table {
    /// Returns every column in the order in which a record writes them, `version` first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Named> {
        let version = Named { name: "version", ty: "int8", is_derived: false };
        std::iter::once(version).chain(self.key.iter().copied()).chain(self.columns.iter().copied())
    }

    pub(crate) fn statements(&self) -> Statements {
        let name = self.name;
        let read = list(self.all().filter(|column| !column.is_derived).map(|column| column.name.to_owned()));
        let key = list(self.key.iter().map(|column| column.name.to_owned()));
        let asked = match self.key {
            [only] => format!("{} = ANY ($1::{}[])", only.name, only.ty),
            several => format!("({key}) IN (SELECT * FROM unnest({}))", arrays(several.iter().copied())),
        };
        let one = self.key.iter().zip(1..).map(|(column, number)| format!("{} = ${number}", column.name));
        let one = one.collect::<Vec<_>>().join(" AND ");
        let columns = list(self.all().map(|column| column.name.to_owned()));
        let derived = self.all().filter(|column| column.is_derived).map(|column| column.name.to_owned());
        let mut set = "version = excluded.version".to_owned();
        for column in self.columns {
            // Writing to a text cannot fail.
            let _ = write!(set, ", {0} = excluded.{0}", column.name);
        }
        Statements {
            one: format!("SELECT {read} FROM {name} WHERE {one}"),
            many: format!("SELECT {read} FROM {name} WHERE {asked}"),
            put: format!(
                "INSERT INTO {name} ({columns}) SELECT * FROM unnest({}) ON CONFLICT ({key}) DO UPDATE SET {set}",
                arrays(self.all())
            ),
            remove: format!("DELETE FROM {name} WHERE {asked}"),
            whole: format!("SELECT {} FROM {name} ORDER BY {key}", list(std::iter::once(read.clone()).chain(derived))),
            select: format!("SELECT {read} FROM {name}"),
            key,
        }
    }
}

/// Returns a parameter for each column, as an array of its type.
fn arrays(columns: impl Iterator<Item = Named>) -> String {
    list(columns.zip(1..).map(|(column, number)| format!("${number}::{}[]", column.ty)))
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn statements_name_every_column_once() {
        let of = table!("t", ["a" int8, "b" text], ["c" bool, "d" text derived]).statements();
        assert_eq!(of.select, "SELECT version, a, b, c FROM t");
        assert_eq!(of.one, "SELECT version, a, b, c FROM t WHERE a = $1 AND b = $2");
        let asked = "(a, b) IN (SELECT * FROM unnest($1::int8[], $2::text[]))";
        assert_eq!(of.many, format!("SELECT version, a, b, c FROM t WHERE {asked}"));
        assert_eq!(of.remove, format!("DELETE FROM t WHERE {asked}"));
        assert_eq!(
            of.put,
            "INSERT INTO t (version, a, b, c, d) \
             SELECT * FROM unnest($1::int8[], $2::int8[], $3::text[], $4::bool[], $5::text[]) \
             ON CONFLICT (a, b) DO UPDATE SET version = excluded.version, c = excluded.c, d = excluded.d"
        );
        assert_eq!(of.whole, "SELECT version, a, b, c, d FROM t ORDER BY a, b");
        let of = table!("t", ["a" int8], []).statements();
        assert_eq!(of.many, "SELECT version, a FROM t WHERE a = ANY ($1::int8[])");
    }
}

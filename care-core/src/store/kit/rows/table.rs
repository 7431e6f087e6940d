//! Tables and their columns.

/// A table: its name and its columns. The column `version` stands before all of these in the table of each kind of
/// record, and is not listed.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// The name of the table.
    pub name: &'static str,
    /// The columns of its primary key.
    pub key: &'static [Column],
    /// The other columns.
    pub columns: &'static [Column],
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The name of the column.
    pub name: &'static str,
    /// The type of its values.
    pub ty: Type,
    /// Its part in queries.
    pub role: Role,
}

/// The type of a column's values, the narrowest that holds them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// An integer of 32 bits: a bounded number, or a date as days since 1970-01-01.
    Int,
    /// An integer of 64 bits.
    BigInt,
    /// A truth value.
    Bool,
    /// A floating-point number of 64 bits.
    Double,
    /// A text in UTF-8.
    Text,
}

/// The part of a column in queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The column has no part, or that in the [indexes](crate::store::Index).
    Plain,
    /// An index has the column, and its value changes where those of the other indexed columns stay, as a state does.
    Moving,
    /// Queries find rows by the column, and its value follows from the other columns: it is written and never read.
    Derived,
}

impl Table {
    /// Returns every column in the order in which a row is written, `version` first.
    pub fn all(&self) -> impl Iterator<Item = Column> {
        let version = Column::big_int("version");
        std::iter::once(version).chain(self.key.iter().copied()).chain(self.columns.iter().copied())
    }

    /// Returns every column in the order in which a row is read, `version` first: all but the derived ones.
    pub fn read(&self) -> impl Iterator<Item = Column> {
        self.all().filter(|column| column.role != Role::Derived)
    }
}

impl Column {
    /// Returns a plain column of [`Type::Int`].
    pub const fn int(name: &'static str) -> Self {
        Self::plain(name, Type::Int)
    }

    /// Returns a plain column of [`Type::BigInt`].
    pub const fn big_int(name: &'static str) -> Self {
        Self::plain(name, Type::BigInt)
    }

    /// Returns a plain column of [`Type::Bool`].
    pub const fn bool(name: &'static str) -> Self {
        Self::plain(name, Type::Bool)
    }

    /// Returns a plain column of [`Type::Double`].
    pub const fn double(name: &'static str) -> Self {
        Self::plain(name, Type::Double)
    }

    /// Returns a plain column of [`Type::Text`].
    pub const fn text(name: &'static str) -> Self {
        Self::plain(name, Type::Text)
    }

    /// Returns the column with [`Role::Moving`].
    #[must_use]
    pub const fn moving(self) -> Self {
        Self { role: Role::Moving, ..self }
    }

    /// Returns the column with [`Role::Derived`].
    #[must_use]
    pub const fn derived(self) -> Self {
        Self { role: Role::Derived, ..self }
    }

    /// Returns the number of columns in these lists.
    pub(crate) const fn count(mut lists: &[&[Self]]) -> usize {
        let mut count = 0;
        while let [first, rest @ ..] = lists {
            count += first.len();
            lists = rest;
        }
        count
    }

    /// Returns the columns of these lists, one list behind the other. `N` is their [`count`](Self::count).
    pub(crate) const fn joined<const N: usize>(mut lists: &[&[Self]]) -> [Self; N] {
        let mut columns = [Self::text(""); N];
        let mut length = 0;
        while let [first, rest @ ..] = lists {
            let mut first = *first;
            while let [column, others @ ..] = first {
                columns[length] = *column;
                length += 1;
                first = others;
            }
            lists = rest;
        }
        columns
    }

    /// Returns a plain column of this type.
    pub(super) const fn plain(name: &'static str, ty: Type) -> Self {
        Self { name, ty, role: Role::Plain }
    }
}

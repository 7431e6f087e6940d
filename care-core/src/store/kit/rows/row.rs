//! The row of a record, declared as a list of its fields.

use super::{Column, Field, Group, Role, Type};

/// The columns of a table, while a constant collects them.
pub(super) struct Layout {
    key: List,
    columns: List,
    indexed: &'static [&'static str],
    moving: &'static [&'static str],
}

#[derive(Clone, Copy)]
struct List {
    columns: [Column; Layout::MOST],
    length: usize,
}

impl Layout {
    /// No table has more columns beside its key.
    const MOST: usize = 24;

    /// Returns no columns yet. Those of these names will be indexed, and those of the second names will be moving.
    pub(super) const fn with_indexes(indexed: &'static [&'static str], moving: &'static [&'static str]) -> Self {
        Self { key: List::EMPTY, columns: List::EMPTY, indexed, moving }
    }

    pub(super) const fn with_key(self, column: Column) -> Self {
        Self { key: self.key.with(column), ..self }
    }

    pub(super) const fn with(self, column: Column) -> Self {
        let role = match column.role {
            _ if has(self.indexed, column.name) => Role::Indexed,
            _ if has(self.moving, column.name) => Role::Moving,
            role => role,
        };
        Self { columns: self.columns.with(Column { role, ..column }), ..self }
    }

    pub(super) const fn with_all(mut self, columns: &[Column]) -> Self {
        let mut next = 0;
        while next < columns.len() {
            self = self.with(columns[next]);
            next += 1;
        }
        self
    }

    pub(super) const fn key(&self) -> &[Column] {
        self.key.columns.split_at(self.key.length).0
    }

    pub(super) const fn columns(&self) -> &[Column] {
        self.columns.columns.split_at(self.columns.length).0
    }
}

impl List {
    const EMPTY: Self = Self { columns: [Column::text(""); Layout::MOST], length: 0 };

    const fn with(mut self, column: Column) -> Self {
        self.columns[self.length] = column;
        self.length += 1;
        self
    }
}

/// Returns whether a name is among these.
const fn has(names: &[&str], name: &str) -> bool {
    let mut next = 0;
    while next < names.len() && !is_same(names[next], name) {
        next += 1;
    }
    next < names.len()
}

/// Returns whether two texts are equal, as `==` does where no constant is made.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut next = 0;
    while next < one.len() && next < other.len() && one[next] == other[next] {
        next += 1;
    }
    next == one.len() && next == other.len()
}

/// Returns the column of a field, whose type follows from the field's.
pub(super) const fn column_of<T, F: Field>(name: &'static str, _: fn(&T) -> &F) -> Column {
    match F::TYPE {
        Type::Int => Column::int(name),
        Type::BigInt => Column::big_int(name),
        Type::Bool => Column::bool(name),
        Type::Double => Column::double(name),
        Type::Text => Column::text(name),
    }
}

/// Returns the columns of a group.
pub(super) const fn columns_of<T, G: Group>(_: fn(&T) -> &G) -> &'static [Column] {
    G::COLUMNS
}

/// Implements [`Tabular`](super::Tabular) for a record: the name of the table, the fields of the primary key, and
/// behind the semicolon the other fields. A field is the column of its name, unless a word behind it says otherwise:
///
/// - `keyed`: a medicine, in the columns `medicine_key` and `medicine`.
/// - `json`: a list, as JSON.
/// - `group`: the fields of a record within this one, a [`Group`].
///
/// Behind the fields come the columns that are `indexed`, those that are [`moving`](Role::Moving), what is `derived`
/// from the record in a column of its own, and `second_key` for
/// [`HAS_SECOND_KEY`](super::Tabular::HAS_SECOND_KEY). `declared` stands for fields that a macro such as
/// [`patient_fields!`](crate::patient_fields) adds.
macro_rules! row {
    (
        $record:ident in $table:literal: $($key:ident $($keyed:ident)?),+; $($field:ident $($how:ident)?),* $(,)?
        $(; indexed $($indexed:ident),+)? $(; moving $($moving:ident),+)?
        $(; derived $derived:ident = |$this:ident| $value:expr)? $(; second_key $second:literal)?
    ) => {
        impl $crate::store::rows::Tabular for $record {
            const TABLE: $crate::store::rows::Table = {
                const LAYOUT: &$crate::store::rows::row::Layout = {
                    let layout = $crate::store::rows::row::Layout::with_indexes(
                        &[$($(stringify!($indexed)),+)?],
                        &[$($(stringify!($moving)),+)?],
                    );
                    $(let layout = $crate::store::rows::row::row!(@key layout, $record, $key $($keyed)?);)+
                    $(let layout = $crate::store::rows::row::row!(@column layout, $record, $field $($how)?);)*
                    $(let layout = layout.with($crate::store::rows::Column::text(stringify!($derived)).derived());)?
                    &{ layout }
                };
                $crate::store::rows::Table { name: $table, key: LAYOUT.key(), columns: LAYOUT.columns() }
            };
            $(const HAS_SECOND_KEY: bool = $second;)?

            fn read<R: $crate::store::rows::RowReader>(cells: &mut R) -> Result<Self, R::Error> {
                Ok(Self {
                    $($key: $crate::store::rows::row::row!(@read cells $($keyed)?),)+
                    $($field: $crate::store::rows::row::row!(@read cells $($how)?),)*
                })
            }

            fn write<W: $crate::store::rows::RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
                $($crate::store::rows::row::row!(@write cells, &self.$key $($keyed)?);)+
                $($crate::store::rows::row::row!(@write cells, &self.$field $($how)?);)*
                $({
                    let $this = self;
                    cells.put($value)?;
                })?
                Ok(())
            }
        }
    };

    (
        $record:ident in $table:literal: declared $(; indexed $($indexed:ident),+)?
        $(; derived $derived:ident = |$this:ident| $value:expr)?;
        $($(#[$doc:meta])+ $field:ident $wire:literal: $ty:ty = $example:literal;)*
        key $(#[$key_doc:meta])+ $key:ident $key_wire:literal: $key_ty:ty = $key_example:literal;
        $($(#[$more_doc:meta])+ $more:ident $more_wire:literal: $more_ty:ty = $more_example:literal;)*
    ) => {
        $crate::store::rows::row::row! {
            $record in $table: $key; $($field,)* $($more),*
            $(; indexed $($indexed),+)? $(; derived $derived = |$this| $value)?
        }
    };

    (@key $layout:ident, $record:ident, $field:ident keyed) => {
        $layout.with_key($crate::store::rows::Column::text("medicine_key"))
            .with($crate::store::rows::Column::text("medicine"))
    };
    (@key $layout:ident, $record:ident, $field:ident) => {
        $layout.with_key($crate::store::rows::row::column_of::<$record, _>(stringify!($field), |it| &it.$field))
    };

    (@column $layout:ident, $record:ident, $field:ident) => {
        $layout.with($crate::store::rows::row::column_of::<$record, _>(stringify!($field), |it| &it.$field))
    };
    (@column $layout:ident, $record:ident, $field:ident keyed) => {
        $layout.with($crate::store::rows::Column::text("medicine_key"))
            .with($crate::store::rows::Column::text("medicine"))
    };
    (@column $layout:ident, $record:ident, $field:ident json) => {
        $layout.with($crate::store::rows::Column::text(stringify!($field)))
    };
    (@column $layout:ident, $record:ident, $field:ident group) => {
        $layout.with_all($crate::store::rows::row::columns_of::<$record, _>(|it| &it.$field))
    };

    (@read $cells:ident keyed) => { $cells.medicine()? };
    (@read $cells:ident json) => { $cells.json()? };
    (@read $cells:ident group) => { $crate::store::rows::Group::read($cells)? };
    (@read $cells:ident) => { $cells.get()? };

    (@write $cells:ident, &$this:ident.$field:ident keyed) => { $cells.medicine(&$this.$field)? };
    (@write $cells:ident, &$this:ident.$field:ident json) => { $cells.json(&$this.$field)? };
    (@write $cells:ident, &$this:ident.$field:ident group) => {
        $crate::store::rows::Group::write(&$this.$field, $cells)?
    };
    (@write $cells:ident, &$this:ident.$field:ident) => { $cells.set(&$this.$field)? };
}

/// Implements [`Group`] for a record within another one: its fields, each the column of its name.
macro_rules! group {
    ($record:ident: $($field:ident),+) => {
        impl $crate::store::rows::Group for $record {
            const COLUMNS: &'static [$crate::store::rows::Column] =
                &[$($crate::store::rows::row::column_of::<$record, _>(stringify!($field), |it| &it.$field)),+];

            fn read<R: $crate::store::rows::RowReader>(cells: &mut R) -> Result<Self, R::Error> {
                Ok(Self { $($field: cells.get()?),+ })
            }

            fn write<W: $crate::store::rows::RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
                $(cells.set(&self.$field)?;)+
                Ok(())
            }
        }
    };
}

pub(super) use {group, row};

//! The row of a record.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use crate::declaration::{Field, Record, Table};

/// A column, or the columns of a group.
#[derive(Clone, Copy)]
enum Part<'a> {
    /// The field.
    Whole(&'a Field),
    /// The key of a medicine.
    KeyOf(&'a Field),
    /// The spelling of a medicine, somewhere behind its key.
    Spelling(&'a Field),
}

/// Implements `Tabular`, or `Group` for what another record contains.
pub(crate) fn row(record: &Record) -> TokenStream {
    let name = &record.name;
    let parts = parts(&record.fields);
    // The parts, in this order, and behind them the columns that methods make.
    let cells = |parts: &[Part<'_>], derived: &[Ident]| {
        let (names, read) = (record.fields.iter().map(|field| &field.name), parts.iter().map(Part::read));
        let write = parts.iter().map(Part::write);
        quote! {
            fn read<R: crate::store::rows::RowReader>(cells: &mut R) -> Result<Self, R::Error> {
                #(#read)*
                Ok(Self { #(#names),* })
            }

            fn write<W: crate::store::rows::RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
                #(#write)*
                #(cells.put(self.#derived())?;)*
                Ok(())
            }
        }
    };
    if let Some(table) = &record.table {
        let is_key = |part: &Part<'_>| table.key.iter().any(|key| *key == part.name());
        // The order of the key is the table's.
        let key = table.key.iter().filter_map(|key| parts.iter().find(|part| *key == part.name()));
        let key: Vec<_> = key.copied().collect();
        let others: Vec<_> = parts.iter().copied().filter(|part| !is_key(part)).collect();
        let key_columns = key.iter().flat_map(|part| part.columns(None));
        let columns = columns(&others, Some(table));
        let table_name = &table.name;
        let both: Vec<_> = key.iter().copied().chain(others).collect();
        let cells = cells(&both, &table.derived);
        quote! {
            impl crate::store::rows::Tabular for #name {
                const TABLE: crate::store::rows::Table = crate::store::rows::Table {
                    name: #table_name,
                    key: &[#(#key_columns),*],
                    columns: #columns,
                };

                #cells
            }
        }
    } else if record.is_group {
        let (columns, cells) = (columns(&parts, None), cells(&parts, &[]));
        quote! {
            impl crate::store::rows::Group for #name {
                const COLUMNS: &'static [crate::store::rows::Column] = #columns;

                #cells
            }
        }
    } else {
        TokenStream::new()
    }
}

fn parts(fields: &[Field]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for field in fields {
        match field.is_keyed {
            true => parts.extend([Part::KeyOf(field), Part::Spelling(field)]),
            false => parts.push(Part::Whole(field)),
        }
    }
    parts
}

/// Returns the columns behind the key. Only a constant function can join those of groups with others.
fn columns(parts: &[Part<'_>], table: Option<&Table>) -> TokenStream {
    let derived = table.iter().flat_map(|table| &table.derived).map(|derived| {
        let name = derived.to_string();
        quote!(crate::store::rows::Column::text(#name).derived())
    });
    let one = parts.iter().flat_map(|part| part.columns(table));
    if parts.iter().all(|part| !part.is_group()) {
        return quote!(&[#(#one,)* #(#derived),*]);
    }
    let lists = parts.iter().map(|part| match part {
        Part::Whole(field) if field.is_group => {
            let ty = &field.ty;
            quote!(<#ty as crate::store::rows::Group>::COLUMNS)
        }
        part => {
            let columns = part.columns(table);
            quote!(&[#(#columns),*])
        }
    });
    quote! {{
        const LISTS: &[&[crate::store::rows::Column]] = &[#(#lists),*];
        const COLUMNS: [crate::store::rows::Column; crate::store::rows::Column::count(LISTS)] =
            crate::store::rows::Column::joined(LISTS);
        &COLUMNS
    }}
}

impl Part<'_> {
    /// Returns the name of the column.
    fn name(&self) -> String {
        match self {
            Self::Whole(field) | Self::Spelling(field) => field.name.unraw().to_string(),
            Self::KeyOf(field) => format!("{}_key", field.name),
        }
    }

    const fn is_group(&self) -> bool {
        matches!(self, Self::Whole(field) if field.is_group)
    }

    fn columns(&self, table: Option<&Table>) -> Vec<TokenStream> {
        let name = self.name();
        let column = match self {
            Self::Whole(Field { ty, columns, .. }) if !columns.is_empty() => {
                let names = columns.iter().map(|part| format!("{name}_{part}"));
                let of = |(part, name)| quote!(crate::store::rows::Column::of_part(#name, |it: &#ty| &it.#part));
                return columns.iter().zip(names).map(of).collect();
            }
            Self::Whole(Field { ty, .. }) => quote!(crate::store::rows::Column::of::<#ty>(#name)),
            Self::KeyOf(_) | Self::Spelling(_) => quote!(crate::store::rows::Column::text(#name)),
        };
        vec![match table {
            Some(table) if table.moving.iter().any(|moving| *moving == name) => quote!(#column.moving()),
            _ => column,
        }]
    }

    fn read(&self) -> TokenStream {
        match self {
            Self::Whole(Field { name, is_group: true, .. }) => {
                quote!(let #name = crate::store::rows::Group::read(cells)?;)
            }
            Self::Whole(Field { name, ty, columns, .. }) if !columns.is_empty() => {
                quote!(let #name = #ty { #(#columns: cells.get()?),* };)
            }
            Self::Whole(Field { name, .. }) => quote!(let #name = cells.get()?;),
            Self::KeyOf(field) => {
                let key = format_ident!("{}_key", field.name);
                quote!(let #key = cells.get()?;)
            }
            Self::Spelling(Field { name, .. }) => {
                let key = format_ident!("{}_key", name);
                quote!(let #name = cells.spelling(#key)?;)
            }
        }
    }

    fn write(&self) -> TokenStream {
        match self {
            Self::Whole(Field { name, is_group: true, .. }) => {
                quote!(crate::store::rows::Group::write(&self.#name, cells)?;)
            }
            Self::Whole(Field { name, columns, .. }) if !columns.is_empty() => {
                quote!(#(cells.set(&self.#name.#columns)?;)*)
            }
            Self::Whole(Field { name, .. }) => quote!(cells.set(&self.#name)?;),
            Self::KeyOf(Field { name, .. }) => quote!(cells.put(self.#name.key().as_str())?;),
            Self::Spelling(Field { name, .. }) => quote!(cells.put(self.#name.as_str())?;),
        }
    }
}

//! The owner of a record, and the record after an erasure.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::{
    declaration::{Field, Record, Table},
    words::{Misuse, Pairs, Words},
};

/// The tie of a record to a person.
pub(crate) enum Ownership {
    /// It is the person: `person`.
    Person(Ident),
    /// It is of another record: `owner(patient = patient_id, on_void = keep)`.
    Owner(Owner),
}

/// The owner of a record, and what becomes of the record when the person is voided.
pub(crate) struct Owner {
    said: Ident,
    /// The kind of the owner.
    kind: Ident,
    /// The field with the number of the owner.
    column: Ident,
    on_void: Ident,
}

impl Ownership {
    pub(crate) fn of(words: &mut Words) -> Result<Option<Self>, Misuse> {
        let person = words.flag("person")?;
        match (person, words.pairs("owner")?) {
            (Some(person), Some(_)) => Err(Misuse::at(&person, "a person has no owner")),
            (Some(person), None) => Ok(Some(Self::Person(person))),
            (None, Some((said, pairs))) => Owner::of(said, pairs).map(Self::Owner).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Returns the field with the number of the owner.
    pub(crate) fn column(&self) -> Option<&Ident> {
        match self {
            Self::Person(_) => None,
            Self::Owner(owner) => Some(&owner.column),
        }
    }

    /// Returns the method that says about whom a record is.
    fn subject(&self, table: &Table) -> TokenStream {
        let subject = match self {
            Self::Person(_) => {
                let key = &table.key;
                quote!(Some(crate::store::Subject::Patient(#(self.#key),*)))
            }
            Self::Owner(Owner { kind, column, .. }) => {
                let id = format_ident!("{kind}Id");
                quote_spanned! { column.span() =>
                    Option::<crate::model::#id>::from(self.#column).map(crate::store::Subject::#kind)
                }
            }
        };
        quote! {
            #[allow(clippy::useless_conversion, reason = "the column may be an option")]
            fn subject(&self) -> Option<crate::store::Subject> {
                #subject
            }
        }
    }

    /// Refuses what the record does not have.
    pub(crate) fn check(&self, record: &Record) -> Result<(), Misuse> {
        let said = match self {
            Self::Person(said) | Self::Owner(Owner { said, .. }) => said,
        };
        let Some(Table { key, .. }) = &record.table else {
            return Err(Misuse::at(said, "only a record with a `table` says whose it is"));
        };
        match self {
            Self::Person(person) if key.len() > 1 => {
                Err(Misuse::at(person, "the key of a person is the number of the patient"))
            }
            Self::Person(_) => Ok(()),
            Self::Owner(Owner { column, .. }) => {
                let is_whole = |field: &&Field| !field.is_keyed && !field.is_group && field.columns.is_empty();
                let is_column = |field: &Field| field.name == *column;
                let message = || Misuse::at(column, format!("`{column}` is no column of the table"));
                record.fields.iter().filter(is_whole).any(is_column).then_some(()).ok_or_else(message)
            }
        }
    }
}

impl Owner {
    fn of(said: Ident, pairs: Pairs) -> Result<Self, Misuse> {
        let message = "say `owner(patient = …, on_void = …)`, or `invoice = …` for `patient = …`";
        let mut kind = None;
        let mut then = None;
        for (word, value) in pairs {
            match &*word.to_string() {
                "patient" if kind.is_none() => kind = Some((format_ident!("Patient", span = word.span()), value)),
                "invoice" if kind.is_none() => kind = Some((format_ident!("Invoice", span = word.span()), value)),
                "on_void" if then.is_none() => then = Some(value),
                _ => return Err(Misuse::at(&word, message)),
            }
        }
        let (Some((kind, column)), Some(then)) = (kind, then) else {
            return Err(Misuse::at(&said, message));
        };
        let on_void = match &*then.to_string() {
            "remove" => format_ident!("Remove", span = then.span()),
            "keep" => format_ident!("Keep", span = then.span()),
            _ => return Err(Misuse::at(&then, "a voiding can `remove` the record, or `keep` it")),
        };
        Ok(Self { said, kind, column, on_void })
    }

    /// Returns the constant that says it.
    fn constant(&self) -> TokenStream {
        let Self { kind, column, on_void, .. } = self;
        let column = column.to_string();
        quote! {
            const OWNER: Option<crate::store::Owner> = Some(crate::store::Owner {
                kind: crate::store::RecordKind::#kind,
                column: #column,
                on_void: crate::store::OnVoid::#on_void,
            });
        }
    }

    /// Returns the check that an index finds the records of an owner. The primary key needs none.
    fn is_found(&self, record: &Ident, table: &Table) -> Option<TokenStream> {
        let column = self.column.to_string();
        let message = format!("no index, and no key, begins with `{column}`, the owner of the record");
        let check = quote_spanned! { self.column.span() =>
            const _: () = assert!(
                crate::store::Index::beginning_with(<#record as crate::store::Entity>::KIND, #column).is_some(),
                #message
            );
        };
        (table.key.first() != Some(&self.column)).then_some(check)
    }
}

/// Implements `Owned` for a record with a table, and defines `emptied` where it has personal fields.
pub(crate) fn owned(record: &Record) -> TokenStream {
    let Some(table) = &record.table else {
        return TokenStream::new();
    };
    let name = &record.name;
    let owner = match &record.ownership {
        Some(Ownership::Owner(owner)) => Some(owner),
        Some(Ownership::Person(_)) | None => None,
    };
    let constant = owner.map(Owner::constant);
    let is_found = owner.and_then(|owner| owner.is_found(name, table));
    let subject = record.ownership.as_ref().map(|ownership| ownership.subject(table));
    let fields = record.personal().map(|field| &field.name);
    let is_emptied = record.personal().next().is_some();
    let emptied = is_emptied.then(|| {
        quote! {
            impl #name {
                /// Returns what the erasure of the person leaves of the record.
                #[must_use]
                pub fn emptied(&self) -> Self {
                    let mut left = self.clone();
                    #(left.#fields = Default::default();)*
                    left
                }
            }
        }
    });
    let erased = is_emptied.then(|| {
        quote! {
            const IS_EMPTIED: bool = true;

            fn erased(&self) -> Option<Self> {
                Some(self.emptied())
            }
        }
    });
    quote! {
        #is_found
        #emptied

        impl crate::store::Owned for #name {
            #constant
            #subject
            #erased
        }
    }
}

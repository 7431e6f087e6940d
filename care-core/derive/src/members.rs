//! The record in JSON and XML, and its values one by one.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse_quote;

use crate::declaration::{Field, Record, says};

/// Implements `Serialize` and `Deserialize`, by a struct that has serde's attributes in the place of ours.
pub(crate) fn serde(record: &Record) -> TokenStream {
    let (name, text, generics) = (&record.name, record.name.to_string(), &record.generics);
    let (_, types, _) = generics.split_for_impl();
    let writing = record.generics_with(&parse_quote!(serde::Serialize));
    let (writing, ..) = writing.split_for_impl();
    let mut reading = record.generics_with(&parse_quote!(serde::Deserialize<'de>));
    reading.params.insert(0, parse_quote!('de));
    let (reading, ..) = reading.split_for_impl();
    let fields = record.fields.iter().map(|field| {
        let Field { name, ty, wire, serde, .. } = field;
        let rename = if field.is_group { quote!(#[serde(flatten)]) } else { quote!(#[serde(rename = #wire)]) };
        let is_skipped = field.inner.is_some() && !serde.iter().any(|attribute| says(attribute, "skip_serializing"));
        let skip = is_skipped.then(|| quote!(#[serde(skip_serializing_if = "Option::is_none")]));
        quote!(#(#serde)* #rename #skip #name: #ty)
    });
    quote! {
        const _: () = {
            #[derive(serde::Serialize, serde::Deserialize)]
            #[serde(remote = #text, rename = #text)]
            struct Written #generics {
                #(#fields),*
            }

            impl #writing serde::Serialize for #name #types {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    Written::serialize(self, serializer)
                }
            }

            impl #reading serde::Deserialize<'de> for #name #types {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    Written::deserialize(deserializer)
                }
            }
        };
    }
}

/// Defines the list of names, `new` and `filled`.
pub(crate) fn values(record: &Record) -> TokenStream {
    let name = &record.name;
    let names = record.details.as_ref().map(|_| {
        let names = record.fields.iter().map(|field| &field.wire);
        let extensions = record.extensions().map(|field| &field.wire);
        quote! {
            /// The names of the fields in documents, in their order.
            pub const FIELDS: &'static [&'static str] = &[#(#names),*];
            /// The names of those that the interface document does not show.
            pub const EXTENSIONS: &'static [&'static str] = &[#(#extensions),*];
        }
    });
    let filled = (record.table.is_some() || record.is_group)
        .then(|| filled(record.fields.iter().map(|field| (&field.name, &*field.wire, field.ty.to_token_stream()))));
    let new = record.has_new.then(|| {
        let of = |field: &&Field| field.inner.is_none() && field.default.is_none();
        let given = record.fields.iter().filter(of).map(|Field { name, ty, .. }| quote!(#name: #ty));
        let values = record.fields.iter().map(|Field { name, inner, default, .. }| match (default, inner) {
            (Some(default), _) => quote!(#name: #default),
            (None, Some(_)) => quote!(#name: None),
            (None, None) => quote!(#name),
        });
        quote! {
            /// Returns a record of these values. An optional field is absent, and any other has its default.
            pub const fn new(#(#given),*) -> Self {
                Self { #(#values),* }
            }
        }
    });
    if names.is_none() && new.is_none() && filled.is_none() {
        return TokenStream::new();
    }
    quote! {
        impl #name {
            #names
            #new
            #filled
        }
    }
}

/// Defines `filled` for fields of these names, names in documents, and types.
pub(crate) fn filled<'a>(fields: impl Iterator<Item = (&'a Ident, &'a str, TokenStream)> + Clone) -> TokenStream {
    let bounds = fields.clone().map(|(.., ty)| quote!(crate::model::Fill<#ty>));
    let values = fields.map(|(name, wire, _)| quote!(#name: fill.value(#wire)));
    quote! {
        /// Returns a record of what is given for each field, one after the other.
        pub fn filled<F: #(#bounds)+*>(fill: &mut F) -> Self {
            Self { #(#values),* }
        }
    }
}

/// Defines `documented` for a record that requests edit.
pub(crate) fn documented(record: &Record) -> TokenStream {
    let name = &record.name;
    let extensions: Vec<_> = record.extensions().map(|field| &field.name).collect();
    let documented = match extensions.is_empty() {
        true => quote!(self),
        false => quote!(Self { #(#extensions: None,)* ..self }),
    };
    let documented = quote! {
        impl #name {
            /// Returns the record without the fields that the interface document does not show.
            #[must_use]
            pub fn documented(self) -> Self {
                #documented
            }
        }
    };
    if record.table.is_some() && record.details.is_some() { documented } else { TokenStream::new() }
}

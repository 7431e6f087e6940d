//! The record, and the fields that a request may name, in the OpenAPI document.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{parse_quote, spanned::Spanned};

use crate::declaration::{Field, Record};

/// Implements `Documented`.
pub(crate) fn document(record: &Record) -> TokenStream {
    let Some(document) = &record.document else {
        return TokenStream::new();
    };
    let (name, sentence) = (&record.name, &record.sentence);
    let generics = record.generics_with(&parse_quote!(crate::rest::openapi::Described));
    let (generics, ..) = generics.split_for_impl();
    let (_, types, _) = record.generics.split_for_impl();
    let written = record.fields.iter().filter(|field| !field.is_unwritten());
    let members = written.map(|field| {
        let is_required = field.is_required && !(record.is_body && field.default.is_some());
        member(field, ["minItems", "maxItems"], is_required.then(|| quote!(.required())))
    });
    let members = all(members);
    let root = record.root.as_ref().map(|root| quote!(.rooted(#root)));
    let input = record.is_body.then(|| quote!(.input()));
    let part = record.is_per_member.then(|| {
        quote! {
            fn part(member: &'static str) -> crate::rest::openapi::Record {
                Self::record().named_after(member)
            }
        }
    });
    quote! {
        #[cfg(feature = "openapi")]
        impl #generics crate::rest::openapi::Documented for #name #types {
            #members

            fn record() -> crate::rest::openapi::Record {
                crate::rest::openapi::Record::new(#document, #sentence, Self::members()) #root #input
            }

            #part
        }
    }
}

/// Implements `Documented` for the details of a record. One that cannot be cleared is never `null`.
pub(crate) fn details(record: &Record) -> TokenStream {
    let Some(details) = &record.details else {
        return TokenStream::new();
    };
    let (name, sentence) = (details.to_string(), &record.sentence);
    let root = record.root.as_ref().map(|root| quote!(.rooted(#root)));
    let members = all(record
        .edited()
        .map(|field| member(field, ["minItems", "maxItems"], (!field.is_cleared()).then(|| quote!(.never_null())))));
    quote! {
        #[cfg(feature = "openapi")]
        impl crate::rest::openapi::Documented for #details {
            #members

            fn record() -> crate::rest::openapi::Record {
                crate::rest::openapi::Record::new(#name, #sentence, Self::members()) #root .input()
            }
        }
    }
}

/// Defines `members`, whose statements add one field each.
pub(crate) fn all(members: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote! {
        fn members() -> Vec<crate::rest::openapi::Field> {
            let mut members = Vec::new();
            #(#members)*
            members
        }
    }
}

/// Returns the statement that adds a field to the members, with the keywords for the least and the most of it, and with
/// these words at the end.
pub(crate) fn member(field: &Field, [least, most]: [&str; 2], words: Option<TokenStream>) -> TokenStream {
    let Field { name, wire, sentence, .. } = field;
    let ty = field.value();
    let told = field.like.as_ref().map_or_else(|| quote!(#ty), |like| quote!(#like));
    if field.is_group {
        return quote!(members.extend(<#told as crate::rest::openapi::Documented>::members()););
    }
    let example = field.example.as_ref().map(|example| {
        quote_spanned!(example.span()=> .example::<<#told as crate::rest::openapi::Described>::Example>(#example))
    });
    let needed = (example.is_none() && field.words.is_empty()).then(|| {
        quote_spanned! {name.span()=>
            const {
                let needs_example = <#told as crate::rest::openapi::Described>::NEEDS_EXAMPLE;
                assert!(!needs_example, "the field needs an `example`");
            };
        }
    });
    let aside = field.is_aside.then(|| quote!(.aside()));
    let extension = field.extension.as_ref().map(|_| quote!(.extension()));
    let least = field.least.as_ref().map(|value| quote!(.with(#least, #value)));
    let most = field.most.as_ref().map(|value| quote!(.with(#most, #value)));
    let known = field.words.iter().map(ToString::to_string);
    let member = match field.words.is_empty() {
        false => quote!(of_words(#wire, &[#(#known),*], #sentence)),
        true => quote!(of::<#told>(#wire, #sentence)),
    };
    quote! {
        #needed
        members.push(crate::rest::openapi::Field::#member #least #most #example #aside #extension #words);
    }
}

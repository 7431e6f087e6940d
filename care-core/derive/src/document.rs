//! The record, and the fields that a request may name, in the OpenAPI document.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, parse_quote, spanned::Spanned};

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
    let members = record.fields.iter().map(|field| {
        let is_required = field.is_required && !(record.is_body && field.default.is_some());
        member(field, is_required.then(|| quote!(.required())))
    });
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
            fn members() -> Vec<crate::rest::openapi::Field> {
                let mut members = Vec::new();
                #(#members)*
                members
            }

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
    let edited = record.fields.iter().filter(|field| field.edit.is_some());
    let members = edited.map(|field| {
        let is_cleared = field.inner.is_some() || field.default.is_some();
        member(field, (!is_cleared).then(|| quote!(.never_null())))
    });
    quote! {
        #[cfg(feature = "openapi")]
        impl crate::rest::openapi::Documented for #details {
            fn members() -> Vec<crate::rest::openapi::Field> {
                let mut members = Vec::new();
                #(#members)*
                members
            }

            fn record() -> crate::rest::openapi::Record {
                crate::rest::openapi::Record::new(#name, #sentence, Self::members()).input()
            }
        }
    }
}

/// Returns the call that sets the example of a member of this type.
pub(crate) fn showing(example: &Expr, ty: &impl ToTokens) -> TokenStream {
    quote_spanned! {example.span()=>
        .example::<<#ty as crate::rest::openapi::Described>::Example>(#example)
    }
}

/// Returns the check that the type of a field has an example of its own.
pub(crate) fn needs_example(field: &Ident, ty: &impl ToTokens) -> TokenStream {
    quote_spanned! {field.span()=>
        const {
            let needs_example = <#ty as crate::rest::openapi::Described>::NEEDS_EXAMPLE;
            assert!(!needs_example, "the field needs an `example`");
        };
    }
}

/// Returns the statement that adds a field to the members, with these words at the end.
fn member(field: &Field, words: Option<TokenStream>) -> TokenStream {
    let Field { wire, sentence, .. } = field;
    let ty = field.inner.as_ref().unwrap_or(&field.ty);
    let told = field.like.as_ref().map_or_else(|| quote!(#ty), |like| quote!(#like));
    if field.is_group {
        return quote!(members.extend(<#told as crate::rest::openapi::Documented>::members()););
    }
    let example = field.example.as_ref().map(|example| showing(example, &told));
    let needed = (example.is_none() && field.words.is_empty()).then(|| needs_example(&field.name, &told));
    let aside = field.is_aside.then(|| quote!(.aside()));
    let least = field.least.as_ref().map(|least| quote!(.with("minItems", #least)));
    let most = field.most.as_ref().map(|most| quote!(.with("maxItems", #most)));
    let known = field.words.iter().map(ToString::to_string);
    let member = match field.words.is_empty() {
        false => quote!(of_words(#wire, &[#(#known),*], #sentence)),
        true => quote!(of::<#told>(#wire, #sentence)),
    };
    quote! {
        #needed
        members.push(crate::rest::openapi::Field::#member #least #most #example #aside #words);
    }
}

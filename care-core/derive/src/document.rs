//! The record in the OpenAPI document.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::declaration::{Field, Record};

/// Implements `Documented`.
pub(crate) fn document(record: &Record) -> TokenStream {
    let Some(document) = &record.document else {
        return TokenStream::new();
    };
    let (name, sentence) = (&record.name, &record.sentence);
    let (generics, types, _) = record.generics.split_for_impl();
    let members = record.fields.iter().map(|field| {
        let Field { wire, sentence, .. } = field;
        let ty = field.inner.as_ref().unwrap_or(&field.ty);
        let told = field.like.as_ref().map_or_else(|| quote!(#ty), |like| quote!(#like));
        let example = field.example.as_ref().map(|example| {
            quote_spanned! {example.span()=>
                .example::<<#told as crate::rest::openapi::Described>::Example>(#example)
            }
        });
        let needed = (example.is_none() && !field.is_group && field.words.is_empty()).then(|| {
            quote_spanned! {field.name.span()=>
                const {
                    let needs_example = <#told as crate::rest::openapi::Described>::NEEDS_EXAMPLE;
                    assert!(!needs_example, "the field needs an `example`");
                }
            }
        });
        let aside = field.is_aside.then(|| quote!(.aside()));
        let required = field.is_required.then(|| quote!(.required()));
        let most = field.most.as_ref().map(|most| quote!(.with("maxItems", #most)));
        let words = field.words.iter().map(ToString::to_string);
        let member = match field.words.is_empty() {
            false => quote!(of_words(#wire, &[#(#words),*], #sentence)),
            true => quote!(of::<#told>(#wire, #sentence)),
        };
        match field.is_group {
            true => quote!(members.extend(<#told as crate::rest::openapi::Documented>::members());),
            false => quote! {
                #needed;
                members.push(crate::rest::openapi::Field::#member #most #example #aside #required);
            },
        }
    });
    let root = record.root.as_ref().map(|root| quote!(.rooted(#root)));
    quote! {
        #[cfg(feature = "openapi")]
        impl #generics crate::rest::openapi::Documented for #name #types {
            fn members() -> Vec<crate::rest::openapi::Field> {
                let mut members = Vec::new();
                #(#members)*
                members
            }

            fn record() -> crate::rest::openapi::Record {
                crate::rest::openapi::Record::new(#document, #sentence, Self::members()) #root
            }
        }
    }
}

//! The record in the OpenAPI document.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, spanned::Spanned};

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
        let example = field.example.as_ref().map(|example| showing(example, &told));
        let has_own = example.is_some() || field.is_group || !field.words.is_empty();
        let needed = (!has_own).then(|| needs_example(&field.name, &told));
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
                #needed
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

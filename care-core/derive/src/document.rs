//! The record in the OpenAPI document.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Lit, LitInt};

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
        let example = field.example.as_ref().map(literal).map(|example| quote!(.example(#example)));
        let aside = field.is_aside.then(|| quote!(.aside()));
        let required = field.is_required.then(|| quote!(.required()));
        let most = field.most.as_ref().map(|most| quote!(.with("maxItems", #most)));
        let words = field.words.iter().map(ToString::to_string);
        let member = match &field.like {
            _ if !field.words.is_empty() => quote!(of_words(#wire, &[#(#words),*], #sentence)),
            Some(like) => quote!(of::<#like>(#wire, #sentence)),
            None => quote!(of::<#ty>(#wire, #sentence)),
        };
        let group = field.like.as_ref().map_or_else(|| quote!(#ty), |like| quote!(#like));
        match field.is_group {
            true => quote!(members.extend(<#group as crate::rest::openapi::Documented>::members());),
            false => quote! {
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

/// Returns an example with a type: a whole number is an `i64`.
fn literal(example: &Expr) -> TokenStream {
    match example {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            let number = LitInt::new(&format!("{}_i64", number.base10_digits()), number.span());
            quote!(#number)
        }
        example => quote!(#example),
    }
}

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
    let members = record.fields.iter().map(|field| {
        let Field { wire, sentence, .. } = field;
        let ty = field.inner.as_ref().unwrap_or(&field.ty);
        let example = field.example.as_ref().map(literal).map(|example| quote!(.example(#example)));
        let aside = field.is_aside.then(|| quote!(.aside()));
        quote!(crate::rest::openapi::Field::of::<#ty>(#wire, #sentence) #example #aside)
    });
    let required = record.fields.iter().filter(|field| field.inner.is_none()).map(|field| &field.wire);
    let root = record.root.as_ref().map(|root| quote!(.rooted(#root)));
    quote! {
        #[cfg(feature = "openapi")]
        impl crate::rest::openapi::Documented for #name {
            fn members() -> Vec<crate::rest::openapi::Field> {
                vec![#(#members),*]
            }

            fn record() -> crate::rest::openapi::Record {
                crate::rest::openapi::Record::new(#document, #sentence, Self::members())
                    .requiring(&[#(#required),*])
                    #root
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

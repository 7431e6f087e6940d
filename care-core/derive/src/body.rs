//! The record in the body of a request.

use proc_macro2::TokenStream;
use quote::quote;

use crate::declaration::{Field, Record};

/// Implements `FromForm`, which reads the fields in their order, and `Body` where no rule is about several of them.
pub(crate) fn body(record: &Record) -> TokenStream {
    if !record.is_body {
        return TokenStream::new();
    }
    let name = &record.name;
    let fields = record.fields.iter().map(|field| &field.name);
    let values = record.fields.iter().map(|field| {
        let Field { name, ty, .. } = field;
        let value = value(field);
        quote!(let #name: Option<#ty> = #value;)
    });
    let body = (!record.is_judged).then(|| {
        quote! {
            #[cfg(feature = "rest")]
            impl crate::rest::Body for #name {}
        }
    });
    quote! {
        #[cfg(feature = "rest")]
        impl crate::rest::FromForm for #name {
            fn read(form: &mut crate::rest::Form<'_, '_>) -> Option<Self> {
                #(#values)*
                Some(Self { #(#fields: #fields?),* })
            }
        }

        #body
    }
}

/// Returns the expression that reads a field. It is `None` where a required one is absent or at fault.
fn value(field: &Field) -> TokenStream {
    let Field { wire, inner, most, default, otherwise, .. } = field;
    let otherwise = otherwise.as_ref().map(|otherwise| quote!(.or(Some(#otherwise))));
    let given = match most {
        Some(most) => quote!(form.items(#wire, const { crate::rest::Most::of(#most) })),
        None => quote!(form.field(#wire)),
    };
    if field.is_group {
        quote!(crate::rest::FromForm::read(form))
    } else if field.is_named {
        quote!(Some(crate::rest::named(form, #wire)))
    } else if inner.is_some() {
        quote!(Some(#given.value()))
    } else if let Some(default) = default {
        quote!(Some(#given.value().unwrap_or(#default)))
    } else if !field.is_required {
        quote!(Some(#given.value().unwrap_or_default()))
    } else {
        quote!({ let given = #given; form.required(#wire, given) #otherwise })
    }
}

/// Implements `Shown` for a record that answers show as it is.
pub(crate) fn shown(record: &Record) -> TokenStream {
    let ([segment, id], Some(root)) = (&*record.answered, &record.root) else {
        return TokenStream::new();
    };
    let (name, segment) = (&record.name, segment.to_string());
    quote! {
        #[cfg(feature = "rest")]
        impl crate::rest::Shown for #name {
            const ROOT: &'static str = #root;

            fn single(&self) -> impl serde::Serialize {
                self
            }

            fn path(&self, base: &str) -> String {
                crate::rest::numbered(base, #segment, self.#id.value())
            }
        }
    }
}

//! The fields that a request names, as a struct of their own.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    declaration::{Field, Record},
    members::filled,
};

/// Returns the type of a field in the details.
fn ty(field: &Field) -> TokenStream {
    let value = field.value();
    if field.is_cleared() { quote!(crate::model::Patch<#value>) } else { quote!(Option<#value>) }
}

/// Defines the details of a record, with a setter for each field, and the update of a record by them.
pub(crate) fn details(record: &Record) -> TokenStream {
    let Some(details) = &record.details else {
        return TokenStream::new();
    };
    let name = &record.name;
    let about = format!("The fields of [`{name}`] that a request names. An update leaves the others as they are.");
    let fields = record.edited().map(|field| {
        let (Field { name, wire, comment, .. }, ty) = (field, ty(field));
        let skip = if field.is_cleared() { "crate::model::Patch::is_keep" } else { "Option::is_none" };
        quote! {
            #(#comment)*
            #[serde(rename = #wire, skip_serializing_if = #skip)]
            pub #name: #ty
        }
    });
    let setters = record.edited().map(|field| {
        let (Field { name, comment, .. }, value) = (field, field.value());
        let set = if field.is_cleared() { quote!(crate::model::Patch::Set) } else { quote!(Some) };
        quote! {
            #(#comment)*
            ///
            /// # Errors
            /// The broken rule.
            pub fn #name(
                mut self,
                #name: impl crate::model::Given<<#value as crate::model::Scalar>::Raw>,
            ) -> Result<Self, crate::model::Invalid> {
                self.#name = #set(<#value as crate::model::Scalar>::of(crate::model::Given::raw(#name))?);
                Ok(self)
            }
        }
    });
    let updated = record.fields.iter().map(|Field { name, edit, inner, default, .. }| match (edit, inner, default) {
        (None, ..) => quote!(#name: self.#name),
        (Some(_), Some(_), _) => quote!(#name: details.#name.over(self.#name)),
        (Some(_), None, Some(default)) => {
            quote!(#name: details.#name.over(Some(self.#name)).unwrap_or(#default))
        }
        (Some(_), None, None) => quote!(#name: details.#name.unwrap_or(self.#name)),
    });
    let filled = filled(record.edited().map(|field| (&field.name, &*field.wire, ty(field))));
    let faults = record.edited().map(|field| {
        let Field { name, wire, inner, .. } = field;
        let new = if field.is_cleared() { quote!(crate::model::Patch::Set(new)) } else { quote!(Some(new)) };
        let stored = if inner.is_some() { quote!(stored.#name.as_ref()) } else { quote!(Some(&stored.#name)) };
        quote! {
            if let #new = &self.#name
                && let Err(broken) = crate::model::Scalar::check_new(new)
                && stored.and_then(|stored| #stored) != Some(new)
            {
                faults.push((#wire, broken));
            }
        }
    });
    let all = record.edited().map(|field| &field.name);
    let extended = record.extensions().next().map(|_| quote!(form.extended_by(#name::EXTENSIONS);));
    quote! {
        #[doc = #about]
        #[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct #details {
            #(#fields),*
        }

        impl #details {
            #(#setters)*

            #filled

            /// Returns the values that break a rule of today, each with the rule, unless they are stored already.
            pub fn faults(&self, stored: Option<&#name>) -> Vec<(&'static str, crate::model::Invalid)> {
                let mut faults = Vec::new();
                #(#faults)*
                faults
            }
        }

        #[cfg(feature = "rest")]
        impl crate::rest::FromForm for #details {
            fn read(form: &mut crate::rest::Form<'_, '_>) -> Option<Self> {
                #extended
                Some(Self::filled(form))
            }
        }

        #[cfg(feature = "rest")]
        impl crate::rest::Body for #details {}

        impl #name {
            /// Returns the record after an update, which changes only the fields that it names. A cleared field that
            /// is never absent has its default again.
            #[must_use]
            pub fn with(self, details: #details) -> Self {
                Self { #(#updated),* }
            }
        }

        /// The fields that the record has.
        impl From<#name> for #details {
            fn from(record: #name) -> Self {
                Self { #(#all: record.#all.into()),* }
            }
        }
    }
}

//! Records whose fields are declared once.
//!
//! A macro such as [`patient_fields!`](crate::patient_fields) has one line a field: its meaning, its name in Rust and
//! in documents, its type and an example. It calls the macro of a layer with them, and the layer completes what it
//! needs: the structs here, the row in `store::rows`, the form and the schema in `rest`, the columns of CSV, samples
//! and drafts of tests.

/// Defines a record, and the fields of it that a request names. The identifier stands between two lists of optional
/// fields.
macro_rules! record {
    (
        $(#[$about:meta])* $record:ident;
        $(#[$of_details:meta])* $details:ident;
        $($(#[doc = $doc:literal])+ $field:ident $wire:literal: $ty:ty = $example:literal;)*
        key $(#[doc = $key_doc:literal])+ $key:ident $key_wire:literal: $key_ty:ty = $key_example:literal;
        $($(#[doc = $more_doc:literal])+ $more:ident $more_wire:literal: $more_ty:ty = $more_example:literal;)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $record {
            $(
                $(#[doc = $doc])+
                #[serde(rename = $wire, skip_serializing_if = "Option::is_none")]
                pub $field: Option<$ty>,
            )*
            $(#[doc = $key_doc])+
            #[serde(rename = $key_wire)]
            pub $key: $key_ty,
            $(
                $(#[doc = $more_doc])+
                #[serde(rename = $more_wire, skip_serializing_if = "Option::is_none")]
                pub $more: Option<$more_ty>,
            )*
        }

        $(#[$of_details])*
        #[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $details {
            $(
                $(#[doc = $doc])+
                #[serde(rename = $wire, skip_serializing_if = "Patch::is_keep")]
                pub $field: Patch<$ty>,
            )*
            $(
                $(#[doc = $more_doc])+
                #[serde(rename = $more_wire, skip_serializing_if = "Patch::is_keep")]
                pub $more: Patch<$more_ty>,
            )*
        }

        impl $record {
            /// The names of the fields in documents, in their order.
            pub const FIELDS: &'static [&'static str] = &[$($wire,)* $key_wire, $($more_wire),*];

            /// Returns a record with an identifier and no other field.
            pub const fn new($key: $key_ty) -> Self {
                Self { $($field: None,)* $key, $($more: None,)* }
            }

            /// Returns the record after an update, which changes only the fields that it names.
            #[must_use]
            pub fn with(self, details: $details) -> Self {
                Self {
                    $($field: details.$field.over(self.$field),)*
                    $key: self.$key,
                    $($more: details.$more.over(self.$more),)*
                }
            }
        }

        impl $details {
            $crate::model::record::setters! {
                $($(#[doc = $doc])+ $field: $ty;)* $($(#[doc = $more_doc])+ $more: $more_ty;)*
            }
        }

        /// The fields that the record has.
        impl From<$record> for $details {
            fn from(record: $record) -> Self {
                Self { $($field: record.$field.into(),)* $($more: record.$more.into(),)* }
            }
        }
    };
}

/// Defines methods that set a field of an update, each under its name.
macro_rules! setters {
    ($($(#[doc = $doc:literal])+ $field:ident: $ty:ty;)+) => {$(
        $(#[doc = $doc])+
        ///
        /// # Errors
        /// The broken rule.
        pub fn $field(
            mut self,
            value: <<$ty as $crate::model::Scalar>::Raw as $crate::model::Raw>::Given<'_>,
        ) -> Result<Self, $crate::model::Invalid> {
            self.$field = $crate::model::Patch::Set(<$ty as $crate::model::Scalar>::of(value.into())?);
            Ok(self)
        }
    )+};
}

pub(super) use {record, setters};

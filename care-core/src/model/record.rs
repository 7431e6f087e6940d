//! The setters of the details of a record.

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

pub(super) use setters;

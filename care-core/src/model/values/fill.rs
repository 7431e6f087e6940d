//! Records made value by value.

/// Gives the values of a record's fields, one after the other: a form, a row of a table, or samples of a test.
///
/// ```
/// use care_core::model::{Fill, Patch, PatientDetails};
///
/// /// Clears each field.
/// struct Cleared;
///
/// impl<T> Fill<Patch<T>> for Cleared {
///     fn value(&mut self, _: &'static str) -> Patch<T> {
///         Patch::Clear
///     }
/// }
///
/// assert_eq!(PatientDetails::filled(&mut Cleared).email, Patch::Clear);
/// ```
pub trait Fill<T> {
    /// Returns the value of the field that documents call so.
    fn value(&mut self, field: &'static str) -> T;
}

//! The values that a request sets, judged by the rules of today. A value that is what is stored is not new: a rule that
//! was tightened since then, or a lower highest price, does not refuse it.

use std::borrow::Cow;

use crate::{
    error::{Error, FieldError},
    model::{Invalid, Patch, Price},
};

impl Invalid {
    /// Returns the refusal of a value in this field.
    ///
    /// ```
    /// use care_core::{Error, model::Name};
    ///
    /// let name = |text: &str| Name::new(text).map_err(|broken| broken.at("name"));
    /// assert_eq!(name(" "), Err(Error::field("name", "must not be blank")));
    /// ```
    pub fn at(self, field: impl Into<Cow<'static, str>>) -> Error {
        Error::field(field, self.rule())
    }
}

/// The refusal of a value whose field [`Invalid::at`] would name.
impl From<Invalid> for Error {
    fn from(broken: Invalid) -> Self {
        broken.at("")
    }
}

/// Refuses the fields that break a rule, if there are any.
pub(in crate::service) fn refuse(faults: impl IntoIterator<Item = (&'static str, Invalid)>) -> Result<(), Error> {
    refuse_all(within("", faults).collect())
}

/// Refuses these faults, if there are any.
pub(in crate::service) fn refuse_all(faults: Vec<FieldError>) -> Result<(), Error> {
    if faults.is_empty() { Ok(()) } else { Err(Error::Invalid(faults)) }
}

/// Returns the faults of fields below a place.
pub(in crate::service) fn within(
    place: &str,
    faults: impl IntoIterator<Item = (&'static str, Invalid)>,
) -> impl Iterator<Item = FieldError> {
    faults.into_iter().map(move |(field, broken)| {
        let field = if place.is_empty() { Cow::Borrowed(field) } else { Cow::Owned([place, ".", field].concat()) };
        FieldError::new(field, broken.rule())
    })
}

/// Returns the fault of a new price above the highest one.
pub(in crate::service) fn too_high(
    new: Patch<Price>,
    stored: Option<Price>,
    highest: Price,
) -> Option<(&'static str, Invalid)> {
    let is_too_high = new.value().is_some_and(|price| price > highest && stored != Some(price));
    is_too_high.then_some(("price", Invalid("must be at most the highest price that this server takes")))
}

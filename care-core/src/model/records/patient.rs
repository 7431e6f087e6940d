//! Patients.

use care_derive::Record;

use crate::model::{
    Address, Age, Date, Email, InQuery, Invalid, LongText, Name, PatientId, Phone, ShortText, Weight,
    values::fold::{folded, successor},
};

/// The demographic and basic medical profile of a patient.
///
/// The interface document describes it in 2.1.
///
/// ```json
/// {"name":"Ada Example","phone":441632960001,"insurance":true,"patientId":7,"age":36,"address":"1 Sample Street",
///  "gender":"female","weight":61.5,"email":"ada@example.org","location":"Sampleton","lastvisit":"31/01/2026"}
/// ```
/// ```xml
/// <Patient><name>Ada Example</name><phone>441632960001</phone><patientId>7</patientId></Patient>
/// ```
#[derive(Debug, Clone, PartialEq, Record)]
#[record(table = "patient", key(patient_id), derived(folded_name))]
#[record(new, details = PatientDetails, document = "Patient", root = "Patient")]
pub struct Patient {
    /// Registered name of the patient.
    #[field(edit, personal)]
    pub name: Option<Name>,
    /// Primary contact phone number.
    #[field(edit, personal)]
    pub phone: Option<Phone>,
    /// Whether the patient has active health insurance.
    #[field(edit, personal)]
    pub insurance: Option<bool>,
    /// Unique identifier of the patient.
    pub patient_id: PatientId,
    /// Age in years.
    #[field(edit, personal)]
    pub age: Option<Age>,
    /// Primary residential address.
    #[field(edit, personal)]
    pub address: Option<Address>,
    /// Gender of the patient.
    #[field(edit, personal, example = "female")]
    pub gender: Option<ShortText>,
    /// Weight in kilograms.
    #[field(edit, personal)]
    pub weight: Option<Weight>,
    /// Primary email address.
    #[field(edit, personal)]
    pub email: Option<Email>,
    /// City or primary geographic location.
    #[field(edit, personal, example = "Sampleton")]
    pub location: Option<ShortText>,
    /// Date of the most recent hospital visit.
    #[field(edit, personal)]
    pub lastvisit: Option<Date>,
    /// Allergies, in the words of those who noted them.
    #[field(edit, personal, extension, example = "penicillin")]
    pub allergies: Option<LongText>,
}

impl Patient {
    /// Returns the form of the name in which prefixes are looked up.
    pub fn folded_name(&self) -> Option<String> {
        self.name.as_ref().map(|name| folded_name(name.as_str()))
    }
}

impl PatientDetails {
    /// Returns details with a name and no other field.
    ///
    /// ```
    /// use care_core::model::{Patch, PatientDetails};
    ///
    /// let details = PatientDetails::named("Ada Example")?.phone(441_632_960_001)?;
    /// // An update clears what is `Patch::Clear`, and keeps what is not named, as in a body.
    /// let details = PatientDetails { email: Patch::Clear, ..details };
    /// let body = r#"{"name":"Ada Example","phone":441632960001,"email":null}"#;
    /// let read: PatientDetails = serde_json::from_str(body)?;
    /// assert_eq!(read, details);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The broken rule of [`Name`].
    pub fn named(name: impl Into<String>) -> Result<Self, Invalid> {
        Self::default().name(name)
    }
}

/// Returns the form of a name in which prefixes are looked up: folded like a
/// [`MedicineKey`](crate::model::MedicineKey).
pub fn folded_name(name: &str) -> String {
    folded(name)
}

/// A prefix of names, independent of letter case and white space.
///
/// ```
/// use care_core::model::{NamePrefix, folded_name};
///
/// let prefix = NamePrefix::new(" AD");
/// assert_eq!(prefix.as_str(), "ad");
/// assert!(folded_name("Ada  Example").starts_with(prefix.as_str()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamePrefix(Box<str>);

/// An empty prefix is refused, since it would match every name.
impl InQuery for NamePrefix {
    fn read(text: String) -> Result<Self, Invalid> {
        let prefix = Self::new(Name::new(text)?.as_str());
        if prefix.as_str().is_empty() { Err(Invalid("must not be blank")) } else { Ok(prefix) }
    }

    fn text(&self) -> String {
        self.0.to_string()
    }
}

impl NamePrefix {
    /// Returns the prefix for this text. An empty one is a prefix of every name.
    pub fn new(text: &str) -> Self {
        Self(folded(text).into())
    }

    /// Returns the prefix in the form of a [`folded_name`].
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first text after all those with the prefix, by code points, as UTF-8 sorts texts; `None` when there
    /// is no such text.
    pub fn successor(&self) -> Option<String> {
        successor(&self.0)
    }
}

impl From<&str> for NamePrefix {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl AsRef<str> for NamePrefix {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Patch;

    #[test]
    fn an_update_changes_what_it_names_and_nothing_else() -> Result<(), crate::model::Invalid> {
        let before = Patient {
            name: Some(Name::new("Ada Example")?),
            age: Some(Age::try_from(36)?),
            insurance: Some(true),
            ..Patient::new(PatientId::FIRST)
        };
        let details =
            PatientDetails { age: Age::try_from(37)?.into(), insurance: Patch::Clear, ..PatientDetails::default() };
        let after = before.clone().with(details);
        assert_eq!(after, Patient { age: Some(Age::try_from(37)?), insurance: None, ..before });
        Ok(())
    }

    #[test]
    fn a_prefix_is_folded_as_names_are() {
        let finds = |prefix: &str, name: &str| folded_name(name).starts_with(NamePrefix::new(prefix).as_str());
        for name in ["Ada Example", "ADA", " ada", "A\u{200b}da", "\u{a0}Ada  E."] {
            assert!(finds("AD", name) && finds(" ada", name), "{name:?}");
        }
        assert!(finds("ada  e", "Ada Example") && finds("Ada E", " ADA\tEXAMPLE"));
        assert!(!finds("ada e", "Adae") && !finds("da", "Ada"));
    }

    #[test]
    fn a_prefix_ends_before_its_successor() {
        for (prefix, next) in [
            ("a", Some("b")),
            ("az", Some("a{")),
            ("\u{d7ff}", Some("\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}", None),
            ("", None),
        ] {
            assert_eq!(NamePrefix::new(prefix).successor().as_deref(), next, "{prefix:?}");
        }
    }

    #[test]
    fn absent_fields_are_left_out() {
        let text = serde_json::to_string(&Patient::new(PatientId::FIRST));
        assert_eq!(text.ok().as_deref(), Some(r#"{"patientId":1}"#));
    }
}

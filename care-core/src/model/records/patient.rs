//! Patients.

use care_derive::Record;

use crate::model::{
    Address, Age, Allergies, Date, Email, InQuery, Invalid, Name, Patch, PatientId, Phone, ShortText, Weight,
    values::fold::{folded, successor, with_plain_signs},
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
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(table = "patient", key(patient_id), derived(folded_name, spelling), person)]
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
    /// Day of birth, from which the age follows.
    #[field(edit, personal, extension, aside, example = "29/02/1988")]
    pub birth_date: Option<Date>,
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
    pub allergies: Option<Allergies>,
}

impl Patient {
    /// Returns the form of the name in which prefixes are looked up.
    pub fn folded_name(&self) -> Option<String> {
        self.name.as_ref().map(|name| folded_name(name.as_str()))
    }

    /// Returns the patient as on a day: the age follows from the day of birth, where that is known, and is not stored
    /// beside it.
    #[must_use]
    pub fn on(self, day: Date) -> Self {
        let age = self.birth_date.map(|born| age_on(born, day));
        Self { age: age.or(self.age), ..self }
    }

    /// Returns the patient after an update on a day. A day of birth that is cleared leaves the age of that day, unless
    /// the update names another.
    #[must_use]
    pub(crate) fn updated(self, details: PatientDetails, day: Date) -> Self {
        let patient = match details.birth_date {
            Patch::Clear => self.on(day),
            Patch::Keep | Patch::Set(_) => self,
        };
        let patient = patient.with(details);
        let age = patient.age.filter(|_| patient.birth_date.is_none());
        Self { age, ..patient }
    }
}

/// Returns the whole years since a birth. A person born on 29 February is a year older on 1 March of other years.
fn age_on(born: Date, day: Date) -> Age {
    let is_before = (day.month(), day.day()) < (born.month(), born.day());
    Age::clamped(i64::from(day.year()) - i64::from(born.year()) - i64::from(is_before))
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

    /// Returns the fields that contradict the day of birth on this day, each with the rule: one that is still to come,
    /// unless it is stored, and an age that does not follow from it.
    pub fn contradictions(&self, stored: Option<&Patient>, day: Date) -> Vec<(&'static str, Invalid)> {
        let before = stored.and_then(|stored| stored.birth_date);
        let Some(born) = self.birth_date.over(before) else {
            return Vec::new();
        };
        if born > day && before != Some(born) {
            return vec![("birthDate", Invalid("must not be after today"))];
        }
        match self.age {
            Patch::Keep => Vec::new(),
            Patch::Set(age) if age == age_on(born, day) => Vec::new(),
            Patch::Set(_) | Patch::Clear => vec![("age", Invalid("follows from birthDate"))],
        }
    }
}

/// Returns the form of a name in which prefixes are looked up: folded like a
/// [`MedicineKey`](crate::model::MedicineKey), with `'` for each sign and letter that people take for an apostrophe,
/// and `-` for each dash.
pub fn folded_name(name: &str) -> String {
    with_plain_signs(folded(name))
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
        Self(folded_name(text).into())
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
    fn an_age_is_the_whole_years_since_the_day_of_birth() {
        for (born, day, age) in [
            ("15/03/1990", "14/03/2026", 35),
            ("15/03/1990", "15/03/2026", 36),
            ("29/02/2000", "28/02/2001", 0),
            ("29/02/2000", "01/03/2001", 1),
            ("29/02/2000", "29/02/2024", 24),
            ("01/01/1900", "31/12/2025", 125),
            ("01/01/1900", "31/12/9999", 150),
            ("16/03/2026", "15/03/2026", 0),
        ] {
            let day_of = |text: &str| text.parse::<Date>().unwrap();
            assert_eq!(age_on(day_of(born), day_of(day)).value(), age, "{born} on {day}");
        }
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

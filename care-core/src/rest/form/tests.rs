#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;
use crate::error::FieldError;
use crate::rest::faults::Refused;

/// A whole number from 0 to 150, as an example of a value with a rule.
#[derive(Debug, PartialEq)]
struct Age(i64);

impl TryFrom<i64> for Age {
    type Error = Invalid;
    fn try_from(age: i64) -> Result<Self, Invalid> {
        (0..=150)
            .contains(&age)
            .then_some(Self(age))
            .ok_or(Invalid("must be 0 to 150"))
    }
}

#[derive(Debug, PartialEq)]
struct Weight(f64);

impl TryFrom<f64> for Weight {
    type Error = Invalid;
    fn try_from(weight: f64) -> Result<Self, Invalid> {
        (weight > 0.0 && weight <= 1000.0)
            .then_some(Self(weight))
            .ok_or(Invalid("must be at most 1000"))
    }
}

#[derive(Debug, PartialEq)]
struct Name(String);

impl TryFrom<String> for Name {
    type Error = Invalid;
    fn try_from(name: String) -> Result<Self, Invalid> {
        if name.is_empty() {
            Err(Invalid("must not be blank"))
        } else {
            Ok(Self(name))
        }
    }
}

fn json<T>(text: &str, read: impl FnOnce(&mut Form<'_, '_>) -> T) -> (T, Result<(), Refused>) {
    run(json::read(text.as_bytes()).unwrap(), read)
}

fn run<T>(
    members: Members<'_>,
    read: impl FnOnce(&mut Form<'_, '_>) -> T,
) -> (T, Result<(), Refused>) {
    let mut faults = Faults::default();
    let mut form = Form::new(members, &mut faults);
    let value = read(&mut form);
    form.close();
    (value, faults.into_result())
}

fn decode(field: &'static str, detail: &'static str) -> Result<(), Refused> {
    Err(Refused::Decode(vec![FieldError::new(field, detail)]))
}

fn rule(field: &'static str, detail: &'static str) -> Result<(), Refused> {
    Err(Refused::Rules(vec![FieldError::new(field, detail)]))
}

#[test]
fn a_field_is_absent_null_or_a_value() {
    assert_eq!(
        json("{}", |form| form.integer::<Age>("age")),
        (Patch::Keep, Ok(()))
    );
    assert_eq!(
        json(r#"{"age":null}"#, |form| form.integer::<Age>("age")),
        (Patch::Clear, Ok(()))
    );
    assert_eq!(
        json(r#"{"age":7}"#, |form| form.integer("age")),
        (Patch::Set(Age(7)), Ok(()))
    );
    assert_eq!(
        json(r#"{"name":" x "}"#, |form| form.text("name")),
        (Patch::Set(Name(" x ".into())), Ok(()))
    );
    assert_eq!(
        json(r#"{"weight":7}"#, |form| form.number("weight")),
        (Patch::Set(Weight(7.0)), Ok(()))
    );
    assert_eq!(
        json(r#"{"weight":7.25}"#, |form| form.number("weight")),
        (Patch::Set(Weight(7.25)), Ok(()))
    );
    assert_eq!(
        json(r#"{"is":false}"#, |form| form.boolean("is")),
        (Patch::Set(false), Ok(()))
    );
    assert_eq!(
        json(r#"{"is":null}"#, |form| form.boolean("is")),
        (Patch::Clear, Ok(()))
    );
}

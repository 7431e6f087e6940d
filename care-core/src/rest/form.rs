//! The typed reader over [`Members`]: fields are asked for by name, and every fault is collected.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::model::{Invalid, Patch};

use super::faults::Faults;
use super::json;
use super::members::{Members, Number, Value};

/// One record being read. Ask for each field once, then [`close`](Self::close) it.
///
/// A field that is at fault reads as `Patch::Keep`; that the whole record is refused is said by the [`Faults`].
#[derive(Debug)]
pub(crate) struct Form<'a, 'f> {
    /// A member that was asked for is taken out and leaves `None`.
    fields: Vec<(Cow<'a, str>, Option<Value<'a>>)>,
    markup: bool,
    faults: &'f mut Faults,
    /// Where this record stands in the body, such as `prescriptions[0]`; empty for the body itself.
    place: String,
    /// Fields of this record with a fault, for which "is required" would be a second and wrong one.
    faulty: Vec<&'static str>,
}

impl<'a, 'f> Form<'a, 'f> {
    /// The form of a whole body.
    pub(crate) fn new(members: Members<'a>, faults: &'f mut Faults) -> Self {
        Self::at(String::new(), members, faults)
    }

    /// The value of a field that must be there: absent and `null` are faults.
    pub(crate) fn required<T>(&mut self, name: &'static str, patch: Patch<T>) -> Option<T> {
        let value = patch.value();
        if value.is_none() && !self.faulty.contains(&name) {
            self.wrong::<T>(name, "is required");
        }
        value
    }

    /// Notes that a field that could be decoded breaks a rule.
    pub(crate) fn refuse(&mut self, name: &'static str, rule: &'static str) {
        self.faulty.push(name);
        self.faults.rule(self.place_of(name), rule);
    }

    /// A whole number within 64 bits, written without a point and without an exponent.
    pub(crate) fn integer<T: TryFrom<i64, Error = Invalid>>(
        &mut self,
        name: &'static str,
    ) -> Patch<T> {
        self.scalar(name, |value| {
            match numeric(value).ok_or("must be an integer")? {
                Number::Integer(integer) => Ok(integer),
                _ => Err("must be an integer within 64 bits, without a point or an exponent"),
            }
        })
    }

    /// Any number that a double holds.
    pub(crate) fn number<T: TryFrom<f64, Error = Invalid>>(
        &mut self,
        name: &'static str,
    ) -> Patch<T> {
        self.scalar(name, |value| {
            match numeric(value).ok_or("must be a number")? {
                Number::Integer(integer) => Ok(integer as f64),
                Number::Real(real) => Ok(real),
                Number::Beyond => Err("must be a number that a double can hold"),
            }
        })
    }

    /// A text, taken as it is, white space included.
    pub(crate) fn text<T: TryFrom<String, Error = Invalid>>(
        &mut self,
        name: &'static str,
    ) -> Patch<T> {
        self.scalar(name, textual)
    }

    /// `true` or `false`; in XML also `1` or `0`.
    pub(crate) fn boolean(&mut self, name: &'static str) -> Patch<bool> {
        let Some(value) = self.single(name) else {
            return Patch::Keep;
        };
        match value {
            Value::Null => Patch::Clear,
            Value::Bool(value) => Patch::Set(value),
            Value::Markup(text) => match text.trim_matches(XML_SPACE) {
                "true" | "1" => Patch::Set(true),
                "false" | "0" => Patch::Set(false),
                _ => self.wrong(name, "must be true or false"),
            },
            _ => self.wrong(name, "must be true or false"),
        }
    }

    /// A list of texts; a fault in one is named `diseases[3]`.
    pub(crate) fn texts<T: TryFrom<String, Error = Invalid>>(
        &mut self,
        name: &'static str,
    ) -> Patch<Vec<T>> {
        self.list(name, |faults, place, value| {
            match textual(value).map(T::try_from) {
                Ok(Ok(text)) => return Some(text),
                Ok(Err(broken)) => faults.rule(place, broken.rule()),
                Err(detail) => faults.decode(place, detail),
            }
            None
        })
    }

    /// A list of records; `read` sees each as a form of its own, which is closed here. A fault in one is named
    /// `prescriptions[0].price`. `read` answers `None` for a record that has a fault.
    pub(crate) fn forms<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Form<'a, '_>) -> Option<T>,
    ) -> Patch<Vec<T>> {
        self.list(name, |faults, place, value| {
            let members = match value {
                Value::Members(members) => members,
                // In XML nothing tells an empty record from an empty text.
                Value::Markup(text) if text.trim_matches(XML_SPACE).is_empty() => Members {
                    fields: Vec::new(),
                    markup: true,
                },
                _ => {
                    faults.decode(place, "must be an object");
                    return None;
                }
            };
            let mut form = Form::at(place, members, faults);
            let record = read(&mut form);
            form.close();
            record
        })
    }

    /// Ends the reading: every member that was not asked for is a fault.
    pub(crate) fn close(self) {
        let mut named = BTreeSet::new();
        for (name, _) in self.fields.iter().filter(|(_, value)| value.is_some()) {
            let name = speakable(name);
            if named.insert(name) {
                let place = place(&self.place, name);
                self.faults.decode(place, "is not a member of this record");
            }
        }
    }

    fn at(place: String, members: Members<'a>, faults: &'f mut Faults) -> Self {
        let fields = members
            .fields
            .into_iter()
            .map(|(name, value)| (name, Some(value)))
            .collect();
        Self {
            fields,
            markup: members.markup,
            faults,
            place,
            faulty: Vec::new(),
        }
    }

    fn scalar<T, V: TryFrom<T, Error = Invalid>>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Value<'a>) -> Result<T, &'static str>,
    ) -> Patch<V> {
        match self.single(name) {
            None => Patch::Keep,
            Some(Value::Null) => Patch::Clear,
            Some(value) => match decode(value).map(V::try_from) {
                Ok(Ok(value)) => Patch::Set(value),
                Ok(Err(broken)) => {
                    self.refuse(name, broken.rule());
                    Patch::Keep
                }
                Err(detail) => self.wrong(name, detail),
            },
        }
    }

    fn list<T>(
        &mut self,
        name: &'static str,
        mut element: impl FnMut(&mut Faults, String, Value<'a>) -> Option<T>,
    ) -> Patch<Vec<T>> {
        let elements = if self.markup {
            let elements = self.take(name);
            match elements.as_slice() {
                [] => return Patch::Keep,
                [Value::Null] => return Patch::Clear,
                _ => elements,
            }
        } else {
            match self.single(name) {
                None => return Patch::Keep,
                Some(Value::Null) => return Patch::Clear,
                Some(Value::List(elements)) => elements,
                Some(_) => return self.wrong(name, "must be a list"),
            }
        };
        let list = place(&self.place, name);
        let count = elements.len();
        let read = elements.into_iter().enumerate();
        let sound: Vec<T> = read
            .filter_map(|(index, value)| element(self.faults, format!("{list}[{index}]"), value))
            .collect();
        if sound.len() == count {
            return Patch::Set(sound);
        }
        self.faulty.push(name);
        Patch::Keep
    }

    /// The one member of this name; a repeated one is a fault and has no value.
    fn single(&mut self, name: &'static str) -> Option<Value<'a>> {
        let mut values = self.take(name);
        if values.len() > 1 {
            self.wrong::<()>(name, "appears more than once");
            return None;
        }
        values.pop()
    }

    fn take(&mut self, name: &str) -> Vec<Value<'a>> {
        let named = self.fields.iter_mut().filter(|(field, _)| field == name);
        named.filter_map(|(_, value)| value.take()).collect()
    }

    /// Notes that a field cannot be decoded.
    fn wrong<T>(&mut self, name: &'static str, detail: &'static str) -> Patch<T> {
        self.faulty.push(name);
        self.faults.decode(self.place_of(name), detail);
        Patch::Keep
    }

    fn place_of(&self, name: &'static str) -> Cow<'static, str> {
        if self.place.is_empty() {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(place(&self.place, name))
        }
    }
}

/// What XML calls white space.
const XML_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

fn numeric(value: Value<'_>) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number),
        Value::Markup(text) => json::number(&text),
        _ => None,
    }
}

fn textual(value: Value<'_>) -> Result<String, &'static str> {
    match value {
        Value::Text(text) | Value::Markup(text) => Ok(text.into_owned()),
        _ => Err("must be a string"),
    }
}

fn place(outer: &str, name: &str) -> String {
    if outer.is_empty() {
        name.to_owned()
    } else {
        format!("{outer}.{name}")
    }
}

/// A name of the client's own, as it may be repeated to it: only where it cannot be anything but a name.
pub(super) fn speakable(name: &str) -> &str {
    let is_identifier = name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_identifier { name } else { "(unknown)" }
}

#[cfg(test)]
mod tests;

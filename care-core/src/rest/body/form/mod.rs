//! The typed reader over [`Members`]: fields are asked for by name, and every fault is collected.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    faults::{Fault, Faults},
    members::Members,
    value::Value,
};
use crate::model::{Invalid, Patch};

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

/// How many elements a list may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    pub(crate) elements: usize,
    /// What is said of a longer list.
    pub(crate) rule: &'static str,
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
            self.fault(name, Fault::Decode("is required"));
        }
        value
    }

    /// A whole number within 64 bits, written without a point and without an exponent.
    pub(crate) fn integer<T>(&mut self, name: &'static str) -> Patch<T>
    where
        T: TryFrom<i64, Error = Invalid>,
    {
        self.scalar(name, |value| Ok(T::try_from(value.integer()?)?))
    }

    /// Any number that a double holds.
    pub(crate) fn number<T>(&mut self, name: &'static str) -> Patch<T>
    where
        T: TryFrom<f64, Error = Invalid>,
    {
        self.scalar(name, |value| Ok(T::try_from(value.number()?)?))
    }

    /// A text, taken as it is, white space included.
    pub(crate) fn text<T>(&mut self, name: &'static str) -> Patch<T>
    where
        T: TryFrom<String, Error = Invalid>,
    {
        self.scalar(name, |value| Ok(T::try_from(value.text()?)?))
    }

    /// `true` or `false`; in XML also `1` or `0`.
    pub(crate) fn boolean(&mut self, name: &'static str) -> Patch<bool> {
        self.scalar(name, |value| Ok(value.boolean()?))
    }

    /// A list of texts; a fault in one is named `diseases[3]`.
    pub(crate) fn texts<T>(&mut self, name: &'static str, most: Most) -> Patch<Vec<T>>
    where
        T: TryFrom<String, Error = Invalid>,
    {
        self.list(name, most, |faults, place, value| {
            let read = value.text().map_err(Fault::from).and_then(|text| Ok(T::try_from(text)?));
            read.map_err(|fault| faults.note(place, fault)).ok()
        })
    }

    /// A list of records; `read` sees each as a form of its own, which is closed here. A fault in one is named
    /// `prescriptions[0].price`. `read` answers `None` for a record that it has noted a fault of.
    pub(crate) fn forms<T>(
        &mut self,
        name: &'static str,
        most: Most,
        mut read: impl FnMut(&mut Form<'a, '_>) -> Option<T>,
    ) -> Patch<Vec<T>> {
        self.list(name, most, |faults, place, value| match value.members() {
            Ok(members) => {
                let mut form = Form::at(place, members, faults);
                let record = read(&mut form);
                form.close();
                record
            }
            Err(detail) => {
                faults.decode(place, detail);
                None
            }
        })
    }

    /// Notes that a field that could be decoded breaks a rule of its record.
    pub(crate) fn refuse(&mut self, name: &'static str, rule: &'static str) {
        self.fault(name, Fault::Rule(rule));
    }

    /// Notes that a field is not there, though another one asks for it; one that is there and at fault has been noted.
    pub(crate) fn lacks(&mut self, name: &'static str, rule: &'static str) {
        if !self.faulty.contains(&name) {
            self.refuse(name, rule);
        }
    }

    /// Ends the reading: every member that was not asked for is a fault.
    pub(crate) fn close(self) {
        let mut named = BTreeSet::new();
        for (name, _) in self.fields.iter().filter(|(_, value)| value.is_some()) {
            let name = speakable(name);
            if named.insert(name) {
                self.faults.decode(place(&self.place, name), "is not a member of this record");
            }
        }
    }

    fn at(place: String, members: Members<'a>, faults: &'f mut Faults) -> Self {
        let fields = members.fields.into_iter().map(|(name, value)| (name, Some(value))).collect();
        Self { fields, markup: members.markup, faults, place, faulty: Vec::new() }
    }

    fn scalar<T>(&mut self, name: &'static str, read: impl FnOnce(Value<'a>) -> Result<T, Fault>) -> Patch<T> {
        match self.single(name) {
            None => Patch::Keep,
            Some(Value::Null) => Patch::Clear,
            Some(value) => match read(value) {
                Ok(value) => Patch::Set(value),
                Err(fault) => {
                    self.fault(name, fault);
                    Patch::Keep
                }
            },
        }
    }

    fn list<T>(
        &mut self,
        name: &'static str,
        most: Most,
        mut read: impl FnMut(&mut Faults, String, Value<'a>) -> Option<T>,
    ) -> Patch<Vec<T>> {
        let elements = match self.elements(name) {
            Patch::Set(elements) => elements,
            Patch::Clear => return Patch::Clear,
            Patch::Keep => return Patch::Keep,
        };
        // Judged before any is read, so that a long list costs one fault.
        if elements.len() > most.elements {
            self.refuse(name, most.rule);
            return Patch::Keep;
        }
        let list = place(&self.place, name);
        let count = elements.len();
        let elements = elements.into_iter().enumerate();
        let sound: Vec<T> =
            elements.filter_map(|(index, value)| read(self.faults, format!("{list}[{index}]"), value)).collect();
        if sound.len() == count {
            return Patch::Set(sound);
        }
        self.faulty.push(name);
        Patch::Keep
    }

    fn elements(&mut self, name: &'static str) -> Patch<Vec<Value<'a>>> {
        if !self.markup {
            return self.scalar(name, |value| match value {
                Value::List(elements) => Ok(elements),
                _ => Err(Fault::Decode("must be a list")),
            });
        }
        match self.take(name) {
            elements if elements.is_empty() => Patch::Keep,
            elements if elements == [Value::Null] => Patch::Clear,
            elements => Patch::Set(elements),
        }
    }

    /// The one member of this name; a repeated one is a fault and has no value.
    fn single(&mut self, name: &'static str) -> Option<Value<'a>> {
        let mut values = self.take(name);
        if values.len() > 1 {
            self.fault(name, Fault::Decode("appears more than once"));
            return None;
        }
        values.pop()
    }

    fn fault(&mut self, name: &'static str, fault: Fault) {
        self.faulty.push(name);
        if self.place.is_empty() {
            self.faults.note(name, fault);
        } else {
            self.faults.note(place(&self.place, name), fault);
        }
    }

    fn take(&mut self, name: &str) -> Vec<Value<'a>> {
        let named = self.fields.iter_mut().filter(|(field, _)| field == name);
        named.filter_map(|(_, value)| value.take()).collect()
    }
}

fn place(outer: &str, name: &str) -> String {
    if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") }
}

/// A name of the client's own, as it may be repeated to it: only where it cannot be anything but a name.
pub(crate) fn speakable(name: &str) -> &str {
    let is_identifier = name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_identifier { name } else { "(unknown)" }
}

#[cfg(test)]
mod tests;

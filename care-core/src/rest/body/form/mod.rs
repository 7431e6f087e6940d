//! The typed reader of [`Members`]: it takes fields by name, and collects every fault.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    faults::{Fault, Faults},
    value::{Members, Readable, Value},
};
use crate::model::{Disease, Fill, Invalid, Patch, Scalar};

/// One record that is being read. Take each field once, then [`close`](Self::close) it.
///
/// A faulty field reads as `Patch::Keep`; the [`Faults`] refuse the whole record in the end.
#[derive(Debug)]
pub(crate) struct Form<'a, 'f> {
    /// The members. A taken one leaves `None`.
    fields: Vec<(Cow<'a, str>, Option<Value<'a>>)>,
    markup: bool,
    faults: &'f mut Faults,
    /// The place of this record in the body, such as `prescriptions[0]`; empty for the body itself.
    place: String,
    /// The faulty fields of this record, for which "is required" would be a second and wrong fault.
    faulty: Vec<&'static str>,
    /// The raw segment of the path's parameter, which the record may repeat; empty without one.
    parameter: &'a str,
    /// Whether members that the interface document does not show are unknown, and the names of these.
    is_documented: bool,
    unknown: &'static [&'static str],
}

/// A record in a body, or a part of one.
pub(crate) trait FromForm: Sized {
    /// Reads the fields. Returns `None` when a required one is absent or at fault, which is noted.
    fn read(form: &mut Form<'_, '_>) -> Option<Self>;
}

/// A type of which a body has lists.
pub(crate) trait Element: Sized {
    /// Takes a list.
    fn list(form: &mut Form<'_, '_>, name: &'static str, most: Most) -> Patch<Vec<Self>>;
}

/// The limit of a list's length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    pub(crate) elements: usize,
    /// The fault of a longer list.
    pub(crate) rule: &'static str,
}

impl Most {
    /// Returns this limit. The rule is a text, which no constant can make of a number.
    pub(crate) const fn of(elements: usize) -> Self {
        let rule = match elements {
            30 => "must be at most 30",
            64 => "must be at most 64",
            _ => panic!("the rule of such a list has no words yet"),
        };
        Self { elements, rule }
    }
}

impl<'a, 'f> Form<'a, 'f> {
    /// Returns the form of a whole body.
    pub(crate) fn new(members: Members<'a>, faults: &'f mut Faults) -> Self {
        Self::at(String::new(), members, faults)
    }

    /// Adds the raw segment of the path's parameter.
    pub(crate) fn beside(self, parameter: &'a str) -> Self {
        Self { parameter, ..self }
    }

    /// Makes the form one of the interface document alone if there are no extensions.
    pub(crate) fn with_extensions(self, has_extensions: bool) -> Self {
        Self { is_documented: !has_extensions, ..self }
    }

    /// Says which members the interface document does not show.
    pub(crate) fn extended_by(&mut self, names: &'static [&'static str]) {
        if self.is_documented {
            self.unknown = names;
        }
    }

    /// Returns the raw segment of the path's parameter; empty without one.
    pub(crate) const fn parameter(&self) -> &'a str {
        self.parameter
    }

    /// Returns the value of a required field; absent and `null` are faults.
    pub(crate) fn required<T>(&mut self, name: &'static str, patch: Patch<T>) -> Option<T> {
        let value = patch.value();
        if value.is_none() && !self.faulty.contains(&name) {
            self.fault(name, Fault::Decode("is required"));
        }
        value
    }

    /// Takes a value: a text with its white space, a whole number within 64 bits without a point and an exponent, a
    /// number that a double holds, or a truth value, in XML also as `1` or `0`.
    pub(crate) fn field<T>(&mut self, name: &'static str) -> Patch<T>
    where
        T: Scalar<Raw: Readable>,
    {
        self.scalar(name, |value| Ok(T::of(T::Raw::read(value)?)?))
    }

    /// Takes a value as [`field`](Self::field), which may be what is stored. A stored value is not judged by today's
    /// rule, and only the use case knows whether this one is new.
    pub(crate) fn kept<T>(&mut self, name: &'static str) -> Patch<T>
    where
        T: Scalar<Raw: Readable>,
    {
        let value = self.scalar(name, |value| Ok(T::from_stored(T::Raw::read(value)?)?));
        if let Patch::Set(value) = &value
            && let Err(broken) = value.check_new()
        {
            self.fault(name, Fault::RuleIfNew(broken.rule()));
        }
        value
    }

    /// Takes a list within this limit.
    pub(crate) fn items<T: Element>(&mut self, name: &'static str, most: Most) -> Patch<Vec<T>> {
        T::list(self, name, most)
    }

    /// Takes a list of texts. The fault of an element is named `diseases[3]`.
    pub(crate) fn texts<T>(&mut self, name: &'static str, most: Most) -> Patch<Vec<T>>
    where
        T: TryFrom<String, Error = Invalid>,
    {
        self.list(name, most, |faults, place, value| {
            let read = value.text().map_err(Fault::from).and_then(|text| Ok(T::try_from(text)?));
            read.map_err(|fault| faults.note(place, fault)).ok()
        })
    }

    /// Takes a list of records. `read` gets each as a form of its own, which is closed here, and returns `None` when it
    /// has noted a fault of the record. A fault in an element is named `prescriptions[0].price`.
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

    /// Notes that a decoded field breaks a rule of its record.
    pub(crate) fn refuse(&mut self, name: &'static str, rule: &'static str) {
        self.fault(name, Fault::Rule(rule));
    }

    /// Notes that a field is absent although another field requires it. A faulty field is already noted.
    pub(crate) fn lacks(&mut self, name: &'static str, rule: &'static str) {
        if !self.faulty.contains(&name) {
            self.refuse(name, rule);
        }
    }

    /// Ends the reading. Every member that was not taken is a fault.
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
        let (is_documented, unknown, markup) = (false, &[], members.markup);
        Self { fields, markup, faults, place, faulty: Vec::new(), parameter: "", is_documented, unknown }
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
        // A list that is too long costs one fault: its elements are not read.
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
        match self.take(name).collect::<Vec<_>>() {
            elements if elements.is_empty() => Patch::Keep,
            elements if elements == [Value::Null] => Patch::Clear,
            elements => Patch::Set(elements),
        }
    }

    /// Takes the only member of this name. A repeated one is a fault without a value.
    fn single(&mut self, name: &'static str) -> Option<Value<'a>> {
        let mut values = self.take(name);
        let value = values.next();
        if values.count() > 0 {
            self.fault(name, Fault::Decode("appears more than once"));
            return None;
        }
        value
    }

    fn fault(&mut self, name: &'static str, fault: Fault) {
        self.faulty.push(name);
        if self.place.is_empty() {
            self.faults.note(name, fault);
        } else {
            self.faults.note(place(&self.place, name), fault);
        }
    }

    fn take(&mut self, name: &'static str) -> impl Iterator<Item = Value<'a>> {
        let is_known = !self.unknown.contains(&name);
        let named = self.fields.iter_mut().filter(move |(field, _)| is_known && field == name);
        named.filter_map(|(_, value)| value.take())
    }
}

/// No body.
impl FromForm for () {
    fn read(_form: &mut Form<'_, '_>) -> Option<Self> {
        Some(())
    }
}

impl<T: FromForm> Element for T {
    fn list(form: &mut Form<'_, '_>, name: &'static str, most: Most) -> Patch<Vec<Self>> {
        form.forms(name, most, T::read)
    }
}

impl Element for Disease {
    fn list(form: &mut Form<'_, '_>, name: &'static str, most: Most) -> Patch<Vec<Self>> {
        form.texts(name, most)
    }
}

/// Gives the fields of details. The use case judges which values are new.
impl<T: Scalar<Raw: Readable>> Fill<Patch<T>> for Form<'_, '_> {
    fn value(&mut self, field: &'static str) -> Patch<T> {
        self.kept(field)
    }
}

/// Gives what an update cannot clear.
impl<T: Scalar<Raw: Readable>> Fill<Option<T>> for Form<'_, '_> {
    fn value(&mut self, field: &'static str) -> Option<T> {
        let value = self.kept(field);
        if let Patch::Clear = value {
            self.refuse(field, "must not be null");
        }
        value.value()
    }
}

fn place(outer: &str, name: &str) -> String {
    if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") }
}

/// Returns a member's name for the answer, or a placeholder when the text could be more than a name.
pub(crate) fn speakable(name: &str) -> &str {
    let is_identifier = name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_identifier { name } else { "(unknown)" }
}

#[cfg(test)]
mod tests;

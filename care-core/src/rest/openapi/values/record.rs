//! The parts of a record's schema.

use std::borrow::Cow;

use super::{
    node::{Node, object, reference},
    value::{Described, Value, words},
};

/// A record in one kind of request or answer: a component of the document.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) name: Cow<'static, str>,
    /// The name of its root element, when it is a whole XML document.
    pub(crate) root: Option<&'static str>,
    namespace: Option<&'static str>,
    pub(crate) description: &'static str,
    fields: Vec<Field>,
    is_input: bool,
}

/// A type whose declaration says what the document says of it.
pub(crate) trait Documented {
    /// Returns the members.
    fn members() -> Vec<Field>;

    /// Returns the record.
    fn record() -> Record;

    /// Returns the record as the member of this name has it.
    fn part(_member: &'static str) -> Record {
        Self::record()
    }
}

/// Parameters of a query, whose declarations say what the document says.
pub(crate) trait Asked {
    /// Returns them.
    fn members() -> Vec<Field>;
}

impl<T: Documented> Described for T {
    type Example = &'static str;

    fn described(member: &'static str) -> Value {
        T::part(member).nested(member)
    }
}

/// A member of a record.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    name: &'static str,
    value: Value,
    meaning: &'static str,
    /// Whether it is left out of the example of a whole record, because it excludes another member.
    is_aside: bool,
    /// Whether the member is always present.
    is_required: bool,
    /// Whether `null` is no value of it, though it may be absent.
    is_never_null: bool,
    /// Whether the interface document does not show it.
    is_extension: bool,
}

impl Field {
    pub(crate) const fn new(name: &'static str, value: Value, meaning: &'static str) -> Self {
        Self { name, value, meaning, is_aside: false, is_required: false, is_never_null: false, is_extension: false }
    }

    /// Returns a member of this type.
    pub(crate) fn of<T: Described>(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, T::described(name), meaning)
    }

    /// Sets another example than that of the type.
    pub(crate) fn example<E: Into<Node>>(self, example: E) -> Self {
        Self { value: self.value.showing(example.into()), ..self }
    }

    /// Adds a keyword to the schema.
    pub(crate) fn with(self, keyword: &'static str, value: impl Into<Node>) -> Self {
        Self { value: self.value.with(keyword, value), ..self }
    }

    /// Returns a member that is one of these words, of which the first is the example.
    pub(crate) fn of_words(name: &'static str, all: &[&'static str], meaning: &'static str) -> Self {
        Self::new(name, words(all.iter().copied()), meaning)
    }

    /// Sets another meaning.
    pub(crate) fn meaning(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    /// Makes the member always present.
    pub(crate) fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// Makes the member one that may be absent.
    pub(crate) fn optional(self) -> Self {
        Self { is_required: false, ..self }
    }

    /// Leaves the member out of the example of a whole record.
    pub(crate) fn aside(self) -> Self {
        Self { is_aside: true, ..self }
    }

    /// Forbids `null`, for a member that has no default to go back to.
    pub(crate) fn never_null(self) -> Self {
        Self { is_never_null: true, ..self }
    }

    /// Marks the member as one that the interface document does not show.
    pub(crate) fn extension(self) -> Self {
        Self { is_extension: true, ..self }
    }

    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the member as a parameter in this part of a request.
    pub(crate) fn parameter(self, place: &'static str) -> Node {
        object()
            .with("name", self.name)
            .with("in", place)
            .with("description", self.meaning)
            .with("required", self.is_required)
            .with("schema", self.value.schema)
            .with("example", self.value.example)
    }

    fn schema(&self, is_input: bool, nullable: bool) -> Node {
        let answered = self.value.answered.as_ref().filter(|_| !is_input);
        let schema = answered.unwrap_or(&self.value.schema).clone();
        let schema = if nullable { or_null(schema) } else { schema };
        let example = match &self.value.example {
            // Values of these kinds need no example, or contain examples.
            Node::Bool(_) | Node::List(_) | Node::Object(_) => None,
            example => Some([example.clone()]),
        };
        let described = (!self.meaning.is_empty()).then_some(self.meaning);
        let schema = schema.maybe("description", described).maybe("examples", example);
        schema.maybe("x-extension", self.is_extension.then_some(true))
    }
}

impl Record {
    /// Returns a record of these members. Of two with the same name, the first holds.
    pub(crate) fn new(name: &'static str, description: &'static str, members: Vec<Field>) -> Self {
        let mut fields: Vec<Field> = Vec::new();
        for member in members {
            if fields.iter().all(|field| field.name != member.name) {
                fields.push(member);
            }
        }
        Self { name: name.into(), root: None, namespace: None, description, fields, is_input: false }
    }

    /// Makes the record a whole XML document with this root.
    pub(crate) fn rooted(self, root: &'static str) -> Self {
        Self { root: Some(root), ..self }
    }

    /// Sets the XML namespace.
    pub(crate) fn in_namespace(self, namespace: &'static str) -> Self {
        Self { namespace: Some(namespace), ..self }
    }

    /// Sets the members that are always present.
    pub(crate) fn requiring(mut self, required: &[&'static str]) -> Self {
        for field in &mut self.fields {
            field.is_required = required.contains(&field.name);
        }
        self
    }

    /// Gives the record another name and description, and no root.
    pub(crate) fn named(self, name: &'static str, description: &'static str) -> Self {
        Self { name: name.into(), description, root: None, ..self }
    }

    /// Gives the record the name of a member that holds it: `OpenVisits` for `openVisits`.
    pub(crate) fn named_after(self, member: &str) -> Self {
        let (first, rest) = member.split_at(1);
        Self { name: (first.to_uppercase() + rest).into(), ..self }
    }

    /// Returns the name and the schema of the record, and of those in its members.
    pub(crate) fn schemas(&self) -> Vec<(Cow<'static, str>, Node)> {
        let parts = self.fields.iter().flat_map(|field| field.value.parts.iter().cloned());
        std::iter::once((self.name.clone(), self.schema())).chain(parts).collect()
    }

    /// Leaves out the members that the interface document does not show.
    pub(crate) fn documented(mut self) -> Self {
        self.fields.retain(|field| !field.is_extension);
        self
    }

    /// Leaves members out.
    pub(crate) fn without(mut self, names: &[&str]) -> Self {
        self.fields.retain(|field| !names.contains(&field.name));
        self
    }

    /// Changes a member.
    pub(crate) fn changing(mut self, name: &'static str, change: impl FnOnce(Field) -> Field) -> Self {
        if let Some(place) = self.fields.iter().position(|field| field.name == name) {
            let field = self.fields.remove(place);
            self.fields.insert(place, change(field));
        }
        self
    }

    /// Changes the record into the form of requests: no other members, and `null` for any optional one.
    pub(crate) fn input(self) -> Self {
        Self { is_input: true, ..self }
    }

    /// Returns the schema of the component.
    fn schema(&self) -> Node {
        let properties: Node = self
            .fields
            .iter()
            .map(|field| {
                let nullable = self.is_input && !field.is_never_null && !field.is_required;
                (field.name, field.schema(self.is_input, nullable))
            })
            .collect();
        object()
            .with("type", "object")
            .with("description", self.description)
            .with("properties", properties)
            .maybe("required", self.required_list())
            .maybe("additionalProperties", self.is_input.then_some(false))
            .maybe("xml", self.xml())
    }

    /// Returns an example of the record.
    pub(crate) fn example(&self) -> Node {
        let fields = self.fields.iter().filter(|field| !field.is_aside);
        fields.map(|field| (field.name, field.value.example.clone())).collect()
    }

    /// Returns a reference to the component.
    pub(crate) fn reference(&self) -> Node {
        reference("schemas", &self.name)
    }

    /// Returns the record as a member of another one. The name is that of the XML element.
    pub(crate) fn nested(&self, element: &'static str) -> Value {
        let xml = object().with("name", element);
        Value { parts: self.schemas(), ..Value::new(self.reference().with("xml", xml), self.example()) }
    }

    fn xml(&self) -> Option<Node> {
        let root = object().with("name", self.root?);
        Some(root.maybe("namespace", self.namespace))
    }

    fn required_list(&self) -> Option<Node> {
        let required = self.fields.iter().filter(|field| field.is_required);
        let required: Vec<Node> = required.map(|field| field.name.into()).collect();
        (!required.is_empty()).then_some(required.into())
    }
}

/// Returns a schema that also allows `null`. One with a list of its values stays apart: no answer has a `null` in it.
fn or_null(mut schema: Node) -> Node {
    if schema.member("enum").is_none()
        && let Node::Object(members) = &mut schema
        && let Some((_, kind)) = members.iter_mut().find(|(name, _)| name == "type")
    {
        *kind = [kind.clone(), "null".into()].into();
        return schema;
    }
    object().with("anyOf", [schema, object().with("type", "null")])
}

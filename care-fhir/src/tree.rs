//! Resources as ordered trees, from which both forms are written.

use std::borrow::Cow;

use crate::form::Form;

/// The bytes of most resources, so that their text need not move as it grows.
const USUAL: usize = 1024;

/// A resource, whose members stand in the order of R4.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Resource {
    kind: &'static str,
    members: Vec<Member>,
}

/// A member and its name.
type Member = (&'static str, Node);

/// A part of a resource.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    /// A text, a code, a date or an address.
    Text(Cow<'static, str>),
    /// A number, as it is written.
    Number(String),
    /// A truth value.
    Bool(bool),
    /// A primitive without a value, which only has extensions.
    Extended(Vec<Self>),
    /// An element with members.
    Object(Vec<Member>),
    /// A repeated element.
    List(Vec<Self>),
    /// A resource inside another.
    Resource(Resource),
    /// An item of a list, as it stands in the form of the answer.
    Written(String),
}

/// Returns a text that this crate made.
pub(crate) fn text(text: impl Into<Cow<'static, str>>) -> Node {
    Node::Text(text.into())
}

/// Returns a text of a record as R4 allows it: white space other than space, tab and line feed becomes a space, and a
/// blank text is left out.
pub(crate) fn stored(text: &str) -> Option<Node> {
    // Most texts have no white space but spaces.
    let is_plain = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    let shown = if is_plain { text.to_owned() } else { text.replace(is_foreign_space, " ") };
    (!shown.trim().is_empty()).then(|| Node::Text(shown.into()))
}

/// Returns a whole number.
pub(crate) fn number(number: i64) -> Node {
    Node::Number(number.to_string())
}

/// Returns an element with those members that are there.
pub(crate) fn object<const N: usize>(members: [(&'static str, Option<Node>); N]) -> Node {
    Node::Object(present(members, 0))
}

/// Returns a repeated element that stands here once.
pub(crate) fn once(node: Node) -> Node {
    Node::List(vec![node])
}

/// Returns a repeated element, or nothing without an item.
pub(crate) fn list(nodes: impl IntoIterator<Item = Node>) -> Option<Node> {
    let nodes: Vec<_> = nodes.into_iter().collect();
    (!nodes.is_empty()).then_some(Node::List(nodes))
}

/// Returns whether R4's pattern for strings has no place for this white space. The byte order mark is white space to
/// those who read the pattern as JavaScript does.
fn is_foreign_space(char: char) -> bool {
    char == '\u{feff}' || char.is_whitespace() && !matches!(char, ' ' | '\t' | '\n')
}

/// Returns the members that are there, with room for more.
fn present<const N: usize>(members: [(&'static str, Option<Node>); N], room: usize) -> Vec<Member> {
    let mut present = Vec::with_capacity(N + room);
    present.extend(members.into_iter().filter_map(|(name, node)| Some((name, node?))));
    present
}

impl Resource {
    /// Returns a resource with those members that are there.
    pub(crate) fn new<const N: usize>(kind: &'static str, members: [(&'static str, Option<Node>); N]) -> Self {
        // Its identifier and its version are set later.
        Self { kind, members: present(members, 2) }
    }

    /// Returns the resource with its identifier and its version, which stand before all other members.
    pub(crate) fn identified(mut self, id: &str, meta: Option<Node>) -> Self {
        let others = self.members.len();
        self.members.push(("id", text(id.to_owned())));
        self.members.extend(meta.map(|meta| ("meta", meta)));
        self.members.rotate_left(others);
        self
    }

    /// Returns the name of its type.
    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the texts at a path of member names, in each item of a list on the way.
    pub(crate) fn texts(&self, path: &[&str]) -> Vec<&str> {
        let mut found = Vec::new();
        gather(&self.members, path, &mut found);
        found
    }

    /// Returns the resource in JSON.
    pub(crate) fn json(&self) -> String {
        let mut out = String::with_capacity(USUAL);
        self.write_json(&mut out);
        out
    }

    /// Returns the resource in XML.
    pub(crate) fn xml(&self) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        self.write_xml(&mut out, " xmlns=\"http://hl7.org/fhir\"");
        out
    }

    fn write_json(&self, out: &mut String) {
        push(out, ["{\"resourceType\":\"", self.kind, "\""]);
        for member in &self.members {
            out.push(',');
            write_json_member(out, member);
        }
        out.push('}');
    }

    fn write_xml(&self, out: &mut String, namespace: &str) {
        push(out, ["<", self.kind, namespace, ">"]);
        for (name, node) in &self.members {
            node.write_xml(out, name);
        }
        push(out, ["</", self.kind, ">"]);
    }
}

/// Writes parts one after the other, without the cost of `write!`.
fn push<const N: usize>(out: &mut String, parts: [&str; N]) {
    parts.into_iter().for_each(|part| out.push_str(part));
}

/// Collects the texts at a path.
fn gather<'a>(members: &'a [Member], path: &[&str], found: &mut Vec<&'a str>) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    for (_, node) in members.iter().filter(|(name, _)| name == first) {
        let nodes = match node {
            Node::List(nodes) => nodes.as_slice(),
            node => std::slice::from_ref(node),
        };
        for node in nodes {
            match node {
                Node::Text(text) if rest.is_empty() => found.push(text),
                Node::Object(members) => gather(members, rest, found),
                _ => {}
            }
        }
    }
}

impl Node {
    /// Returns the element as a repeated one of this name is written.
    pub(crate) fn written(&self, form: Form, name: &str) -> String {
        let mut out = String::with_capacity(USUAL);
        match form {
            Form::Json => self.write_json(&mut out),
            Form::Xml => self.write_xml(&mut out, name),
        }
        out
    }

    fn write_json(&self, out: &mut String) {
        match self {
            Self::Text(text) => write_json_text(out, text),
            Self::Number(number) => out.push_str(number),
            Self::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
            Self::Extended(extensions) => {
                out.push_str("{\"extension\":");
                write_json_list(out, extensions);
                out.push('}');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_json_member(out, member);
                }
                out.push('}');
            }
            Self::List(nodes) => write_json_list(out, nodes),
            Self::Resource(resource) => resource.write_json(out),
            Self::Written(item) => out.push_str(item),
        }
    }

    fn write_xml(&self, out: &mut String, name: &str) {
        match self {
            Self::Text(text) => {
                push(out, ["<", name]);
                write_attribute(out, "value", text);
                out.push_str("/>");
            }
            Self::Number(number) => push(out, ["<", name, " value=\"", number, "\"/>"]),
            Self::Bool(bool) => push(out, ["<", name, " value=\"", if *bool { "true" } else { "false" }, "\"/>"]),
            Self::Extended(extensions) => {
                push(out, ["<", name, ">"]);
                extensions.iter().for_each(|extension| extension.write_xml(out, "extension"));
                push(out, ["</", name, ">"]);
            }
            Self::Object(members) => {
                push(out, ["<", name]);
                let mut members = members.as_slice();
                if let ("extension", [("url", Self::Text(url)), rest @ ..]) = (name, members) {
                    write_attribute(out, "url", url);
                    members = rest;
                }
                out.push('>');
                members.iter().for_each(|(name, node)| node.write_xml(out, name));
                push(out, ["</", name, ">"]);
            }
            Self::List(nodes) => nodes.iter().for_each(|node| node.write_xml(out, name)),
            Self::Resource(resource) => {
                push(out, ["<", name, ">"]);
                resource.write_xml(out, "");
                push(out, ["</", name, ">"]);
            }
            Self::Written(item) => out.push_str(item),
        }
    }
}

fn write_json_member(out: &mut String, (name, node): &Member) {
    let mark = if matches!(node, Node::Extended(_)) { "_" } else { "" };
    push(out, ["\"", mark, name, "\":"]);
    node.write_json(out);
}

/// Writes a text. Most have nothing to escape.
fn write_json_text(out: &mut String, text: &str) {
    match text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        // A text is always valid JSON.
        true => out.push_str(&serde_json::to_string(text).unwrap_or_default()),
        false => push(out, ["\"", text, "\""]),
    }
}

fn write_json_list(out: &mut String, nodes: &[Node]) {
    out.push('[');
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        node.write_json(out);
    }
    out.push(']');
}

/// Writes an attribute. Tabs and line feeds are escaped, since a parser makes spaces of plain ones.
fn write_attribute(out: &mut String, name: &str, value: &str) {
    push(out, [" ", name, "=\""]);
    for char in value.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            char => out.push(char),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Resource {
        let extension = object([("url", Some(text("http://x/?a&b"))), ("valueCode", Some(text("unknown")))]);
        let inner = Resource::new("Medication", [("status", Some(text("active")))]).identified("m", None);
        Resource::new(
            "Patient",
            [
                ("contained", Some(once(Node::Resource(inner)))),
                ("active", Some(Node::Bool(true))),
                ("name", list([object([("text", stored("A \"<\n\u{2028}b"))]), object([("text", stored("B"))])])),
                ("telecom", None),
                ("birthDate", Some(Node::Extended(vec![extension]))),
                ("weight", Some(Node::Number("61.5".into()))),
            ],
        )
        .identified("7", None)
    }

    #[test]
    fn json_has_resource_types_and_marked_primitives() {
        let json = concat!(
            r#"{"resourceType":"Patient","id":"7","contained":[{"resourceType":"Medication","id":"m","#,
            r#""status":"active"}],"active":true,"name":[{"text":"A \"<\n b"},{"text":"B"}],"#,
            r#""_birthDate":{"extension":[{"url":"http://x/?a&b","valueCode":"unknown"}]},"weight":61.5}"#,
        );
        assert_eq!(sample().json(), json);
    }

    #[test]
    fn xml_has_values_as_attributes_and_resources_as_elements() {
        let xml = concat!(
            r#"<?xml version="1.0" encoding="UTF-8"?><Patient xmlns="http://hl7.org/fhir"><id value="7"/>"#,
            r#"<contained><Medication><id value="m"/><status value="active"/></Medication></contained>"#,
            r#"<active value="true"/><name><text value="A &quot;&lt;&#10; b"/></name><name><text value="B"/></name>"#,
            r#"<birthDate><extension url="http://x/?a&amp;b"><valueCode value="unknown"/></extension></birthDate>"#,
            r#"<weight value="61.5"/></Patient>"#,
        );
        assert_eq!(sample().xml(), xml);
    }

    #[test]
    fn an_item_may_be_written_before() {
        let item = || object([("a", Some(text("x")))]);
        for form in [Form::Json, Form::Xml] {
            let of = |node: Node| Resource::new("Bundle", [("entry", Some(Node::List(vec![item(), node])))]);
            let (before, now) = (of(Node::Written(item().written(form, "entry"))), of(item()));
            match form {
                Form::Json => assert_eq!(before.json(), now.json()),
                Form::Xml => assert_eq!(before.xml(), now.xml()),
            }
        }
    }

    #[test]
    fn texts_are_found_by_their_path() {
        assert_eq!(sample().texts(&["name", "text"]), ["A \"<\n b", "B"]);
        assert_eq!(sample().texts(&["name"]), [""; 0]);
    }

    #[test]
    fn blank_texts_are_left_out() {
        for blank in ["", " ", "\u{3000}\t\n", "\u{feff}"] {
            assert_eq!(stored(blank), None, "{blank:?}");
        }
        assert_eq!(stored("a\u{a0}b"), Some(text("a b")));
    }
}

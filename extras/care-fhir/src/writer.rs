//! Elements of R4, written in the order in which they come, in JSON or in XML.
//!
//! R4 has no empty elements, so one without members is left out. A mapping therefore names all that a record may have,
//! and what the record does not have leaves no trace.

use crate::form::Form;

/// The bytes of most resources, so that their text need not move as it grows. Allocators are quick up to 1 KiB.
const USUAL: usize = 768;

/// The names of the members that lead from a resource to a text.
pub(crate) type Path = &'static [&'static str];

/// Writes the members of an element.
#[derive(Debug)]
pub(crate) struct Writer {
    form: Form,
    out: String,
    /// The texts that a search looks at; most requests look at none.
    sought: Option<Sought>,
}

/// Writes the items of a repeated element.
#[derive(Debug)]
pub(crate) struct Items<'a> {
    writer: &'a mut Writer,
    name: &'static str,
}

/// The texts at some paths.
#[derive(Debug)]
struct Sought {
    paths: Vec<Path>,
    /// The names of the elements that are being written.
    at: Vec<&'static str>,
    texts: Vec<(Path, String)>,
}

/// Returns a resource as a document.
pub(crate) fn document(form: Form, kind: &str, write: impl FnOnce(&mut Writer)) -> String {
    let mut writer = Writer::new(form);
    match form {
        Form::Json => writer.enclosed(0, ["{\"resourceType\":\"", kind, "\""], write, ["}"]),
        Form::Xml => {
            let begin = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?><", kind, " xmlns=\"http://hl7.org/fhir\">"];
            writer.enclosed(0, begin, write, ["</", kind, ">"]);
        }
    }
    writer.out
}

impl Writer {
    pub(crate) fn new(form: Form) -> Self {
        Self::with_room(form, USUAL)
    }

    /// Returns a writer that has room for this many bytes.
    pub(crate) fn with_room(form: Form, bytes: usize) -> Self {
        Self { form, out: String::with_capacity(bytes), sought: None }
    }

    /// Returns a writer that keeps the texts at these paths.
    pub(crate) fn seeking(form: Form, paths: &[Path]) -> Self {
        let sought = (!paths.is_empty()).then(|| Sought { paths: paths.to_vec(), at: Vec::new(), texts: Vec::new() });
        Self { sought, ..Self::new(form) }
    }

    /// Returns what was written, and the texts that were sought.
    pub(crate) fn finish(self) -> (String, Vec<(Path, String)>) {
        (self.out, self.sought.map(|sought| sought.texts).unwrap_or_default())
    }

    /// Writes a text, a code, a date or an address of this crate.
    pub(crate) fn text(&mut self, name: &'static str, text: &str) {
        if let Some(sought) = &mut self.sought {
            sought.look(name, text);
        }
        match self.form {
            Form::Json => {
                self.name_in_json(name);
                write_json_text(&mut self.out, text);
            }
            Form::Xml => self.write_value(name, text),
        }
    }

    /// Writes a text of a record as R4 allows it: white space other than space, tab and line feed becomes a space, and
    /// a blank text is left out.
    pub(crate) fn stored(&mut self, name: &'static str, text: Option<&(impl AsRef<str> + ?Sized)>) {
        let Some(text) = text.map(AsRef::as_ref) else { return };
        if is_blank(text) {
            return;
        }
        // Most texts have no white space but spaces.
        if text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            self.text(name, text);
        } else {
            self.text(name, &text.replace(is_foreign_space, " "));
        }
    }

    /// Writes a whole number.
    pub(crate) fn number(&mut self, name: &'static str, number: i64) {
        self.plain(name, &number.to_string());
    }

    /// Writes a truth value.
    pub(crate) fn truth(&mut self, name: &'static str, truth: bool) {
        self.plain(name, if truth { "true" } else { "false" });
    }

    /// Writes a number or a truth value, as it is spelled.
    pub(crate) fn plain(&mut self, name: &'static str, value: &str) {
        match self.form {
            Form::Json => {
                self.name_in_json(name);
                self.out.push_str(value);
            }
            Form::Xml => self.write_value(name, value),
        }
    }

    /// Writes an element.
    pub(crate) fn object(&mut self, name: &'static str, write: impl FnOnce(&mut Self)) {
        let start = self.out.len();
        self.enter(name);
        self.name_in_json(name);
        self.element(start, name, write);
        self.leave();
    }

    /// Writes a repeated element.
    pub(crate) fn list(&mut self, name: &'static str, write: impl FnOnce(&mut Items<'_>)) {
        let start = self.out.len();
        self.enter(name);
        let write = |writer: &mut Self| write(&mut Items { writer, name });
        match self.form {
            Form::Json => {
                self.name_in_json(name);
                self.enclosed(start, ["["], write, ["]"]);
            }
            Form::Xml => write(self),
        }
        self.leave();
    }

    /// Writes a repeated element that stands here once.
    pub(crate) fn one(&mut self, name: &'static str, write: impl FnOnce(&mut Self)) {
        self.list(name, |items| items.object(write));
    }

    /// Writes a primitive without a value, which only has extensions.
    pub(crate) fn without_value(&mut self, name: &'static str, write: impl FnOnce(&mut Items<'_>)) {
        let start = self.out.len();
        let write = |writer: &mut Self| write(&mut Items { writer, name: "extension" });
        match self.form {
            Form::Json => {
                self.comma_in_json();
                self.enclosed(start, ["\"_", name, "\":{\"extension\":["], write, ["]}"]);
            }
            Form::Xml => self.enclosed(start, ["<", name, ">"], write, ["</", name, ">"]),
        }
    }

    /// Writes an element that is a resource of this type.
    pub(crate) fn resource(&mut self, name: &'static str, kind: &str, write: impl FnOnce(&mut Self)) {
        let start = self.out.len();
        self.name_in_json(name);
        self.element_of(start, name, kind, write);
    }

    /// Writes members that were written before, in the same form.
    pub(crate) fn written(&mut self, members: &str) {
        if !members.is_empty() {
            self.comma_in_json();
            self.out.push_str(members);
        }
    }

    /// Returns the number of bytes so far.
    pub(crate) const fn len(&self) -> usize {
        self.out.len()
    }

    /// Takes back what was written after this many bytes.
    pub(crate) fn truncate(&mut self, bytes: usize) {
        self.out.truncate(bytes);
    }

    /// Returns a list's items, to be written by themselves.
    pub(crate) const fn items(&mut self, name: &'static str) -> Items<'_> {
        Items { writer: self, name }
    }

    fn element(&mut self, start: usize, name: &str, write: impl FnOnce(&mut Self)) {
        match self.form {
            Form::Json => self.enclosed(start, ["{"], write, ["}"]),
            Form::Xml => self.enclosed(start, ["<", name, ">"], write, ["</", name, ">"]),
        }
    }

    fn element_of(&mut self, start: usize, name: &str, kind: &str, write: impl FnOnce(&mut Self)) {
        match self.form {
            Form::Json => self.enclosed(start, ["{\"resourceType\":\"", kind, "\""], write, ["}"]),
            Form::Xml => self.enclosed(start, ["<", name, "><", kind, ">"], write, ["</", kind, "></", name, ">"]),
        }
    }

    /// Writes what stands between a beginning and an end. Where that is nothing, nothing is left after `start` bytes.
    fn enclosed<const B: usize, const E: usize>(
        &mut self,
        start: usize,
        begin: [&str; B],
        write: impl FnOnce(&mut Self),
        end: [&str; E],
    ) {
        push(&mut self.out, begin);
        let inside = self.out.len();
        write(self);
        if self.out.len() == inside {
            self.out.truncate(start);
        } else {
            push(&mut self.out, end);
        }
    }

    /// Writes the name of a member, which an element of XML bears itself.
    fn name_in_json(&mut self, name: &str) {
        if self.form == Form::Json {
            self.comma_in_json();
            push(&mut self.out, ["\"", name, "\":"]);
        }
    }

    /// Writes a comma, unless what comes is the first.
    fn comma_in_json(&mut self) {
        if self.form == Form::Json && !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[')) {
            self.out.push(',');
        }
    }

    /// Writes a primitive in XML.
    fn write_value(&mut self, name: &str, value: &str) {
        push(&mut self.out, ["<", name, " value=\""]);
        write_attribute(&mut self.out, value);
        self.out.push_str("\"/>");
    }

    fn enter(&mut self, name: &'static str) {
        if let Some(sought) = &mut self.sought {
            sought.at.push(name);
        }
    }

    fn leave(&mut self) {
        if let Some(sought) = &mut self.sought {
            sought.at.pop();
        }
    }
}

impl Items<'_> {
    /// Writes a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.writer.comma_in_json();
        match self.writer.form {
            Form::Json => write_json_text(&mut self.writer.out, text),
            Form::Xml => self.writer.write_value(self.name, text),
        }
    }

    /// Writes an element.
    pub(crate) fn object(&mut self, write: impl FnOnce(&mut Writer)) {
        let start = self.writer.out.len();
        self.writer.comma_in_json();
        self.writer.element(start, self.name, write);
    }

    /// Writes an extension with this address. It is left out if it has no value.
    pub(crate) fn extension(&mut self, url: &'static str, write: impl FnOnce(&mut Writer)) {
        let Self { writer, name } = self;
        let start = writer.out.len();
        writer.comma_in_json();
        match writer.form {
            Form::Json => writer.enclosed(start, ["{\"url\":\"", url, "\""], write, ["}"]),
            Form::Xml => writer.enclosed(start, ["<", name, " url=\"", url, "\">"], write, ["</", name, ">"]),
        }
    }

    /// Writes a resource of this type.
    pub(crate) fn resource(&mut self, kind: &str, write: impl FnOnce(&mut Writer)) {
        let start = self.writer.out.len();
        self.writer.comma_in_json();
        self.writer.element_of(start, self.name, kind, write);
    }

    /// Writes items that were written before, in the same form.
    pub(crate) fn written(&mut self, items: &str) {
        self.writer.written(items);
    }
}

impl Sought {
    fn look(&mut self, name: &'static str, text: &str) {
        let leads_here = |path: &&Path| path.split_last() == Some((&name, self.at.as_slice()));
        if let Some(path) = self.paths.iter().find(leads_here) {
            self.texts.push((path, text.to_owned()));
        }
    }
}

/// Returns whether R4's pattern for strings has no place for this white space. The byte order mark is white space to
/// those who read the pattern as JavaScript does.
fn is_foreign_space(char: char) -> bool {
    char == '\u{feff}' || char.is_whitespace() && !matches!(char, ' ' | '\t' | '\n')
}

/// Returns whether a text has nothing but white space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|char| char == '\u{feff}' || char.is_whitespace())
}

/// Writes parts one after the other, without the cost of `write!`.
fn push<const N: usize>(out: &mut String, parts: [&str; N]) {
    parts.into_iter().for_each(|part| out.push_str(part));
}

/// Writes a text. Most have nothing to escape.
fn write_json_text(out: &mut String, text: &str) {
    // Without an early end, many bytes are compared at once.
    match text.bytes().fold(false, |any, byte| any | (byte < b' ') | (byte == b'"') | (byte == b'\\')) {
        // A text is always valid JSON.
        true => out.push_str(&serde_json::to_string(text).unwrap_or_default()),
        false => push(out, ["\"", text, "\""]),
    }
}

/// Writes the value of an attribute. Tabs and line feeds are escaped, since a parser makes spaces of plain ones.
fn write_attribute(out: &mut String, value: &str) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(out: &mut Writer) {
        out.text("id", "7");
        out.list("contained", |all| all.resource("Medication", |medicine| medicine.text("id", "m")));
        out.truth("active", true);
        out.list("name", |names| {
            for text in ["A \"<\n\u{2028}b", " ", "B"] {
                names.object(|name| name.stored("text", Some(text)));
            }
        });
        out.list("telecom", |_| ());
        out.object("period", |_| ());
        out.without_value("gender", |all| all.extension("http://x/y", |blank| blank.stored("valueString", Some(" "))));
        out.without_value("birthDate", |all| all.extension("http://x/y", |code| code.text("valueCode", "unknown")));
        out.plain("weight", "61.5");
    }

    #[test]
    fn json_has_resource_types_and_marked_primitives() {
        let json = concat!(
            r#"{"resourceType":"Patient","id":"7","contained":[{"resourceType":"Medication","id":"m"}],"#,
            r#""active":true,"name":[{"text":"A \"<\n b"},{"text":"B"}],"#,
            r#""_birthDate":{"extension":[{"url":"http://x/y","valueCode":"unknown"}]},"weight":61.5}"#,
        );
        assert_eq!(document(Form::Json, "Patient", sample), json);
    }

    #[test]
    fn xml_has_values_as_attributes_and_resources_as_elements() {
        let xml = concat!(
            r#"<?xml version="1.0" encoding="UTF-8"?><Patient xmlns="http://hl7.org/fhir"><id value="7"/>"#,
            r#"<contained><Medication><id value="m"/></Medication></contained>"#,
            r#"<active value="true"/><name><text value="A &quot;&lt;&#10; b"/></name><name><text value="B"/></name>"#,
            r#"<birthDate><extension url="http://x/y"><valueCode value="unknown"/></extension></birthDate>"#,
            r#"<weight value="61.5"/></Patient>"#,
        );
        assert_eq!(document(Form::Xml, "Patient", sample), xml);
    }

    #[test]
    fn members_and_items_may_be_written_before() {
        for form in [Form::Json, Form::Xml] {
            let entry = |out: &mut Writer| out.resource("resource", "Patient", sample);
            let now = document(form, "Bundle", |out| {
                out.list("entry", |all| {
                    all.object(entry);
                    all.object(entry);
                });
            });
            let (mut members, mut items) = (Writer::new(form), Writer::new(form));
            sample(&mut members);
            let (members, _) = members.finish();
            for _ in 0..2 {
                items.items("entry").object(|entry| entry.resource("resource", "Patient", |of| of.written(&members)));
            }
            let (items, _) = items.finish();
            assert_eq!(document(form, "Bundle", |out| out.list("entry", |all| all.written(&items))), now);
        }
    }

    #[test]
    fn texts_are_found_by_their_path() {
        const NAMES: Path = &["name", "text"];
        let mut out = Writer::seeking(Form::Xml, &[NAMES, &["name"], &["text"]]);
        sample(&mut out);
        assert_eq!(out.finish().1, [(NAMES, "A \"<\n b".to_owned()), (NAMES, "B".to_owned())]);
    }

    #[test]
    fn blank_texts_are_left_out() {
        for blank in ["", " ", "\u{3000}\t\n", "\u{feff}"] {
            let mut out = Writer::new(Form::Json);
            out.stored("text", Some(blank));
            assert_eq!(out.len(), 0, "{blank:?}");
        }
    }
}

//! Resources as they were written, and their identity.

use care_core::{
    model::Timestamp,
    store::{RecordKey, Seq},
};

use crate::{
    form::Form,
    writer::{Path, Writer, document},
};

/// A resource in one form, without its identifier and version, which stand before all other members.
#[derive(Debug)]
pub(crate) struct Resource {
    kind: &'static str,
    members: String,
    texts: Vec<(Path, String)>,
}

/// A resource with its identity.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) id: String,
    pub(crate) resource: Resource,
    /// The number of the entry that put its record last.
    pub(crate) version: Seq,
    /// The patient's record that it shows, as the journal names it: a condition is of its consultation.
    pub(crate) read: Option<RecordKey>,
}

impl Resource {
    /// Returns the resource of this type with what was written; `None` if that is nothing.
    pub(crate) fn new(kind: &'static str, written: Writer) -> Option<Self> {
        let (members, texts) = written.finish();
        (!members.is_empty()).then_some(Self { kind, members, texts })
    }

    /// Returns the name of its type.
    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns its length in bytes.
    pub(crate) const fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the texts at a path, if a search looks there.
    pub(crate) fn texts(&self, path: Path) -> impl Iterator<Item = &str> {
        self.texts.iter().filter(move |(at, _)| *at == path).map(|(_, text)| text.as_str())
    }
}

impl Instance {
    /// Returns the resource of a version as a document, which was put at this instant.
    pub(crate) fn document(&self, form: Form, version: &str, at: Timestamp) -> String {
        document(form, self.resource.kind, |out| self.write_members(out, version, at))
    }

    /// Writes the resource of a version as a member of this name.
    pub(crate) fn write(&self, out: &mut Writer, name: &'static str, version: &str, at: Timestamp) {
        out.resource(name, self.resource.kind, |resource| self.write_members(resource, version, at));
    }

    fn write_members(&self, out: &mut Writer, version: &str, at: Timestamp) {
        out.text("id", &self.id);
        out.object("meta", |meta| {
            meta.text("versionId", version);
            meta.text("lastUpdated", &at.to_string());
        });
        out.written(&self.resource.members);
    }
}

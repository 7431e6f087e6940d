//! Refusals of declarations that contradict themselves, or say what changes nothing.

use std::collections::BTreeSet;

use proc_macro2::Ident;

use crate::{
    declaration::{Field, Record, Table, says},
    owner::Ownership,
    words::Misuse,
};

impl Record {
    /// Refuses what contradicts itself, or would change nothing.
    pub(crate) fn check(&self, keyed: &[Ident]) -> Result<(), Misuse> {
        if let Some(name) = keyed.iter().find(|name| self.fields.iter().all(|field| field.name != **name)) {
            return Err(Misuse::at(name, format!("`{name}` is no field")));
        }
        if let Some(table) = &self.table {
            table.check(&self.columns())?;
        }
        if let Some(ownership) = &self.ownership {
            ownership.check(self)?;
        }
        if let (None, Some(root)) = (&self.document, &self.root) {
            return Err(Misuse::at(root, "only a record with a `document` has a root"));
        }
        match (&*self.answered, &self.root) {
            ([], _) | ([_, _], Some(_)) => {}
            ([said, ..], _) => {
                return Err(Misuse::at(said, "a record with a `root` is `answered(…)`, behind a segment by a field"));
            }
        }
        if let (Some(table), true) = (&self.table, self.is_group) {
            return Err(Misuse::at(&table.name, "a group stands in the table of another record"));
        }
        if let (Some(name), None, false) = (keyed.first(), &self.table, self.is_group) {
            return Err(Misuse::at(name, "only a record with a `table` has columns"));
        }
        if self.document.is_some() && self.sentence.is_empty() {
            return Err(Misuse::at(&self.name, "a documented record needs a comment"));
        }
        check_names(self.fields.iter())?;
        self.fields.iter().try_for_each(|field| field.check(self))?;
        match &self.details {
            Some(details) if self.edited().next().is_none() => {
                Err(Misuse::at(details, "details without a field to `edit`"))
            }
            _ => Ok(()),
        }
    }
}

impl Table {
    fn check(&self, columns: &[String]) -> Result<(), Misuse> {
        let is_column = |name: &Ident| columns.iter().any(|column| *name == column);
        let mut said = Vec::new();
        for name in self.key.iter().chain(&self.moving) {
            if !is_column(name) {
                return Err(Misuse::at(name, format!("`{name}` is no column of the table")));
            }
            if said.contains(&name) {
                return Err(Misuse::at(name, format!("`{name}` has a part in the table already")));
            }
            said.push(name);
        }
        match self.derived.iter().find(|name| is_column(name)) {
            Some(name) => Err(Misuse::at(name, format!("`{name}` is a field already"))),
            None => Ok(()),
        }
    }
}

impl Field {
    fn check(&self, record: &Record) -> Result<(), Misuse> {
        if self.is_key && self.inner.is_some() {
            return Err(Misuse::at(&self.ty, "a key is never absent"));
        }
        match (&self.edit, &record.details) {
            (Some(edit), _) if self.is_key => return Err(Misuse::at(edit, "no request changes a key")),
            (Some(edit), None) => return Err(Misuse::at(edit, "only a record with `details` is edited")),
            _ => {}
        }
        if let (Some(extension), true) = (&self.extension, self.edit.is_none() || self.inner.is_none()) {
            return Err(Misuse::at(extension, "an extension is an optional field to `edit`"));
        }
        if let (Some(default), Some(_)) = (&self.default, &self.inner) {
            return Err(Misuse::at(default, "an optional field is absent unless it is set"));
        }
        match (&self.personal, &self.kept) {
            (Some(personal), _) if self.is_key => return Err(Misuse::at(personal, "an erasure leaves the key")),
            (Some(_), Some(kept)) => return Err(Misuse::at(kept, "either `personal` or `kept`")),
            (Some(personal), None) if record.ownership.is_none() && record.table.is_some() => {
                return Err(Misuse::at(
                    personal,
                    "only a record that says whose it is has it: `owner(…)`, or `person`",
                ));
            }
            (Some(personal), None) if record.ownership.as_ref().and_then(Ownership::column) == Some(&self.name) => {
                return Err(Misuse::at(personal, "an erasure leaves the owner"));
            }
            (None, None) if record.ownership.is_some() && !self.is_key => {
                let message = "say whether an erasure takes the field: `personal` or `kept`";
                return Err(Misuse::at(&self.name, message));
            }
            (None, Some(kept)) if record.ownership.is_none() => {
                return Err(Misuse::at(kept, "an erasure takes nothing of a record without an owner"));
            }
            (Some(_) | None, None) | (None, Some(_)) => {}
        }
        if record.document.is_some() && self.sentence.is_empty() && !self.is_group {
            return Err(Misuse::at(&self.name, "a field of a document needs a comment"));
        }
        if record.document.is_some() && self.sentence.contains("[`") {
            let message = "clients read the first paragraph of the comment: it links to no item";
            return Err(Misuse::at(&self.name, message));
        }
        match self.said.iter().find_map(|word| Some((word, self.idle(word, record)?))) {
            Some((word, message)) => Err(Misuse::at(word, message)),
            None => Ok(()),
        }
    }

    /// Returns the reason why a word would change nothing.
    fn idle(&self, word: &Ident, record: &Record) -> Option<&'static str> {
        let is_left_out = self.inner.is_some() || self.serde.iter().any(|attribute| says(attribute, "default"));
        let is_of_document =
            ["required", "optional", "like", "most", "words", "example", "aside"].iter().any(|known| word == known);
        let is_edited = word == "example" && self.edit.is_some();
        if is_of_document && record.document.is_none() && !is_edited {
            Some("only a record with a `document` has it")
        } else if self.is_group && ["group", "like", "personal", "kept"].iter().all(|known| word != known) {
            Some("the fields of the group say it")
        } else if word == "like" && !self.words.is_empty() {
            Some("words are no type")
        } else if word == "required" && !is_left_out {
            Some("documents always have the field")
        } else if word == "optional" && is_left_out {
            Some("documents need not have the field")
        } else if word == "default" && self.edit.is_none() && !record.has_new && !record.is_body {
            Some("only a field to `edit`, or of a record with `new`, has a default")
        } else if word == "columns" && record.table.is_none() && !record.is_group {
            Some("only a record with a `table` has columns")
        } else {
            None
        }
    }
}

/// Refuses a second field of the same name in documents.
pub(crate) fn check_names<'a>(fields: impl Iterator<Item = &'a Field>) -> Result<(), Misuse> {
    let mut names = BTreeSet::new();
    for Field { name, wire, .. } in fields {
        if !names.insert(wire) {
            return Err(Misuse::at(name, format!("another field is called `{wire}` in documents")));
        }
    }
    Ok(())
}

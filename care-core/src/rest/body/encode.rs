//! Writing documents, in JSON and in XML, from the same serde types.

use bytes::Bytes;
use serde::Serialize;

use crate::rest::http::media::Format;

/// The document in this form. The root element's name is XML's; JSON has none.
pub(crate) fn document(format: Format, root: &str, value: &impl Serialize) -> Bytes {
    let written = match format {
        Format::Json => json(value).map_err(|error| error.to_string()),
        Format::Xml => xml(root, value).map_err(|error| error.to_string()),
    };
    sound(root, written.map(Bytes::from))
}

/// The document in JSON, for people to read.
#[cfg(feature = "openapi")]
pub(crate) fn pretty(value: &impl Serialize) -> String {
    sound("", serde_json::to_string_pretty(value).map_err(|error| error.to_string()))
}

/// The model's types always serialise; an error here is a bug that a test would show.
fn sound<T: Default>(root: &str, written: Result<T, String>) -> T {
    written.unwrap_or_else(|cause| {
        tracing::error!(cause, root, "a document could not be written");
        T::default()
    })
}

/// Most records fit into this; a buffer that grows is copied each time.
const USUAL: usize = 512;

fn json(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut document = Vec::with_capacity(USUAL);
    serde_json::to_writer(&mut document, value)?;
    Ok(document)
}

fn xml(root: &str, value: &impl Serialize) -> Result<Vec<u8>, quick_xml::SeError> {
    let mut document = String::with_capacity(USUAL);
    document.push_str(XML);
    let serializer = quick_xml::se::Serializer::with_root(&mut document, Some(root))?;
    value.serialize(serializer)?;
    Ok(document.into_bytes())
}

/// A page in the making: a document whose items are written one after the other.
#[derive(Debug)]
pub(crate) struct Writing {
    format: Format,
    text: String,
    /// Whether a part could not be written.
    is_broken: bool,
}

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>"#;

impl Writing {
    /// A page without items.
    pub(crate) fn page(format: Format) -> Self {
        let beginning = match format {
            Format::Json => r#"{"items":["#.to_owned(),
            Format::Xml => format!("{XML}<Page>"),
        };
        Self { format, text: beginning, is_broken: false }
    }

    /// How many bytes it has.
    pub(crate) const fn len(&self) -> usize {
        self.text.len()
    }

    /// Takes the last bytes back.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
    }

    /// Writes an item.
    pub(crate) fn item(&mut self, is_first: bool, item: &impl Serialize) {
        if self.format == Format::Json && !is_first {
            self.text.push(',');
        }
        self.value("items", item);
    }

    /// Returns the whole page, with these members behind its items; `None` when a part of it could not be written.
    pub(crate) fn end(mut self, members: &[(&str, &str)]) -> Option<Bytes> {
        match self.format {
            Format::Json => {
                self.text.push(']');
                for (name, value) in members {
                    self.text.push_str(&format!(r#","{name}":"#));
                    self.value(name, value);
                }
                self.text.push('}');
            }
            Format::Xml => {
                for (name, value) in members {
                    self.value(name, value);
                }
                // As any element without content is written.
                match self.text.strip_suffix("<Page>") {
                    Some(before) => self.text = format!("{before}<Page/>"),
                    None => self.text.push_str("</Page>"),
                }
            }
        }
        (!self.is_broken).then(|| self.text.into())
    }

    fn value(&mut self, root: &str, value: &impl Serialize) {
        let written = match self.format {
            Format::Json => {
                serde_json::to_string(value).map(|text| self.text.push_str(&text)).map_err(|e| e.to_string())
            }
            Format::Xml => quick_xml::se::Serializer::with_root(&mut self.text, Some(root))
                .and_then(|serializer| value.serialize(serializer))
                .map(drop)
                .map_err(|error| error.to_string()),
        };
        self.is_broken |= written.is_err();
        sound(root, written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Page {
        items: Vec<Item>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<&'static str>,
    }

    #[derive(Serialize)]
    struct Item {
        name: &'static str,
        parts: Vec<u8>,
    }

    #[test]
    fn a_page_is_written_piece_by_piece_as_it_would_be_at_once() {
        for format in [Format::Json, Format::Xml] {
            let pages: [(&[&str], _); 3] = [(&["a <&> \"b\"", ""], Some("17")), (&["x"], None), (&[], None)];
            for (names, next) in pages {
                let items = || names.iter().map(|name| Item { name, parts: vec![1, 2] });
                let whole = document(format, "Page", &Page { items: items().collect(), next });
                let mut page = Writing::page(format);
                for (place, item) in items().enumerate() {
                    page.item(place == 0, &item);
                    let end = page.len();
                    page.item(false, &item);
                    page.truncate(end);
                }
                assert_eq!(page.end(&next.map(|next| ("next", next)).into_iter().collect::<Vec<_>>()), Some(whole));
            }
        }
    }
}

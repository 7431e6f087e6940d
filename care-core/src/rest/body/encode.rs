//! Writing documents in JSON and XML from the same serde types.

use bytes::Bytes;
use serde::Serialize;

use crate::{
    meter::{self, Work},
    rest::http::media::Format,
};

/// Returns the document in this form. Only XML has a root element.
pub(crate) fn document(format: Format, root: &str, value: &impl Serialize) -> Bytes {
    let written = match format {
        Format::Json => json(value).map_err(|error| error.to_string()),
        Format::Xml => xml(root, value).map_err(|error| error.to_string()),
    };
    let written = sound(root, written.map(without_spare));
    meter::count(Work::bytes(written.len()));
    written
}

/// Returns the document in indented JSON.
#[cfg(feature = "openapi")]
pub(crate) fn pretty(value: &impl Serialize) -> String {
    sound("", serde_json::to_string_pretty(value).map_err(|error| error.to_string()))
}

/// Returns the written document. The types of the model always serialise, so an error here is a bug.
fn sound<T: Default>(root: &str, written: Result<T, String>) -> T {
    written.unwrap_or_else(|cause| {
        tracing::error!(cause, root, "a document could not be written");
        T::default()
    })
}

/// The length in bytes from which the spare room of a document's buffer is given back.
const LONG: usize = 64 * 1024;

/// Returns a document without the spare room of the buffer in which it grew. That may be as long as the document, and
/// would stay for as long as its client takes to read it.
fn without_spare(mut document: Vec<u8>) -> Bytes {
    if document.len() > LONG {
        document.shrink_to_fit();
    }
    document.into()
}

/// The first size of the buffer in bytes, which most records fit into. A buffer that grows is copied each time.
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

/// A document with a list of items that is being written, one item after the other.
#[derive(Debug)]
pub(crate) struct Writing {
    format: Format,
    /// The root element of the document in XML.
    root: &'static str,
    text: String,
    /// Whether a member stands behind the items.
    has_end: bool,
    /// Whether an item could not be written.
    is_broken: bool,
}

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>"#;

impl Writing {
    /// Returns a document with these members before its items, and no items.
    pub(crate) fn list(format: Format, root: &'static str, members: &[(&str, &str)]) -> Self {
        let text = match format {
            Format::Json => "{".to_owned(),
            Format::Xml => format!("{XML}<{root}>"),
        };
        let mut list = Self { format, root, text, has_end: false, is_broken: false };
        for (name, value) in members {
            list.member(name, value);
            if format == Format::Json {
                list.text.push(',');
            }
        }
        if format == Format::Json {
            list.text.push_str("\"items\":[");
        }
        list
    }

    /// Returns its length in bytes.
    pub(crate) const fn len(&self) -> usize {
        self.text.len()
    }

    /// Removes the bytes behind this length.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
    }

    /// Appends an item.
    pub(crate) fn item(&mut self, is_first: bool, item: &impl Serialize) {
        let before = self.text.len();
        if self.format == Format::Json && !is_first {
            self.text.push(',');
        }
        self.value("items", item);
        meter::count(Work::bytes(self.text.len() - before));
    }

    /// Appends a member behind the items, if it is there. No item follows.
    pub(crate) fn behind(&mut self, name: &str, value: Option<&impl Serialize>) {
        let Some(value) = value else {
            return;
        };
        if self.format == Format::Json {
            self.text.push_str(if self.has_end { "," } else { "]," });
        }
        self.has_end = true;
        self.member(name, value);
    }

    /// Returns the complete document; `None` when an item could not be written.
    pub(crate) fn end(mut self) -> Option<Bytes> {
        match self.format {
            Format::Json => self.text.push_str(if self.has_end { "}" } else { "]}" }),
            Format::Xml => {
                let root = self.root;
                // An element without content is written as an empty tag.
                match self.text.strip_suffix(&format!("<{root}>")) {
                    Some(before) => self.text = format!("{before}<{root}/>"),
                    None => self.text.push_str(&format!("</{root}>")),
                }
            }
        }
        (!self.is_broken).then(|| without_spare(self.text.into_bytes()))
    }

    fn member(&mut self, name: &str, value: &impl Serialize) {
        if self.format == Format::Json {
            self.text.push_str(&format!("\"{name}\":"));
        }
        self.value(name, value);
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
    use crate::service::{CurrencyTotal, DayTakings, TakingsSums};

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
    fn the_members_of_a_group_stand_among_those_of_the_record() {
        let total = concat!(
            r#"{"currency":"KES","method":"cash","payments":2,"paid":30,"refunds":1,"refunded":10,"moved":-5,"#,
            r#""net":15}"#
        );
        let read: CurrencyTotal = serde_json::from_str(total).unwrap();
        assert_eq!(document(Format::Json, "Total", &read), total);
        let total = concat!(
            "<currency>KES</currency><method>cash</method><payments>2</payments><paid>30</paid><refunds>1</refunds>",
            "<refunded>10</refunded><moved>-5</moved><net>15</net>"
        );
        assert_eq!(document(Format::Xml, "Total", &read), format!("{XML}<Total>{total}</Total>"));
        let sums = TakingsSums { receipts: 3, totals: vec![read], ..TakingsSums::default() };
        let day = DayTakings { day: "31/01/2026".parse().unwrap(), holder: "desk".into(), sums };
        let day = document(Format::Xml, "Day", &day);
        let sums = format!("<receipts>3</receipts><unpriced>0</unpriced><totals>{total}</totals>");
        assert_eq!(day, format!("{XML}<Day><day>31/01/2026</day><holder>desk</holder>{sums}</Day>"));
    }

    #[test]
    fn a_long_document_keeps_no_spare_room() {
        let text = "a".repeat(LONG + 1);
        let list = |format| {
            let mut list = Writing::list(format, "Texts", &[]);
            list.item(true, &text);
            list.end().unwrap()
        };
        for format in [Format::Json, Format::Xml] {
            for written in [document(format, "Text", &text), list(format)] {
                let length = written.len();
                assert_eq!(written.try_into_mut().unwrap().capacity(), length);
            }
        }
    }

    #[test]
    fn members_stand_before_and_behind_the_items() {
        let written = |format| {
            let mut list = Writing::list(format, "List", &[("from", "<1>")]);
            list.item(true, &7);
            list.behind("more", Some(&true));
            list.behind("none", None::<&bool>);
            list.behind("next", Some(&2));
            list.end().unwrap()
        };
        assert_eq!(written(Format::Json), r#"{"from":"<1>","items":[7],"more":true,"next":2}"#);
        let xml = format!("{XML}<List><from>&lt;1&gt;</from><items>7</items><more>true</more><next>2</next></List>");
        assert_eq!(written(Format::Xml), xml);
    }

    #[test]
    fn a_page_is_written_piece_by_piece_as_it_would_be_at_once() {
        for format in [Format::Json, Format::Xml] {
            let pages: [(&[&str], _); 3] = [(&["a <&> \"b\"", ""], Some("17")), (&["x"], None), (&[], None)];
            for (names, next) in pages {
                let items = || names.iter().map(|name| Item { name, parts: vec![1, 2] });
                let whole = document(format, "Page", &Page { items: items().collect(), next });
                let mut page = Writing::list(format, "Page", &[]);
                for (place, item) in items().enumerate() {
                    page.item(place == 0, &item);
                    let end = page.len();
                    page.item(false, &item);
                    page.truncate(end);
                }
                page.behind("next", next.as_ref());
                assert_eq!(page.end(), Some(whole));
            }
        }
    }
}

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
    document.push_str(r#"<?xml version="1.0" encoding="UTF-8"?>"#);
    let serializer = quick_xml::se::Serializer::with_root(&mut document, Some(root))?;
    value.serialize(serializer)?;
    Ok(document.into_bytes())
}

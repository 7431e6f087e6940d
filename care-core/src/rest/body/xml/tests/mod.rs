mod attributes;
mod markup;
mod text;

use super::*;

const XSI: &str = r#"xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance""#;

fn fields(xml: &str) -> Vec<(String, Value<'_>)> {
    let members = read(xml.as_bytes(), &["Patient"]).unwrap();
    assert!(members.markup);
    members.fields.into_iter().map(|(name, value)| (name.into_owned(), value)).collect()
}

/// Returns the name read from `<Patient><name>…</name></Patient>`.
fn name(content: &str) -> Result<String, Syntax> {
    let xml = format!("<Patient><name>{content}</name></Patient>");
    match read(xml.as_bytes(), &["Patient"])?.fields.as_slice() {
        [(_, Value::Markup(text))] => Ok(text.clone().into_owned()),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn refused(xml: impl AsRef<[u8]>) {
    let read = read(xml.as_ref(), &["Patient"]);
    assert!(read.is_err(), "{:?} was read as {read:?}", String::from_utf8_lossy(xml.as_ref()));
}

#[test]
fn children_are_fields_in_document_order() {
    let read = fields("<Patient>\n <name>Ann</name>\t<age>7</age><name/>\r\n</Patient>\n");
    let expected = [("name", "Ann"), ("age", "7"), ("name", "")];
    assert_eq!(read, expected.map(|(name, text)| (name.to_owned(), Value::Markup(text.into()))));
    let nested = fields("<Patient><p><m>x</m><m> </m></p></Patient>");
    let inner = vec![("m".into(), Value::Markup("x".into())), ("m".into(), Value::Markup(" ".into()))];
    assert_eq!(nested, [("p".to_owned(), Value::Members(Members { fields: inner, markup: true }))]);
    for empty in ["<Patient/>", "<Patient />", "<Patient></Patient>", "<Patient> <!-- x --></Patient\n>"] {
        assert_eq!(fields(empty), []);
    }
}

#[test]
fn the_root_is_the_one_that_is_expected() {
    assert!(read(b"<InventoryItem/>", &["Inventory", "InventoryItem"]).is_ok());
    for xml in [
        "<patient/>",
        "<Patients/>",
        "<x:Patient xmlns:x='urn:x'/>",
        "<Invoice/>",
        "<Patient>x</Patient>",
        "<Patient>&#160;</Patient>",
    ] {
        refused(xml);
    }
}

#[test]
fn depth_is_bounded() {
    let nested =
        |levels: usize| format!("<Patient>{}{}</Patient>", "<a>".repeat(levels - 1), "</a>".repeat(levels - 1));
    assert!(read(nested(MAX_DEPTH).as_bytes(), &["Patient"]).is_ok());
    assert_eq!(read(nested(MAX_DEPTH + 1).as_bytes(), &["Patient"]), Err(TOO_DEEP));
    assert_eq!(read(nested(9_000).as_bytes(), &["Patient"]), Err(TOO_DEEP));
}

proptest::proptest! {
    #[test]
    fn no_bytes_panic(bytes: Vec<u8>) {
        let _ = read(&bytes, &["Patient"]);
    }

    #[test]
    fn no_markup_panics(pieces in proptest::collection::vec(piece(), 0..12)) {
        let _ = read(pieces.concat().as_bytes(), &["a"]);
    }

    #[test]
    fn no_markup_inside_the_root_panics(pieces in proptest::collection::vec(piece(), 0..8)) {
        let _ = read(format!("<a>{}</a>", pieces.concat()).as_bytes(), &["a"]);
    }
}

fn piece() -> impl proptest::strategy::Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "<",
        ">",
        "</",
        "/>",
        "<a",
        "<a>",
        "</a>",
        "<a/>",
        "<b>",
        "</b>",
        "&",
        ";",
        "&amp;",
        "&#",
        "#",
        "x",
        "65",
        " ",
        "\n",
        "\r",
        "é",
        "=",
        "'",
        "\"",
        "<!",
        "<!-",
        "<!--",
        "--",
        "-",
        "-->",
        "<![CDATA[",
        "]]",
        "]]>",
        "]",
        "<?",
        "<?xml",
        " version='1.0'",
        "?>",
        "?",
        "xmlns",
        "xmlns:",
        ":",
        "<!D",
        "<!DOCTYPE",
        "[",
        "\u{feff}",
    ])
}

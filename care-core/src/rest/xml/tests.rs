#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::*;

const XSI: &str = r#"xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance""#;

fn fields(xml: &str) -> Vec<(String, Value<'_>)> {
    let members = read(xml.as_bytes(), &["Patient"]).unwrap();
    assert!(members.markup);
    members
        .fields
        .into_iter()
        .map(|(name, value)| (name.into_owned(), value))
        .collect()
}

/// What `<Patient><name>…</name></Patient>` reads as.
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
    assert!(
        read.is_err(),
        "{:?} was read as {read:?}",
        String::from_utf8_lossy(xml.as_ref())
    );
}

#[test]
fn children_are_fields_in_document_order() {
    let read = fields("<Patient>\n <name>Ann</name>\t<age>7</age><name/>\r\n</Patient>\n");
    let expected = [("name", "Ann"), ("age", "7"), ("name", "")];
    assert_eq!(
        read,
        expected.map(|(name, text)| (name.to_owned(), Value::Markup(text.into())))
    );
    let nested = fields("<Patient><p><m>x</m><m> </m></p></Patient>");
    let inner = vec![
        ("m".into(), Value::Markup("x".into())),
        ("m".into(), Value::Markup(" ".into())),
    ];
    assert_eq!(
        nested,
        [(
            "p".to_owned(),
            Value::Members(Members {
                fields: inner,
                markup: true
            })
        )]
    );
    for empty in [
        "<Patient/>",
        "<Patient />",
        "<Patient></Patient>",
        "<Patient> <!-- x --></Patient\n>",
    ] {
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
fn texts_are_put_together_as_xml_says() {
    for (content, expected) in [
        ("Jo<!-- x -->hn", "John"),
        ("Jo<![CDATA[<h>]]>n", "Jo<h>n"),
        ("<![CDATA[]]>", ""),
        ("<![CDATA[&amp;]]>", "&amp;"),
        ("<![CDATA[]]]]><![CDATA[>]]>", "]]>"),
        ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
        (
            "&#65;&#x42;&#x0043;&#128512;&#x1F600;&#0000000000065;",
            "ABC😀😀A",
        ),
        ("&amp;lt;", "&lt;"),
        ("a\r\nb\rc\nd\r\r\ne", "a\nb\nc\nd\n\ne"),
        ("<![CDATA[a\r\nb\rc]]>", "a\nb\nc"),
        ("a&#13;&#10;b&#9;", "a\r\nb\t"),
        ("  a  ", "  a  "),
        ("a > b ]] > c]]&gt;", "a > b ]] > c]]>"),
        (
            "\u{85}\u{7f}\u{9f}\u{fffd}\u{1fffe}\u{feff}",
            "\u{85}\u{7f}\u{9f}\u{fffd}\u{1fffe}\u{feff}",
        ),
    ] {
        assert_eq!(name(content).as_deref(), Ok(expected), "{content}");
    }
}

#[test]
fn texts_that_xml_forbids_are_refused() {
    for content in [
        "a]]>b",
        "]]>",
        "&",
        "a & b",
        "&;",
        "&amp",
        "&amp b;",
        "&nbsp;",
        "&AMP;",
        "&lt",
        "&#;",
        "&#x;",
        "&#X41;",
        "&#+65;",
        "&#x+41;",
        "&#-1;",
        "&# 65;",
        "&#65 ;",
        "&#x4g;",
        "&#6a;",
        "&#0;",
        "&#1;",
        "&#x1F;",
        "&#xD800;",
        "&#xFFFE;",
        "&#xFFFF;",
        "&#x110000;",
        "&#99999999999999999999;",
        "&xsi:nil;",
        "\u{1}",
        "\0",
        "\u{1f}",
        "\u{fffe}",
        "\u{ffff}",
        "<![CDATA[\u{1}]]>",
        "<![CDATA[x",
        "<![cdata[x]]>",
        "<![CDATA [x]]>",
        "<![CDATA[x]]",
        "]]><![CDATA[x]]>",
        "<!-- a -- b -->",
        "<!-- a --->",
        "<!-->",
        "<!--->",
        "<!- a -->",
        "<!-- a",
        "<!-- \u{1} -->",
        "<?a b?>",
        "<?a?>",
        "<??>",
        "<!ENTITY a 'b'>",
        "<!x>",
        "x<age/>",
        "<age/>x",
        "<age/>&#160;",
        "<age/><![CDATA[x]]>",
    ] {
        let read = name(content);
        assert!(read.is_err(), "{content:?} was read as {read:?}");
    }
}

#[test]
fn tags_must_be_well_formed() {
    for inner in [
        "<a>",
        "</a>",
        "<a></b>",
        "<a><b></a></b>",
        "<a></ a>",
        "< a/>",
        "<a/ >",
        "<a / >",
        "<a/b>",
        "<>",
        "</>",
        "<1a/>",
        "<-a/>",
        "<.a/>",
        "<a@/>",
        "<a\u{a0}/>",
        "<a=\"\"/>",
        "<a\"b\"/>",
        "<a b/>",
        "<a b=1/>",
        "<a b='/>",
        "<a></a b='c'>",
        "<a></a/>",
        "<a><a/>",
        "<p:a/>",
        "<p:a xmlns:p='urn:p'/>",
        "<a:/>",
        "<:a/>",
        "<a:b:c/>",
        "<A",
        "<a",
        "<a '>'/>",
        "<!a/>",
        "<\u{e9}/>",
        "<a><</a>",
        "<xmlns:a/>",
    ] {
        refused(format!("<Patient>{inner}</Patient>"));
    }
    for xml in [
        "",
        " ",
        "x",
        "<",
        "<Patient",
        "<Patient>",
        "</Patient>",
        "<Patient/><Patient/>",
        "<Patient></Patient></Patient>",
        "<Patient/>x",
        "x<Patient/>",
        "<Patient/>&#32;",
        "&#32;<Patient/>",
        "<Patient/><![CDATA[ ]]>",
        "<![CDATA[]]><Patient/>",
        "<Patient/>\0",
        "<Patient/>\u{a0}",
        "<Patient/><!--",
    ] {
        refused(xml);
    }
    assert_eq!(
        fields("<!-- a --> <Patient ></Patient ><!-- b -->\n<!---->"),
        []
    );
}

#[test]
fn attributes_are_refused_but_for_the_schema_ones() {
    for tag in [
        "xmlns='urn:a'",
        "xmlns=''",
        "xmlns:a='urn:a' xmlns:b='urn:a'",
        "xmlns:a = \"urn:a\"",
        "\n\txmlns:a\r=\n'>'",
        "xmlns:xml='http://www.w3.org/XML/1998/namespace'",
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='urn:a a.xsd'",
        "s:noNamespaceSchemaLocation='&lt;a&#x20;b' xmlns:s='http://www.w3.org/2001/XMLSchema-instance'",
        "xmlns:s='http://www.w3.org/2001/XMLSchema&#45;instance' s:nil='false' s:schemaLocation=''",
    ] {
        assert_eq!(fields(&format!("<Patient {tag}/>")), [], "{tag}");
        assert_eq!(
            fields(&format!("<Patient><a {tag}>x</a></Patient>")),
            [("a".to_owned(), Value::Markup("x".into()))],
            "{tag}"
        );
    }
    for tag in [
        "a='b'",
        "a=''",
        "xml:lang='en'",
        "xml:space='preserve'",
        "nil='true'",
        "schemaLocation='a b'",
        "p:a='b'",
        "xsi:nil='true'",
        "xsi:nil='false'",
        "xmlns:xsi='urn:other' xsi:nil='false'",
        "xmlns:XSI='http://www.w3.org/2001/XMLSchema-instance' xsi:nil='false'",
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance/' xsi:schemaLocation=''",
        "xmlns:xsi=' http://www.w3.org/2001/XMLSchema-instance' xsi:nil='0'",
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:type='x'",
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:='x'",
        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='' xsi:schemaLocation=''",
        "xmlns:x='http://www.w3.org/2001/XMLSchema-instance' xmlns:y='http://www.w3.org/2001/XMLSchema-instance' x:nil='0' y:nil='0'",
        "xmlns:a='urn:a' xmlns:a='urn:b'",
        "xmlns='a' xmlns='a'",
        "xmlns:a='urn:a'xmlns:b='urn:b'",
        "xmlns:a=''",
        "xmlns:='urn:a'",
        "xmlns:a:b='urn:a'",
        "xmlns:xmlns='urn:a'",
        "xmlns:xml='urn:a'",
        "xmlns:a='http://www.w3.org/XML/1998/namespace'",
        "xmlns='http://www.w3.org/XML/1998/namespace'",
        "xmlns:a='http://www.w3.org/2000/xmlns/'",
        "xmlns='http://www.w3.org/2000/xmlns/'",
        "xmlns:1='urn:a'",
        "xmlns:a",
        "xmlns:a=",
        "xmlns:a=urn",
        "xmlns:a='<'",
        "xmlns:a='&'",
        "xmlns:a='&b;'",
        "xmlns:a='&#1;'",
        "xmlns:a='&#0'",
        "xmlns:a='a\u{1}'",
        "xmlns:a='b\"",
        "='a'",
        "'a'",
        "xmlns:a='b' /",
    ] {
        refused(format!("<Patient {tag}/>"));
        refused(format!("<Patient><a {tag}/></Patient>"));
    }
    let many = |count: usize| {
        (0..count)
            .map(|prefix| format!(" xmlns:p{prefix}='urn:p'"))
            .collect::<String>()
    };
    assert_eq!(fields(&format!("<Patient{}/>", many(64))), []);
    refused(format!("<Patient{}/>", many(65)));
}

#[test]
fn nil_is_null_on_an_empty_field_alone() {
    for nil in ["true", "1", " true ", "&#x31;", "\n1\t"] {
        for element in [
            format!("<a xsi:nil='{nil}'/>"),
            format!("<a xsi:nil=\"{nil}\" ></a>"),
            format!("<a xsi:nil='{nil}'><!-- --></a>"),
        ] {
            assert_eq!(
                fields(&format!("<Patient {XSI}>{element}</Patient>")),
                [("a".to_owned(), Value::Null)]
            );
        }
        for content in ["x", " ", "<b/>", "&#32;", "<![CDATA[x]]>"] {
            refused(format!(
                "<Patient {XSI}><a xsi:nil='{nil}'>{content}</a></Patient>"
            ));
        }
        refused(format!("<Patient {XSI} xsi:nil='{nil}'/>"));
    }
    for nil in ["false", "0", " 0\n"] {
        let xml = format!("<Patient {XSI}><a xsi:nil='{nil}'>x</a><b xsi:nil='{nil}'/></Patient>");
        assert_eq!(
            fields(&xml),
            [("a", "x"), ("b", "")]
                .map(|(name, text)| (name.to_owned(), Value::Markup(text.into())))
        );
    }
    for nil in ["", "TRUE", "yes", "2", "tr ue", "null"] {
        refused(format!("<Patient {XSI}><a xsi:nil='{nil}'/></Patient>"));
    }
}

#[test]
fn a_prefix_holds_inside_its_element_only() {
    assert_eq!(
        fields(&format!("<Patient><a {XSI} xsi:nil='1'/></Patient>")),
        [("a".to_owned(), Value::Null)]
    );
    refused(format!("<Patient><a {XSI}/><b xsi:nil='1'/></Patient>"));
    refused(format!(
        "<Patient {XSI}><a xmlns:xsi='urn:other' xsi:nil='1'/></Patient>"
    ));
    let restored = format!("<Patient {XSI}><a xmlns:xsi='urn:other'/><b xsi:nil='1'/></Patient>");
    assert_eq!(fields(&restored)[1], ("b".to_owned(), Value::Null));
}

#[test]
fn the_declaration_stands_first_and_says_utf_8() {
    for start in [
        "<?xml version='1.0'?>",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<?xml version = '1.0'\n encoding = 'utf-8'\tstandalone = 'yes' ?>",
        "<?xml version='1.0' standalone='no'?><!-- x -->",
        "\u{feff}",
        "\u{feff}<?xml version='1.0'?>",
        "\u{feff}\n",
    ] {
        assert_eq!(fields(&format!("{start}<Patient/>")), [], "{start}");
    }
    for start in [
        "<?xml?>",
        "<?xml ?>",
        "<?xml version='1.1'?>",
        "<?xml version='1'?>",
        "<?xml version=1.0?>",
        "<?xml version='1.0' encoding='UTF-16'?>",
        "<?xml version='1.0' encoding='ISO-8859-1'?>",
        "<?xml version='1.0' encoding='utf8'?>",
        "<?xml version='1.0' encoding=''?>",
        "<?xml encoding='UTF-8'?>",
        "<?xml encoding='UTF-8' version='1.0'?>",
        "<?xml version='1.0' standalone='yes' encoding='UTF-8'?>",
        "<?xml version='1.0' standalone='maybe'?>",
        "<?xml version='1.0'encoding='UTF-8'?>",
        "<?xml version='1.0' version='1.0'?>",
        "<?xml version='1.0' a='b'?>",
        "<?xml version='1.0'>",
        "<?xml version='1.0' ??>",
        " <?xml version='1.0'?>",
        "\n<?xml version='1.0'?>",
        "<!-- --><?xml version='1.0'?>",
        "<?xml version='1.0'?><?xml version='1.0'?>",
        "<?XML version='1.0'?>",
        "<?xml-stylesheet href='a'?>",
        "<?a?>",
        "<!DOCTYPE Patient>",
        "<!doctype Patient>",
        "<!DOCTYPE Patient [<!ENTITY a 'b'>]>",
        "<!DOCTYPE",
        "<!DOCTYPE>",
        "\u{feff}\u{feff}",
        "<?xml version='1.0'?>\u{feff}",
        "\u{feff}<!DOCTYPE Patient>",
    ] {
        refused(format!("{start}<Patient/>"));
    }
    refused("<Patient/><?a?>");
    refused("<Patient/><?xml version='1.0'?>");
    refused("<Patient/><!DOCTYPE Patient>");
    refused("<Patient><?xml version='1.0'?></Patient>");
    refused(b"\xFF\xFE<\0P\0a\0t\0i\0e\0n\0t\0/\0>\0");
    refused(b"\0<\0P\0a\0t\0i\0e\0n\0t\0/\0>");
    refused(b"<?xml version='1.0' encoding='ISO-8859-1'?><Patient><name>\xE9</name></Patient>");
    refused(b"<Patient><name>\xC0\x80</name></Patient>");
}

#[test]
fn depth_is_bounded() {
    let nested = |levels: usize| {
        format!(
            "<Patient>{}{}</Patient>",
            "<a>".repeat(levels - 1),
            "</a>".repeat(levels - 1)
        )
    };
    assert!(read(nested(MAX_DEPTH).as_bytes(), &["Patient"]).is_ok());
    assert_eq!(
        read(nested(MAX_DEPTH + 1).as_bytes(), &["Patient"]),
        Err(TOO_DEEP)
    );
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

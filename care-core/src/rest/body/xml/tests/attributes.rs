//! Attributes and namespaces.

use super::*;

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
        "xmlns:x='http://www.w3.org/2001/XMLSchema-instance' xmlns:y='http://www.w3.org/2001/XMLSchema-instance' \
         x:nil='0' y:nil='0'",
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
    let many = |count: usize| (0..count).map(|prefix| format!(" xmlns:p{prefix}='urn:p'")).collect::<String>();
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
            assert_eq!(fields(&format!("<Patient {XSI}>{element}</Patient>")), [("a".to_owned(), Value::Null)]);
        }
        for content in ["x", " ", "<b/>", "&#32;", "<![CDATA[x]]>"] {
            refused(format!("<Patient {XSI}><a xsi:nil='{nil}'>{content}</a></Patient>"));
        }
        refused(format!("<Patient {XSI} xsi:nil='{nil}'/>"));
    }
    for nil in ["false", "0", " 0\n"] {
        let xml = format!("<Patient {XSI}><a xsi:nil='{nil}'>x</a><b xsi:nil='{nil}'/></Patient>");
        assert_eq!(
            fields(&xml),
            [("a", "x"), ("b", "")].map(|(name, text)| (name.to_owned(), Value::Markup(text.into())))
        );
    }
    for nil in ["", "TRUE", "yes", "2", "tr ue", "null"] {
        refused(format!("<Patient {XSI}><a xsi:nil='{nil}'/></Patient>"));
    }
}

#[test]
fn a_prefix_holds_inside_its_element_only() {
    assert_eq!(fields(&format!("<Patient><a {XSI} xsi:nil='1'/></Patient>")), [("a".to_owned(), Value::Null)]);
    refused(format!("<Patient><a {XSI}/><b xsi:nil='1'/></Patient>"));
    refused(format!("<Patient {XSI}><a xmlns:xsi='urn:other' xsi:nil='1'/></Patient>"));
    let restored = format!("<Patient {XSI}><a xmlns:xsi='urn:other'/><b xsi:nil='1'/></Patient>");
    assert_eq!(fields(&restored)[1], ("b".to_owned(), Value::Null));
}

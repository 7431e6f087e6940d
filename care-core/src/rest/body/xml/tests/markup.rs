//! Tags, and the parts of a document around the root.

use super::*;

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
    assert_eq!(fields("<!-- a --> <Patient ></Patient ><!-- b -->\n<!---->"), []);
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

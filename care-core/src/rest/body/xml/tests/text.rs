//! Character data, references, comments and CDATA.

use super::*;

#[test]
fn texts_are_put_together_as_xml_says() {
    for (content, expected) in [
        ("Jo<!-- x -->hn", "John"),
        ("Jo<![CDATA[<h>]]>n", "Jo<h>n"),
        ("<![CDATA[]]>", ""),
        ("<![CDATA[&amp;]]>", "&amp;"),
        ("<![CDATA[]]]]><![CDATA[>]]>", "]]>"),
        ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
        ("&#65;&#x42;&#x0043;&#128512;&#x1F600;&#0000000000065;", "ABC😀😀A"),
        ("&amp;lt;", "&lt;"),
        ("a\r\nb\rc\nd\r\r\ne", "a\nb\nc\nd\n\ne"),
        ("<![CDATA[a\r\nb\rc]]>", "a\nb\nc"),
        ("a&#13;&#10;b&#9;", "a\r\nb\t"),
        ("  a  ", "  a  "),
        ("a > b ]] > c]]&gt;", "a > b ]] > c]]>"),
        ("\u{85}\u{7f}\u{9f}\u{fffd}\u{1fffe}\u{feff}", "\u{85}\u{7f}\u{9f}\u{fffd}\u{1fffe}\u{feff}"),
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

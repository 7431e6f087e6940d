use super::*;

fn field(json: &str) -> Value<'_> {
    let mut members = read(json.as_bytes()).unwrap();
    assert_eq!(members.fields.len(), 1);
    members.fields.remove(0).1
}

fn refused(json: impl AsRef<[u8]>) -> bool {
    read(json.as_ref()).is_err()
}

#[test]
fn keeps_order_and_repeated_members() {
    let members = read(br#" {"b":1,"a":true,"b":null} "#).unwrap();
    let expected = [("b", Value::Number(Number::Integer(1))), ("a", Value::Bool(true)), ("b", Value::Null)];
    assert_eq!(members.fields, expected.map(|(name, value)| (name.into(), value)));
    assert!(!members.markup);
}

#[test]
fn reads_every_kind_of_value() {
    assert_eq!(field(r#"{"a":"x"}"#), Value::Text("x".into()));
    assert_eq!(field(r#"{"a":"\u00e9\n\ud83d\ude00\u0000"}"#), Value::Text("é\n😀\0".into()));
    assert_eq!(field(r#"{"a":[]}"#), Value::List(Vec::new()));
    assert_eq!(field(r#"{"a":[null,false]}"#), Value::List(vec![Value::Null, Value::Bool(false)]));
    let inner = Members { fields: vec![("b".into(), Value::Null)], markup: false };
    assert_eq!(field(r#"{"a":{"\u0062":null}}"#), Value::Members(inner));
}

#[test]
fn takes_one_object_and_nothing_else() {
    for json in ["", " ", "[]", "[1]", r#"["Ann"]"#, "1", r#""a""#, "null", "true", "{", r#"{"a":1"#, r#"{"a"}"#] {
        assert!(refused(json), "{json}");
    }
    for json in
        ["{}{}", "{} x", "{},", "{}\0", "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\":1 \"b\":2}", "{/**/}", "//\n{}"]
    {
        assert!(refused(json), "{json}");
    }
    assert!(refused(b"\xEF\xBB\xBF{}"), "a byte order mark");
    assert!(refused(b"{\"a\":\"\xFF\"}"), "not UTF-8");
    assert!(refused(b"\xFF\xFE{\0}\0"), "UTF-16");
    assert!(refused("\u{a0}{}"), "white space of Unicode");
}

#[test]
fn refuses_what_is_no_value() {
    for value in [
        "NaN",
        "Infinity",
        "-",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x1",
        "1_0",
        "tru",
        "True",
        "undefined",
        r#""\x""#,
        r#""\ud800""#,
        r#""\udc00\ud800""#,
        "\"\n\"",
        "\"\0\"",
        "\"",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"b\":}",
    ] {
        assert!(refused(format!("{{\"a\":{value}}}")), "{value}");
    }
}

#[test]
fn numbers_are_judged_by_how_they_are_written() {
    for (json, expected) in [
        ("0", Number::Integer(0)),
        ("-1", Number::Integer(-1)),
        ("9223372036854775807", Number::Integer(i64::MAX)),
        ("-9223372036854775808", Number::Integer(i64::MIN)),
        ("9223372036854775808", Number::Real(9_223_372_036_854_775_808.0)),
        ("-0", Number::Real(-0.0)),
        ("1.0", Number::Real(1.0)),
        ("1e2", Number::Real(100.0)),
        ("1E+2", Number::Real(100.0)),
        ("72.45", Number::Real(72.45)),
        ("1e308", Number::Real(1e308)),
        ("1e-400", Number::Real(0.0)),
        ("1e400", Number::Beyond),
        ("-1e400", Number::Beyond),
    ] {
        assert_eq!(field(&format!("{{\"a\":{json}}}")), Value::Number(expected), "{json}");
        assert_eq!(Number::read(&format!(" {json}\t\r\n")), Some(expected), "{json}");
    }
    assert_eq!(Number::read(&"9".repeat(400)), Some(Number::Beyond));
    for other in
        ["", " ", "true", "null", "\"1\"", "[1]", "{}", "1 2", "+1", "007", "1.", "0x10", "NaN", "inf", "\u{a0}1"]
    {
        assert_eq!(Number::read(other), None, "{other}");
    }
}

#[test]
fn depth_is_bounded() {
    let nested = |levels: usize| format!("{}{{}}{}", "{\"a\":".repeat(levels - 1), "}".repeat(levels - 1));
    assert!(read(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(read(nested(MAX_DEPTH + 1).as_bytes()), Err(TOO_DEEP));
    let lists = format!("{{\"a\":{}{}}}", "[".repeat(30_000), "]".repeat(30_000));
    assert_eq!(read(lists.as_bytes()), Err(TOO_DEEP));
    assert!(refused(format!("{{\"a\":{}", "[".repeat(60_000))));
}

proptest::proptest! {
    #[test]
    fn no_bytes_panic(bytes: Vec<u8>) {
        let _ = read(&bytes);
    }

    #[test]
    fn no_text_of_the_alphabet_panics(text in r#"[\{\}\[\]":,\\ue0-9. tn-]{0,40}"#) {
        let _ = read(text.as_bytes());
        let _ = Number::read(&text);
    }

    #[test]
    fn agrees_with_the_library_on_what_is_a_document(
        text in r#"\{("[ab]":([0-9.e-]{1,4}|"[\\unt"a]{0,3}"|\[[0-9,]{0,4}\]),?){0,3}\}"#,
    ) {
        let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&text).is_ok();
        proptest::prop_assert_eq!(read(text.as_bytes()).is_ok(), object);
    }
}

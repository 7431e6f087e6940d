mod agreement;
mod lists;

use super::*;
use crate::{
    error::FieldError,
    rest::body::{faults::BodyRefusal, json, xml},
};

/// A value with a rule, for each kind of field.
#[derive(Debug, Clone, PartialEq)]
struct Age(i64);

#[derive(Debug, Clone, PartialEq)]
struct Weight(f64);

#[derive(Debug, Clone, PartialEq)]
struct Name(String);

impl Scalar for Age {
    type Raw = i64;
    fn from_stored(age: i64) -> Result<Self, Invalid> {
        (0..=150).contains(&age).then_some(Self(age)).ok_or(Invalid("must be 0 to 150"))
    }
}

impl Scalar for Weight {
    type Raw = f64;
    fn from_stored(weight: f64) -> Result<Self, Invalid> {
        (weight > 0.0 && weight <= 1000.0).then_some(Self(weight)).ok_or(Invalid("must be at most 1000"))
    }
}

impl TryFrom<String> for Name {
    type Error = Invalid;
    fn try_from(name: String) -> Result<Self, Invalid> {
        (!name.is_empty()).then_some(Self(name)).ok_or(Invalid("must not be empty"))
    }
}

impl Scalar for Name {
    type Raw = String;
    fn from_stored(name: String) -> Result<Self, Invalid> {
        Self::try_from(name)
    }
}

/// A record with every kind of field.
#[derive(Debug, Clone, PartialEq)]
struct Record {
    name: Patch<Name>,
    age: Patch<Age>,
    weight: Patch<Weight>,
    insurance: Patch<bool>,
    diseases: Patch<Vec<Name>>,
    items: Patch<Vec<Item>>,
}

#[derive(Debug, Clone, PartialEq)]
struct Item {
    medicine: Name,
    price: Patch<Age>,
}

const MOST: Most = Most { elements: 6, rule: "must be at most 6" };

const NOTHING: Record = Record {
    name: Patch::Keep,
    age: Patch::Keep,
    weight: Patch::Keep,
    insurance: Patch::Keep,
    diseases: Patch::Keep,
    items: Patch::Keep,
};

fn record(members: Members<'_>) -> Result<Record, BodyRefusal> {
    let mut faults = Faults::default();
    let mut form = Form::new(members, &mut faults);
    let record = Record {
        name: form.field("name"),
        age: form.field("age"),
        weight: form.field("weight"),
        insurance: form.field("insurance"),
        diseases: form.texts("diseases", MOST),
        items: form.forms("items", MOST, |form| {
            let medicine = form.field("medicine");
            let price = form.field("price");
            Some(Item { medicine: form.required("medicine", medicine)?, price })
        }),
    };
    form.close();
    faults.into_result().map(|()| record)
}

fn from_json(members: &str) -> Result<Record, BodyRefusal> {
    record(json::read(format!("{{{members}}}").as_bytes()).unwrap())
}

fn from_xml(children: &str) -> Result<Record, BodyRefusal> {
    let xml = format!(r#"<Patient xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{children}</Patient>"#);
    record(xml::read(xml.as_bytes(), &["Patient"]).unwrap())
}

fn decode<const N: usize>(faults: [(&'static str, &'static str); N]) -> Result<Record, BodyRefusal> {
    Err(BodyRefusal::Decode(faults.map(|(field, detail)| FieldError::new(field, detail)).into()))
}

fn rules<const N: usize>(faults: [(&'static str, &'static str); N]) -> Result<Record, BodyRefusal> {
    Err(BodyRefusal::Rules(faults.map(|(field, detail)| FieldError::new(field, detail)).into()))
}

fn name(text: &str) -> Name {
    Name(text.to_owned())
}

#[test]
fn a_field_is_absent_null_or_a_value() {
    assert_eq!(from_json(""), Ok(NOTHING));
    assert_eq!(from_json(r#""age":null"#), Ok(Record { age: Patch::Clear, ..NOTHING }));
    assert_eq!(from_json(r#""age":7"#), Ok(Record { age: Age(7).into(), ..NOTHING }));
    assert_eq!(from_json(r#""name":" x ""#), Ok(Record { name: name(" x ").into(), ..NOTHING }));
    assert_eq!(from_json(r#""weight":7"#), Ok(Record { weight: Weight(7.0).into(), ..NOTHING }));
    assert_eq!(from_json(r#""insurance":false"#), Ok(Record { insurance: false.into(), ..NOTHING }));
    assert_eq!(from_json(r#""insurance":null"#), Ok(Record { insurance: Patch::Clear, ..NOTHING }));
    assert_eq!(from_json(r#""items":[]"#), Ok(Record { items: Vec::new().into(), ..NOTHING }));
    assert_eq!(from_json(r#""diseases":null"#), Ok(Record { diseases: Patch::Clear, ..NOTHING }));
}

#[test]
fn a_wrong_type_is_a_fault_of_decoding() {
    const INTEGER: &str = "must be an integer";
    const EXACT: &str = "must be an integer within 64 bits, without a point or an exponent";
    for value in ["true", r#""7""#, "[7]", "{}", "[]"] {
        assert_eq!(from_json(&format!("\"age\":{value}")), decode([("age", INTEGER)]), "{value}");
    }
    for value in ["-0", "1.0", "1e1", "9223372036854775808", "1e400"] {
        assert_eq!(from_json(&format!("\"age\":{value}")), decode([("age", EXACT)]), "{value}");
        assert_eq!(from_xml(&format!("<age>{value}</age>")), decode([("age", EXACT)]), "{value}");
    }
    for value in ["", "+7", "07", "x", "NaN", "1 2", "\u{a0}7", "true", "null", "<b/>", "&quot;7&quot;"] {
        assert_eq!(from_xml(&format!("<age>{value}</age>")), decode([("age", INTEGER)]), "{value}");
    }
    for value in ["7", "true", "[]", "{}", "[\"x\"]"] {
        assert_eq!(from_json(&format!("\"name\":{value}")), decode([("name", "must be a string")]));
    }
    assert_eq!(from_xml("<name><b/></name>"), decode([("name", "must be a string")]));
    for value in ["0", "1", "\"true\"", "[]", "{}"] {
        let fault = [("insurance", "must be true or false")];
        assert_eq!(from_json(&format!("\"insurance\":{value}")), decode(fault), "{value}");
    }
    for value in ["", "TRUE", "yes", "2", "01", "t rue", "<b/>"] {
        let fault = [("insurance", "must be true or false")];
        assert_eq!(from_xml(&format!("<insurance>{value}</insurance>")), decode(fault), "{value}");
    }
    assert_eq!(from_json(r#""weight":"7""#), decode([("weight", "must be a number")]));
    assert_eq!(from_xml("<weight>7,5</weight>"), decode([("weight", "must be a number")]));
    let beyond = [("weight", "must be a number that a double can hold")];
    assert_eq!(from_json(r#""weight":1e400"#), decode(beyond));
    assert_eq!(from_xml("<weight>-1e400</weight>"), decode(beyond));
}

#[test]
fn a_broken_rule_is_told_once_everything_is_decoded() {
    assert_eq!(from_json(r#""age":151"#), rules([("age", "must be 0 to 150")]));
    assert_eq!(from_json(r#""weight":1e308"#), rules([("weight", "must be at most 1000")]));
    assert_eq!(from_json(r#""weight":-0"#), rules([("weight", "must be at most 1000")]));
    assert_eq!(from_json(r#""weight":99999999999999999999"#), rules([("weight", "must be at most 1000")]));
    assert_eq!(from_xml("<name/>"), rules([("name", "must not be empty")]));
    let both = [("name", "must not be empty"), ("age", "must be 0 to 150")];
    assert_eq!(from_json(r#""age":-1,"name":"""#), rules(both));
    assert_eq!(
        from_json(r#""age":-1,"name":1,"x":2"#),
        decode([("name", "must be a string"), ("x", "is not a member of this record")])
    );
}

#[test]
fn a_repeated_member_has_no_value() {
    for members in [r#""age":1,"age":1"#, r#""age":1,"name":null,"age":null"#, r#""age":1,"\u0061ge":2"#] {
        assert_eq!(from_json(members), decode([("age", "appears more than once")]), "{members}");
    }
    assert_eq!(from_xml("<age>1</age><age>1</age>"), decode([("age", "appears more than once")]));
    assert_eq!(from_json(r#""items":[],"items":[]"#), decode([("items", "appears more than once")]));
}

#[test]
fn an_unknown_member_is_named_only_if_it_is_a_name() {
    const UNKNOWN: &str = "is not a member of this record";
    let long = "a".repeat(64);
    for member in ["Age", "patient_ID2", "x", &long] {
        let Err(BodyRefusal::Decode(faults)) = from_json(&format!("\"{member}\":1")) else { panic!("{member}") };
        assert_eq!(faults, [FieldError::new(member.to_owned(), UNKNOWN)]);
    }
    let longer = "a".repeat(65);
    for member in ["", "1a", "_a", "a b", "a-b", "é", "<b>", "age ", &longer] {
        assert_eq!(from_json(&format!("\"{member}\":1")), decode([("(unknown)", UNKNOWN)]), "{member}");
    }
    assert_eq!(
        from_json(r#""z":1,"":1,"a":1,"é":1,"z":2"#),
        decode([("z", UNKNOWN), ("(unknown)", UNKNOWN), ("a", UNKNOWN)])
    );
    assert_eq!(from_json(r#""items":[{"medicine":"x","y":1}]"#), decode([("items[0].y", UNKNOWN)]));
    assert_eq!(from_xml("<items><medicine>x</medicine><a.b/></items>"), decode([("items[0].(unknown)", UNKNOWN)]));
}

#[test]
fn a_required_field_is_faulted_once() {
    let required = |members: &str| {
        let mut faults = Faults::default();
        let body = format!("{{{members}}}");
        let mut form = Form::new(json::read(body.as_bytes()).unwrap(), &mut faults);
        let age: Patch<Age> = form.field("age");
        let age = form.required("age", age);
        form.close();
        (age, faults.into_result().err())
    };
    let decode = |detail| (None, Some(BodyRefusal::Decode(vec![FieldError::new("age", detail)])));
    assert_eq!(required(r#""age":7"#), (Some(Age(7)), None));
    assert_eq!(required(""), decode("is required"));
    assert_eq!(required(r#""age":null"#), decode("is required"));
    assert_eq!(required(r#""age":"x""#), decode("must be an integer"));
    assert_eq!(required(r#""age":1,"age":1"#), decode("appears more than once"));
    let rule = BodyRefusal::Rules(vec![FieldError::new("age", "must be 0 to 150")]);
    assert_eq!(required(r#""age":-1"#), (None, Some(rule)));
}

#[test]
fn a_rule_between_fields_is_noted_in_its_place() {
    let body = br#"{"items":[{"medicine":"x"}]}"#;
    let mut faults = Faults::default();
    let mut form = Form::new(json::read(body).unwrap(), &mut faults);
    let items = form.forms("items", MOST, |form| {
        let medicine: Patch<Name> = form.field("medicine");
        form.refuse("medicine", "must be another");
        form.required("medicine", medicine)
    });
    form.refuse("items", "must be fewer");
    assert_eq!(form.required::<Age>("items", Patch::Keep), None);
    form.close();
    assert_eq!(items, Patch::Set(vec![name("x")]));
    let expected = [("items[0].medicine", "must be another"), ("items", "must be fewer")];
    assert_eq!(faults.into_result().map(|()| NOTHING), rules(expected));
}

//! XML read by a client that knows only the schema: its names, its types, and its wrapped elements.

use quick_xml::{Reader, events::Event};
use serde_json::{Map, Value, json};

use crate::{description::resolve, schema};

/// An element: its name, its namespace declaration, its child elements and its text.
#[derive(Debug, Default)]
struct Element {
    name: String,
    namespace: Option<String>,
    children: Vec<Self>,
    text: String,
}

/// Returns the JSON equivalent of an XML document.
pub(crate) fn to_json(schema: &'static Value, document: &[u8]) -> Value {
    let root = parse(std::str::from_utf8(document).unwrap());
    let schema = resolve(schema);
    assert_eq!(schema["xml"]["name"], root.name.as_str());
    assert_eq!(schema["xml"]["namespace"].as_str(), root.namespace.as_deref());
    value(schema, &root).unwrap()
}

/// Returns the value of an element under a schema, or the reason why it has none.
fn value(schema: &'static Value, element: &Element) -> Result<Value, String> {
    let schema = resolve(schema);
    if let Some(choices) = schema["anyOf"].as_array() {
        let mut read = choices.iter().filter_map(|choice| {
            let value = value(choice, element).ok()?;
            schema::faults(choice, &value).is_empty().then_some(value)
        });
        return read.next().ok_or(format!("{element:?} is none of the choices"));
    }
    let text = json!(element.text);
    match schema["type"].as_str().or(schema["type"][0].as_str()) {
        Some("object") => members(schema, element),
        // A union of two types is a number or a text.
        Some("integer" | "number" | "boolean") => Ok(element.text.parse().unwrap_or(text)),
        _ => Ok(text),
    }
}

fn members(schema: &'static Value, element: &Element) -> Result<Value, String> {
    let named = |name: &str| element.children.iter().filter(|child| child.name == name).collect::<Vec<_>>();
    let mut members = Map::new();
    let mut seen = 0;
    for (name, property) in schema["properties"].as_object().unwrap() {
        let Some(items) = property.get("items") else {
            let found = named(property["xml"]["name"].as_str().unwrap_or(name));
            seen += found.len().min(1);
            if let Some(child) = found.first() {
                members.insert(name.clone(), value(property, child)?);
            }
            continue;
        };
        let item = items["xml"]["name"].as_str().unwrap_or(name);
        let list: Vec<_> = if property["xml"]["wrapped"] == true {
            let wrappers = named(name);
            seen += wrappers.len().min(1);
            let inside = wrappers.iter().flat_map(|wrapper| &wrapper.children);
            inside.filter(|child| child.name == item).collect()
        } else {
            let found = named(item);
            seen += found.len();
            found
        };
        let is_required = schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        // An empty list has no elements.
        if !list.is_empty() || is_required {
            let list: Result<Value, _> = list.into_iter().map(|child| value(items, child)).collect();
            members.insert(name.clone(), list?);
        }
    }
    match seen == element.children.len() {
        true => Ok(Value::Object(members)),
        false => Err(format!("unknown or repeated elements in {element:?}")),
    }
}

fn parse(document: &str) -> Element {
    let mut reader = Reader::from_str(document);
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                let namespace = start.try_get_attribute("xmlns").unwrap();
                open.push(Element {
                    name: start.name().as_ref().to_owned(),
                    namespace: namespace.map(|attribute| attribute.value.into_owned()),
                    ..Element::default()
                });
            }
            Event::Text(text) => open.last_mut().unwrap().text += &text.xml10_content(),
            Event::GeneralRef(entity) => {
                let character = match entity.resolve_char_ref().unwrap() {
                    Some(character) => character,
                    None => match entity.as_ref() {
                        "amp" => '&',
                        "lt" => '<',
                        "gt" => '>',
                        "quot" => '"',
                        "apos" => '\'',
                        other => panic!("unknown entity {other}"),
                    },
                };
                open.last_mut().unwrap().text.push(character);
            }
            Event::End(_) => {
                let element = open.pop().unwrap();
                open.last_mut().unwrap().children.push(element);
            }
            Event::Decl(_) => {}
            Event::Eof => return open.pop().unwrap().children.pop().unwrap(),
            other => panic!("unexpected {other:?}"),
        }
    }
}

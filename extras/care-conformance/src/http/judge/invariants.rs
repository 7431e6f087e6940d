//! The rules of the contract for every answer under the base path.

use serde_json::Value;

use super::{answer::Answer, xml};
use crate::http::text::request::Request;

/// Returns the first violation of a rule that applies to every answer.
pub(crate) fn check(request: &Request, answer: &Answer, base: &str) -> Result<(), String> {
    let Some(path) = below(&request.target, base) else {
        // Paths outside the base path are the host's.
        return Ok(());
    };
    if is_file(answer)? {
        return exactly(answer, "cache-control", Some("no-cache"));
    }
    every_answer(request, answer)?;
    let is_head = request.method == "HEAD";
    if matches!(answer.status, 204 | 304) {
        absent(answer, &["content-type"])?;
        holds(answer.body.is_empty(), "an answer without a body has one")?;
    } else {
        described(request, answer)?;
        if is_head {
            holds(answer.body.is_empty(), "the answer to a HEAD has a body")?;
        } else {
            document(request, answer, path)?;
        }
    }
    let segments_of_it = segments(path);
    let is_report = segments_of_it.as_slice() == ["restock", "backtest"];
    let is_single = matches!(segments_of_it.as_slice(), [_, _]) && !is_report || !is_read(request);
    let has_tag = is_single && matches!(answer.status, 200 | 201 | 304);
    if answer.status == 201 {
        let place = answer.header("location")?.ok_or("a new record has no Location")?;
        exactly(answer, "content-location", Some(place))?;
    }
    let tag = answer.header("etag")?;
    holds(tag.is_some() || !has_tag, "a single record has no ETag")?;
    holds(tag.is_none_or(|tag| tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"')), "the ETag is not strong")
}

/// Returns the path below the base path, without the query and without a fragment, which servers do not see.
fn below<'a>(target: &'a str, base: &str) -> Option<&'a str> {
    let path = target.strip_prefix(base)?.split(['?', '#']).next()?;
    (path.is_empty() || path.starts_with('/')).then_some(path)
}

/// Returns whether this is the answer of a static file; the cases check the rest of it.
fn is_file(answer: &Answer) -> Result<bool, String> {
    let kind = answer.header("content-type")?.unwrap_or("");
    let is_record = kind.contains("json") || kind.contains("xml");
    Ok(match answer.status {
        200 => !is_record,
        // Tags of records end with the name of their form.
        304 => answer.header("etag")?.is_some_and(|tag| !tag.ends_with("-json\"") && !tag.ends_with("-xml\"")),
        308 => true,
        _ => false,
    })
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').skip(1).collect()
}

fn is_read(request: &Request) -> bool {
    matches!(request.method.as_str(), "GET" | "HEAD")
}

fn every_answer(request: &Request, answer: &Answer) -> Result<(), String> {
    let id = answer.header("x-request-id")?.ok_or("no X-Request-Id")?;
    holds(is_plain(id.as_bytes()), "the X-Request-Id is not plain")?;
    let mut sent = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("x-request-id"));
    if let (Some((_, sent)), None) = (sent.next(), sent.next()) {
        let echoed = sent == id.as_bytes();
        holds(echoed == is_plain(sent), "the X-Request-Id is not the client's, or it is and must not be")?;
    }
    exactly(answer, "cache-control", Some("no-store"))?;
    exactly(answer, "x-content-type-options", Some("nosniff"))?;
    let challenge = (answer.status == 401).then_some(r#"ApiKey header="api_key""#);
    exactly(answer, "www-authenticate", challenge)?;
    let lists_methods = answer.status == 405 || request.method == "OPTIONS" && answer.status == 204;
    holds(answer.header("allow")?.is_some() == lists_methods, "Allow belongs to 405 and to the answer to OPTIONS")?;
    let waits = matches!(answer.status, 429 | 503);
    holds(answer.header("retry-after")?.is_some() == waits, "Retry-After belongs to 429 and 503")
}

fn is_plain(id: &[u8]) -> bool {
    (1..=64).contains(&id.len()) && id.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte))
}

/// Checks the headers that describe a body.
fn described(request: &Request, answer: &Answer) -> Result<(), String> {
    exactly(answer, "vary", Some("Accept"))?;
    let length = answer.header("content-length")?;
    let length: usize = length.and_then(|length| length.parse().ok()).ok_or("no Content-Length")?;
    let is_head = request.method == "HEAD";
    holds(length > 0 && (is_head || length == answer.body.len()), "the Content-Length is not the body's")?;
    let kind = answer.header("content-type")?.unwrap_or("");
    let (json, xml) = match answer.status {
        400.. => ("application/problem+json", "application/problem+xml"),
        _ => ("application/json", "application/xml"),
    };
    let accepts = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("accept"));
    // Several lines count as one list.
    let right = match accepts.map(|(_, value)| value.as_slice()).collect::<Vec<_>>().as_slice() {
        [] => kind == json,
        [b"application/xml"] => kind == xml,
        _ => kind == json || kind == xml,
    };
    holds(right, "the Content-Type is not the one asked for")
}

fn document(request: &Request, answer: &Answer, path: &str) -> Result<(), String> {
    let text = answer.text()?;
    let is_xml = answer.header("content-type")?.is_some_and(|kind| kind.ends_with("xml"));
    let is_problem = answer.status >= 400;
    let problem = if is_xml {
        let root = xml::read(text)?;
        let expected = match is_problem {
            true => Some("problem"),
            false => root_of(&request.method, path),
        };
        let name = root.name.as_str();
        holds(expected.is_none_or(|expected| name == expected), "another root element")?;
        let namespace = ("xmlns".to_owned(), "urn:ietf:rfc:7807".to_owned());
        let attributes = if is_problem { vec![namespace] } else { Vec::new() };
        holds(root.attributes == attributes, "other attributes of the root element")?;
        let field = |name: &str| {
            let child = root.children.iter().find(|child| child.name == name);
            child.map(|child| child.text.clone())
        };
        let faults = root.children.iter().filter(|child| child.name == "errors");
        let faults = faults.flat_map(|list| &list.children).map(|item| {
            let names = item.children.iter().map(|member| member.name.as_str());
            item.name == "i" && names.eq(["field", "detail"])
        });
        let names = root.children.iter().map(|child| child.name.clone()).collect();
        Problem::new(names, &field, faults.collect())
    } else {
        let value: Value = serde_json::from_str(text).map_err(|_| "the body is not JSON")?;
        holds(!has_null(&value), "the body has a null in it")?;
        let field = |name: &str| match value.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        let faults = value.get("errors").and_then(Value::as_array);
        let faults = faults.into_iter().flatten().map(|fault| {
            let names = fault.as_object().map(|fault| fault.keys().map(String::as_str));
            names.is_some_and(|names| names.eq(["detail", "field"]))
        });
        let names = value.as_object().map(|members| members.keys().cloned().collect());
        Problem::new(names.unwrap_or_default(), &field, faults.collect())
    };
    if is_problem {
        problem.check(answer)?;
    }
    Ok(())
}

/// A problem document, parsed from either form.
struct Problem {
    names: Vec<String>,
    kind: Option<String>,
    title: Option<String>,
    status: Option<String>,
    detail: Option<String>,
    instance: Option<String>,
    /// For each fault, whether it has a field and a detail and nothing else.
    faults: Vec<bool>,
}

impl Problem {
    fn new(names: Vec<String>, field: &dyn Fn(&str) -> Option<String>, faults: Vec<bool>) -> Self {
        Self {
            names,
            kind: field("type"),
            title: field("title"),
            status: field("status"),
            detail: field("detail"),
            instance: field("instance"),
            faults,
        }
    }

    fn check(&self, answer: &Answer) -> Result<(), String> {
        const MEMBERS: [&str; 6] = ["type", "title", "status", "detail", "instance", "errors"];
        let known = |name: &String| MEMBERS.contains(&name.as_str());
        holds(self.names.iter().all(known), "the problem has other members")?;
        let kind = self.kind.as_deref().unwrap_or("");
        holds(
            kind.len() > "urn:care:problem:".len() && kind.starts_with("urn:care:problem:"),
            "the problem has no type",
        )?;
        holds(self.status == Some(answer.status.to_string()), "the problem has another status")?;
        let speaks = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        holds(speaks(&self.title) && speaks(&self.detail), "the problem has no title or detail")?;
        let id = answer.header("x-request-id")?.unwrap_or("?");
        let instance = self.instance.as_deref().unwrap_or("");
        holds(instance.contains(id), "the problem's instance does not hold the request id")?;
        let has_errors = self.names.iter().any(|name| name == "errors");
        holds(has_errors != self.faults.is_empty(), "the problem's list of errors is empty")?;
        holds(self.faults.iter().all(|sound| *sound), "a fault is not a field and a detail")
    }
}

/// Returns the root element of an operation's answer.
fn root_of(method: &str, path: &str) -> Option<&'static str> {
    let is_get = method == "GET";
    Some(match *segments(path).as_slice() {
        [
            "patient" | "consultations" | "prescriptions" | "invoice" | "inventory" | "journal" | "events" | "stock"
            | "movements" | "receipts",
        ] if is_get => "Page",
        ["patient", ..] => "Patient",
        ["prescriptions", _, "invoice"] | ["invoice", _] => "Invoice",
        ["invoice", _, "refund"] | ["receipts", ..] => "Receipt",
        ["takings"] => "Takings",
        ["prescriptions", _, "supply"] => "Supply",
        ["prescriptions", ..] => "Prescription",
        ["inventory", _, "stock" | "count"] => "Stock",
        ["inventory", _, "movements"] | ["movements", ..] => "Movement",
        ["inventory", _] => "Inventory",
        ["history", _] | ["invoice", _, "payment"] => "History",
        ["consultations", ..] => "Consultation",
        ["restock"] => "Restock",
        ["restock", "backtest"] => "Backtest",
        ["news"] => "News",
        _ => return None,
    })
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(elements) => elements.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

fn exactly(answer: &Answer, name: &str, expected: Option<&str>) -> Result<(), String> {
    let actual = answer.header(name)?;
    match actual == expected {
        true => Ok(()),
        false => Err(format!("{name} is {actual:?}, not {expected:?}")),
    }
}

fn absent(answer: &Answer, names: &[&str]) -> Result<(), String> {
    names.iter().try_for_each(|name| exactly(answer, name, None))
}

fn holds(condition: bool, otherwise: &str) -> Result<(), String> {
    match condition {
        true => Ok(()),
        false => Err(otherwise.to_owned()),
    }
}

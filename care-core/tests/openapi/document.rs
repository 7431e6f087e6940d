//! The document compared with the table of operations, with itself and with the committed copy.

use std::collections::BTreeSet;

use care_core::{
    operation::JournalOperation,
    rest::{Api, Limits, Operation},
    service::CareService,
    store::MemoryStore,
};
use serde_json::{Value, json};

use crate::{
    clinic::{Clinic, JSON},
    description::{DOCUMENT, operation, operations, operations_of},
    markup, schema,
};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi.json");
const CONTRACT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/contract.md");

fn api() -> Api {
    Api::new(CareService::new(MemoryStore::new()))
}

/// Compares the two; `UPDATE=1 cargo test -p care-core --all-features --test openapi` writes the copy anew.
#[test]
fn the_committed_copy_is_up_to_date() {
    let document = api().openapi();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(COMMITTED, &document).unwrap();
    }
    let committed = std::fs::read_to_string(COMMITTED).unwrap();
    assert!(document == committed, "docs/openapi.json differs; UPDATE=1 writes it anew");
}

/// Returns the rows of the table of extensions in the contract.
fn extensions() -> String {
    let row = |extension: Operation| {
        let described = operation(extension.id());
        let generic = ["limit", "after", "wait", "version"];
        let names = described.parameters("query").into_iter().filter_map(|parameter| parameter["name"].as_str());
        let names: Vec<_> = names.filter(|name| !generic.contains(name)).map(|name| format!("`{name}`")).collect();
        let by = if names.is_empty() { String::new() } else { format!(", by {}", names.join(", ")) };
        let (first, rest) = extension.summary().split_at(1);
        let what = format!("{}{rest}{by}", first.to_lowercase());
        let statuses: Vec<_> = described.statuses().into_iter().filter(|status| (200..300).contains(status)).collect();
        let mut answer = vec![statuses.iter().map(u16::to_string).collect::<Vec<_>>().join(" or ")];
        let last = described.response(statuses[statuses.len() - 1]).unwrap();
        let record = last["content"][JSON]["schema"]["$ref"].as_str().and_then(|target| target.rsplit('/').next());
        answer.extend(record.map(str::to_owned));
        answer.extend(last["headers"].get("Location").map(|_| "`Location`".to_owned()));
        let scope = match extension.scope() {
            Some(scope) => scope.as_str(),
            None if extension.needs_key() => "any valid key",
            None => "no key needed",
        };
        let (method, path) = (extension.method(), extension.path());
        format!("| {method} `{path}` | {what} | {} | {scope} |\n", answer.join(", "))
    };
    Operation::all().filter(|operation| operation.is_extension()).map(row).collect()
}

/// Compares the two; `UPDATE=1` writes the rows anew.
#[test]
fn the_contract_lists_the_extensions() {
    const HEAD: &str = "| operation | what it does | answer | scope |\n|---|---|---|---|\n";
    let contract = std::fs::read_to_string(CONTRACT).unwrap();
    let (before, rest) = contract.split_once(HEAD).unwrap();
    let (rows, after) = rest.split_once("\n\n").unwrap();
    if std::env::var_os("UPDATE").is_some() {
        return std::fs::write(CONTRACT, format!("{before}{HEAD}{}\n{after}", extensions())).unwrap();
    }
    assert!(extensions() == format!("{rows}\n"), "docs/contract.md differs; UPDATE=1 writes it anew");
}

/// Returns one line for each operation with all columns of the table.
fn lines(document: &'static Value) -> BTreeSet<String> {
    let operations = operations_of(document).into_iter();
    operations
        .map(|operation| {
            let node = operation.node;
            let scope = node["security"].pointer("/0/api_key/0").cloned();
            let extension = node.get("x-extension").is_some();
            let (method, path) = (operation.method.to_uppercase(), operation.path);
            format!("{} {method} {path} {:?} {extension} {}", operation.id(), scope, node["summary"])
        })
        .collect()
}

fn expected(operation: Operation) -> String {
    let scope = operation.scope().map(|scope| json!(scope.as_str()));
    let (id, method, path) = (operation.id(), operation.method(), operation.path());
    let extension = operation.is_extension();
    format!("{id} {method} {path} {scope:?} {extension} {}", json!(operation.summary()))
}

#[test]
fn it_has_every_operation_of_the_table_and_nothing_else() {
    assert_eq!(lines(&DOCUMENT), Operation::all().map(expected).collect());
}

#[test]
fn without_extensions_it_has_the_nine() {
    let text = api().contract_only().openapi();
    let document: Value = serde_json::from_str(&text).unwrap();
    let nine = Operation::all().take(Operation::DOCUMENTED).map(expected).collect();
    assert_eq!(lines(Box::leak(Box::new(document.clone()))), nine);
    assert!(!text.contains("x-extension"));
    let tags = document["tags"].as_array().unwrap().iter();
    let tags: Vec<_> = tags.map(|tag| tag["name"].as_str().unwrap()).collect();
    assert_eq!(tags, ["Patient", "History", "Prescriptions", "Inventory", "Invoice"]);
    assert!(document["components"]["schemas"].get("JournalEntry").is_none());
    assert!(document.get("webhooks").is_none());
}

#[test]
fn the_webhook_names_every_type_of_events() {
    let post = &DOCUMENT["webhooks"]["event"]["post"];
    let description = post["description"].as_str().unwrap();
    let types = JournalOperation::all().filter_map(JournalOperation::event);
    assert!(types.map(|name| format!("`{name}`")).all(|name| description.contains(&name)), "{description}");
    let headers = post["parameters"].as_array().unwrap().iter().map(|parameter| parameter["name"].as_str().unwrap());
    assert_eq!(headers.collect::<Vec<_>>(), ["webhook-id", "webhook-timestamp", "webhook-signature"]);
    assert_eq!(post["x-extension"], true);
}

#[test]
fn it_speaks_of_the_settings() {
    let document = |api: Api| serde_json::from_str::<Value>(&api.openapi()).unwrap();
    let moved = document(api().with_base_path("/care/1.0.0").unwrap().with_limits(Limits::new().with_body(1234)));
    assert_eq!(moved["servers"], json!([{"url": "/care/1.0.0"}]));
    assert!(moved["info"]["description"].as_str().unwrap().contains("1234"));
    assert_eq!(document(api().with_base_path("").unwrap())["servers"], json!([{"url": "/"}]));
}

#[test]
fn it_is_served_as_it_is() {
    let Clinic { api } = Clinic::new();
    let clinic = Clinic { api: api.with_limits(Limits::new().with_body(99)) };
    let served = clinic.send(clinic.example(operation("getOpenapi"), JSON));
    assert_eq!(served.body(), clinic.api.openapi().as_bytes());
}

#[test]
fn every_tag_is_declared_and_every_extension_marked() {
    let tags = DOCUMENT["tags"].as_array().unwrap();
    for operation in operations() {
        let tag = tags.iter().find(|tag| tag["name"] == operation.node["tags"][0]).unwrap();
        // A tag of extensions must have no other operations.
        if tag.get("x-extension").is_some() {
            assert_eq!(operation.node["x-extension"], true, "{}", operation.id());
        }
    }
}

#[test]
fn every_parameter_is_described_and_its_example_allowed() {
    for operation in operations() {
        for parameter in ["path", "query", "header"].map(|place| operation.parameters(place)).concat() {
            let (id, name) = (operation.id(), &parameter["name"]);
            assert_ne!(parameter["description"], "", "{id} {name}");
            let faults = schema::faults(&parameter["schema"], &parameter["example"]);
            assert!(faults.is_empty(), "{id} {name}: {faults:?}");
        }
    }
}

/// Returns every media type of every body in requests and answers.
fn bodies() -> Vec<(String, &'static Value)> {
    let mut bodies = Vec::new();
    for operation in operations() {
        let request = operation.node.get("requestBody").into_iter();
        let answers = operation.statuses().into_iter().filter_map(|status| operation.response(status));
        let contents = request.chain(answers).filter_map(|node| node.get("content"));
        for (media_type, node) in contents.flat_map(|content| content.as_object().unwrap()) {
            bodies.push((format!("{} {media_type}", operation.id()), node));
        }
    }
    bodies
}

#[test]
fn every_example_is_allowed_by_its_schema() {
    for (place, node) in bodies() {
        let one = node.get("example").into_iter();
        let many = node.get("examples").and_then(Value::as_object).into_iter().flatten();
        let examples: Vec<_> = one.chain(many.map(|(_, example)| &example["value"])).collect();
        assert!(!examples.is_empty(), "{place}");
        for example in examples {
            let example = match example {
                Value::String(document) => markup::to_json(&node["schema"], document.as_bytes()),
                json => json.clone(),
            };
            let faults = schema::faults(&node["schema"], &example);
            assert!(faults.is_empty(), "{place}: {faults:#?}");
        }
    }
}

#[test]
fn a_word_that_may_be_null_is_allowed_to_be() {
    fn words(node: &Value) -> usize {
        let below = node.as_object().into_iter().flatten().map(|(_, value)| words(value)).sum::<usize>();
        let within = node.as_array().into_iter().flatten().map(words).sum::<usize>();
        // Neither allows `null` beside the other.
        assert!(node.get("enum").is_none() || node["type"].is_string(), "{node}");
        below + within + usize::from(node.get("enum").is_some())
    }
    assert!(words(&DOCUMENT) > 5);
    let method = &DOCUMENT["components"]["schemas"]["PaymentInput"]["properties"]["method"];
    assert_eq!(schema::faults(method, &Value::Null), [] as [String; 0]);
}

#[test]
fn both_forms_of_an_example_say_the_same() {
    for operation in operations() {
        let Some(content) = operation.node.pointer("/requestBody/content") else {
            continue;
        };
        let json = &content["application/json"];
        let xml = content["application/xml"]["example"].as_str().unwrap();
        assert_eq!(markup::to_json(&json["schema"], xml.as_bytes()), json["example"], "{}", operation.id());
    }
}

#[test]
fn every_component_is_used_and_every_reference_leads_somewhere() {
    let text = DOCUMENT.to_string();
    let references: BTreeSet<_> = text
        .match_indices("\"$ref\":\"")
        .map(|(at, found)| text[at + found.len()..].split('"').next().unwrap())
        .collect();
    let components = DOCUMENT["components"].as_object().unwrap().iter();
    let components = components.filter(|(kind, _)| *kind != "securitySchemes");
    let components: BTreeSet<_> = components
        .flat_map(|(kind, named)| {
            named.as_object().unwrap().keys().map(move |name| format!("#/components/{kind}/{name}"))
        })
        .collect();
    assert_eq!(components, references.into_iter().map(str::to_owned).collect());
}

#[test]
fn a_full_disk_refuses_reads_only_where_they_are_audited() {
    let refuses = |api: Api, path: &str| {
        let document: Value = serde_json::from_str(&api.openapi()).unwrap();
        document["paths"][path]["get"]["responses"].get("507").is_some()
    };
    for (path, is_audited) in [
        ("/patient/{patientId}", true),
        ("/history/{patientId}", true),
        ("/prescriptions/{prescriptionId}", true),
        ("/invoice/{invoiceId}", true),
        ("/consultations/{consultationId}", true),
        ("/inventory/{medicine}", false),
        ("/patient", false),
        ("/journal", false),
    ] {
        assert!(!refuses(api(), path), "{path}");
        assert_eq!(refuses(api().with_read_audit(), path), is_audited, "{path}");
    }
}

#[test]
fn readers_of_documents_read_the_parameters_of_each_operation() {
    let of_utoipa: utoipa::openapi::OpenApi = serde_json::from_value(DOCUMENT.clone()).unwrap();
    let paths = DOCUMENT["paths"].as_object().unwrap();
    assert_eq!(of_utoipa.paths.paths.len(), paths.len());
    for operation in paths.values().flat_map(|path| path.as_object().unwrap().values()) {
        let parameters = operation["parameters"].clone();
        let of_openapiv3: Vec<openapiv3::ReferenceOr<openapiv3::Parameter>> =
            serde_json::from_value(parameters).unwrap();
        for parameter in operation["parameters"].as_array().unwrap() {
            assert!(parameter["required"].is_boolean(), "{parameter}");
        }
        assert!(of_openapiv3.iter().all(|parameter| parameter.as_item().is_some()), "{}", operation["operationId"]);
    }
}

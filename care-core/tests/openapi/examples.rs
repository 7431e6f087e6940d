//! Every example of the document is sent to the service.

use bytes::Bytes;
use http::header;
use serde_json::Value;

use crate::{
    clinic::{Clinic, JSON, XML, assert_foretold, escaped, example_body},
    description::{Described, operations},
    needs::before,
};

fn assert_succeeds(operation: Described, clinic: &Clinic, request: http::Request<Bytes>) -> Value {
    let target = format!("{} {}", request.method(), request.uri());
    let answer = clinic.send(request);
    assert!(answer.status().is_success(), "{target}: {answer:?}");
    assert_foretold(operation, &answer);
    serde_json::from_slice(answer.body()).unwrap_or_default()
}

#[test]
fn every_example_succeeds_in_every_form() {
    for operation in operations() {
        for (form, wanted) in [(JSON, JSON), (JSON, XML), (XML, JSON), (XML, XML)] {
            if operation.id() == "getOpenapi" && wanted == XML {
                continue;
            }
            let clinic = Clinic::after(&before(operation.id()));
            let mut request = clinic.example(operation, form);
            request.headers_mut().insert(header::ACCEPT, wanted.parse().unwrap());
            assert_succeeds(operation, &clinic, request);
        }
    }
}

#[test]
fn every_query_parameter_is_taken_alone_and_with_the_others() {
    for operation in operations() {
        let pair =
            |parameter: &&Value| format!("{}={}", parameter["name"].as_str().unwrap(), escaped(&parameter["example"]));
        let parameters = operation.parameters("query");
        let clinic = Clinic::after(&before(operation.id()));
        let ask = |query: String| {
            let request = clinic.request(operation);
            let uri = format!("{}?{query}", request.uri_ref().unwrap().path());
            assert_succeeds(operation, &clinic, request.uri(uri).body(Bytes::new()).unwrap())
        };
        for parameter in &parameters {
            // These answers contain only a medicine's movements.
            let of = match parameter["name"].as_str().unwrap() {
                "medicine" => "",
                _ if operation.id() == "backtestRestock" => "&medicine=Ibuprofen%20400",
                "lot" | "expires" | "kind" if operation.id() == "listMovements" => "&medicine=Ibuprofen%20400",
                _ => "",
            };
            ask(pair(parameter) + of);
        }
        // A cursor belongs to its filter.
        // Takings are those of days or those of numbers, and a text to find stands beside no filter.
        let apart = |name: &Value| match operation.id() {
            "getTakings" => name == "above" || name == "upto",
            "listPatients" => name == "find",
            _ => false,
        };
        let filter = parameters.iter().filter(|parameter| parameter["name"] != "after" && !apart(&parameter["name"]));
        let filter: Vec<_> = filter.map(pair).collect();
        if !filter.is_empty() {
            let answer = ask(filter.join("&"));
            let is_no_list = ["getNews", "getToday", "backtestRestock"].contains(&operation.id());
            if is_no_list || parameters.iter().any(|parameter| parameter["name"] == "version") {
                continue;
            }
            let items = answer["items"].as_array().unwrap();
            assert!(!items.is_empty(), "{} finds nothing to check", operation.id());
        }
    }
}

#[test]
fn a_page_leads_to_the_next() {
    for operation in operations() {
        // A report has a limit too, but no next page.
        let has = |name: &str| operation.parameters("query").iter().any(|parameter| parameter["name"] == name);
        if !has("limit") || !has("after") {
            continue;
        }
        let clinic = Clinic::after(&before("listJournal"));
        // A second record of each kind.
        for (id, body, path) in [
            ("addPatient", "{}", "/patient"),
            ("addMedicine", "{}", "/inventory/Paracetamol"),
            ("addPrescription", r#"{"patientId":7,"medicine":"Paracetamol"}"#, "/prescriptions"),
            ("addMedicine", "{}", "/inventory/Aspirin"),
            ("issueInvoice", "", "/prescriptions/2/invoice"),
            ("payInvoice", "", "/invoice/2/payment"),
            ("startStock", r#"{"unit":"ml","opening":[{"units":1}]}"#, "/inventory/Paracetamol/stock"),
            ("startStock", r#"{"unit":"ml","opening":[{"units":1}]}"#, "/inventory/Aspirin/stock"),
        ] {
            let request = clinic.request(crate::description::operation(id)).uri(format!("/1.0.0{path}"));
            let answer = clinic.send(request.header("content-type", JSON).body(body.into()).unwrap());
            assert!(answer.status().is_success(), "{answer:?}");
        }
        // The operations above make none of a kind that no other operation needs.
        let is_empty = |clinic: &Clinic| {
            let page = clinic.send(clinic.request(operation).body(Bytes::new()).unwrap());
            serde_json::from_slice::<Value>(page.body()).unwrap()["items"].as_array().unwrap().is_empty()
        };
        if is_empty(&clinic) {
            let made = operations().into_iter().find(|one| one.path == operation.path && one.method == "post").unwrap();
            for _ in 0..2 {
                assert!(clinic.send(clinic.example(made, JSON)).status().is_success(), "{}", made.id());
            }
        }
        let mut uri = format!("/1.0.0{}?limit=1", operation.path);
        for is_last in [false, true] {
            let request = clinic.request(operation).uri(&uri).body(Bytes::new()).unwrap();
            let answer = clinic.send(request);
            assert_foretold(operation, &answer);
            let page: Value = serde_json::from_slice(answer.body()).unwrap();
            assert_eq!(page["items"].as_array().unwrap().len(), 1, "{uri}");
            if !is_last {
                let link = answer.headers()["link"].to_str().unwrap();
                let next = format!("after={}>; rel=\"next\"", page["next"].as_str().unwrap());
                assert!(link.ends_with(&next), "{link}");
                uri = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
            }
        }
    }
}

#[test]
fn every_documented_success_occurs() {
    for operation in operations() {
        let clinic = Clinic::after(&before(operation.id()));
        let mut seen = vec![clinic.send(clinic.example(operation, JSON)).status().as_u16()];
        if operation.id() == "issueInvoice" {
            seen.push(clinic.send(clinic.example(operation, JSON)).status().as_u16());
        }
        if operation.response(304).is_some() {
            let request = clinic.request(operation).header("if-none-match", "*");
            let answer = clinic.send(request.body(Bytes::new()).unwrap());
            assert_foretold(operation, &answer);
            seen.push(answer.status().as_u16());
        }
        seen.sort_unstable();
        let documented = operation.statuses().into_iter().filter(|status| *status < 400);
        assert_eq!(seen, documented.collect::<Vec<_>>(), "{}", operation.id());
    }
}

/// Tests that every example shows every member of its schema.
#[test]
fn every_body_example_shows_every_member() {
    for operation in operations() {
        let Some(body) = example_body(operation, JSON) else {
            continue;
        };
        let body: Value = serde_json::from_str(&body).unwrap();
        let schema = &operation.node["requestBody"]["content"][JSON]["schema"];
        let properties = crate::description::resolve(schema)["properties"].as_object().unwrap();
        let shown: Vec<_> = body.as_object().unwrap().keys().collect();
        // These members exclude a receipt, and the age of the example follows from no day of birth for long.
        let aside: &[&str] = match operation.id() {
            "moveStock" => &["reason", "invoiceId"],
            "addPatient" | "updatePatient" => &["birthDate"],
            _ => &[],
        };
        let is_aside = |name: &&String| aside.contains(&name.as_str());
        let properties: Vec<_> = properties.keys().filter(|name| !is_aside(name)).collect();
        assert_eq!(shown, properties, "{}", operation.id());
    }
}

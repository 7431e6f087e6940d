//! Heads: paths, `Accept`, and whole requests.

use super::clinic::{BASE, Clinic, KEY, request, with_header};
use crate::http::text::request::Request;

pub(super) const PATHS: &[&str] = &[
    "0/1.0.0/patient/1",
    "1/1.0.0/inventory/a%2Fb%C3%A9",
    "2/1.0.0//patient/",
    "3/1.0.0/patient?name=%41&limit=1&after=x",
    "0/1.0.0/%70atient/1?version=1",
    "4/1.0.0/journal?wait=0&after=1",
    "0/1.0.0/inventory/%E2%84%AA%00",
    "0/1.0.1",
];

pub(super) const ACCEPTS: &[&str] = &[
    "application/xml;q=0.5, application/json;q=0.4",
    "*/*;q=0, text/xml;charset=utf-8",
    "text/*, application/*;q=0.001",
    "application/json;q=1.0000, , ;",
    "application/xml;q=\"1\";a=b",
];

pub(super) const EXCHANGES: &[&str] = &[
    "GET /1.0.0/patient/1\nAccept: application/xml\n\n",
    "PUT /1.0.0/patient\nContent-Type: application/json\nIf-Match: \"1-json\"\n\n{\"patientId\":1,\"age\":3}",
    "POST /1.0.0/patient\nContent-Type: text/xml; charset=\"utf-8\"\nIdempotency-Key: \"a\"\n\n<Patient/>",
    "DELETE /1.0.0/prescriptions/1\nContent-Encoding: gzip\n\n",
    "PATCH /1.0.0/inventory/x\nTransfer-Encoding: chunked\n\nx",
    "OPTIONS /1.0.0/invoice\n\n",
];

const METHODS: [&str; 6] = ["GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS"];

/// Sends a request target. The first byte chooses the method.
pub fn path(data: &[u8]) {
    let Some((method, target)) = data.split_first() else {
        return;
    };
    let Ok(target) = str::from_utf8(target) else {
        return;
    };
    // A long poll would wait without proving anything.
    if target.contains("wait") {
        return;
    }
    let method = METHODS[usize::from(*method) % METHODS.len()];
    Clinic::with(|clinic| drop(clinic.send(&request(method, target))));
}

/// Sends an `Accept` line. It must choose the same form, or none, for every operation.
pub fn accept(data: &[u8]) {
    Clinic::with(|clinic| same_form(clinic, data));
}

fn same_form(clinic: &Clinic, data: &[u8]) {
    let chosen = ["/patient/1", "/inventory", "/history/1", "/restock"].map(|path| {
        let request = with_header(request("GET", &format!("{BASE}{path}")), "Accept", data);
        let answer = clinic.send(&request)?;
        assert!(matches!(answer.status, 200 | 406), "{}", answer.shown());
        let form = answer.header("content-type").ok().flatten().map(str::to_owned);
        Some((answer.status, form))
    });
    assert!(chosen.windows(2).all(|pair| pair[0] == pair[1]), "{chosen:?}");
}

/// Sends a whole request: a line with method and target, lines with headers, an empty line, and the body.
pub fn exchange(data: &[u8]) {
    let Some(end) = data.windows(2).position(|pair| pair == b"\n\n") else {
        return;
    };
    let Ok(head) = str::from_utf8(&data[..end]) else {
        return;
    };
    let mut lines = head.split('\n');
    let Some((method, target)) = lines.next().and_then(|line| line.split_once(' ')) else {
        return;
    };
    if target.contains("wait") {
        return;
    }
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.trim().as_bytes().to_owned()));
    let body = &data[end + 2..];
    let mut request = Request { headers: headers.collect(), ..request(method, target) };
    request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
    request.body = (!body.is_empty()).then(|| body.to_vec());
    // The bytes hardly ever hold a valid key, so the request is sent with the key too.
    Clinic::with(|clinic| {
        clinic.send(&request);
        clinic.send(&with_header(request, "api_key", KEY.as_bytes()));
    });
}

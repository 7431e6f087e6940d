//! Pages are bounded in bytes.

use std::collections::BTreeMap;

use bytes::Bytes;
use care_core::{
    model::{Address, Fill, Name, Patch, Patient, PatientDetails, PatientId, Raw, Scalar},
    rest::{Api, Nature, Operation},
    service::CareService,
    store::{Act, Change, MemoryStore, Seen},
};
use futures_executor::block_on;
use http::{HeaderValue, header};

use super::{request, send, serving, text};

const MOST: usize = 1024 * 1024;
/// The number of patients, each of whom is larger than 4 kB in UTF-8, and larger still in XML.
const PATIENTS: usize = 400;

fn api() -> Api {
    let care = CareService::new(MemoryStore::new());
    let details = PatientDetails {
        name: Patch::Set(Name::new("&".repeat(Name::MAX)).unwrap()),
        address: Patch::Set(Address::new("\u{1f3e5}".repeat(Address::MAX)).unwrap()),
        ..PatientDetails::default()
    };
    for _ in 0..PATIENTS {
        block_on(care.register_patient(details.clone())).unwrap();
    }
    serving(care)
}

/// Follows the `Link` headers of a list, and returns the number of items of each page.
fn walk(api: &Api, list: &str, accept: &str, of_an_item: &str) -> Vec<usize> {
    let (mut target, mut pages) = (format!("/{list}?limit=500"), Vec::new());
    loop {
        let answer = send(api, request("GET", &target).header(header::ACCEPT, accept).body(Bytes::new()).unwrap());
        assert_eq!(answer.status(), 200);
        let body = text(&answer);
        assert!(body.len() <= MOST, "{} bytes", body.len());
        pages.push(body.matches(of_an_item).count());
        let Some(link) = answer.headers().get(header::LINK) else {
            assert!(!body.contains("next"), "the last page has no cursor");
            return pages;
        };
        assert!(body.len() > MOST - 64 * 1024, "a page is not ended before it is full");
        let link = link.to_str().unwrap();
        let next = link.strip_prefix("</1.0.0").unwrap().split_once('>').unwrap().0.to_owned();
        let cursor = next.split_once("after=").unwrap().1;
        assert!(body.contains(cursor), "the cursor is in the body too");
        target = next;
    }
}

#[test]
fn a_page_ends_before_a_mebibyte() {
    let api = api();
    let mut sizes = BTreeMap::new();
    for (list, json, xml) in [("patient", "\"patientId\":", "<patientId>"), ("journal", "\"actor\":", "<actor>")] {
        for (accept, item) in [("application/json", json), ("application/xml", xml)] {
            let pages = walk(&api, list, accept, item);
            assert_eq!(pages.iter().sum::<usize>(), PATIENTS, "{list} as {accept}: {pages:?}");
            sizes.insert((list, accept), pages.len());
        }
    }
    assert!(sizes.values().all(|pages| (2..=4).contains(pages)), "{sizes:?}");
}

/// Gives each field the value that is the longest in XML.
struct Longest;

/// A raw value, of which there are long ones.
trait Long: Raw {
    /// Returns values, the longest first.
    fn long() -> Vec<Self>;
}

impl Long for String {
    fn long() -> Vec<Self> {
        let texts = (1..=2000).rev().map(|length| "&".repeat(length));
        texts
            .flat_map(|text| [format!("{text}@&"), format!("{text}&"), format!("{text}a")])
            .chain(["31/12/2025".to_owned()])
            .collect()
    }
}

impl Long for i64 {
    fn long() -> Vec<Self> {
        (0..16).rev().map(|digits| 10_i64.pow(digits)).collect()
    }
}

impl Long for f64 {
    fn long() -> Vec<Self> {
        vec![999.999_999_999_9]
    }
}

impl Long for bool {
    fn long() -> Vec<Self> {
        vec![false]
    }
}

impl<T: Scalar<Raw: Long>> Fill<Option<T>> for Longest {
    fn value(&mut self, field: &'static str) -> Option<T> {
        let value = T::Raw::long().into_iter().find_map(|raw| T::of(raw).ok());
        Some(value.unwrap_or_else(|| panic!("no value for {field}")))
    }
}

impl Fill<PatientId> for Longest {
    fn value(&mut self, _: &'static str) -> PatientId {
        i64::MAX.try_into().unwrap()
    }
}

#[test]
fn a_patient_is_as_long_as_the_table_says_and_hardly_less() {
    let care = CareService::new(MemoryStore::new());
    let act = Act::new("key", Operation::AddPatient, care.now());
    // No rule that holds across fields makes it shorter.
    let put = |_: &Seen| Ok(vec![Change::put(Patient::filled(&mut Longest))].into());
    block_on(care.store().transact(act, Box::new(put))).unwrap();
    let list = request("GET", "/patient").header(header::ACCEPT, "application/xml").body(Bytes::new()).unwrap();
    let length = send(&serving(care), list).body().len();
    let Nature::Page(most) = Operation::ListPatients.nature() else { panic!("a list") };
    assert!((most - 2..=most).contains(&length.div_ceil(1024)), "{length} bytes, the table says {most} KiB");
}

#[test]
fn two_servers_with_other_fields_have_other_tags() {
    let full = serving(CareService::new(MemoryStore::new()));
    let documented = full.clone().contract_only();
    let registration = request("POST", "/patient").header("content-type", "application/json");
    let registered = send(&full, registration.body(r#"{"birthDate":"01/01/1990"}"#.into()).unwrap());
    assert_eq!(registered.status(), 201);
    for path in ["/patient/1", "/history/1"] {
        let mut seen = BTreeMap::new();
        for (api, accept) in [(&full, "json"), (&full, "xml"), (&documented, "json"), (&documented, "xml")] {
            let get = |tag: Option<&HeaderValue>| {
                let request = request("GET", path).header("accept", format!("application/{accept}"));
                let request = tag.into_iter().fold(request, |request, tag| request.header("if-none-match", tag));
                send(api, request.body(Bytes::new()).unwrap())
            };
            let answer = get(None);
            let tag = &answer.headers()[header::ETAG];
            assert_eq!(get(Some(tag)).status(), 304);
            let other = seen.insert(tag.clone().to_str().unwrap().to_owned(), answer.body().clone());
            assert_eq!(other, None, "{path} {tag:?}");
        }
    }
    // Either of them knows the tag of the other by its version.
    let tag = |api: &Api| {
        let answer = send(api, request("GET", "/patient/1").body(Bytes::new()).unwrap());
        answer.headers()[header::ETAG].clone()
    };
    for (api, tag) in [(&full, tag(&documented)), (&documented, tag(&full))] {
        let put = request("PUT", "/patient").header("content-type", "application/json").header("if-match", tag);
        assert_eq!(send(api, put.body(r#"{"patientId":1}"#.into()).unwrap()).status(), 200);
    }
}

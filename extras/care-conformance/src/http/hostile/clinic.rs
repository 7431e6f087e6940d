//! A clinic to which arbitrary bytes are sent.

use std::cell::RefCell;

use bytes::Bytes;
use care_core::{
    keys::{KeyRing, Scopes},
    model::{ItemDetails, MedicineName, PatientDetails, Timestamp},
    rest::Api,
    service::{CareService, NewPrescription},
    store::{Limit, MemoryStore, Seq},
};
use futures_executor::block_on;

use crate::http::{
    judge::{answer::Answer, invariants},
    target,
    text::request::Request,
};

pub(super) const BASE: &str = "/1.0.0";
pub(super) const KEY: &str = "a key";

/// A service with a patient, a medicine and a prescription, the same every time.
pub(super) struct Clinic {
    pub(super) care: CareService,
    pub(super) api: Api,
    /// The last journal entry of its beginning.
    begun: Seq,
}

thread_local! {
    /// The clinic of this thread. It serves further inputs until one of them writes to it: a fuzzer tries millions.
    static CLINIC: RefCell<Option<Clinic>> = const { RefCell::new(None) };
}

impl Clinic {
    /// Calls `run` with an unchanged clinic.
    pub(super) fn with(run: impl FnOnce(&Self)) {
        let clinic = CLINIC.take().unwrap_or_else(Self::new);
        run(&clinic);
        if !clinic.has_entries_after(clinic.begun) {
            CLINIC.set(Some(clinic));
        }
    }

    pub(super) fn new() -> Self {
        let now = Timestamp::from_unix_millis(1_773_576_000_000).expect("an instant in 2026");
        let care = CareService::new(MemoryStore::new()).with_clock(move || now);
        let medicine = MedicineName::new("Metformin").expect("a name");
        block_on(async {
            let patient = care.register_patient(PatientDetails::default()).await?.patient_id;
            care.add_item(medicine.clone(), ItemDetails::default()).await?;
            care.prescribe(patient, NewPrescription::of(medicine)).await
        })
        .expect("an empty service takes these");
        let api = Api::new(care.clone()).with_keys(KeyRing::new().with_key(KEY, "hostile", Scopes::ALL));
        let mut clinic = Self { care, api, begun: Seq::ZERO };
        while clinic.has_entries_after(clinic.begun) {
            clinic.begun = clinic.begun.next();
        }
        clinic
    }

    /// Sends a request and checks its answer against the rules for all answers. Returns `None` for a request that no
    /// server could have parsed.
    pub(super) fn send(&self, request: &Request) -> Option<Answer> {
        let mut before = self.begun;
        while self.has_entries_after(before) {
            before = before.next();
        }
        let answer = target::hand_over(&self.api, request).ok()?;
        let shown = || format!("{}\n{}", request.shown(), answer.shown());
        assert!(answer.status < 500, "{}", shown());
        if let Err(fault) = invariants::check(request, &answer, BASE) {
            panic!("{fault}\n{}", shown());
        }
        let may_write = (200..300).contains(&answer.status) && !matches!(request.method.as_str(), "GET" | "HEAD");
        assert!(may_write || !self.has_entries_after(before), "a refusal or a read wrote\n{}", shown());
        Some(answer)
    }

    fn has_entries_after(&self, seq: Seq) -> bool {
        !block_on(self.care.store().journal(seq, Limit::items(1))).expect("a memory store answers").items.is_empty()
    }
}

/// Returns a request with the key.
pub(super) fn request(method: &str, target: &str) -> Request {
    Request {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: vec![("api_key".to_owned(), KEY.as_bytes().to_owned())],
        body: None,
        chunked: false,
    }
}

/// Adds a body of this type.
pub(super) fn with_body(mut request: Request, media_type: &str, body: &[u8]) -> Request {
    request.headers.push(("Content-Type".to_owned(), media_type.as_bytes().to_owned()));
    request.body = Some(Bytes::copy_from_slice(body).to_vec());
    request
}

/// Adds a header.
pub(super) fn with_header(mut request: Request, name: &str, value: &[u8]) -> Request {
    request.headers.push((name.to_owned(), value.to_owned()));
    request
}

//! The cost of a request between the socket and the store.

use std::hint::black_box;

use bytes::Bytes;
use care_conformance::Dice;
use care_core::{
    keys::{KeyRing, Scopes},
    model::{Patient, PatientId},
    rest::Api,
    service::CareService,
    store::Seen,
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use http::{Request, Response};

use super::clinic;
use crate::{Failure, Report, Setting, Table, figure, load::KEY, median, microseconds};

/// Measures a whole `GET`, and the read and the encoding within it.
pub(crate) fn measure(setting: &Setting, report: &mut Report) -> Result<(), Failure> {
    let clinic = clinic(setting)?;
    let care = CareService::new(SqliteStore::open(&clinic.path)?);
    let api = Api::new(care.clone()).with_keys(KeyRing::new().with_key(KEY, "bench", Scopes::ALL));
    let time = setting.time() / 10;
    // The records are neighbours, so that the loading of pages does not count.
    let near = clinic.patients.min(1000);
    let mut dice = Dice::new(1);
    let (mut handled, mut asked, mut read, mut encoded) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let one = block_on(care.patient(PatientId::FIRST))?.record;
    for _ in 0..setting.rounds {
        handled.push(microseconds(time, || handle(&api, 1 + dice.roll(near)))?);
        asked.push(microseconds(time, || request(1 + dice.roll(near)).map(|request| drop(black_box(request))))?);
        read.push(microseconds(time, || find(&care, 1 + dice.roll(near)))?);
        encoded.push(microseconds(time, || serde_json::to_vec(black_box(&one)).map(|json| drop(black_box(json))))?);
    }
    let (asked, read, encoded) = (median(asked), median(read), median(encoded));
    let handled = median(handled) - asked;
    let mut table = Table::new(["GET patient, µs of one processor", "found", "at most"]);
    for (what, found, most) in [
        ("`Api::handle`", handled, ""),
        ("the store's read in it", read, ""),
        ("the encoding in it", encoded, ""),
        ("all the rest", handled - read - encoded, "2"),
    ] {
        table.row([what, &figure(found), most]);
    }
    report.add("A request without its socket", &table);
    Ok(())
}

/// Returns the request as a framework would pass it on.
fn request(id: u64) -> Result<Request<Bytes>, http::Error> {
    let uri = format!("/1.0.0/patient/{id}");
    Request::get(uri).header("api_key", KEY).header("accept", "application/json").body(Bytes::new())
}

fn handle(api: &Api, id: u64) -> Result<(), Failure> {
    let answer: Response<Bytes> = block_on(api.handle(request(id)?));
    match answer.status().is_success() {
        true => Ok(()),
        false => Err(format!("the answer is {}", answer.status()).into()),
    }
}

fn find(care: &CareService, id: u64) -> Result<(), Failure> {
    let id = PatientId::try_from(id.cast_signed())?;
    let mut found = false;
    block_on(care.store().read(&mut |seen: &mut Seen| {
        found = seen.get::<Patient>(id)?.is_some();
        Ok(())
    }))?;
    found.then_some(()).ok_or_else(|| "no such patient".into())
}

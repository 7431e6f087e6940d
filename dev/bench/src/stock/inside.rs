//! Payments, invoices and reads in one process.

use std::{thread, time::Instant};

use bytes::Bytes;
use care_conformance::Dice;
use care_core::{
    keys::{KeyRing, Scopes},
    model::{InvoiceId, PrescriptionId},
    rest::Api,
    service::CareService,
    store::MemoryStore,
};
use futures_executor::block_on;
use http::Request;

use super::{CLIENTS, PLENTY, prescribe, shelf};
use crate::{Failure, Setting, Table, compare::database, figure, load::KEY, median, microseconds};

/// The records that are read repeatedly.
const NEIGHBOURS: i64 = 1000;

/// Returns how many of these [`CLIENTS`] at once complete in a second.
fn at_once<T: Copy + Sync>(all: &[T], run: impl Fn(T) -> Result<(), Failure> + Sync) -> Result<f64, Failure> {
    let begun = Instant::now();
    thread::scope(|scope| {
        let clients = all.chunks(all.len().div_ceil(CLIENTS).max(1));
        let clients: Vec<_> = clients.map(|part| scope.spawn(|| part.iter().try_for_each(|one| run(*one)))).collect();
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| "a client panicked")?)
    })?;
    Ok(all.len() as f64 / begun.elapsed().as_secs_f64())
}

/// Measures tracked medicines beside untracked ones, without HTTP's connections.
pub(super) fn measure(setting: &Setting, table: &mut Table) -> Result<(), Failure> {
    let each = if setting.quick { CLIENTS } else { 3200 };
    let draft = CareService::new(MemoryStore::new());
    let tracked = shelf(&draft, "tracked", Some(PLENTY), false)?;
    let untracked = shelf(&draft, "untracked", None, false)?;
    let regular = shelf(&draft, "regular", None, true)?;
    let shelves = [tracked, untracked, regular];
    let all = each * setting.rounds;
    let prescriptions = [
        prescribe(&draft, &shelves[0], all)?,
        prescribe(&draft, &shelves[1], all)?,
        prescribe(&draft, &shelves[2], all)?,
    ];
    let short = shelf(&draft, "short", Some(NEIGHBOURS), false)?;
    let short = prescribe(&draft, &short, NEIGHBOURS as usize)?;
    short.iter().try_for_each(|id| block_on(draft.issue_invoice(*id)).map(drop))?;
    let care = CareService::new(database(setting, "stock.db", &draft)?);
    drop(draft);
    let (mut issued, mut paid) = (vec![Vec::new(); 3], vec![Vec::new(); 2]);
    for round in 0..setting.rounds {
        let part = |side: usize| &prescriptions[side][round * each..(round + 1) * each];
        // Each side begins in every other round.
        let order: [usize; 3] = if round % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
        for side in order {
            issued[side].push(at_once(part(side), |id| Ok(block_on(care.issue_invoice(id)).map(drop)?))?);
        }
        let invoices = |side: usize| {
            let invoice = |id: &PrescriptionId| Ok::<_, Failure>(block_on(care.issue_invoice(*id))?.invoice.invoice_id);
            part(side).iter().map(invoice).collect::<Result<Vec<InvoiceId>, _>>()
        };
        for side in order.into_iter().filter(|side| *side < 2) {
            let invoices = invoices(side)?;
            paid[side].push(at_once(&invoices, |id| Ok(block_on(care.pay_invoice(id)).map(drop)?))?);
        }
    }
    let row = |work: &str, ours: &[f64], theirs: &[f64]| {
        let ratio = median(ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect());
        let (ours, theirs) = (figure(median(ours.to_vec())), figure(median(theirs.to_vec())));
        [work.to_owned(), ours, theirs, format!("{ratio:.2}")]
    };
    table.row(row("payments a second, 64 at once", &paid[0], &paid[1]));
    table.row(row("invoices issued a second, 64 at once", &issued[0], &issued[1]));
    let counted = "the same, untracked: counted as waiting, beside a regular one, which is not";
    table.row(row(counted, &issued[1], &issued[2]));

    let api = Api::new(care).with_keys(KeyRing::new().with_key(KEY, "bench", Scopes::ALL));
    let (time, mut dice) = (setting.time() / 10, Dice::new(1));
    let mut read = vec![Vec::new(); 3];
    for _ in 0..setting.rounds {
        for (read, of) in read.iter_mut().zip([&prescriptions[0], &prescriptions[1], &short]) {
            let micros = microseconds(time, || {
                // The records are neighbours, so that loading pages does not count.
                let id = of[dice.roll(of.len().min(NEIGHBOURS as usize) as u64) as usize];
                get(&api, &format!("/1.0.0/prescriptions/{}", id.value()))
            })?;
            read.push(1e6 / micros);
        }
    }
    table.row(row("GET prescription a second, without a socket", &read[0], &read[1]));
    table.row(row("the same, when unpaid invoices reserve all units", &read[2], &read[1]));
    Ok(())
}

fn get(api: &Api, uri: &str) -> Result<(), Failure> {
    let request = Request::get(uri).header("api_key", KEY).header("accept", "application/json").body(Bytes::new())?;
    let answer = block_on(api.handle(request));
    match answer.status().is_success() {
        true => Ok(()),
        false => Err(format!("the answer is {}", answer.status()).into()),
    }
}

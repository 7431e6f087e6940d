//! Proof that a database holds what its clients know.

use std::{collections::HashMap, path::Path};

use care_core::{
    audit,
    model::{InvoiceState, Movement, MovementKind},
    store::{CareStore, Change, Entry, Limit, Record, Seq},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{Attempt, Failure, Outcome, Request, ensure};

/// Opens a database and proves that every acknowledged effect is there once, that no refused one is there, that every
/// unknown one is there once or not at all, and that nothing in the database contradicts itself.
///
/// A write that was answered after `position` counts as unknown.
///
/// # Errors
/// The writes that are lost, half done or done twice.
pub(crate) fn prove(database: &Path, asked: &[Attempt], position: usize) -> Result<(), Failure> {
    let store = SqliteStore::open(database).map_err(|error| Failure::new(format!("not opened: {error}: {error:?}")))?;
    prove_in(&store, asked, position)
}

/// Proves the same of an open database.
///
/// # Errors
/// The writes that are lost, half there or there twice.
pub(crate) fn prove_in(store: &dyn CareStore, asked: &[Attempt], position: usize) -> Result<(), Failure> {
    match differences(store, asked, position)?.into_iter().next() {
        Some(Difference { words, .. }) => Err(Failure::new(words)),
        None => Ok(()),
    }
}

/// A mark that contradicts what its client knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Whether its write was acknowledged and the mark is missing.
    pub(crate) is_lost: bool,
    words: String,
}

/// Returns the marks that contradict what their clients know.
///
/// # Errors
/// A database that is damaged or contradicts itself, whatever its clients know.
pub(crate) fn differences(
    store: &dyn CareStore,
    asked: &[Attempt],
    position: usize,
) -> Result<Vec<Difference>, Failure> {
    let maintenance = store.maintenance().ok_or_else(|| Failure::new("the store cannot be checked"))?;
    block_on(maintenance.check()).map_err(|error| Failure::new(format!("damaged: {error}")))?;
    block_on(audit::verify(store)).map_err(|error| Failure::new(format!("contradicts itself: {error}")))?;
    let journal = block_on(store.journal(Seq::ZERO, Limit::ALL));
    let journal = journal.map_err(|error| Failure::new(format!("no journal: {error}")))?;
    let is_gapless = journal.items.iter().zip(1..).all(|(entry, number)| entry.seq == Seq::new(number));
    ensure(is_gapless, || "the journal has gaps".to_owned())?;
    let mut counts: HashMap<String, usize> = HashMap::new();
    for mark in journal.items.iter().flat_map(marks) {
        *counts.entry(mark).or_default() += 1;
    }
    let mut differences = Vec::new();
    for one in asked {
        let known = match one.outcome {
            Outcome::Done | Outcome::Refused if one.position > position => Outcome::Unknown,
            known => known,
        };
        for mark in &one.marks {
            let count = counts.get(mark).copied().unwrap_or_default();
            let is_right = match known {
                Outcome::Done => count == 1,
                Outcome::Refused => count == 0,
                Outcome::Unknown => count <= 1,
            };
            if !is_right {
                let Request { method, path, .. } = &one.request;
                let words = format!("{method} {path} is {known:?}, but {mark} is there {count} times");
                differences.push(Difference { is_lost: known == Outcome::Done && count == 0, words });
            }
        }
    }
    Ok(differences)
}

/// Returns the marks of a journal entry: `reply KEY` for a request under a key, `KEY put Invoice 7` for its effect,
/// `removed Invoice 7`, `paid 7`, `refunded 7`, `handed out for 7`, values that no other client sets: `phone 8`, `Item
/// price 9`, and `head 10:LINK`.
fn marks(entry: &Entry) -> Vec<String> {
    let key = entry.changes().find_map(|change| match change {
        Change::Put(Record::Reply(reply)) => Some(reply.request.as_ref()?.key.clone()),
        _ => None,
    });
    let mut marks: Vec<String> = key.iter().map(|key| format!("reply {key}")).collect();
    marks.push(format!("head {}", entry.head()));
    for change in entry.changes() {
        match change {
            Change::Put(record) => {
                let what = record.key();
                marks.extend(key.iter().map(|key| format!("{key} put {} {}", what.kind(), what.id())));
                marks.extend(value(record, &entry.operation));
            }
            Change::Remove(what) => marks.push(format!("removed {} {}", what.kind(), what.id())),
        }
    }
    marks
}

fn value(record: &Record, operation: &str) -> Option<String> {
    match record {
        Record::Patient(patient) if operation == "updatePatient" => Some(format!("phone {}", patient.phone?.value())),
        Record::Prescription(prescription) if operation == "updatePrescription" => {
            Some(format!("Prescription price {}", prescription.price?.value()))
        }
        Record::Item(item) => Some(format!("Item price {}", item.price?.value())),
        Record::Movement(Movement { kind: MovementKind::Dispense, invoice_id: Some(invoice), .. }) => {
            Some(format!("handed out for {}", invoice.value()))
        }
        Record::Invoice(invoice) => {
            let became = match invoice.state {
                InvoiceState::Unpaid => return None,
                InvoiceState::Paid => "paid",
                InvoiceState::Refunded => "refunded",
            };
            Some(format!("{became} {}", invoice.invoice_id.value()))
        }
        _ => None,
    }
}

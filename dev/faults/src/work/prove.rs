//! Proof that a database holds what its clients know.

use std::{collections::HashMap, path::Path};

use care_core::{
    audit,
    model::{InvoiceState, Movement, MovementKind},
    store::{CareStore, Change, Entry, Limit, Record, Seq},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{Attempt, Failure, Outcome, Request, Result, ensure};

/// Opens a database and proves that every acknowledged effect is there once, that no refused one is there, that every
/// unknown one is there once or not at all, and that nothing in the database contradicts itself.
///
/// A write that was answered after `position` counts as unknown.
///
/// # Errors
/// The writes that are lost, half done or done twice.
pub(crate) fn prove(database: &Path, asked: &[Attempt], position: usize) -> Result<()> {
    let store = SqliteStore::open(database).map_err(|error| Failure::new(format!("not opened: {error}: {error:?}")))?;
    prove_in(&store, asked, position)
}

/// Proves the same of an open database.
///
/// # Errors
/// The writes that are lost, half there or there twice.
pub(crate) fn prove_in(store: &dyn CareStore, asked: &[Attempt], position: usize) -> Result<()> {
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
pub(crate) fn differences(store: &dyn CareStore, asked: &[Attempt], position: usize) -> Result<Vec<Difference>> {
    let maintenance = store.maintenance().ok_or_else(|| Failure::new("the store cannot be checked"))?;
    block_on(maintenance.check()).map_err(|error| Failure::new(format!("damaged: {error}")))?;
    block_on(audit::verify(store)).map_err(|error| Failure::new(format!("contradicts itself: {error}")))?;
    let journal = block_on(store.journal(Seq::ZERO, Limit::ALL));
    let journal = journal.map_err(|error| Failure::new(format!("no journal: {error}")))?;
    ensure!(journal.items.iter().zip(1..).all(|(entry, number)| entry.seq == Seq::new(number)), "the journal has gaps");
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

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::{Inside, Place, post};

    /// Registers a patient in a new database, and changes its phone twice to the same number.
    fn place() -> Place {
        let place = Place::new().unwrap();
        let mut inside = Inside::open(&place.database()).unwrap();
        assert_eq!(Attempt::register(&mut inside, 1).outcome, Outcome::Done);
        for phone in [5, 6, 5] {
            let change = Request::new("PUT", "/patient").body(format!(r#"{{"patientId":1,"phone":{phone}}}"#));
            crate::ask(&mut inside, change).unwrap();
        }
        post(&mut inside, "/inventory/Ibuprofen", "{}").unwrap();
        place
    }

    fn proven(place: &Place, mark: &str, outcome: Outcome) -> Result<()> {
        let one = Attempt { position: 7, ..Attempt::new(Request::get("/"), vec![mark.to_owned()], outcome) };
        prove(&place.database(), &[one], 7)
    }

    #[test]
    fn what_contradicts_the_knowledge_of_a_client_is_found() {
        let place = place();
        let (there, absent, twice) = ("reply k1", "reply k2", "phone 5");
        for (mark, outcome, words) in [
            (absent, Outcome::Done, "is Done, but reply k2 is there 0 times"),
            (twice, Outcome::Done, "is Done, but phone 5 is there 2 times"),
            (there, Outcome::Refused, "is Refused, but reply k1 is there 1 times"),
            (twice, Outcome::Unknown, "is Unknown, but phone 5 is there 2 times"),
        ] {
            let failure = proven(&place, mark, outcome).unwrap_err().to_string();
            assert!(failure.contains(words), "{failure}");
        }
        for (mark, outcome) in [
            (there, Outcome::Done),
            ("phone 6", Outcome::Done),
            (absent, Outcome::Refused),
            (there, Outcome::Unknown),
            (absent, Outcome::Unknown),
        ] {
            proven(&place, mark, outcome).unwrap();
        }
        // An answer that came later says nothing about this database.
        let later = Attempt { position: 8, ..Attempt::new(Request::get("/"), vec![absent.to_owned()], Outcome::Done) };
        prove(&place.database(), &[later], 7).unwrap();
    }

    #[test]
    fn a_database_that_contradicts_itself_is_found() {
        for change in ["UPDATE patient SET weight = 7", "DELETE FROM journal WHERE seq = 2", "DELETE FROM item"] {
            let place = place();
            Connection::open(place.database()).unwrap().execute_batch(change).unwrap();
            let failure = proven(&place, "reply k1", Outcome::Done).unwrap_err().to_string();
            assert!(failure.starts_with("damaged") || failure.starts_with("contradicts itself"), "{change}: {failure}");
        }
    }
}

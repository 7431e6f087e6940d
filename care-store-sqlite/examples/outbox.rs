//! A program that keeps a table of its own in step with the service: it follows the journal from where it was, and
//! writes the place with what it has learned, in one transaction of its own. So it misses nothing and repeats nothing.
//!
//! ```text
//! cargo run -p care-store-sqlite --example outbox
//! ```

#![expect(clippy::future_not_send, reason = "a connection of rusqlite stays on its thread")]

use std::error::Error;

use care_core::{
    CareService,
    model::{Patient, PatientDetails},
    service::ExpectedVersion,
    store::{Change, Entity, Entry, Epoch, Limit, RecordKey, Seq},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;
use rusqlite::{Connection, OptionalExtension};

/// Returns the entry after which to go on. Another epoch is another past, such as that of a restored backup: then what
/// was learned is forgotten.
fn place(ours: &Connection, epoch: Epoch) -> Result<Seq, Box<dyn Error>> {
    let stored = ours.query_row("SELECT epoch, seq FROM place", [], |row| Ok((row.get(0)?, row.get(1)?)));
    let stored: Option<(String, i64)> = stored.optional()?;
    match stored {
        Some((known, seq)) if known.parse() == Ok(epoch) => Ok(Seq::from(u64::try_from(seq)?)),
        _ => {
            ours.execute_batch("DELETE FROM place; DELETE FROM name;")?;
            Ok(Seq::ZERO)
        }
    }
}

/// Learns from some entries, and moves the place behind them.
fn learn(ours: &mut Connection, epoch: Epoch, entries: &[Entry]) -> Result<(), Box<dyn Error>> {
    let (Some(last), transaction) = (entries.last(), ours.transaction()?) else { return Ok(()) };
    for change in entries.iter().flat_map(Entry::changes) {
        match change {
            Change::Put(record) => {
                if let Some(patient) = Patient::from_record(record) {
                    let name = patient.name.as_ref().map(|name| name.as_str());
                    let row = (i64::from(patient.patient_id), name);
                    transaction.execute("INSERT OR REPLACE INTO name (patient, name) VALUES (?, ?)", row)?;
                }
            }
            Change::Remove(RecordKey::Patient(id)) => {
                transaction.execute("DELETE FROM name WHERE patient = ?", [i64::from(*id)])?;
            }
            Change::Remove(_) => {}
        }
    }
    transaction.execute("DELETE FROM place", [])?;
    let place = (epoch.to_string(), i64::try_from(last.seq.value())?);
    transaction.execute("INSERT INTO place (epoch, seq) VALUES (?, ?)", place)?;
    Ok(transaction.commit()?)
}

/// Follows the journal to its present end. A program that stays follows `care.subscribe(place)` in its place, which
/// waits for what comes.
async fn catch_up(ours: &mut Connection, care: &CareService) -> Result<(), Box<dyn Error>> {
    let epoch = care.epoch();
    let (mut after, until) = (place(ours, epoch)?, care.last().await?);
    let mut entries = care.subscribe(after);
    while after < until {
        let some = entries.next(100).await?;
        learn(ours, epoch, &some)?;
        after = some.last().map_or(until, |last| last.seq);
    }
    let known: i64 = ours.query_row("SELECT COUNT(*) FROM name WHERE name IS NOT NULL", [], |row| row.get(0))?;
    println!("after entry {after}: {known} names");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let mut ours = Connection::open(directory.path().join("ours.db"))?;
    ours.execute_batch(
        "CREATE TABLE name (patient INTEGER PRIMARY KEY, name TEXT); CREATE TABLE place (epoch TEXT, seq INTEGER);",
    )?;
    let care = CareService::new(SqliteStore::open(directory.path().join("care.db"))?);
    block_on(async {
        let ada = care.register_patient(PatientDetails::named("Ada Example")?).await?;
        care.register_patient(PatientDetails::named("Ben Example")?).await?;
        catch_up(&mut ours, &care).await?;
        care.void_patient(ada.patient_id, ExpectedVersion::from(ada.version)).await?;
        catch_up(&mut ours, &care).await?;
        // A copy of another past begins anew.
        let entries = care.store().journal(Seq::ZERO, Limit::ALL).await?.items;
        let other = care.on(SqliteStore::open(directory.path().join("restored.db"))?);
        other.store().replay(entries).await?;
        catch_up(&mut ours, &other).await
    })
}

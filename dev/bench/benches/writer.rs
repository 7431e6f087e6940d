//! Decisions: on the memory store, and on disk with few and with many concurrent ones.
#![allow(missing_docs, reason = "the macros of criterion make public items")]

use std::sync::atomic::{AtomicU64, Ordering};

use care_core::{
    error::Error,
    model::{PatientDetails, PatientId, Phone},
    service::{CareService, ExpectedVersion},
    store::MemoryStore,
};
use care_store_sqlite::SqliteStore;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use futures_executor::block_on;
use futures_util::future::try_join_all;

const PATIENTS: u64 = 1000;

async fn register(care: &CareService) -> Result<(), Error> {
    for _ in 0..PATIENTS {
        care.register_patient(PatientDetails::default()).await?;
    }
    Ok(())
}

/// Changes a patient to a new value.
async fn change(care: &CareService, number: u64) -> Result<(), Error> {
    let invalid = |_| Error::field("patientId", "no such number");
    let id = PatientId::try_from((number % PATIENTS + 1).cast_signed()).map_err(invalid)?;
    let phone = Phone::try_from(number.cast_signed() + 1).map_err(invalid)?;
    let details = PatientDetails { phone: phone.into(), ..PatientDetails::default() };
    care.update_patient(id, details, ExpectedVersion::Any).await?;
    Ok(())
}

fn changes(criterion: &mut Criterion, name: &str, care: &CareService, submitters: &[u64]) {
    let registered = block_on(register(care));
    assert!(registered.is_ok(), "{registered:?}");
    let number = AtomicU64::new(0);
    let mut group = criterion.benchmark_group(name);
    for &count in submitters {
        group.throughput(Throughput::Elements(count));
        group.bench_function(format!("{count} at once"), |bencher| {
            bencher.iter(|| {
                let changes = (0..count).map(|_| change(care, number.fetch_add(1, Ordering::Relaxed)));
                let done = block_on(try_join_all(changes));
                assert!(done.is_ok(), "{done:?}");
            });
        });
    }
    group.finish();
}

fn writers(criterion: &mut Criterion) {
    changes(criterion, "changes in memory", &CareService::new(MemoryStore::new()), &[1]);
    let opened = tempfile::tempdir().map(|directory| {
        let store = SqliteStore::open(directory.path().join("care.db"));
        (store, directory)
    });
    let Ok((Ok(store), _directory)) = opened else {
        panic!("no database: {opened:?}");
    };
    changes(criterion, "changes on disk", &CareService::new(store), &[1, 16, 64, 256]);
}

criterion_group!(benches, writers);
criterion_main!(benches);

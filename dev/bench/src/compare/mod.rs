//! The service compared with hand-written servers, each a process of its own.

mod audit;
mod reads;
mod start;
mod versus;
mod writes;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use care_core::{
    service::CareService,
    store::{Journal, Limit, Seq},
};
use care_store_sqlite::SqliteStore;
use futures_executor::block_on;

use crate::{
    Failure, Kind, Server, Setting,
    clinic::Clinic,
    load::{Group, Requests},
};

pub(crate) use audit::measure as audit;
pub(crate) use reads::measure as reads;
pub(crate) use start::measure as start;
pub(crate) use versus::{Side, Versus};
pub(crate) use writes::measure as writes;

/// Returns the clinic of the comparisons: the largest one.
pub(crate) fn clinic(setting: &Setting) -> Result<Clinic, Failure> {
    let size = setting.sizes.last().ok_or("no size is given")?;
    Clinic::kept_in(&setting.directory, *size)
}

/// Returns a copy of the clinic for writes; the kept one stays unchanged.
pub(crate) fn copy(setting: &Setting, clinic: &Clinic, name: &str) -> Result<PathBuf, Failure> {
    let path = setting.directory.join(name);
    clear(&path);
    fs::copy(&clinic.path, &path)?;
    // Without this, the first server to sync would pay for the copy.
    File::open(&path)?.sync_all()?;
    Ok(path)
}

pub(crate) fn clear(path: &Path) {
    for left in ["", "-wal", "-shm", ".lock"] {
        let mut name = path.as_os_str().to_owned();
        name.push(left);
        let _ = fs::remove_file(name);
    }
}

/// Fills a database with the journal of this service.
pub(crate) fn database(setting: &Setting, name: &str, care: &CareService) -> Result<SqliteStore, Failure> {
    let path = setting.directory.join(name);
    clear(&path);
    let store = SqliteStore::open(&path)?;
    let journal = block_on(care.store().journal(Seq::ZERO, Limit::ALL))?.items;
    block_on(store.replay(journal)).map_err(|error| format!("not filled: {error}"))?;
    Ok(store)
}

/// Returns a server with this number of clients that send requests of this kind.
pub(crate) fn side<'a>(server: &'a Server, clients: usize, kind: Kind, clinic: &Clinic) -> Side<'a> {
    Side::of(server, vec![group(server, clients, kind, clinic)])
}

/// Returns a group of this number of clients with requests of this kind to the server.
pub(crate) fn group(server: &Server, clients: usize, kind: Kind, clinic: &Clinic) -> Group {
    let records = match kind {
        // A quarter of the patients have two prescriptions.
        Kind::Prescription => clinic.patients / 2,
        _ => clinic.patients,
    };
    Group { addresses: vec![server.address], clients, requests: Requests::all(kind, records) }
}

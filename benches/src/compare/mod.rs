//! The service beside hand-written servers, each a process of its own.

mod audit;
mod inside;
mod reads;
mod start;
mod versus;
mod writes;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use crate::{
    Failure,
    clinic::Clinic,
    load::{Group, Kind, Requests},
    server::Server,
    setting::Setting,
};

pub(crate) use audit::measure as audit;
pub(crate) use inside::measure as inside;
pub(crate) use reads::{clients, measure as reads};
pub(crate) use start::measure as start;
pub(crate) use writes::measure as writes;

/// The clinic that servers are compared on: the largest.
fn clinic(setting: &Setting) -> Result<Clinic, Failure> {
    let size = setting.sizes.last().ok_or("no size is given")?;
    Clinic::kept_in(&setting.directory, *size)
}

/// A copy of it, to be written to: the kept one stays as it is.
fn copy(setting: &Setting, clinic: &Clinic, name: &str) -> Result<PathBuf, Failure> {
    let path = setting.directory.join(name);
    clear(&path);
    fs::copy(&clinic.path, &path)?;
    // Or the first to sync it would pay for the copy.
    File::open(&path)?.sync_all()?;
    Ok(path)
}

fn clear(path: &Path) {
    for left in ["", "-wal", "-shm", ".lock"] {
        let mut name = path.as_os_str().to_owned();
        name.push(left);
        let _ = fs::remove_file(name);
    }
}

/// So many clients, and what they ask of this server.
fn group(server: &Server, clients: usize, kind: Kind, clinic: &Clinic) -> Group {
    let records = match kind {
        // A quarter of the patients have two of them.
        Kind::Prescription => clinic.patients / 2,
        _ => clinic.patients,
    };
    Group { address: server.address, clients, requests: Requests::all(kind, records) }
}

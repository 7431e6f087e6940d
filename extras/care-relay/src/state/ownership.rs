//! The right to deliver from a file.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::{self, File, Metadata, OpenOptions, TryLockError},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::error::StateError;

/// The handles by which this process owns files. They are never closed: closing any handle of a file drops the locks
/// that SQLite has on it in this process.
static HANDLES: Mutex<BTreeMap<Identity, Handle>> = Mutex::new(BTreeMap::new());

#[derive(Debug)]
struct Handle {
    file: File,
    is_held: bool,
}

/// The identity of a file, whatever its name.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = std::path::PathBuf;

/// The right to deliver from a file, for as long as this lives.
///
/// It is a lock on the file itself and not on one beside it, so that a relay finds it by each name of the file.
#[derive(Debug)]
#[must_use = "the file has no owner once this is dropped"]
pub(crate) struct Ownership {
    identity: Identity,
}

impl Ownership {
    pub(super) fn take(path: &Path) -> Result<Self, StateError> {
        let metadata = fs::metadata(path)?;
        let identity = identity(path, &metadata)?;
        let mut handles = handles();
        #[cfg_attr(unix, expect(clippy::clone_on_copy, reason = "it is a path on other systems"))]
        let handle = match handles.entry(identity.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Handle { file: open(path)?, is_held: false }),
        };
        if handle.is_held {
            return Err(StateError::InUse);
        }
        match handle.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StateError::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        handle.is_held = true;
        let ownership = Self { identity };
        drop(handles);
        if has_other_names(&metadata) { Err(StateError::Linked) } else { Ok(ownership) }
    }
}

impl Drop for Ownership {
    fn drop(&mut self) {
        if let Some(handle) = handles().get_mut(&self.identity) {
            // A process that this one is just starting has a copy of the handle. If the lock cannot be given back, it
            // ends with the last copy.
            let _ = handle.file.unlock();
            handle.is_held = false;
        }
    }
}

fn handles() -> MutexGuard<'static, BTreeMap<Identity, Handle>> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).open(path)
}

/// Opens a file beside it: a lock on the file itself would keep SQLite out on other systems.
#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    OpenOptions::new().write(true).create(true).truncate(false).open(lock)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
fn identity(_: &Path, metadata: &Metadata) -> std::io::Result<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> std::io::Result<Identity> {
    fs::canonicalize(path)
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_owner_whatever_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let [file, link] = ["relay.db", "link.db"].map(|name| directory.path().join(name));
        fs::write(&file, "").unwrap();
        let owned = Ownership::take(&file).unwrap();
        // A process inherits every handle, and loses them only when its program begins.
        let inherited = handles()[&owned.identity].file.try_clone().unwrap();
        assert!(matches!(Ownership::take(&file), Err(StateError::InUse)));
        fs::hard_link(&file, &link).unwrap();
        assert!(matches!(Ownership::take(&link), Err(StateError::InUse)));
        drop(owned);
        for name in [&file, &link] {
            assert!(matches!(Ownership::take(name), Err(StateError::Linked)));
        }
        fs::remove_file(&link).unwrap();
        drop(Ownership::take(&file).unwrap());
        drop(inherited);
    }
}

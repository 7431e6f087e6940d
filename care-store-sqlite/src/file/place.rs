//! Detecting that the files of a store are no longer at their paths.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    lock::Ownership,
    paths::{Identity, beside},
};
use crate::base::open_error::{OpenErrorKind, Refusal};

/// The open files of a store, each with the path at which it was opened.
///
/// A moved or removed file can still be written to, but other processes no longer find it by its path. SQLite does not
/// report this, so the writer asks here once before each commit and once after it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The database and its log.
    data: Vec<Named>,
    /// The lock file of an owner.
    lock: Option<Named>,
}

#[derive(Debug, Clone)]
struct Named {
    path: PathBuf,
    file: Identity,
}

impl Place {
    /// Notes the file at the path of a database that is about to be opened.
    pub(crate) fn of(database: &Path) -> Result<Self, Refusal> {
        let named = Named::at(database.to_owned())?.ok_or(OpenErrorKind::Exchanged)?;
        Ok(Self { data: vec![named], lock: None })
    }

    /// Notes the files that were added while the database was opened. The database must still be the same file.
    pub(crate) fn opened(&mut self, database: &Path, ownership: &Ownership) -> Result<(), Refusal> {
        self.data.extend(Named::at(beside(database, "-wal"))?);
        self.lock = ownership.is_held().then(|| Named::at(beside(database, ".lock"))).transpose()?.flatten();
        let is_locked = self.lock.is_some() || !ownership.is_held();
        match is_locked && self.missing().is_none() && ownership.is_in_place()? {
            true => Ok(()),
            false => Err(OpenErrorKind::Exchanged.into()),
        }
    }

    /// Returns the first file that is no longer the one at its path.
    pub(crate) fn missing(&self) -> Option<&Path> {
        self.missing_data().or_else(|| self.lock.as_ref().and_then(Named::if_gone))
    }

    /// Returns the first file that is no longer the one at its path, among those that hold data.
    pub(crate) fn missing_data(&self) -> Option<&Path> {
        self.data.iter().find_map(Named::if_gone)
    }
}

impl Named {
    /// Returns the file at this path, or `None` when there is none.
    fn at(path: PathBuf) -> io::Result<Option<Self>> {
        Ok(Identity::at(&path)?.map(|file| Self { path, file }))
    }

    fn if_gone(&self) -> Option<&Path> {
        // An error counts as a missing file.
        let found = Identity::at(&self.path).ok().flatten();
        (found != Some(self.file)).then_some(&*self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Instant};

    use super::*;

    #[test]
    fn a_file_that_was_moved_removed_or_exchanged_is_missing() {
        let directory = tempfile::tempdir().unwrap();
        let (path, other) = (directory.path().join("care.db"), directory.path().join("other.db"));
        fs::write(&path, "").unwrap();
        let place = Place::of(&path).unwrap();
        assert_eq!(place.missing(), None);
        fs::rename(&path, &other).unwrap();
        assert_eq!(place.missing(), Some(&*path));
        fs::write(&path, "").unwrap();
        assert_eq!(place.missing(), Some(&*path));
        fs::rename(&other, &path).unwrap();
        assert_eq!(place.missing(), None);
        fs::remove_file(&path).unwrap();
        assert_eq!(place.missing(), Some(&*path));
    }

    #[test]
    #[ignore = "measures"]
    fn what_a_look_costs() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("care.db");
        fs::write(&path, "").unwrap();
        let place = Place::of(&path).unwrap();
        let begun = Instant::now();
        for _ in 0..100_000 {
            assert_eq!(place.missing(), None);
        }
        println!("{:?} a file", begun.elapsed() / 100_000);
    }
}

//! Whether the files of a store are still the ones that their paths name.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    lock::Ownership,
    open_error::{OpenErrorKind, Refusal},
    paths::{Identity, beside},
};

/// The files that a store has open, each with the path by which it was opened.
///
/// A file that was moved or removed is written to as before, and what is written is lost to everybody who goes by the
/// path. SQLite says nothing of it, so the writer asks here: once before each commit, once behind it.
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
    /// Notes what is at the path of a database that is about to be opened.
    pub(crate) fn of(database: &Path) -> Result<Self, Refusal> {
        let named = Named::at(database.to_owned())?.ok_or(OpenErrorKind::Exchanged)?;
        Ok(Self { data: vec![named], lock: None })
    }

    /// Notes what came to it while the database was opened, which must be the one that was there before.
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

    /// Returns the first file that is no longer the one at its path, of those that hold what is written.
    pub(crate) fn missing_data(&self) -> Option<&Path> {
        self.data.iter().find_map(Named::if_gone)
    }
}

impl Named {
    /// `None` when there is nothing.
    fn at(path: PathBuf) -> io::Result<Option<Self>> {
        Ok(Identity::at(&path)?.map(|file| Self { path, file }))
    }

    fn if_gone(&self) -> Option<&Path> {
        // What cannot be told is not believed.
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

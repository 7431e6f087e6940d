//! The lines of an export, as many at a time as go into one transaction.

use std::{
    fs::File,
    hash::{BuildHasher, RandomState},
    io::{self, BufRead, BufReader, Read, Seek, Write},
    path::{Path, PathBuf},
};

use care_store_sqlite::Staging;

use super::{
    AdminError,
    database::Database,
    turns::{BYTES, RECORDS},
};
use crate::InputFile;

/// The longest line in bytes, far above any entry. A file without line ends need not fit into memory.
const LONGEST_LINE: u64 = 64 << 20;
/// The name of the file that keeps what comes through a pipe.
const COPY: &str = "lines";

/// The lines of an export, which can be read twice.
pub(super) struct Lines {
    pub(super) name: PathBuf,
    source: BufReader<File>,
    /// The length in bytes.
    pub(super) length: u64,
    /// The key of the digests, another one in each import, so that no file can be made to have the digest of another.
    key: RandomState,
    /// The place of the copy of what came through a pipe.
    _copy: Option<Staging>,
}

/// Some lines, and a digest of them.
pub(super) struct Batch {
    pub(super) text: Vec<u8>,
    pub(super) digest: u64,
}

impl Batch {
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.text.split_inclusive(|byte| *byte == b'\n')
    }
}

impl Lines {
    pub(super) fn open(database: &Database, input: Option<&InputFile>) -> Result<Self, AdminError> {
        let Some(input) = input else {
            return Self::copy(database, io::stdin(), PathBuf::from("standard input"));
        };
        let opened = input.open()?;
        let file = input.path();
        let failed = |error| AdminError::Read(file.to_owned(), error);
        match opened.metadata().map_err(failed)?.is_file() {
            true => Self::of(opened, file.to_owned(), None),
            false => Self::copy(database, opened, file.to_owned()),
        }
    }

    /// Copies what comes through a pipe into a file that no other user can read.
    fn copy(database: &Database, mut pipe: impl Read, name: PathBuf) -> Result<Self, AdminError> {
        let place = database.file().map_or_else(|_| std::env::temp_dir().join("care-import"), Path::to_owned);
        let failed = |error| AdminError::Write(place.clone(), error);
        let staging = Staging::beside(&place).map_err(failed)?;
        let mut copy = staging.create(COPY).map_err(failed)?;
        let mut chunk = vec![0; 1 << 16];
        loop {
            match pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(length) => copy.write_all(&chunk[..length]).map_err(failed)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(AdminError::Read(name, error)),
            }
        }
        let copied = File::open(staging.path(COPY)).map_err(failed)?;
        Self::of(copied, name, Some(staging))
    }

    fn of(file: File, name: PathBuf, copy: Option<Staging>) -> Result<Self, AdminError> {
        let length = file.metadata().map_err(|error| AdminError::Read(name.clone(), error))?.len();
        let source = BufReader::with_capacity(1 << 16, file);
        Ok(Self { name, source, length, key: RandomState::new(), _copy: copy })
    }

    pub(super) fn rewind(&mut self) -> Result<(), AdminError> {
        self.source.rewind().map_err(|error| AdminError::Read(self.name.clone(), error))
    }

    /// Reads as many lines as go into one transaction; none at the end.
    pub(super) fn next(&mut self) -> Result<Batch, AdminError> {
        let mut text = Vec::new();
        for _ in 0..RECORDS {
            let mut line = self.source.by_ref().take(LONGEST_LINE);
            let read = line.read_until(b'\n', &mut text);
            if read.map_err(|error| AdminError::Read(self.name.clone(), error))? == 0 || text.len() as u64 >= BYTES {
                break;
            }
        }
        Ok(Batch { digest: self.key.hash_one(&text), text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_pieces_of_bounded_number_and_length() {
        for (line, length) in [("{}\n", 1300), (&*format!("{}\n", "x".repeat(5000)), 400)] {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("lines");
            std::fs::write(&path, line.repeat(length)).unwrap();
            let name = PathBuf::from("lines");
            let mut lines = Lines::of(File::open(&path).unwrap(), name, None).unwrap();
            let mut read = 0;
            loop {
                let batch = lines.next().unwrap();
                let (number, bytes) = (batch.lines().count(), batch.text.len() as u64);
                assert!(number <= RECORDS && bytes < BYTES + line.len() as u64, "{number} lines, {bytes} bytes");
                read += number;
                if number == 0 {
                    break;
                }
            }
            assert_eq!(read, length);
        }
    }
}

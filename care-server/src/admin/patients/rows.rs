//! The rows of a CSV file.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use care_core::{
    error::Error,
    model::{PatientDetails, PatientId},
};
use csv::{ByteRecord, ErrorKind};

use super::columns::Columns;
use crate::admin::AdminError;

/// The size of the reader's buffer in bytes.
const BUFFER: usize = 1 << 16;
/// The longest row in bytes, far above any patient. A quote that is never closed would otherwise load the whole file.
const LONGEST_ROW: u64 = 1 << 20;

pub(super) struct Rows {
    name: PathBuf,
    columns: Columns,
    reader: csv::Reader<LimitedReader>,
    left: Arc<AtomicU64>,
    record: ByteRecord,
}

/// A row.
pub(super) struct Row {
    /// The number of the line on which it begins.
    pub(super) line: u64,
    pub(super) patient: Result<(Option<PatientId>, PatientDetails), Error>,
}

impl Rows {
    /// Opens a file and reads its header. Returns the rows and the length of the file in bytes.
    pub(super) fn open(path: &Path) -> Result<(Self, u64), AdminError> {
        let failed = |error| AdminError::Read(path.to_owned(), error);
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut source = BufReader::with_capacity(BUFFER, file);
        // Spreadsheets put a byte order mark before the first name.
        if source.fill_buf().map_err(failed)?.starts_with(b"\xef\xbb\xbf") {
            source.consume(3);
        }
        let left = Arc::new(AtomicU64::new(LONGEST_ROW));
        let metered = LimitedReader { source, left: Arc::clone(&left) };
        let reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).buffer_capacity(BUFFER).from_reader(metered);
        let mut rows =
            Self { name: path.to_owned(), columns: Columns::default(), reader, left, record: ByteRecord::new() };
        let line = rows.read()?.unwrap_or(1);
        rows.columns = Columns::named(&rows.record).map_err(|what| AdminError::Line { line, what: what.into() })?;
        Ok((rows, length))
    }

    /// Returns the next row, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Row>, AdminError> {
        let Some(line) = self.read()? else {
            return Ok(None);
        };
        let patient = self.columns.patient(&self.record);
        Ok(Some(Row { line, patient }))
    }

    /// Returns the number of bytes that have been read.
    pub(super) fn bytes(&self) -> u64 {
        self.reader.position().byte()
    }

    /// Reads a row, and returns the number of the line on which it begins.
    fn read(&mut self) -> Result<Option<u64>, AdminError> {
        self.left.store(LONGEST_ROW, Ordering::Relaxed);
        let line = self.reader.position().line();
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => Ok(Some(self.first_line())),
            Ok(false) => Ok(None),
            Err(error) => Err(match error.into_kind() {
                ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => AdminError::Line {
                    line,
                    what: "starts a row of more than a mebibyte; perhaps a quote is not closed".into(),
                },
                ErrorKind::Io(error) => AdminError::Read(self.name.clone(), error),
                _ => AdminError::Read(self.name.clone(), io::ErrorKind::InvalidData.into()),
            }),
        }
    }

    /// Returns the line on which the row begins, counted back from its end, because the reader counts empty lines
    /// before a row as part of it.
    fn first_line(&self) -> u64 {
        let within = self.record.as_slice().iter().filter(|byte| **byte == b'\n');
        let position = self.reader.position();
        // The last row of a file may lack its line end.
        let end = position.line() - u64::from(!self.reader.is_done());
        end - within.count() as u64
    }
}

/// A reader that fails once a row is too long.
struct LimitedReader {
    source: BufReader<File>,
    left: Arc<AtomicU64>,
}

impl Read for LimitedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let read = self.source.read(buffer)?;
        self.left.store(left.saturating_sub(read as u64), Ordering::Relaxed);
        Ok(read)
    }
}

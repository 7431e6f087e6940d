//! CSV as RFC 4180 has it, and nothing looser. Lines may end with LF, CRLF or CR.

use std::io::{self, Read, Seek};

use super::values::is_blank;

/// Bytes that are read at once, at least.
const PIECE: usize = 1 << 16;
/// The longest row in bytes, far above any record. A quote that is never closed would otherwise load the whole file.
const LONGEST_ROW: usize = 1 << 20;

/// The reader of a CSV file.
pub(super) struct Reader<R> {
    source: R,
    pub(super) separator: u8,
    /// A part of the file, from before the latest row.
    text: Vec<u8>,
    /// Whether the part ends with the file.
    is_last: bool,
    /// The places in `text` and the lines at which the latest row and the next one begin.
    latest: Place,
    next: Place,
    /// The bytes of the file before `text`.
    dropped: u64,
    cells: Cells,
}

#[derive(Clone, Copy)]
struct Place {
    at: usize,
    line: u64,
}

/// The fault of a row that RFC 4180 does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Unclosed,
    Stray,
    TextBehind,
}

impl Fault {
    /// Returns what the row must be, as the rest of a sentence about it.
    pub(super) const fn detail(self) -> &'static str {
        match self {
            Self::Unclosed => "must close every quote that it opens",
            Self::Stray => "must have no quote inside a cell that does not begin with one",
            Self::TextBehind => "must have nothing between a closing quote and the end of its cell",
        }
    }
}

/// A row with the line on which it begins; its cells are in the reader.
pub(super) type Found = (u64, Result<(), Fault>);

impl<R: Read + Seek> Reader<R> {
    /// Goes back to the beginning of the file.
    pub(super) fn rewound(mut self) -> io::Result<Self> {
        self.source.rewind()?;
        Ok(Self::new(self.source))
    }
}

impl<R: Read> Reader<R> {
    /// Returns the reader of a file whose cells are separated by commas.
    pub(super) fn new(source: R) -> Self {
        let start = Place { at: 0, line: 1 };
        let (text, cells) = (Vec::new(), Cells::default());
        Self { source, separator: b',', text, is_last: false, latest: start, next: start, dropped: 0, cells }
    }

    /// Returns the first bytes of the file without a byte order mark of UTF-8, which spreadsheets put there.
    pub(super) fn beginning(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        if self.text.starts_with(b"\xef\xbb\xbf") {
            self.next.at = 3;
        }
        Ok(self.text.get(self.next.at..).unwrap_or_default())
    }

    /// Reads the next row; `None` at the end. A row with a fault ends with the line on which it begins, so that a quote
    /// which is not closed draws in no other row.
    ///
    /// An error of the kind `FileTooLarge` means that the line does not end.
    pub(super) fn next(&mut self) -> io::Result<Option<Found>> {
        loop {
            let text = self.text.get(self.next.at..).unwrap_or_default();
            if text.is_empty() && self.is_last {
                return Ok(None);
            }
            let is_long = text.len() > LONGEST_ROW;
            let (length, found) = match self.cells.read(text, self.is_last, self.separator) {
                Ok(Some(length)) => (Some(length), Ok(())),
                Ok(None) if is_long => (line_length(text, true), Err(Fault::Unclosed)),
                Ok(None) => (None, Ok(())),
                Err(fault) => (line_length(text, self.is_last), Err(fault)),
            };
            match length {
                Some(length) if length <= LONGEST_ROW || found.is_ok() => {
                    return Ok(Some((self.advance(length), found)));
                }
                _ if is_long => return Err(io::ErrorKind::FileTooLarge.into()),
                _ => self.fill()?,
            }
        }
    }

    /// Reads the latest row again with another separator.
    pub(super) fn again(&mut self, separator: u8) -> io::Result<Option<Found>> {
        (self.separator, self.next) = (separator, self.latest);
        self.next()
    }

    /// Returns the cells of the latest row, if it has no fault.
    pub(super) const fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Returns the text of the latest row with its line end.
    pub(super) fn latest(&self) -> &[u8] {
        self.text.get(self.latest.at..self.next.at).unwrap_or_default()
    }

    /// Returns the number of the line on which the next row begins.
    pub(super) const fn line(&self) -> u64 {
        self.next.line
    }

    /// Returns the number of bytes before the next row.
    pub(super) const fn position(&self) -> u64 {
        self.dropped + self.next.at as u64
    }

    /// Goes behind a row of this length, and returns the line on which it begins.
    fn advance(&mut self, length: usize) -> u64 {
        self.latest = self.next;
        self.next.at += length;
        let mut row = self.latest();
        let mut lines = 0;
        while let Some(length) = line_length(row, true).filter(|_| !row.is_empty()) {
            (row, lines) = (row.get(length..).unwrap_or_default(), lines + 1);
        }
        self.next.line += lines;
        self.latest.line
    }

    /// Reads more of the file, and drops what stands before the next row.
    fn fill(&mut self) -> io::Result<()> {
        self.text.drain(..self.next.at);
        self.dropped += self.next.at as u64;
        (self.next.at, self.latest) = (0, Place { at: 0, line: self.next.line });
        let wanted = self.text.len().max(PIECE) as u64;
        let read = (&mut self.source).take(wanted).read_to_end(&mut self.text)?;
        self.is_last = (read as u64) < wanted;
        Ok(())
    }
}

/// Returns the length of the first line with its end; `None` if it may go on behind the text.
fn line_length(text: &[u8], is_last: bool) -> Option<usize> {
    let end = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    match end {
        None => is_last.then_some(text.len()),
        Some(end) => line_end(text, end, is_last),
    }
}

/// Returns the place behind the line end that begins here; `None` if it may go on behind the text.
fn line_end(text: &[u8], at: usize, is_last: bool) -> Option<usize> {
    match (text.get(at), text.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => Some(at + 2),
        (Some(b'\r'), None) if !is_last => None,
        _ => Some(at + 1),
    }
}

/// The cells of a row without the quotes around them.
#[derive(Default)]
pub(super) struct Cells {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Cells {
    /// Returns the number of cells.
    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the cells.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, end)| self.text.get(begin..*end).unwrap_or_default())
    }

    /// Returns whether nothing that can be seen is in the cells.
    pub(super) fn are_blank(&self) -> bool {
        match self.text.is_ascii() {
            true => self.text.iter().all(u8::is_ascii_whitespace),
            false => str::from_utf8(&self.text).is_ok_and(is_blank),
        }
    }

    /// Reads the row at the beginning of a text, and returns its length with its line end; `None` if it may go on
    /// behind the text.
    fn read(&mut self, text: &[u8], is_last: bool, separator: u8) -> Result<Option<usize>, Fault> {
        self.text.clear();
        self.ends.clear();
        let mut at = 0;
        loop {
            let end = match text.get(at) {
                Some(b'"') => self.quoted(text, at + 1, is_last)?,
                _ => self.plain(text, at, is_last, separator)?,
            };
            let Some(end) = end else { return Ok(None) };
            self.ends.push(self.text.len());
            match text.get(end) {
                Some(byte) if *byte == separator => at = end + 1,
                Some(b'\n' | b'\r') => return Ok(line_end(text, end, is_last)),
                Some(_) => return Err(Fault::TextBehind),
                None => return Ok(is_last.then_some(end)),
            }
        }
    }

    /// Reads a cell without quotes, and returns its end.
    fn plain(&mut self, text: &[u8], at: usize, is_last: bool, separator: u8) -> Result<Option<usize>, Fault> {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == separator || matches!(byte, b'\n' | b'\r' | b'"'));
        let Some(length) = length.or(is_last.then_some(rest.len())) else {
            return Ok(None);
        };
        if rest.get(length) == Some(&b'"') {
            return Err(Fault::Stray);
        }
        self.text.extend_from_slice(rest.get(..length).unwrap_or_default());
        Ok(Some(at + length))
    }

    /// Reads a cell behind its opening quote, and returns the place behind its closing quote.
    fn quoted(&mut self, text: &[u8], mut at: usize, is_last: bool) -> Result<Option<usize>, Fault> {
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let Some(length) = rest.iter().position(|byte| *byte == b'"') else {
                return if is_last { Err(Fault::Unclosed) } else { Ok(None) };
            };
            self.text.extend_from_slice(rest.get(..length).unwrap_or_default());
            at += length + 1;
            match text.get(at) {
                Some(b'"') => self.text.push(b'"'),
                None if !is_last => return Ok(None),
                _ => return Ok(Some(at)),
            }
            at += 1;
        }
    }
}

//! The header of a table: what separates cells, and the field of each column.

use std::io::{self, Read};

use super::reader::{Found, Reader};

/// The separators among which the names in a header decide. The first of them is that of a table with one column.
const SEPARATORS: [u8; 3] = *b",;\t";

/// A header that was read.
pub(super) struct Header {
    pub(super) separator: u8,
    /// The fields of the columns.
    pub(super) columns: Vec<&'static str>,
    /// The number of blank lines before it.
    pub(super) blank: u64,
}

/// A complaint about a line, as the rest of a sentence about it.
type Complaint = (u64, String);

impl Header {
    /// Reads the header, which names some of these fields.
    pub(super) fn read<R: Read>(
        reader: &mut Reader<R>,
        fields: &[&'static str],
    ) -> io::Result<Result<Self, Complaint>> {
        let mut blank = 0;
        let mut found = first(reader, &mut blank)?;
        let separators = match announced(reader.latest()) {
            Some(separator) => {
                reader.separator = separator;
                found = first(reader, &mut blank)?;
                vec![separator]
            }
            None => SEPARATORS.to_vec(),
        };
        if found.is_none() {
            return Ok(Err((1, "does not name the columns".to_owned())));
        }
        let (mut most, mut separator) = (0, separators.first().copied().unwrap_or(b','));
        for other in separators {
            let is_sound = reader.again(other)?.is_some_and(|(_, found)| found.is_ok());
            let known = reader.cells().iter().filter(|cell| is_sound && named(cell, fields).is_some()).count();
            if known > most {
                (most, separator) = (known, other);
            }
        }
        let Some((line, found)) = reader.again(separator)? else {
            return Ok(Err((1, "does not name the columns".to_owned())));
        };
        let columns = match found {
            Ok(()) => columns(reader.cells().iter().collect(), fields),
            Err(fault) => Err(fault.detail().to_owned()),
        };
        Ok(columns.map(|columns| Self { separator, columns, blank }).map_err(|what| (line, what)))
    }
}

/// Reads the first row that is not blank.
fn first<R: Read>(reader: &mut Reader<R>, blank: &mut u64) -> io::Result<Option<Found>> {
    loop {
        match reader.next()? {
            Some(_) if reader.latest().iter().all(|byte| byte.is_ascii_whitespace() || b",;\"".contains(byte)) => {
                *blank += 1
            }
            found => return Ok(found),
        }
    }
}

/// Returns the separator that a line such as `sep=;` announces, as spreadsheets write and read it.
fn announced(line: &[u8]) -> Option<u8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    let (name, separator) = line.split_at_checked(4)?;
    let [separator] = separator else { return None };
    let is_sound = separator.is_ascii_punctuation() && *separator != b'"' || *separator == b'\t';
    (name.eq_ignore_ascii_case(b"sep=") && is_sound).then_some(*separator)
}

/// Returns the field that a cell of the header names.
fn named(cell: &[u8], fields: &[&'static str]) -> Option<&'static str> {
    let name = str::from_utf8(cell).ok()?.trim();
    fields.iter().copied().find(|field| field.eq_ignore_ascii_case(name))
}

/// Returns the fields of the columns. A complaint does not repeat the header's text: in a file without a header it is a
/// record.
fn columns(cells: Vec<&[u8]>, fields: &[&'static str]) -> Result<Vec<&'static str>, String> {
    let is_alone = cells.len() == 1;
    let mut columns = Vec::new();
    for (cell, number) in cells.into_iter().zip(1..) {
        let Some(field) = named(cell, fields) else {
            return Err(match cell.trim_ascii() {
                b"" => format!("has no name for column {number}; perhaps it ends with a separator too many"),
                _ if str::from_utf8(cell).is_err() => "is not UTF-8; save the table as CSV in UTF-8".to_owned(),
                _ => {
                    let lacks = if is_alone { ", and commas, semicolons or tabs make no second one" } else { "" };
                    format!("has an unknown column {number}{lacks}; the fields are {}", fields.join(", "))
                }
            });
        };
        if columns.contains(&field) {
            return Err(format!("has more than one column {field}"));
        }
        columns.push(field);
    }
    Ok(columns)
}

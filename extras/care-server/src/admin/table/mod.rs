//! Tables in CSV files, for tasks that import records: the header names the fields, and each row has their values.

mod header;
mod looks;
mod reader;
mod values;

use std::{
    fs::{self, File},
    io,
    path::PathBuf,
};

use super::AdminError;
use crate::InputFile;
use header::Header;
use reader::Reader;
pub(super) use values::Values;

/// A table whose header was read.
pub(super) struct Table {
    name: PathBuf,
    /// The length of the file in bytes.
    length: u64,
    reader: Reader<File>,
    separator: u8,
    columns: Vec<&'static str>,
    blank: u64,
}

/// A row that is not blank.
pub(super) struct Row<'a> {
    /// The number of the line on which it begins.
    pub(super) line: u64,
    /// Its cells with their fields, or the row's fault as the rest of a sentence about it.
    pub(super) cells: Result<Vec<(&'static str, &'a [u8])>, &'static str>,
}

impl Table {
    /// Opens a file and reads its header, whose names are those of these fields in any case and order. The header
    /// decides whether commas, semicolons or tabs separate the cells, unless a line such as `sep=;` stands before it.
    ///
    /// # Errors
    /// When the file cannot be read or is no table, and when the header is wrong. No error repeats a text of the file:
    /// in one without a header it is a record.
    pub(super) fn open(file: &InputFile, fields: &[&'static str]) -> Result<Self, AdminError> {
        let path = file.path();
        let failed = |error| AdminError::Read(path.to_owned(), error);
        let file = file.open()?;
        let length = file.metadata().map_err(failed)?.len();
        Self::read(path.to_owned(), length, Reader::new(file), fields)
    }

    /// Opens a file that is read twice, so that it cannot be a pipe.
    ///
    /// # Errors
    /// As of [`open`](Self::open); and when it is no file.
    pub(super) fn open_to_reread(file: &InputFile, fields: &[&'static str]) -> Result<Self, AdminError> {
        let path = file.path();
        match fs::metadata(path).map_err(|error| AdminError::Read(path.to_owned(), error))?.is_file() {
            true => Self::open(file, fields),
            false => Err(AdminError::ReadTwice(path.to_owned())),
        }
    }

    /// Goes back to the beginning of the file, and reads its header again.
    ///
    /// # Errors
    /// As of [`open`](Self::open).
    pub(super) fn again(self, fields: &[&'static str]) -> Result<Self, AdminError> {
        let Self { name, length, reader, .. } = self;
        match reader.rewound() {
            Ok(reader) => Self::read(name, length, reader, fields),
            Err(error) => Err(AdminError::Read(name, error)),
        }
    }

    fn read(path: PathBuf, length: u64, mut reader: Reader<File>, fields: &[&'static str]) -> Result<Self, AdminError> {
        let failed = |error| AdminError::Read(path.clone(), error);
        if let Some(looks) = looks::foreign(reader.beginning().map_err(failed)?) {
            return Err(AdminError::NoTable(path, looks));
        }
        let Header { separator, columns, blank } = match Header::read(&mut reader, fields).map_err(failed)? {
            Ok(header) => header,
            Err((line, what)) => return Err(AdminError::Line { line, what: what.into() }),
        };
        Ok(Self { name: path, length, reader, separator, columns, blank })
    }

    /// Returns the next row, or `None` at the end. Blank lines are counted and left out.
    ///
    /// # Errors
    /// When the file cannot be read further.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>, AdminError> {
        let (line, fault) = loop {
            match self.reader.next() {
                Ok(None) => return Ok(None),
                Ok(Some((_, Ok(())))) if self.reader.cells().are_blank() => self.blank += 1,
                Ok(Some((line, found))) => break (line, found.err()),
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    let line = self.reader.line();
                    return Err(AdminError::Line {
                        line,
                        what: "is longer than a mebibyte; nothing behind it was read".into(),
                    });
                }
                Err(error) => return Err(AdminError::Read(self.name.clone(), error)),
            }
        };
        let cells = match fault {
            Some(fault) => Err(fault.detail()),
            None => self.fitting(),
        };
        Ok(Some(Row { line, cells }))
    }

    /// Returns the cells of a row with their fields, if there are as many.
    fn fitting(&self) -> Result<Vec<(&'static str, &[u8])>, &'static str> {
        let cells = self.reader.cells();
        match cells.len() {
            len if len < self.columns.len() => Err("must have as many cells as there are columns"),
            len if len > self.columns.len() => Err(match self.separator {
                b',' => "has a comma too many, or one inside a cell without quotes",
                b';' => "has a semicolon too many, or one inside a cell without quotes",
                b'\t' => "has a tab too many, or one inside a cell without quotes",
                _ => "has a separator too many, or one inside a cell without quotes",
            }),
            _ => Ok(self.columns.iter().copied().zip(cells.iter()).collect()),
        }
    }

    /// Returns the end of a summary, which says how many blank lines were left out: empty lines, and rows of empty
    /// cells, as spreadsheets keep deleted rows.
    pub(super) fn left_out(&self) -> String {
        match self.blank {
            0 => String::new(),
            1 => "; 1 blank line left out".to_owned(),
            blank => format!("; {blank} blank lines left out"),
        }
    }

    /// Returns the length of the file in bytes.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Returns the number of bytes up to the next row.
    pub(super) const fn position(&self) -> u64 {
        self.reader.position()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns the lines and cells of a table with the fields `name` and `age`, the faults in their place, and the
    /// number of blank lines.
    fn read(text: impl AsRef<[u8]>) -> Result<(Vec<(u64, String)>, u64), String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("table.csv");
        fs::write(&path, text).unwrap();
        let said = |error: AdminError| error.to_string().replace(&path.display().to_string(), "FILE");
        let mut table = Table::open(&InputFile::from(path.clone()), &["name", "age"]).map_err(said)?;
        let mut rows = Vec::new();
        while let Some(Row { line, cells }) = table.next().map_err(said)? {
            let cell = |(field, text): (&str, &[u8])| format!("{field}={}", text.escape_ascii());
            let shown = cells.map(|cells| cells.into_iter().map(cell).collect::<Vec<_>>().join(" "));
            rows.push((line, shown.unwrap_or_else(str::to_owned)));
        }
        Ok((rows, table.blank))
    }

    fn rows(text: &str) -> Vec<(u64, String)> {
        read(text).unwrap().0
    }

    fn one(line: u64, cells: &str) -> Vec<(u64, String)> {
        vec![(line, cells.to_owned())]
    }

    #[test]
    fn a_row_is_named_by_the_physical_line_on_which_it_begins_however_lines_end() {
        // Each row has a capital of its own on the line on which it begins; two of them have faults.
        let walk = [
            "name,age",
            "A,1",
            "",
            "\"B\",\"b",
            "b\"",
            ",",
            "\"\",\"\"",
            "C",
            "\"D",
            "",
            "d\"\"\",1",
            "E\"",
            "",
            "",
            "F,",
        ];
        let ends = ["\n", "\r\n", "\r"];
        // All ways in which three lines in turn may end.
        for choice in 0..27 {
            let end = |line: usize| ends[[choice % 3, choice / 3 % 3, choice / 9][line % 3]];
            for is_ended in [true, false] {
                let mut text: String = walk.iter().enumerate().flat_map(|(line, text)| [*text, end(line)]).collect();
                if !is_ended {
                    text.truncate(text.len() - end(walk.len() - 1).len());
                }
                let lines = text.replace("\r\n", "\n").replace('\r', "\n");
                let begins = |row: &char| lines.split('\n').position(|line| line.contains(*row)).unwrap() as u64 + 1;
                let expected: Vec<_> = ('A'..='F').map(|row| begins(&row)).collect();
                let found: Vec<_> = rows(&text).into_iter().map(|(line, _)| line).collect();
                assert_eq!(found, expected, "{text:?}");
            }
        }
    }

    #[test]
    fn cells_are_read_as_rfc_4180_has_them_and_no_looser() {
        let cells = |row: &str| rows(&format!("name,age\n{row}"));
        assert_eq!(cells("Ada,36"), one(2, "name=Ada age=36"));
        assert_eq!(cells("\"Ada \"\"A\"\", née L\",\"\""), one(2, "name=Ada \\\"A\\\", n\\xc3\\xa9e L age="));
        assert_eq!(cells(" Ada , 36 \n"), one(2, "name= Ada  age= 36 "));
        assert_eq!(cells("\"a\r\nb\",\"\r\""), one(2, "name=a\\r\\nb age=\\r"));
        let stray = "must have no quote inside a cell that does not begin with one";
        let behind = "must have nothing between a closing quote and the end of its cell";
        for (row, fault) in [
            ("Ada \"A\",36", stray),
            ("Ada, \"36\"", stray),
            ("5' 3\",1", stray),
            ("\"Ada\" Lovelace,36", behind),
            ("\"a\"b,1", behind),
            ("\"a\" ,1", behind),
            ("Ada,\"36\"\t", behind),
            ("Ada,\"1 High St", "must close every quote that it opens"),
            ("Ada,\"", "must close every quote that it opens"),
            ("Ada,\"1 High St\"\"", "must close every quote that it opens"),
            ("Ada", "must have as many cells as there are columns"),
            ("Ada,36,", "has a comma too many, or one inside a cell without quotes"),
            ("1,234,56", "has a comma too many, or one inside a cell without quotes"),
        ] {
            for end in ["", "\n"] {
                assert_eq!(cells(&format!("{row}{end}")), one(2, fault), "{row}");
            }
        }
    }

    #[test]
    fn a_quote_that_is_not_closed_draws_in_no_other_row() {
        let unclosed = "must close every quote that it opens".to_owned();
        let behind = "must have nothing between a closing quote and the end of its cell".to_owned();
        let (bob, cyd) = ((3, "name=Bob age=2".to_owned()), (4, "name=Cyd age=3".to_owned()));
        assert_eq!(rows("name,age\nAda,\"1\nBob,2\nCyd,3"), [(2, unclosed), bob.clone(), cyd.clone()]);
        // The quote that opens a later cell closes it.
        assert_eq!(rows("name,age\nAda,\"1\nBob,2\n\"Cyd\",3\n"), [(2, behind), bob, cyd]);
        let long = "name,age\nAda,\"1\n".to_owned() + &"Bob,2\n".repeat(200_000);
        let found = rows(&long);
        assert_eq!((found.len(), &found[200_000]), (200_001, &(200_002, "name=Bob age=2".to_owned())));
        assert_eq!(found[0], (2, "must close every quote that it opens".to_owned()));
    }

    #[test]
    fn rows_of_empty_cells_are_blank_lines() {
        let text = "name,age\n,\nAda,1\n\"\",\"\"\n\n , \n,,,\nBob,\n";
        assert_eq!(read(text), Ok((vec![(3, "name=Ada age=1".into()), (8, "name=Bob age=".into())], 5)));
        assert_eq!(read(",\n\nname\nAda\n\n"), Ok((one(4, "name=Ada"), 3)));
    }

    #[test]
    fn the_header_decides_what_separates_cells_and_names_fields_in_any_case() {
        for (text, line) in [
            ("name;age\nAda;1", 2),
            ("name\tage\nAda\t1", 2),
            ("\"name\";\"age\"\r\nAda;\"1\"", 2),
            ("\u{feff}Name , AGE\rAda,1", 2),
            (" name ;\tAge\nAda;1\n", 2),
            ("sep=;\nname;age\nAda;1", 3),
            ("SEP=|\r\nname|age\r\nAda|1", 3),
            ("\u{feff}sep=,\nname,age\nAda,1", 3),
            ("\"sep=\t\"\nname\tage\nAda\t1", 3),
        ] {
            assert_eq!(rows(text), one(line, "name=Ada age=1"), "{text:?}");
        }
        assert_eq!(rows("age;name\n1,5;Ada"), one(2, "age=1,5 name=Ada"));
        assert_eq!(rows("name;age\nAda;1;"), one(2, "has a semicolon too many, or one inside a cell without quotes"));
    }

    #[test]
    fn a_header_that_is_wrong_is_said_without_its_text() {
        let fields = "the fields are name, age";
        let alone = "line 1 has an unknown column 1, and commas, semicolons or tabs make no second one";
        for (text, said) in [
            ("", "line 1 does not name the columns".to_owned()),
            ("\n\r\n", "line 1 does not name the columns".to_owned()),
            ("sep=;\n", "line 1 does not name the columns".to_owned()),
            ("name,Ada\n", format!("line 1 has an unknown column 2; {fields}")),
            ("Ada Example\n", format!("{alone}; {fields}")),
            ("\nname|age\n", format!("{}; {fields}", alone.replace('1', "2").replacen("column 2", "column 1", 1))),
            ("name,age,\n", "line 1 has no name for column 3; perhaps it ends with a separator too many".to_owned()),
            ("name,Name\n", "line 1 has more than one column name".to_owned()),
            ("name,\"age\n", "line 1 must close every quote that it opens".to_owned()),
            ("n\u{e4}me".replace('\u{e4}', "\u{fffd}").as_str(), format!("{alone}; {fields}")),
        ] {
            assert_eq!(read(text), Err(said), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_table_is_said_as_what_it_looks_like() {
        let wide = |text: &str, of: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(of).collect::<Vec<_>>();
        for (bytes, looks) in [
            (wide("\u{feff}name\r\n", u16::to_le_bytes), "UTF-16"),
            (wide("\u{feff}name\r\n", u16::to_be_bytes), "UTF-16"),
            (wide("name,age\r\n", u16::to_le_bytes), "UTF-16"),
            (wide("name,age\r\n", u16::to_be_bytes), "UTF-16"),
            (b"PK\x03\x04\x14\x00\x06\x00".to_vec(), "a spreadsheet or a zip archive"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), "a spreadsheet"),
            (b"\x1f\x8b\x08\x00".to_vec(), "compressed"),
            (b"%PDF-1.7\n".to_vec(), "a PDF document"),
            (b"\n<!DOCTYPE html>".to_vec(), "HTML or XML"),
            (b"[{\"name\":\"Ada\"}]".to_vec(), "JSON"),
            (b"name,age\nAda,\x00\x01\n".to_vec(), "no text"),
        ] {
            let said = read(&bytes).unwrap_err();
            assert!(said.starts_with("FILE looks like ") && said.contains(looks), "{said}");
            assert!(said.contains("CSV in UTF-8"), "what to do: {said}");
        }
        assert!(read(b"n\xe4me,age\n").unwrap_err().starts_with("line 1 is not UTF-8"));
        assert_eq!(read(b"name,age\nJos\xe9,1\n").unwrap().0, one(2, "name=Jos\\xe9 age=1"));
    }

    #[test]
    fn a_faulty_last_line_of_a_mebibyte_is_the_last_row() {
        // The reader holds exactly as much as a row may have, with and without the line's end.
        for end in ["", "\n"] {
            let line = format!("{}\"{end}", "x".repeat((1 << 20) - 1 - end.len()));
            let found = rows(&format!("name,age\n{line}"));
            assert_eq!(found, one(2, "must have no quote inside a cell that does not begin with one"));
        }
    }

    #[test]
    fn a_line_without_an_end_is_not_loaded() {
        let said = read("name,age\nAda,1\n".to_owned() + &"x".repeat(2 << 20)).unwrap_err();
        assert_eq!(said, "line 3 is longer than a mebibyte; nothing behind it was read");
    }
}

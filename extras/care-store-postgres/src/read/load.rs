//! The SQL that answers each key.

use std::collections::HashMap;

use care_core::store::{Key, Lookup, RecordKey, RecordKind, Selection, Wanted, rows::RowReader, sql::Statement};
use tokio_postgres::Row;

use super::list::{request, selecting};
use crate::{
    base::{
        cells::Cells,
        error::Fault,
        statements::{key_cells, key_columns, read, sql},
    },
    connect::session::Request,
};

/// The statements that answer a set of keys; all of them can be sent together.
#[derive(Debug)]
pub(crate) struct Loading {
    pub(crate) requests: Vec<Request>,
    answers: Vec<AnswerShape>,
    keys: usize,
}

/// The keys that a statement answers, and the shape of the answer.
#[derive(Debug)]
enum AnswerShape {
    /// The one record of a key.
    One(usize, RecordKind),
    /// All records of a key, in order.
    Many(usize, RecordKind),
    /// The number that a key asks for, if there is one.
    Number(usize),
    /// A record for each of these keys, in any order.
    Each(HashMap<RecordKey, Vec<usize>>, RecordKind),
}

impl Loading {
    /// Makes the statements that answer these keys. Records of one kind that are asked for by key share one statement.
    pub(crate) fn of(keys: &[Key]) -> Self {
        let mut loading = Self { requests: Vec::new(), answers: Vec::new(), keys: keys.len() };
        let mut named: Vec<Vec<(usize, RecordKey)>> = vec![Vec::new(); RecordKind::ALL.len()];
        let mut name = |index: usize, key: RecordKey| named[RecordKind::of(&key) as usize].push((index, key));
        for (index, key) in keys.iter().enumerate() {
            match key {
                Key::Record(key) => name(index, key.clone()),
                // If there is a stock, it comes after the items and replaces its item.
                Key::StockOrItem(medicine) => {
                    name(index, RecordKey::Item(medicine.clone()));
                    name(index, RecordKey::Stock(medicine.clone()));
                }
                Key::FreePatientNumber(above) => {
                    // After the last possible number none is free, so there is nothing to ask.
                    let first = above.checked_add(1);
                    let sql = if first.is_some() { FREE } else { NONE };
                    loading.add(AnswerShape::Number(index), Request::new(sql, first.map(Into::into)));
                }
                Key::Rows(selection, wanted) => loading.select(index, selection, *wanted),
            }
        }
        for (kind, asked) in RecordKind::ALL.iter().copied().zip(named) {
            match asked.as_slice() {
                [] => {}
                [(index, key)] => {
                    loading.add(AnswerShape::One(*index, kind), Request::new(&*sql(kind).one, key_cells(key)));
                }
                several => {
                    let mut places: HashMap<_, Vec<_>> = HashMap::new();
                    for (index, key) in several {
                        places.entry(key.clone()).or_default().push(*index);
                    }
                    let columns = key_columns(places.keys());
                    loading.add(AnswerShape::Each(places, kind), Request::with_columns(&*sql(kind).many, columns));
                }
            }
        }
        loading
    }

    fn add(&mut self, shape: AnswerShape, request: Request) {
        self.answers.push(shape);
        self.requests.push(request);
    }

    fn select(&mut self, index: usize, selection: &Selection, wanted: Wanted) {
        let kind = selection.kind;
        let ordered = || selecting(selection).ordered(selection);
        let (shape, statement) = match wanted {
            Wanted::Count => {
                let count = format!("SELECT pg_catalog.count(*) FROM {}", kind.table().name);
                (AnswerShape::Number(index), Statement::new(count).of(selection))
            }
            Wanted::All => (AnswerShape::Many(index, kind), ordered()),
            Wanted::First(1) => (AnswerShape::One(index, kind), ordered().ending(" LIMIT 1")),
            Wanted::First(first) => (AnswerShape::Many(index, kind), ordered().ending(&format!(" LIMIT {first}"))),
        };
        self.add(shape, request(statement));
    }

    /// Returns these first statements with its own after them.
    pub(crate) fn after(mut self, first: &mut Vec<Request>) -> (Vec<Request>, Self) {
        first.append(&mut self.requests);
        (std::mem::take(first), self)
    }

    /// Returns what each key means, in the order of the keys, from the answers to the statements.
    pub(crate) fn finish(self, answers: &[Vec<Row>]) -> Result<Vec<Lookup>, Fault> {
        let mut found = vec![Lookup::None; self.keys];
        for (shape, rows) in self.answers.into_iter().zip(answers) {
            match shape {
                AnswerShape::One(index, kind) => {
                    if let Some(row) = rows.first() {
                        found[index] = Lookup::One(read(kind, row)?);
                    }
                }
                AnswerShape::Many(index, kind) => {
                    let records = rows.iter().map(|row| read(kind, row)).collect::<Result<Vec<_>, _>>()?;
                    found[index] = records.into();
                }
                AnswerShape::Number(index) => {
                    if let Some(number) =
                        rows.first().map(|row| Cells::new("numbers", row).get()).transpose()?.flatten()
                    {
                        found[index] = Lookup::Number(number);
                    }
                }
                AnswerShape::Each(places, kind) => {
                    for row in rows {
                        let record = read(kind, row)?;
                        let asked = places.get(&record.record.key()).ok_or(Fault::Unexpected)?;
                        for index in asked {
                            found[*index] = Lookup::One(record.clone());
                        }
                    }
                }
            }
        }
        Ok(found)
    }
}

/// The number itself if it is free; otherwise the lowest free number above it.
const FREE: &str = "SELECT free FROM ( \
         SELECT $1::int8 AS free WHERE NOT EXISTS (SELECT 1 FROM patient WHERE patient_id = $1) \
         AND NOT EXISTS (SELECT 1 FROM voided WHERE patient_id = $1) \
         UNION ALL ( \
             SELECT CASE WHEN id < 9223372036854775807 THEN id + 1 END FROM ( \
                 SELECT patient_id AS id FROM patient WHERE patient_id >= $1 \
                 UNION ALL SELECT patient_id FROM voided WHERE patient_id >= $1 \
             ) AS used WHERE CASE WHEN id < 9223372036854775807 THEN \
                 NOT EXISTS (SELECT 1 FROM patient WHERE patient_id = id + 1) \
                 AND NOT EXISTS (SELECT 1 FROM voided WHERE patient_id = id + 1) ELSE true END \
             ORDER BY id LIMIT 1 \
         ) \
     ) AS numbers LIMIT 1";

/// A statement that answers nothing.
const NONE: &str = "SELECT NULL::int8";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_a_kind_are_looked_up_together() {
        let patient = |number: i64| Key::Record(RecordKey::Patient(number.try_into().unwrap()));
        let keys = [patient(1), Key::FreePatientNumber(0), patient(2), patient(1)];
        assert_eq!(Loading::of(&keys).requests.len(), 2);
    }
}

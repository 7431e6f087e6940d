//! Patients by their terms.

use std::{borrow::Cow, collections::BTreeSet};

use care_core::{
    model::{Findable, PatientId, TermRange},
    store::{
        RecordKind,
        find::{Ranking, TermIndex},
        rows::RowReader,
        sql::most,
    },
};
use rusqlite::{Connection, Row, params};

use crate::base::{
    cells::Cells,
    error::Fault,
    records::{Listed, fill_from},
    statements::sql,
};

/// Finds the first digits of the phone numbers one from the other, each once: three digits make 900 at most. The next
/// ones stand behind `:`, which follows `9`. `UNION` ends the search where a damaged file leads back to the same term.
const FIRST_DIGITS: &str = "WITH RECURSIVE first (term) AS ( \
         SELECT min(term) FROM patient_term WHERE term >= ?1 AND term < ?2 \
         UNION \
         SELECT (SELECT min(term) FROM patient_term WHERE term >= substr(first.term, 1, ?3 + 1) || ':' AND term < ?2) \
         FROM first WHERE first.term IS NOT NULL \
     ) SELECT substr(term, 1, ?3 + 1) FROM first WHERE term IS NOT NULL";
/// Looks for numbers behind each of the first digits. One statement for all of them takes half the time that one for
/// each takes.
const BEHIND: &str = "SELECT patient_id FROM json_each(?1) AS first CROSS JOIN patient_term \
     WHERE term >= first.value || ?2 AND term < first.value || ?3 LIMIT ?4";

/// Finds distinct terms one from the other.
const DISTINCT: &str = "WITH RECURSIVE distinct_term (term) AS ( \
         SELECT min(term) FROM patient_term WHERE term >= ?1 AND term < ?2 \
         UNION \
         SELECT (SELECT min(term) FROM patient_term WHERE term > distinct_term.term AND term < ?2) \
         FROM distinct_term WHERE distinct_term.term IS NOT NULL LIMIT ?3 \
     ) SELECT term FROM distinct_term WHERE term IS NOT NULL";

/// The terms of all patients. A phone number without its first digits has no row, because three more rows would cost a
/// registration more than they save a search.
pub(crate) struct Terms<'c> {
    conn: &'c Connection,
    /// The one, two and three digits with which phone numbers begin, once they are known, with the sign of numbers.
    first_digits: Option<BTreeSet<String>>,
}

impl<'c> Terms<'c> {
    pub(crate) const fn of(conn: &'c Connection) -> Self {
        Self { conn, first_digits: None }
    }

    fn first_digits(&mut self) -> Result<&BTreeSet<String>, Fault> {
        match &mut self.first_digits {
            Some(all) => Ok(all),
            unknown => Ok(unknown.insert(first_digits(self.conn)?)),
        }
    }
}

/// Returns the one, two and three digits with which phone numbers begin, with the sign of numbers.
fn first_digits(conn: &Connection) -> Result<BTreeSet<String>, Fault> {
    let TermRange { from, below } = TermRange::phones();
    let mut statement = conn.prepare_cached(FIRST_DIGITS)?;
    let mut rows = statement.query(params![from, below, most(TermRange::LEFT_OUT)])?;
    let mut found = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let first: String = row.get(0)?;
        let digits = first.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        found.extend((2..=digits + 1).filter_map(|end| first.get(..end)).map(str::to_owned));
    }
    Ok(found)
}

impl TermIndex for Terms<'_> {
    type Error = Fault;

    fn count(&mut self, TermRange { from, below }: &TermRange, wanted: usize) -> Result<usize, Fault> {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM patient_term WHERE term >= ? AND term < ? LIMIT ?)";
        let mut statement = self.conn.prepare_cached(sql)?;
        let count: i64 = statement.query_row(params![from, below, most(wanted)], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    fn patients(
        &mut self,
        TermRange { from, below }: &TermRange,
        wanted: usize,
    ) -> Result<Vec<(PatientId, bool)>, Fault> {
        let sql = "SELECT patient_id, term = ?1 FROM patient_term WHERE term >= ?1 AND term < ?2 \
                   ORDER BY term, patient_id LIMIT ?3";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params![from, below, most(wanted)])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            let mut cells = Cells::new("patient_term", row);
            ids.push((cells.get()?, cells.get()?));
        }
        Ok(ids)
    }

    fn distinct(&mut self, TermRange { from, below }: &TermRange, wanted: usize) -> Result<Vec<String>, Fault> {
        let mut statement = self.conn.prepare_cached(DISTINCT)?;
        let rows = statement.query_map(params![from, below, most(wanted)], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn having(&mut self, terms: &[String], wanted: usize) -> Result<Vec<PatientId>, Fault> {
        let sql = "SELECT patient_id FROM patient_term WHERE term = ? ORDER BY patient_id LIMIT ?";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut ids = Vec::new();
        for term in terms {
            if ids.len() == wanted {
                break;
            }
            let mut rows = statement.query(params![term, most(wanted - ids.len())])?;
            while let Some(row) = rows.next()? {
                ids.push(Cells::new("patient_term", row).get()?);
            }
        }
        Ok(ids)
    }

    fn ranges_behind(&mut self) -> Result<usize, Fault> {
        Ok(self.first_digits()?.len())
    }

    fn patients_behind(&mut self, numbers: &TermRange, wanted: usize) -> Result<Vec<PatientId>, Fault> {
        let Some([from, below]) = numbers.digits() else { return Ok(Vec::new()) };
        let first: Vec<_> = self.first_digits()?.iter().map(|first| format!("\"{first}\"")).collect();
        let mut statement = self.conn.prepare_cached(BEHIND)?;
        let mut rows = statement.query(params![format!("[{}]", first.join(",")), from, below, most(wanted)])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            ids.push(Cells::new("patient_term", row).get()?);
        }
        Ok(ids)
    }

    fn rank(&mut self, ids: &[PatientId], ranking: &mut Ranking<'_>) -> Result<(), Fault> {
        let sql = "SELECT folded_name, phone, email, spelling FROM patient WHERE patient_id = ?";
        let mut statement = self.conn.prepare_cached(sql)?;
        for id in ids {
            let mut rows = statement.query([id.value()])?;
            if let Some(row) = rows.next()?
                && !ranking.offer(&findable(*id, row)?)
            {
                break;
            }
        }
        Ok(())
    }

    fn records(&mut self, ids: &[PatientId], found: &mut Listed) -> Result<(), Fault> {
        let one = &sql(RecordKind::Patient).one;
        ids.iter().try_for_each(|id| fill_from(self.conn, RecordKind::Patient, one, [id.value()], found))
    }
}

/// Reads the columns from which the terms of a patient follow. A column that holds something else matches no word.
fn findable<'r>(patient_id: PatientId, row: &'r Row<'_>) -> Result<Findable<'r>, Fault> {
    let text = |column| Ok::<_, Fault>(row.get_ref(column)?.as_str_or_null().ok().flatten().map(Cow::from));
    let phone = row.get_ref(1)?.as_i64_or_null().ok().flatten();
    Ok(Findable { patient_id, folded_name: text(0)?, spelling: text(3)?, phone, email: text(2)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_digits_of(terms: &[&str]) -> Vec<String> {
        let conn = Connection::open_in_memory().unwrap();
        crate::file::schema::migrate(&conn).unwrap();
        for term in terms {
            conn.execute("INSERT INTO patient_term VALUES (?, 1)", [term]).unwrap();
        }
        first_digits(&conn).unwrap().into_iter().collect()
    }

    #[test]
    fn the_first_digits_of_numbers_are_found_one_from_the_other() {
        assert_eq!(first_digits_of(&["ada", "@a", "-1234"]), [""; 0]);
        assert_eq!(
            first_digits_of(&["+441632", "+441799", "+44200", "+9990", "+9999", "-2361"]),
            ["+4", "+44", "+441", "+442", "+9", "+99", "+999"]
        );
    }

    #[test]
    fn terms_that_the_service_would_not_write_end_the_search() {
        assert!(first_digits_of(&["+1a", "+1a\u{e9}", "+1az", "+1azz"]).contains(&"+1".to_owned()));
    }
}

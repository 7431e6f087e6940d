//! Patients by their terms.

use std::borrow::Cow;

use care_core::{
    model::{Findable, Patient, PatientId, TermRange},
    store::{
        find::{Ranking, TermIndex},
        rows::RowReader,
    },
};
use rusqlite::{Connection, Row, params};

use crate::base::{
    error::Fault,
    records::{Cells, Listed, Stored, fill},
    selection::most,
};

/// The terms of all patients.
pub(crate) struct Terms<'c>(pub(crate) &'c Connection);

impl TermIndex for Terms<'_> {
    type Error = Fault;

    fn count(&mut self, TermRange { from, below }: &TermRange, rows: usize) -> Result<usize, Fault> {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM patient_term WHERE term >= ? AND term < ? LIMIT ?)";
        let mut statement = self.0.prepare_cached(sql)?;
        let count: i64 = statement.query_row(params![from, below, most(rows)], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    fn patients(&mut self, terms: &TermRange, rows: usize) -> Result<Vec<(PatientId, bool)>, Fault> {
        let TermRange { from, below } = terms;
        let sql = "SELECT patient_id, term = ?1 FROM patient_term WHERE term >= ?1 AND term < ?2 \
                   ORDER BY term, patient_id LIMIT ?3";
        let mut statement = self.0.prepare_cached(sql)?;
        let mut rows = statement.query(params![from, below, most(rows)])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            let mut cells = Cells::new("patient_term", row);
            ids.push((cells.get()?, cells.get()?));
        }
        Ok(ids)
    }

    fn rank(&mut self, ids: &[PatientId], ranking: &mut Ranking<'_>) -> Result<(), Fault> {
        let sql = "SELECT folded_name, phone, email FROM patient WHERE patient_id = ?";
        let mut statement = self.0.prepare_cached(sql)?;
        for id in ids {
            let mut rows = statement.query([id.value()])?;
            if let Some(row) = rows.next()? {
                ranking.offer(&findable(*id, row)?);
            }
        }
        Ok(())
    }

    fn records(&mut self, ids: &[PatientId], found: &mut Listed) -> Result<(), Fault> {
        let sql = &Patient::sql().one;
        ids.iter().try_for_each(|id| fill::<Patient>(self.0, sql, [id.value()], found))
    }
}

/// Reads the columns from which the terms of a patient follow. A column that holds something else matches no word.
fn findable<'r>(patient_id: PatientId, row: &'r Row<'_>) -> Result<Findable<'r>, Fault> {
    let text = |column| Ok::<_, Fault>(row.get_ref(column)?.as_str_or_null().ok().flatten().map(Cow::from));
    let phone = row.get_ref(1)?.as_i64_or_null().ok().flatten();
    Ok(Findable { patient_id, folded_name: text(0)?, phone, email: text(2)? })
}

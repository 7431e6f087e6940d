//! The last number given in each series.

use care_core::store::{Counter, Series};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

const SERIES: [(&str, Series); 5] = [
    (Series::Patient.as_str(), Series::Patient),
    (Series::Prescription.as_str(), Series::Prescription),
    (Series::Invoice.as_str(), Series::Invoice),
    (Series::Consultation.as_str(), Series::Consultation),
    (Series::Movement.as_str(), Series::Movement),
];

impl Stored for Counter {
    const TABLE: Table = table!("counter", ["series"], ["last"]);

    fn read(cells: &mut Cells<'_, '_>) -> Result<Self, Fault> {
        Ok(Self { series: cells.word(&SERIES)?, last: cells.raw()? })
    }

    fn write(&self, values: &mut Values<'_, '_>) -> Result<(), Fault> {
        let Self { series, last } = self;
        values.put(series.as_str())?;
        values.put(last)
    }
}

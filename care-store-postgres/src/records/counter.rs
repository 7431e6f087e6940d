//! The last number given in each series.

use care_core::store::{Counter, Series};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

impl Stored for Counter {
    const TABLE: Table = table!("counter", ["series" text], ["last" int8]);

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self { series: cells.word(&Series::ALL.map(|series| (series.as_str(), series)))?, last: cells.raw()? })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { series, last } = self;
        values.put(series.as_str());
        values.put(last);
        Ok(())
    }
}

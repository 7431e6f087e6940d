//! The records that the service keeps for itself: the last number of each series, and stored replies.

use super::{Column, RowReader, RowWriter, Table, Tabular};
use crate::store::{Counter, Reply, ReplyKey};

impl Tabular for Counter {
    const TABLE: Table = Table { name: "counter", key: &[Column::text("series")], columns: &[Column::big_int("last")] };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self { series: cells.word()?, last: cells.integer()? })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { series, last } = self;
        cells.put(series.as_str())?;
        cells.put(*last)
    }
}

impl Tabular for Reply {
    const TABLE: Table = Table {
        name: "reply",
        key: &[Column::text("actor"), Column::text("key")],
        columns: &[Column::text("fingerprint"), Column::big_int("at").indexed(), Column::text("answer")],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            key: ReplyKey { actor: cells.string()?.into(), key: cells.string()?.into() },
            fingerprint: cells.string()?,
            at: cells.instant()?,
            answer: cells.json()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { key: ReplyKey { actor, key }, fingerprint, at, answer } = self;
        cells.put(&**actor)?;
        cells.put(&**key)?;
        cells.put(fingerprint.as_str())?;
        cells.instant(*at)?;
        cells.json(answer)
    }
}

//! The records that the service keeps for itself: the last number of each series, and stored replies.

use super::{Column, RowReader, RowWriter, Table, Tabular, row::row};
use crate::store::{Counter, Reply, ReplyKey};

row! { Counter in "counter": series; last }

impl Tabular for Reply {
    const TABLE: Table = Table {
        name: "reply",
        key: &[Column::text("actor"), Column::text("key")],
        columns: &[Column::text("fingerprint"), Column::big_int("at").indexed(), Column::text("answer")],
    };

    fn read<R: RowReader>(cells: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            key: ReplyKey { actor: cells.get()?, key: cells.get()? },
            fingerprint: cells.get()?,
            at: cells.get()?,
            answer: cells.json()?,
        })
    }

    fn write<W: RowWriter>(&self, cells: &mut W) -> Result<(), W::Error> {
        let Self { key: ReplyKey { actor, key }, fingerprint, at, answer } = self;
        cells.put(&**actor)?;
        cells.put(&**key)?;
        cells.put(fingerprint.as_str())?;
        cells.set(at)?;
        cells.json(answer)
    }
}

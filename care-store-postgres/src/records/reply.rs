//! Answers to requests that may be repeated.

use care_core::{
    model::Timestamp,
    store::{Reply, ReplyKey},
};

use super::{Cells, Stored, Table, Values, table};
use crate::error::Fault;

impl Stored for Reply {
    const TABLE: Table = table!("reply", ["actor" text, "key" text], ["fingerprint" text, "at" int8, "answer" text]);

    fn read(cells: &mut Cells<'_>) -> Result<Self, Fault> {
        Ok(Self {
            key: ReplyKey { actor: cells.raw::<String>()?.into(), key: cells.raw::<String>()?.into() },
            fingerprint: cells.raw()?,
            at: {
                let millis = cells.raw()?;
                cells.model(Timestamp::from_unix_millis(millis))?
            },
            answer: cells.json()?,
        })
    }

    fn write(&self, values: &mut Values) -> Result<(), Fault> {
        let Self { key: ReplyKey { actor, key }, fingerprint, at, answer } = self;
        values.put(&**actor);
        values.put(&**key);
        values.put(fingerprint);
        values.put(at.unix_millis());
        values.json(answer)
    }
}

//! Every record of every kind, in the order of their keys.

use care_core::store::{RecordKey, kinds, rows::RowWriter};
use rusqlite::Connection;

use crate::{
    error::Fault,
    records::{Listed, Statements, Stored, Values, identify, take},
    selection::rows,
};

/// Adds the first records above a key, as many as the portion takes.
pub(crate) fn all(conn: &Connection, after: Option<&RecordKey>, found: &mut Listed) -> Result<(), Fault> {
    // Whether the kind of the key was reached.
    let mut is_above = after.is_none();
    macro_rules! one_after_the_other {
        ($($kind:ident)*) => {$(
            let id = match after {
                Some(RecordKey::$kind(id)) => Some(id),
                _ => None,
            };
            is_above |= id.is_some();
            if is_above && found.wanted() > 0 {
                table::<kinds::$kind>(conn, id, found)?;
            }
        )*};
    }
    care_core::record_kinds!(one_after_the_other);
    Ok(())
}

fn table<E: Stored>(conn: &Connection, after: Option<&E::Id>, found: &mut Listed) -> Result<(), Fault> {
    let Statements { select, key, .. } = E::sql();
    let above = match after {
        None => String::new(),
        Some(_) => format!("WHERE ({key}) > ({})", vec!["?"; E::TABLE.key.len()].join(", ")),
    };
    let mut statement = conn.prepare_cached(&format!("{select} {above} ORDER BY {key} LIMIT ?"))?;
    let mut values = Values::new(&mut statement);
    if let Some(id) = after {
        identify(&mut values, id)?;
    }
    values.put(rows(found.wanted()))?;
    take::<E>(statement.raw_query(), found)
}

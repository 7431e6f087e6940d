//! Every record of every kind, in the order of their keys.

use care_core::store::RecordKey;

use crate::{
    error::Fault,
    pool::Snapshot,
    records::{KINDS, KindName, key_cells},
    selection::{Found, Selection},
    session::Request,
};

/// Reads the first records above a key, as far as the portion takes them.
pub(crate) async fn all(
    snapshot: &mut Snapshot<'_>,
    after: Option<&RecordKey>,
    found: &mut Found,
) -> Result<(), Fault> {
    let first = after.map_or(0, |key| KindName::of(key) as usize);
    for (number, kind) in KINDS.iter().enumerate().skip(first) {
        if found.wanted() == 0 {
            break;
        }
        let after = after.filter(|_| number == first);
        if kind.name == KindName::Counter {
            counters(snapshot, after, found).await?;
            continue;
        }
        let selection = Selection::of(kind);
        let selection = match after {
            Some(key) => selection.above(key_cells(key)),
            None => selection,
        };
        selection.fill(snapshot, &kind.sql.key, found).await?;
    }
    Ok(())
}

/// Lists the counters: there is one for each series, and the series have an order of their own.
async fn counters(snapshot: &mut Snapshot<'_>, after: Option<&RecordKey>, found: &mut Found) -> Result<(), Fault> {
    let kind = KindName::Counter.kind();
    let rows = snapshot.query(Request::new(&*kind.sql.select, [])).await?;
    let mut counters = rows.iter().map(|row| kind.read(row)).collect::<Result<Vec<_>, _>>()?;
    counters.retain(|found| after.is_none_or(|after| found.record.key() > *after));
    counters.sort_by_key(|found| found.record.key());
    for counter in counters {
        if !found.takes(size_of::<i64>()) {
            break;
        }
        found.push(counter);
    }
    Ok(())
}

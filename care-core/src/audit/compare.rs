//! Comparing the store's records with those of the journal.

use serde_json::Value;

use super::{Audit, AuditError, Contradiction, EarlierStates, replica::Fingerprint};
use crate::store::{CareStore, Change, Limit, Portion, Record, RecordKey, Revision, Seq, Versioned};

impl Audit {
    /// Compares a page of the store's records, those above `after`, with the replica. The replica is ahead of the page
    /// by the entries in `superseded`.
    pub(super) async fn compare(
        &self,
        store: &dyn CareStore,
        after: Option<&RecordKey>,
        page: &Portion<Versioned<Record>>,
        superseded: &EarlierStates,
    ) -> Result<(), AuditError> {
        let last = page.items.last().map(|found| found.record.key());
        // No page follows the last one, so it must contain everything that the replica holds.
        let last = last.filter(|_| page.more);
        let mut due = self.replica.between(after, last.as_ref()).peekable();
        for found in &page.items {
            let key = found.record.key();
            while let Some((missing, kept)) = due.next_if(|(due, _)| **due < key) {
                unless_absent(missing, *kept, earlier(superseded, missing))?;
            }
            let kept = due.next_if(|(due, _)| **due == key).map(|(_, kept)| *kept);
            let is = Some(self.replica.found(found));
            if kept != is && !earlier(superseded, &key).contains(&is) {
                return Err(self.explain(store, found, kept).await?.into());
            }
        }
        for (missing, kept) in due {
            unless_absent(missing, *kept, earlier(superseded, missing))?;
        }
        Ok(())
    }

    /// Returns the fault of a record for which the journal does not account.
    async fn explain(
        &self,
        store: &dyn CareStore,
        found: &Versioned<Record>,
        kept: Option<Fingerprint>,
    ) -> Result<Contradiction, AuditError> {
        let key = found.record.key();
        let what = match kept {
            None => "is stored, but according to the journal there is none".to_owned(),
            Some(kept) if kept.version != found.version => {
                format!("says that entry {} put it, but the last to put it was entry {}", found.version, kept.version)
            }
            Some(kept) => {
                let before = Seq::new(kept.version.value().saturating_sub(1));
                let entry = store.journal(before, Limit::items(1)).await?.items.pop();
                let fields = match entry.as_ref().and_then(|entry| entry.revision_of(&key)) {
                    Some(Revision { change: Change::Put(put), .. }) => differing(put, &found.record),
                    _ => String::new(),
                };
                format!("{fields} not as entry {} put it", kept.version)
            }
        };
        Ok(Contradiction::of(key, what))
    }
}

fn earlier<'a>(superseded: &'a EarlierStates, key: &RecordKey) -> &'a [Option<Fingerprint>] {
    superseded.get(key).map_or(&[], Vec::as_slice)
}

/// Returns an error for a record that is not stored, unless it was absent for a while when the page was read.
fn unless_absent(key: &RecordKey, kept: Fingerprint, earlier: &[Option<Fingerprint>]) -> Result<(), Contradiction> {
    if earlier.contains(&None) {
        return Ok(());
    }
    let what = format!("is not stored, but entry {} put it", kept.version);
    Err(Contradiction::of(key.clone(), what))
}

/// Returns the names of the fields in which two records differ, followed by the verb.
fn differing(one: &Record, other: &Record) -> String {
    let fields = |record| match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (one, other) = (fields(one), fields(other));
    let mut names: Vec<_> = one.keys().chain(other.keys()).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| one.get(*name) != other.get(*name));
    let verb = if names.len() == 1 { "is" } else { "are" };
    let names: Vec<_> = names.into_iter().map(String::as_str).collect();
    format!("{} {verb}", names.join(", "))
}

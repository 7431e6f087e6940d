//! Edits of a sound journal, each of which breaks a rule of the audit.

use std::collections::BTreeMap;

use care_core::{
    audit::{self, AuditError},
    store::{Change, Entity, Entry, Head, Journal, MemoryStore, RecordKey, Revision, Seq},
};
use futures_executor::block_on;

/// Returns the finding of an audit of a store that has replayed this journal, whose chain is made anew. The store's
/// records agree with it.
pub(crate) fn audited(mut journal: Vec<Entry>) -> String {
    Entry::link(&mut journal, Head::START).unwrap();
    let store = MemoryStore::new();
    block_on(store.replay(journal)).unwrap();
    match block_on(audit::verify(&store)) {
        Ok(summary) => format!("{} sound entries", summary.entries),
        Err(AuditError::Contradiction(contradiction)) => contradiction.to_string(),
        Err(AuditError::Store(error)) => panic!("a memory store answers: {error}"),
    }
}

/// Returns the journal, with every entry saying which versions it replaces.
pub(crate) fn linked(mut journal: Vec<Entry>) -> Vec<Entry> {
    let mut versions = BTreeMap::new();
    for entry in &mut journal {
        for Revision { change, replaced, .. } in &mut entry.revisions {
            *replaced = versions.get(&change.key()).copied().unwrap_or_default();
        }
        for change in entry.changes() {
            match change {
                Change::Put(record) => versions.insert(record.key(), entry.seq),
                Change::Remove(key) => versions.remove(key),
            };
        }
    }
    journal
}

/// A change of a journal.
pub(crate) type Edit = Box<dyn Fn(&mut Vec<Entry>)>;

/// Puts the record of this kind that an entry puts in another form.
pub(crate) fn put<E: Entity>(seq: u64, edit: impl Fn(&mut E) + 'static) -> Edit {
    Box::new(move |journal| {
        let entry = journal.iter_mut().find(|entry| entry.seq == Seq::new(seq)).unwrap();
        assert!(entry.revisions.iter_mut().any(|revision| edited(revision, &|_| true, &edit)), "it puts none");
    })
}

/// Puts the last record of this kind that meets a condition in another form.
pub(crate) fn last<E: Entity>(wanted: impl Fn(&E) -> bool + 'static, edit: impl Fn(&mut E) + 'static) -> Edit {
    Box::new(move |journal| {
        let mut revisions = journal.iter_mut().rev().flat_map(|entry| entry.revisions.iter_mut().rev());
        assert!(revisions.any(|revision| edited(revision, &wanted, &edit)), "there is none");
    })
}

/// Puts the last record of this kind in another form.
pub(crate) fn any<E: Entity>(edit: impl Fn(&mut E) + 'static) -> Edit {
    last(|_| true, edit)
}

/// Edits the record of a revision if it is wanted. Returns whether it is.
fn edited<E: Entity>(revision: &mut Revision, wanted: &dyn Fn(&E) -> bool, edit: &dyn Fn(&mut E)) -> bool {
    let Change::Put(record) = &mut revision.change else { return false };
    let Some(mut found) = E::from_record(record).filter(|found| wanted(found)).cloned() else { return false };
    edit(&mut found);
    *record = found.into();
    true
}

/// Leaves out what an entry puts or removes of this kind.
pub(crate) fn without(seq: usize, kind: &'static str) -> Edit {
    Box::new(move |journal| {
        let revisions = &mut journal[seq - 1].revisions;
        let before = revisions.len();
        revisions.retain(|revision| revision.change.key().kind() != kind);
        assert_ne!(revisions.len(), before, "the entry has such a change");
    })
}

/// Leaves out the last change that meets a condition.
pub(crate) fn without_last(left_out: impl Fn(&Change) -> bool + 'static) -> Edit {
    Box::new(move |journal| {
        let entry = journal.iter_mut().rfind(|entry| entry.changes().any(&left_out)).unwrap();
        let place = entry.revisions.iter().position(|revision| left_out(&revision.change)).unwrap();
        entry.revisions.remove(place);
    })
}

/// Leaves out every change that meets a condition.
pub(crate) fn without_all(left_out: fn(&Change) -> bool) -> Edit {
    Box::new(move |journal| {
        journal.iter_mut().for_each(|entry| entry.revisions.retain(|revision| !left_out(&revision.change)));
    })
}

/// Adds an entry with these changes.
pub(crate) fn then<const N: usize>(changes: [Change; N]) -> Edit {
    Box::new(move |journal| {
        let last = journal.last().unwrap().clone();
        let revisions = changes.iter().map(|change| Revision::of(change.clone(), Seq::ZERO)).collect();
        journal.push(Entry { seq: last.seq.next(), revisions, ..last });
    })
}

/// Adds an entry that puts the record of this kind that an entry has put, in another form.
pub(crate) fn again<E: Entity>(seq: usize, edit: impl Fn(&mut E) + 'static) -> Edit {
    Box::new(move |journal| {
        let mut revision =
            journal[seq - 1].revisions.iter().find(|it| kept::<E>(&it.change).is_some()).unwrap().clone();
        edited(&mut revision, &|_| true, &edit);
        then([revision.change])(journal);
    })
}

/// Adds an entry that puts the first record of this kind that meets a condition, in another form.
pub(crate) fn first_again<E: Entity>(wanted: impl Fn(&E) -> bool + 'static, edit: impl Fn(&mut E) + 'static) -> Edit {
    Box::new(move |journal| {
        let mut all = journal.iter().flat_map(Entry::changes).filter_map(kept::<E>);
        let mut found = all.find(|found| wanted(found)).unwrap().clone();
        drop(all);
        edit(&mut found);
        then([Change::put(found)])(journal);
    })
}

pub(crate) fn kept<E: Entity>(change: &Change) -> Option<&E> {
    match change {
        Change::Put(record) => E::from_record(record),
        Change::Remove(_) => None,
    }
}

pub(crate) fn removed(key: RecordKey) -> Edit {
    then([Change::Remove(key)])
}

/// Fails unless the audit says this of each edit of the journal, and finds nothing in the journal itself.
pub(crate) fn check(journal: &[Entry], rules: Vec<(Edit, &str)>) {
    assert_eq!(audited(linked(journal.to_vec())), format!("{} sound entries", journal.len()));
    for (edit, says) in rules {
        let mut broken = journal.to_vec();
        edit(&mut broken);
        let found = audited(linked(broken));
        assert!(found.contains(says), "{found}, and not {says}");
    }
}

/// Lists the edits of a journal, each with what the audit says of it.
macro_rules! rules {
    ($($edit:expr => $says:literal;)*) => { vec![$(($edit, $says)),*] };
}

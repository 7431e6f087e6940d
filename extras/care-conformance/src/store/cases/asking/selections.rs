//! Every list with each combination of conditions, and every key: each is answered by an index, and each index answers.

use std::collections::BTreeSet;

use care_core::store::{INDEXES, Key, Query, Rows, Selection, Term};

use crate::{
    dice::Dice,
    store::{
        asked::every_key,
        listed::{Listed, every_list},
        subject::Subject,
    },
};

/// The number of values that are tried of each parameter, among them each word that an index is for.
const VALUES: usize = 3;

/// Notes the index of a selection, and returns whether all its columns are of its table.
fn note(selection: &Selection, used: &mut BTreeSet<&'static str>) -> bool {
    used.extend(selection.index.map(|index| index.name));
    used.extend(selection.terms.iter().filter_map(|term| match term {
        Term::Among(_, index, _) => Some(index.name),
        Term::Compared(..) | Term::OneOf(..) | Term::Word(..) | Term::Null(_) | Term::Present(_) | Term::NotTrue(_) => {
            None
        }
    }));
    let columns: Vec<_> = selection.kind.table().all().map(|column| column.name).collect();
    selection.terms.iter().map(Term::column).all(|column| columns.contains(&column))
}

pub(in crate::store) fn every_selection_is_answered_and_every_index_answers_one(subject: Subject) {
    let mut used = BTreeSet::new();
    for Listed { query, .. } in every_list(VALUES, &mut Dice::new(7)) {
        if let Query::Rows(Rows { selection, .. }) | Query::Named(Rows { selection, .. }, _) = &query {
            assert!(note(selection, &mut used), "{query:?}");
        }
        assert_eq!(subject.list(&query, 1), [], "{query:?}");
    }
    let mut keys: Vec<_> = every_key().into_iter().map(|asked| asked.key).collect();
    for key in &keys {
        if let Key::Rows(selection, _) = key {
            assert!(selection.index.is_some() && note(selection, &mut used), "{key:?}");
        }
    }
    let unused: Vec<_> = INDEXES.iter().map(|index| index.name).filter(|name| !used.contains(name)).collect();
    assert_eq!(unused, [""; 0], "no list and no key needs these indexes");
    // One key of each shape is enough, because the store has no records.
    let mut shapes = BTreeSet::new();
    keys.retain(|key| match key {
        Key::Rows(Selection { index, order, .. }, wanted) => shapes.insert(format!("{index:?} {order:?} {wanted:?}")),
        _ => false,
    });
    subject.read(|seen| {
        seen.need(keys.iter().cloned())?;
        keys.iter().try_for_each(|key| seen.lookup(key).map(drop))
    });
}

//! Selections: what lists mean for tables, and the indexes that find their rows.

use std::collections::BTreeSet;

use care_core::{
    model::{Currency, Date, Demand, MedicineKey, Takings, TakingsKey},
    store::INDEXES,
};

#[test]
fn an_index_is_of_columns_of_its_table() {
    let names: BTreeSet<_> = INDEXES.iter().map(|one| one.name).collect();
    assert_eq!(names.len(), INDEXES.len());
    for one in INDEXES {
        let table = one.kind.table();
        assert!(one.fixed <= one.columns.len());
        let key = table.key.iter().map(|column| column.name);
        if one.is_primary {
            assert!(key.take(one.columns.len()).eq(one.columns.iter().copied()), "{one:?}");
        } else {
            let of_only = one.only.iter().map(|term| term.column());
            let mut named = one.columns.iter().copied().chain(of_only);
            assert!(named.all(|name| table.columns.iter().any(|column| column.name == name)), "{one:?}");
        }
    }
}

#[test]
fn a_cursor_before_the_period_means_its_beginning() {
    let (early, from) = (Date::from_unix_days(1).unwrap(), Date::from_unix_days(2).unwrap());
    let demand = |after: Option<Date>| {
        let after = after.map(|day| (day, MedicineKey::from_stored("aspirin")));
        format!("{:?}", Demand::list((from, from), after))
    };
    let takings = |after: Option<Date>| {
        let currency = Currency::new("EUR").ok();
        let after = after.map(|day| TakingsKey { day, holder: "desk".into(), currency });
        format!("{:?}", Takings::list((from, from), None, after))
    };
    for terms in [&demand as &dyn Fn(Option<Date>) -> String, &takings] {
        assert_eq!(terms(Some(early)), terms(None));
        assert_ne!(terms(Some(from)), terms(None));
    }
}

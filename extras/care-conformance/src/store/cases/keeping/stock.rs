//! Tracked medicines: their records, the key of reversals, and their lists.

use std::thread;

use care_core::{
    error::Error,
    model::{Date, Movement, MovementKind, OpenLot, Stock, StockDay},
    store::{Change, List, MovementFilter, Record, RecordKey, RecordKind, StockFilter, Versioned},
};

use crate::{samples, store::subject::Subject};

pub(in crate::store) fn a_reversal_is_found_by_what_it_reverses(subject: Subject) {
    let name = samples::medicine("Ibuprofen");
    let reversal = samples::movement_forms(6, &name).swap_remove(3);
    subject.commit(vec![Change::put(samples::movement(7, &name)), Change::put(reversal.clone())]);
    let found = |number| {
        let key = Movement::reversal_of(samples::movement_id(number));
        subject.one(key).map(|found| found.record)
    };
    assert_eq!((found(6), found(7)), (None, Some(reversal)));
    subject.commit(vec![Change::Remove(RecordKey::Movement(samples::movement_id(6)))]);
    assert_eq!(found(7), None);
}

pub(in crate::store) fn stock_is_listed_by_name_and_by_what_expires(subject: Subject) {
    let names = ["a", "B", "c", "d"].map(samples::medicine);
    let [first, second, third] = ["01/06/2026", "01/07/2026", "02/07/2026"].map(|day| Some(samples::date(day)));
    let stocks = names.iter().zip([first, second, third, None]);
    let stocks = stocks.map(|(name, expires)| Change::put(Stock { expires, ..samples::stock(name) }));
    subject.commit(stocks.rev().collect());
    let listed = |expires_to: Option<&str>, after: Option<&str>, limit| {
        let filter = StockFilter { expires_to: expires_to.map(samples::date), lot: None };
        let query = Stock::list(&filter, after.map(|name| samples::medicine(name).key().clone()));
        subject.list(&query, limit).into_iter().map(|found| found.record.key().id()).collect::<Vec<_>>()
    };
    assert_eq!(listed(None, None, 100), ["a", "b", "c", "d"]);
    assert_eq!(listed(None, Some("a"), 2), ["b", "c"]);
    assert_eq!(listed(Some("01/07/2026"), None, 100), ["a", "b"]);
    assert_eq!(listed(Some("31/05/2026"), None, 100), [""; 0]);
}

pub(in crate::store) fn lots_are_found_by_their_medicine_in_their_order(subject: Subject) {
    let names = ["a", "a b", "\u{e9}"].map(samples::medicine);
    let lots: Vec<_> = names.iter().flat_map(samples::open_lots).collect();
    subject.commit(lots.iter().rev().cloned().map(Change::put).collect());
    let keys = |found: Vec<Versioned<Record>>| found.into_iter().map(|found| found.record).collect::<Vec<_>>();
    let records = |lots: &[OpenLot]| lots.iter().cloned().map(Record::from).collect::<Vec<_>>();
    for name in &names {
        let found = subject.all::<OpenLot>(OpenLot::of_medicine(name.key()));
        let found: Vec<_> = found.into_iter().map(|found| found.record).collect();
        assert_eq!(found, samples::open_lots(name));
    }
    assert!(subject.all::<OpenLot>(OpenLot::of_medicine(samples::medicine("b").key())).is_empty());
    assert_eq!(keys(subject.list(&List::<OpenLot>::all(None), 100)), records(&lots));
    assert_eq!(keys(subject.list(&List::<OpenLot>::all(None), 4)), records(&lots[..4]));
    for (place, lot) in lots.iter().enumerate() {
        let after = Some((lot.medicine.key().clone(), lot.lot_id()));
        assert_eq!(keys(subject.list(&List::<OpenLot>::all(after), 100)), records(&lots[place + 1..]));
    }
    let gone = RecordKey::OpenLot((names[0].key().clone(), lots[3].lot_id()));
    let fewer = samples::open_lot(&names[0], lots[4].lot_id(), 1);
    subject.commit(vec![Change::Remove(gone), Change::put(fewer.clone())]);
    let left: Vec<_> =
        subject.all::<OpenLot>(OpenLot::of_medicine(names[0].key())).into_iter().map(|f| f.record).collect();
    assert_eq!((left.len(), &left[3]), (8, &fewer));
}

pub(in crate::store) fn a_decision_finds_the_lots_as_the_one_before_left_them(subject: Subject) {
    let name = samples::medicine("Ibuprofen");
    let ids = ["A", "B", "C"].map(|text| samples::lot(text, Some(samples::last_day())));
    // Each takes a unit from the first lot, and closes it with its last one.
    let lots = ids.iter().map(|id| Change::put(samples::open_lot(&name, id.clone(), 5)));
    subject.commit(lots.collect());
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                let name = name.clone();
                let taken = subject.attempt(move |seen| {
                    let lots = seen.all::<OpenLot>(OpenLot::of_medicine(name.key()))?;
                    let Some(first) = lots.map(|found| found.record.clone()).next() else {
                        return Err(Error::NotFound(RecordKind::Stock).into());
                    };
                    Ok(vec![match first.on_hand.value() - 1 {
                        0 => Change::Remove(Record::from(first).key()),
                        left => Change::put(samples::open_lot(&name, first.lot_id(), left)),
                    }])
                });
                assert!(matches!(taken, Ok(Some(_))), "{taken:?}");
            });
        }
    });
    let found = subject.all::<OpenLot>(OpenLot::of_medicine(name.key()));
    let left: Vec<_> = found.into_iter().map(|found| (found.lot_id(), found.on_hand.value())).collect();
    assert_eq!(left, [(ids[2].clone(), 3)]);
}

pub(in crate::store) fn all_filters_of_movements_must_hold(subject: Subject) {
    let names = ["Ibuprofen", "Paracetamol"].map(samples::medicine);
    let all: Vec<_> = (1..=40_i64)
        .map(|number| {
            let form = number.rem_euclid(5) as usize;
            let mut movement = samples::movement_forms(number, &names[(number % 3 == 0) as usize]).swap_remove(form);
            movement.invoice_id = movement.invoice_id.map(|_| samples::invoice_id(number % 2 + 1));
            movement.day = samples::date(["31/01/2026", "01/02/2026", "02/02/2026"][(number / 14) as usize]);
            movement
        })
        .collect();
    subject.commit(all.iter().cloned().map(Change::put).collect());
    let text = samples::lot("A1", None).lot;
    let filters = [
        MovementFilter::default(),
        MovementFilter { medicine: Some(names[1].key().clone()), ..MovementFilter::default() },
        MovementFilter { medicine: Some(names[0].key().clone()), lot: Some(None), ..MovementFilter::default() },
        MovementFilter {
            medicine: Some(names[0].key().clone()),
            lot: Some(text.as_ref().map(|text| text.key().clone())),
            ..MovementFilter::default()
        },
        MovementFilter {
            medicine: Some(names[0].key().clone()),
            expires: Some(samples::date("31/12/2026")),
            kind: Some(MovementKind::Receipt),
            ..MovementFilter::default()
        },
        MovementFilter { kind: Some(MovementKind::Dispense), ..MovementFilter::default() },
        MovementFilter { invoice_id: Some(samples::invoice_id(1)), ..MovementFilter::default() },
        MovementFilter { from: Some(samples::date("01/02/2026")), ..MovementFilter::default() },
        MovementFilter {
            medicine: Some(names[0].key().clone()),
            invoice_id: Some(samples::invoice_id(2)),
            from: Some(samples::date("31/01/2026")),
            to: Some(samples::date("01/02/2026")),
            ..MovementFilter::default()
        },
    ];
    for filter in filters {
        for after in [None, Some(12)] {
            let expected: Vec<_> = all
                .iter()
                .filter(|m| after.is_none_or(|after| m.movement_id.value() > after))
                .filter(|m| filter.medicine.as_ref().is_none_or(|key| m.medicine.key() == key))
                .filter(|m| filter.lot.as_ref().is_none_or(|lot| m.lot_id().lot_key() == lot.as_ref()))
                .filter(|m| filter.expires.is_none_or(|day| m.expires == Some(day)))
                .filter(|m| filter.kind.is_none_or(|kind| m.kind == kind))
                .filter(|m| filter.invoice_id.is_none_or(|id| m.invoice_id == Some(id)))
                .filter(|m| filter.from.is_none_or(|day| m.day >= day) && filter.to.is_none_or(|day| m.day <= day))
                .take(5)
                .map(|m| RecordKey::Movement(m.movement_id))
                .collect();
            assert!(!expected.is_empty(), "{filter:?} finds nothing to check");
            let query = Movement::list(&filter, after.map(samples::movement_id));
            let found: Vec<_> = subject.list(&query, 5).into_iter().map(|found| found.record.key()).collect();
            assert_eq!(found, expected, "{query:?}");
        }
    }
}

pub(in crate::store) fn days_of_stock_begin_with_the_last_before(subject: Subject) {
    let names = ["a", "b", "c"].map(samples::medicine);
    let days = |name: usize, days: &[&str]| {
        let name = &names[name];
        days.iter().map(|day| Change::put(StockDay::new(name.clone(), samples::date(day)))).collect::<Vec<_>>()
    };
    let mut changes = days(0, &["01/01/2026", "05/01/2026", "11/01/2026", "20/01/2026", "21/01/2026"]);
    changes.extend(days(1, &["10/01/2026", "12/01/2026"]));
    changes.extend(days(2, &["02/01/2026", "03/01/2026"]));
    subject.commit(changes);
    let listed = |medicine: Option<usize>, from: &str, to: &str| {
        let medicine = medicine.map(|name| names[name].key().clone());
        let query = StockDay::list((samples::date(from), samples::date(to)), medicine, None);
        let found = subject.list(&query, 100).into_iter();
        found.map(|found| found.record.key().id()[..2].to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(listed(None, "10/01/2026", "20/01/2026"), "05 11 20 10 12 03");
    assert_eq!(listed(Some(0), "10/01/2026", "20/01/2026"), "05 11 20");
    assert_eq!(listed(Some(2), "10/01/2026", "20/01/2026"), "03");
    assert_eq!(listed(Some(1), "01/01/2026", "09/01/2026"), "");
    let all = |first: Date| listed(None, &first.to_string(), "31/12/9999");
    assert_eq!(all(Date::MIN), "01 05 11 20 21 10 12 02 03");
}

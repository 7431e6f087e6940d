//! Decisions that a store may batch: each sees what those before it have left.

use std::{collections::BTreeSet, thread, time::Duration};

use care_core::{
    error::Error,
    model::{Item, MedicineName, Stock},
    store::{
        Ask, Change, Counter, Decision, Entity, Key, Record, RecordKind, Reply, ReplyId, RequestKey, Seq, Series,
        Versioned,
    },
};

use crate::{
    samples,
    store::{race::race, subject::Subject},
};

const RACERS: usize = 64;
/// The time in which the decisions gather behind a slow one.
const PAUSE: Duration = Duration::from_millis(40);

/// Runs a function on all racers but one at once, behind a decision that takes a while.
fn together(subject: &Subject, decide: impl Fn(usize) + Sync) {
    race(RACERS, |racer| match racer {
        0 => drop(subject.attempt(|_| {
            thread::sleep(PAUSE);
            Ok(Vec::new())
        })),
        _ => {
            thread::sleep(PAUSE / 4);
            decide(racer);
        }
    });
}

pub(in crate::store) fn a_stock_that_comes_and_goes_is_what_the_one_before_left(subject: Subject) {
    let name = samples::medicine("Ibuprofen");
    let item = samples::item(&name);
    subject.commit(vec![Change::put(item.clone())]);
    together(&subject, |_| {
        let (name, item) = (name.clone(), item.clone());
        let seq = subject.attempt(move |seen| {
            let last = seen.get::<Counter>(Series::Invoice)?.map_or(0, |found| found.record.last);
            let change = match seen.one::<Stock>(key(&name))? {
                Some(_) => Change::Remove(Stock::key(name.key().clone())),
                // Without a stock the key names the item.
                None => match seen.one(Item::without_stock(name.key().clone()))?.map(|found| found.record) {
                    Some(found) if *found == item => Change::put(samples::stock(&name)),
                    _ => return Err(Error::NotFound(RecordKind::Item).into()),
                },
            };
            Ok(vec![change, Change::put(Counter { series: Series::Invoice, last: last + 1 })])
        });
        assert!(matches!(seq, Ok(Some(_))), "{seq:?}");
    });
    let entries = subject.entries();
    let mut version = Seq::ZERO;
    for (entry, number) in entries.iter().skip(1).zip(1_i64..) {
        let changes: Vec<_> = entry.changes().cloned().collect();
        assert_eq!(matches!(changes[0], Change::Put(_)), number % 2 == 1, "entry {number} of {entries:?}");
        assert_eq!(entry.revisions[0].replaced, version, "entry {number}");
        version = if number % 2 == 1 { entry.seq } else { Seq::ZERO };
        assert_eq!(changes[1], Change::put(Counter { series: Series::Invoice, last: number }));
    }
    assert_eq!(entries.len(), RACERS);
    let last = subject.one::<Stock>(key(&name)).map(|found| found.version);
    assert_eq!(last.unwrap_or_default(), version);
}

pub(in crate::store) fn a_reply_that_was_just_replaced_is_not_an_old_one(subject: Subject) {
    let Some(maintenance) = subject.store().maintenance() else { return };
    let reply = |number: usize, millis| Reply {
        reply_id: ReplyId::random(),
        request: Some(RequestKey { actor: "suite".into(), key: number.to_string().into() }),
        at: samples::instant(millis),
        ..samples::replies().swap_remove(0)
    };
    // The only one that is old.
    let replaced = reply(0, 0);
    subject.commit(vec![Change::put(replaced.clone())]);
    let replies = [0, 1, 2].map(|number| reply(number, 900));
    let put = |own: Reply| -> Decision {
        Box::new(move |seen| {
            let old = Reply::oldest_before(samples::instant(500));
            let earlier = own.request.as_ref().map(Reply::to);
            seen.need([old.clone().into()].into_iter().chain(earlier.clone().map(Key::from)))?;
            let mut gone: BTreeSet<_> = seen.all::<Reply>(old)?.map(|old| old.record.reply_id.clone()).collect();
            if let Some(earlier) = earlier {
                gone.extend(seen.one::<Reply>(earlier)?.map(|earlier| earlier.record.reply_id.clone()));
            }
            let gone = gone.into_iter().map(|id| Change::Remove(Reply::key(id)));
            Ok(gone.chain([Change::put(own.clone())]).collect::<Vec<_>>().into())
        })
    };
    let mut decisions: Vec<_> = replies.iter().cloned().map(put).collect();
    let decided =
        maintenance.transaction(move |transaction| Ok(transaction.decide_each(&samples::act(), &mut decisions)?));
    let decided = subject.block_on(decided).expect("the work is done");
    assert!(decided.iter().all(|decided| matches!(decided, Ok(Some(_)))), "{decided:?}");
    for reply in replies {
        let found = subject.record(Reply::key(reply.reply_id.clone())).map(|found| found.record);
        assert_eq!(found, Some(Record::from(reply)));
    }
    assert_eq!(subject.record(Reply::key(replaced.reply_id)), None);
}

fn key(medicine: &MedicineName) -> Ask<Option<Versioned<Stock>>> {
    Stock::or_item(medicine.key().clone())
}

//! The stored keys of clients.

use care_core::{
    error::StoreErrorKind,
    model::{ApiKey, KeyRecord, Scope, Scopes},
    operation::JournalOperation,
    store::{Change, KeyDecision, KeyPlan, Outcome, Plan, Query, Record, RecordKey, Revision, Seen, Seq, Stop},
};

use crate::{
    samples,
    store::{
        race::race,
        subject::{ALL, Subject, planted_panic},
    },
};

const RACERS: usize = 16;

fn keys(subject: &Subject) -> Vec<ApiKey> {
    let keys = subject.keys().expect("the case is left out without keys");
    subject.block_on(keys.api_keys()).expect("the keys are read")
}

fn decide(
    subject: &Subject,
    mut decision: impl FnMut(&[ApiKey]) -> Vec<ApiKey> + Send + 'static,
) -> Result<(), StoreErrorKind> {
    plan(subject, move |keys| KeyPlan { keys: decision(keys), entry: None })
}

fn plan(subject: &Subject, plan: impl FnMut(&[ApiKey]) -> KeyPlan + Send + 'static) -> Result<(), StoreErrorKind> {
    let decision: KeyDecision = Box::new(plan);
    let keys = subject.keys().expect("the case is left out without keys");
    subject.block_on(keys.decide_keys(decision)).map_err(|error| error.kind())
}

fn keep(subject: &Subject, kept: Vec<ApiKey>) {
    decide(subject, move |_| kept.clone()).expect("the keys are taken");
}

pub(in crate::store) fn a_fresh_store_has_no_key(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    assert_eq!(keys(&subject), []);
    decide(&subject, |keys| {
        assert!(keys.is_empty());
        Vec::new()
    })
    .expect("a decision may want nothing");
    assert_eq!(keys(&subject), []);
}

pub(in crate::store) fn keys_read_back_by_id(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    let forms = samples::api_key_forms();
    // The keys are put in another order than that of their ids.
    for key in forms.iter().rev() {
        keep(&subject, vec![key.clone()]);
    }
    assert_eq!(keys(&subject), forms);
    decide(&subject, move |keys| {
        assert_eq!(keys, forms);
        Vec::new()
    })
    .expect("a decision sees the keys");
}

pub(in crate::store) fn a_key_kept_again_is_replaced_and_the_others_stay(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    let mut forms = samples::api_key_forms();
    keep(&subject, forms.clone());
    let at = samples::act().at;
    for key in &mut forms[..2] {
        *key = ApiKey {
            revoked: Some(at),
            expires: Some(at),
            scopes: [Scope::Admin].into_iter().collect(),
            ..key.clone()
        };
    }
    keep(&subject, forms[..2].to_vec());
    assert_eq!(keys(&subject), forms);
}

pub(in crate::store) fn a_panic_about_keys_writes_nothing(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    let forms = samples::api_key_forms();
    keep(&subject, forms.clone());
    for _ in 0..3 {
        let panicked = decide(&subject, |_| planted_panic());
        assert_eq!(panicked, Err(StoreErrorKind::Broken));
    }
    assert_eq!(keys(&subject), forms);
    keep(&subject, vec![ApiKey { scopes: Scopes::NONE, ..forms[0].clone() }]);
    assert_eq!(keys(&subject)[0].scopes, Scopes::NONE);
}

pub(in crate::store) fn racers_lose_no_change_of_a_key(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    let first = samples::api_key_forms().swap_remove(0);
    let created = first.created.unix_millis();
    keep(&subject, vec![first]);
    race(RACERS, |_| {
        for _ in 0..4 {
            decide(&subject, |keys| {
                let next = keys[0].created.unix_millis() + 1;
                vec![ApiKey { created: samples::instant(next), ..keys[0].clone() }]
            })
            .expect("the decision is taken");
        }
    });
    assert_eq!(keys(&subject)[0].created.unix_millis(), created + 4 * RACERS as i64);
}

/// Keeps keys together with the entry that says so.
fn enter(subject: &Subject, kept: Vec<ApiKey>) {
    let entered = plan(subject, move |_| {
        let changes: Vec<_> = kept.iter().map(KeyRecord::from).map(Change::put).collect();
        let decision = Box::new(move |_: &Seen| Ok(Outcome::from(changes.clone())));
        let mut act = samples::act();
        act.operation = JournalOperation::IssueKey;
        KeyPlan { keys: kept.clone(), entry: Some((act, decision)) }
    });
    entered.expect("the keys are taken");
}

pub(in crate::store) fn keys_and_their_entry_are_kept_together(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    let key = samples::api_key_forms().swap_remove(0);
    subject.put(samples::patient(7));
    enter(&subject, vec![key.clone()]);
    let changed = ApiKey { scopes: Scopes::NONE, ..key.clone() };
    enter(&subject, vec![changed.clone()]);
    subject.put(samples::patient(8));
    let entries = subject.entries();
    let said = |entry: usize| {
        let revision = &entries[entry].revisions[0];
        (revision.change.clone(), revision.replaced, entries[entry].operation.clone())
    };
    let put = |key: &ApiKey| Change::put(KeyRecord::from(key));
    assert_eq!(said(1), (put(&key), Seq::ZERO, "issueKey".into()));
    assert_eq!(said(2), (put(&changed), Seq::new(2), "issueKey".into()));
    assert_eq!((entries.len(), keys(&subject)), (4, vec![changed.clone()]));
    let listed = subject.list(&Query::All { after: None }, ALL);
    let record = subject.record(RecordKey::Key(key.id)).expect("the record of the key");
    assert_eq!(listed.last(), Some(&record));
    assert_eq!((record.version, record.record), (Seq::new(3), Record::from(KeyRecord::from(&changed))));
}

pub(in crate::store) fn a_panic_about_the_entry_of_keys_writes_nothing(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    subject.put(samples::patient(7));
    let forms = samples::api_key_forms();
    let panicked = plan(&subject, move |_| {
        let decision = Box::new(|_: &Seen| -> Result<Outcome, Stop> { planted_panic() });
        KeyPlan { keys: forms.clone(), entry: Some((samples::act(), decision)) }
    });
    assert_eq!(panicked, Err(StoreErrorKind::Broken));
    assert_eq!((keys(&subject), subject.entries().len()), (Vec::new(), 1));
    enter(&subject, samples::api_key_forms());
    assert_eq!(subject.entries().len(), 2);
}

pub(in crate::store) fn a_replay_brings_no_keys(subject: Subject) {
    let Some(store) = subject.keys() else { return };
    let replayed = || subject.block_on(store.replayed()).expect("the number is read");
    let own = samples::api_key_forms().swap_remove(0);
    enter(&subject, vec![own.clone()]);
    assert_eq!(replayed(), Seq::ZERO);
    let revoked = ApiKey { revoked: Some(samples::act().at), ..own.clone() };
    let revisions = vec![Revision::of(Change::put(KeyRecord::from(&revoked)), Seq::new(1))];
    let last = subject.entries().pop().expect("the key's entry").head();
    let next = samples::act().enter(last, Plan { revisions, ..Plan::default() }).expect("an entry");
    subject.block_on(subject.store().replay(vec![next])).expect("it comes next");
    assert_eq!((replayed(), keys(&subject)), (Seq::new(2), vec![own]));
    subject.put(samples::patient(7));
    assert_eq!(replayed(), Seq::new(2));
}

pub(in crate::store) fn keys_are_no_records(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    subject.put(samples::patient(7));
    let scan = || subject.list(&care_core::store::Query::All { after: None }, ALL);
    let (entries, records) = (subject.entries(), scan());
    keep(&subject, samples::api_key_forms());
    assert_eq!(subject.entries(), entries, "no entry speaks of them");
    assert_eq!(scan(), records);
}

pub(in crate::store) fn keys_are_there_after_reopening(subject: Subject) {
    if subject.keys().is_none() {
        return;
    }
    let forms = samples::api_key_forms();
    keep(&subject, forms.clone());
    subject.put(samples::patient(7));
    let revoked = ApiKey { revoked: Some(samples::act().at), ..forms[0].clone() };
    keep(&subject, vec![revoked.clone()]);
    let Some(subject) = subject.reopen() else {
        return;
    };
    let expected: Vec<_> = std::iter::once(revoked).chain(forms.into_iter().skip(1)).collect();
    assert_eq!(keys(&subject), expected);
    assert_eq!(subject.entries().len(), 1);
}

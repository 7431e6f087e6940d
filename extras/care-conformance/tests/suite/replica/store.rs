//! A store of two memory stores: decisions run in one of them, and reads are answered from the other.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use async_trait::async_trait;
use care_core::{
    error::{Error, StoreError, StoreErrorKind},
    model::{ApiKey, PatientId},
    store::{
        Act, ApiKeys, Change, CommitNotifier, Decision, Entry, Epoch, Journal, Key, KeyDecision, Limit, Link, Lookup,
        MemoryStore, Outcome, Portion, Query, Question, Record, RecordKey, RecordKind, Records, ReplayError, Rows,
        Seen, Seq, Stop, Versioned, drive,
    },
};

use super::{faults::Defect, insist_on_the_fixture};

pub(crate) struct ReplicaStore {
    decided: MemoryStore,
    readable: MemoryStore,
    has_lost_keys: bool,
    order: Mutex<()>,
    panicked: AtomicBool,
    fault: Defect,
}

impl ReplicaStore {
    pub(crate) fn new(fault: Defect) -> Self {
        Self {
            decided: MemoryStore::new(),
            readable: MemoryStore::new(),
            has_lost_keys: false,
            order: Mutex::new(()),
            panicked: AtomicBool::new(false),
            fault,
        }
    }

    /// Returns a store with the same records and without the keys.
    pub(crate) fn without_keys(self) -> Self {
        Self { has_lost_keys: true, ..self }
    }

    fn decide(&self, act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        let _order = self.order.lock().expect("nothing panics under it");
        if self.fault == Defect::AnswersBeforeItShows {
            self.show()?;
        }
        let seq = now(self.decided.transact(act, decision));
        if self.fault != Defect::AnswersBeforeItShows {
            self.show()?;
        }
        seq
    }

    /// Copies the latest decisions to the store of the reads.
    fn show(&self) -> Result<(), Error> {
        let shown = last(&self.readable)?;
        let entries = now(self.decided.journal(shown, Limit::ALL))?.items;
        now(self.readable.replay(entries)).map_err(broken)?;
        Ok(())
    }

    /// Returns the decision in the form in which a store with this defect would run it.
    fn distorted(&self, mut decision: Decision) -> Decision {
        let fault = self.fault;
        Box::new(move |seen| {
            let mut outcome = match decision(seen) {
                Ok(outcome) => outcome,
                Err(Stop::Refuse(_)) if fault == Defect::EntersRefusals => {
                    return Ok(nothing().into());
                }
                Err(Stop::Need(keys)) if fault == Defect::LoadsKeyByKey => {
                    return Err(Stop::Need(keys.into_iter().take(1).collect::<Vec<_>>().into()));
                }
                stopped => return stopped,
            };
            let Outcome { changes, reads, .. } = &mut outcome;
            match fault {
                Defect::LosesReads => reads.clear(),
                Defect::LosesTheLastChange if changes.len() > 1 => drop(changes.pop()),
                Defect::ReversesChanges => changes.reverse(),
                Defect::EntersEmptyDecisions if changes.is_empty() => *changes = nothing(),
                Defect::SkipsRemovals => changes.retain(|c| matches!(c, Change::Put(_))),
                _ => {}
            }
            Ok(outcome)
        })
    }

    /// Decides on one snapshot and writes later, without checking again.
    fn decide_on_old_news(&self, act: Act, mut decision: Decision) -> Result<Option<Seq>, Error> {
        let mut wanted = Outcome::default();
        now(self.readable.read(&mut |seen: &mut Seen| {
            wanted = decision(seen)?;
            Ok(())
        }))?;
        // Another decision can run on the same snapshot meanwhile.
        std::thread::sleep(Duration::from_millis(1));
        self.decide(act, always(wanted))
    }

    /// Commits each change separately, and releases the lock in between.
    async fn decide_by_halves(&self, act: Act, mut decision: Decision) -> Result<Option<Seq>, Error> {
        let mut wanted = Outcome::default();
        now(self.readable.read(&mut |seen: &mut Seen| {
            wanted = decision(seen)?;
            Ok(())
        }))?;
        let mut seq = None;
        for change in wanted.changes {
            seq = self.decide(act.clone(), always(vec![change].into()))?;
            let mut again = true;
            poll_fn(|context| {
                context.waker().wake_by_ref();
                if std::mem::take(&mut again) { Poll::Pending } else { Poll::Ready(()) }
            })
            .await;
        }
        Ok(seq)
    }
}

#[async_trait]
impl Records for ReplicaStore {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        insist_on_the_fixture();
        if self.fault == Defect::ReadsWait {
            drop(self.order.lock());
        }
        if self.fault == Defect::ReadsKeyByKey {
            return drive(question, |key| Ok(regular_demand(&self.readable, key)));
        }
        self.readable.read(question).await
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        insist_on_the_fixture();
        let mut query = query.clone();
        if let Query::Rows(Rows { selection, after }) | Query::Named(Rows { selection, after }, _) = &mut query
            && selection.kind == RecordKind::Patient
        {
            match self.fault {
                Defect::IgnoresCursors => *after = None,
                Defect::IncludesTheCursor => {
                    *after = after.take().and_then(|key| match key {
                        RecordKey::Patient(id) => PatientId::try_from(id.value() - 1).ok().map(RecordKey::Patient),
                        _ => None,
                    });
                }
                Defect::IgnoresPhones => {
                    selection.terms.retain(|term| term.column() != "phone");
                    selection.index = selection.index.filter(|index| index.columns != ["phone"]);
                }
                _ => {}
            }
        }
        if let (Query::All { after }, Defect::ForgetsWhereItWas) = (&mut query, self.fault) {
            *after = after.take().filter(|key| !matches!(key, RecordKey::Demand(_)));
        }
        let limit = match self.fault {
            Defect::IgnoresLimits => Limit::ALL,
            Defect::IgnoresBytes => Limit::items(limit.items),
            _ => limit,
        };
        let mut listed = self.readable.list(&query, limit).await?;
        match self.fault {
            Defect::ListsBackwards => listed.items.reverse(),
            Defect::SaysThereIsMore => listed.more = true,
            Defect::ListsOldVersions => {
                listed.items.iter_mut().for_each(|found| found.version = Seq::new(1));
            }
            _ => {}
        }
        Ok(listed)
    }
}

#[async_trait]
impl Journal for ReplicaStore {
    fn epoch(&self) -> Epoch {
        self.decided.epoch()
    }

    async fn transact(&self, mut act: Act, decision: Decision) -> Result<Option<Seq>, Error> {
        insist_on_the_fixture();
        if self.panicked.load(Ordering::SeqCst) {
            return Err(Error::Store(StoreErrorKind::Stopped.into()));
        }
        if self.fault == Defect::ForgetsTheActor {
            act.actor = "".into();
        }
        if self.fault == Defect::ForgetsDeadlines {
            act.until = None;
        }
        let outcome = match self.fault {
            Defect::DecidesOnOldNews => self.decide_on_old_news(act, decision),
            Defect::DecidesByHalves => self.decide_by_halves(act, decision).await,
            _ => self.decide(act, self.distorted(decision)),
        };
        if self.fault == Defect::StopsAfterAPanic {
            let broken = matches!(&outcome, Err(Error::Store(error)) if error.kind() == StoreErrorKind::Broken);
            self.panicked.store(broken, Ordering::SeqCst);
        }
        outcome
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        insist_on_the_fixture();
        let _order = self.order.lock().expect("nothing panics under it");
        let there = last(&self.decided)?;
        let mut replayed = Ok(());
        match self.fault {
            Defect::ReplaysByHalves => {
                for entry in entries {
                    replayed = now(self.decided.replay(vec![entry]));
                    if replayed.is_err() {
                        break;
                    }
                }
            }
            Defect::ReplaysWhatIsMissing => {
                let missing = entries.into_iter().filter(|entry| entry.seq > there);
                replayed = now(self.decided.replay(missing.collect()));
            }
            Defect::LinksReplaysAnew => {
                let mut entries = entries;
                Entry::link(&mut entries, now(self.decided.head())?)?;
                replayed = now(self.decided.replay(entries));
            }
            _ => replayed = now(self.decided.replay(entries)),
        }
        self.show().map_err(broken)?;
        replayed
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        insist_on_the_fixture();
        let after = match self.fault {
            Defect::RepeatsTheEntry => Seq::new(after.value().saturating_sub(1)),
            _ => after,
        };
        let limit = match self.fault {
            Defect::IgnoresBytesOfEntries => Limit::items(limit.items),
            _ => limit,
        };
        let mut entries = self.readable.journal(after, limit).await?;
        if self.fault == Defect::ForgetsWhatItReplaced {
            let revisions = entries.items.iter_mut().flat_map(|entry| &mut entry.revisions);
            revisions.for_each(|revision| revision.replaced = Seq::ZERO);
        }
        if self.fault == Defect::LosesLinks {
            entries.items.iter_mut().for_each(|entry| entry.link = Link::ZERO);
        }
        if self.fault == Defect::LosesSpellings {
            for revision in entries.items.iter_mut().flat_map(|entry| &mut entry.revisions) {
                if let Change::Put(Record::Item(item)) = &mut revision.change {
                    let folded = item.medicine.key().as_str().to_owned();
                    item.medicine = folded.try_into().unwrap_or(item.medicine.clone());
                }
            }
        }
        Ok(entries)
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        if self.fault != Defect::TellsNobody {
            self.readable.add_notifier(notifier);
        }
    }
}

#[async_trait]
impl ApiKeys for ReplicaStore {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        insist_on_the_fixture();
        if self.has_lost_keys {
            return Ok(Vec::new());
        }
        let mut keys = self.decided.api_keys().await?;
        match self.fault {
            Defect::ForgetsRevocations => keys.iter_mut().for_each(|key| key.revoked = None),
            Defect::KeepsOneKey => keys.truncate(1),
            _ => {}
        }
        Ok(keys)
    }

    async fn decide_keys(&self, mut decision: KeyDecision) -> Result<(), StoreError> {
        insist_on_the_fixture();
        if self.panicked.load(Ordering::SeqCst) {
            return Err(StoreErrorKind::Stopped.into());
        }
        if self.fault == Defect::DecidesOnOldKeys {
            let kept = decision(&self.decided.api_keys().await?);
            // Another decision can run on the same snapshot meanwhile.
            std::thread::sleep(Duration::from_millis(1));
            let mut kept = Some(kept);
            return self.decided.decide_keys(Box::new(move |_| kept.take().unwrap_or_default())).await;
        }
        let decided = self.decided.decide_keys(decision).await;
        self.show().map_err(broken)?;
        if self.fault == Defect::EntersKeys {
            let act = care_conformance::samples::act();
            self.decide(act, always(nothing().into())).map_err(broken)?;
        }
        let panicked = decided.is_err() && self.fault == Defect::StopsAfterAKeyPanic;
        self.panicked.store(panicked, Ordering::SeqCst);
        decided
    }

    async fn replayed(&self) -> Result<Seq, StoreError> {
        self.decided.replayed().await
    }
}

/// Returns the result of a memory store's future, which is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("the memory store never waits"),
    }
}

fn last(store: &MemoryStore) -> Result<Seq, StoreError> {
    let entries = now(store.journal(Seq::ZERO, Limit::ALL))?.items;
    Ok(entries.last().map_or(Seq::ZERO, |entry| entry.seq))
}

/// Returns the error for a failure that a memory store does not have.
fn broken(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::new(StoreErrorKind::Broken, error)
}

fn always(outcome: Outcome) -> Decision {
    Box::new(move |_| Ok(outcome.clone()))
}

/// Returns a change without effect: the removal of an absent record.
fn nothing() -> Vec<Change> {
    PatientId::try_from(i64::MAX).map(RecordKey::Voided).map(Change::Remove).into_iter().collect()
}

/// Returns the answer to a regular_demand key, loaded in a snapshot of its own.
fn regular_demand(store: &MemoryStore, key: &Key) -> Lookup {
    let mut found = Lookup::None;
    let loaded = now(store.read(&mut |seen: &mut Seen| {
        found = seen.lookup(key)?;
        Ok(())
    }));
    loaded.map_or(Lookup::None, |()| found)
}

//! The memory store.

mod filters;
mod maintenance;
mod portions;
mod terms;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound::{Excluded, Included, Unbounded},
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use self::{
    filters::{
        matches_consultation, matches_invoice, matches_movement, matches_patient, matches_prescription,
        matches_receipt, matches_stock,
    },
    portions::{portion, record_json},
    terms::Terms,
};
use super::{
    Act, ApiKeys, Change, CommitNotifier, CommitNotifiers, Counter, Deciding, Decision, Entity, Entry, Epoch, Head,
    Journal, Key, KeyDecision, KeyPlan, Limit, Lookup, Maintenance, Plan, Portion, Query, Question, Record, RecordKey,
    Records, ReplayError, Reply, ReplyId, RequestKey, Seq, Series, Transaction, Versioned, drive_keys, find::find,
};
use crate::{
    error::{Error, StoreError, StoreErrorKind},
    model::{
        ApiKey, Consultation, ConsultationId, Date, Demand, Diagnosis, EveryDays, Invoice, InvoiceId, InvoiceState,
        Item, KeyId, LotId, MedicineKey, Movement, MovementId, OpenLot, Patient, PatientId, Prescription,
        PrescriptionId, Receipt, ReceiptId, RegularDemand, Stock, StockDay, Takings, TakingsKey, Timestamp, find_terms,
    },
};

/// A store in memory, for tests and demonstrations, and as the target of a replay.
///
/// One lock guards the whole store, and a decision runs under it. Nothing waits while it holds the lock.
#[derive(Debug)]
pub struct MemoryStore {
    epoch: Epoch,
    state: Mutex<State>,
    notifiers: CommitNotifiers,
}

#[derive(Debug, Clone, Default)]
struct State {
    records: BTreeMap<RecordKey, Versioned<Record>>,
    /// The terms of patients.
    terms: BTreeSet<(String, PatientId)>,
    prescriptions: BTreeSet<(PatientId, MedicineKey, PrescriptionId)>,
    /// The active prescriptions for each medicine.
    active_for: BTreeSet<(MedicineKey, PrescriptionId)>,
    consultations: BTreeSet<(PatientId, ConsultationId)>,
    diagnoses: BTreeSet<(PatientId, ConsultationId)>,
    unpaid: BTreeSet<(PatientId, InvoiceId, PrescriptionId)>,
    unpaid_of: BTreeMap<PrescriptionId, InvoiceId>,
    /// The paid invoices of each patient, by receipt.
    paid: BTreeSet<(PatientId, ReceiptId, InvoiceId)>,
    paid_of: BTreeSet<(PrescriptionId, InvoiceId)>,
    corrections: BTreeSet<(ReceiptId, ReceiptId)>,
    reversals: BTreeMap<MovementId, MovementId>,
    replies: BTreeSet<(Timestamp, ReplyId)>,
    replies_to: BTreeMap<RequestKey, ReplyId>,
    journal: Vec<Entry>,
    keys: BTreeMap<KeyId, ApiKey>,
    /// The last entry that was replayed.
    replayed: Seq,
}

impl MemoryStore {
    /// Returns an empty store.
    pub fn new() -> Self {
        Self { epoch: Epoch::random(), state: Mutex::default(), notifiers: CommitNotifiers::default() }
    }

    /// Sets the epoch instead of a random one, so that tests know their entity tags.
    #[must_use]
    pub const fn with_epoch(mut self, epoch: Epoch) -> Self {
        self.epoch = epoch;
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Panics in decisions are caught before they can poison the lock, and `apply` leaves no change half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Records for MemoryStore {
    async fn read(&self, question: &mut Question<'_>) -> Result<(), Error> {
        let state = self.state();
        Deciding::new(question).finish_within(|key, room| Ok(state.load(key, room)))
    }

    async fn list(&self, query: &Query, limit: Limit) -> Result<Portion<Versioned<Record>>, StoreError> {
        Ok(self.state().list(query, limit))
    }
}

#[async_trait]
impl Journal for MemoryStore {
    fn epoch(&self) -> Epoch {
        self.epoch
    }

    async fn transact(&self, act: Act, mut decision: Decision) -> Result<Option<Seq>, Error> {
        let mut state = self.state();
        act.in_time()?;
        let plan = Deciding::of(&mut decision).finish_within(|key, room| {
            act.in_time()?;
            Ok(state.load(key, room))
        })?;
        let written = state.write(&act, plan)?;
        drop(state);
        if let Some(seq) = written {
            self.notifiers.announce(seq);
        }
        Ok(written)
    }

    async fn replay(&self, entries: Vec<Entry>) -> Result<(), ReplayError> {
        let mut state = self.state();
        ReplayError::unless_next(state.head(), &entries)?;
        for entry in entries {
            state.replayed = entry.seq;
            state.enter(entry);
        }
        let last = state.head().seq;
        drop(state);
        self.notifiers.announce(last);
        Ok(())
    }

    async fn journal(&self, after: Seq, limit: Limit) -> Result<Portion<Entry>, StoreError> {
        Ok(self.state().entries(after, limit))
    }

    async fn instants(&self, entries: &[Seq]) -> Result<Vec<Timestamp>, StoreError> {
        let state = self.state();
        let instant = |entry: &Seq| {
            let place = state.journal.binary_search_by_key(entry, |entry| entry.seq);
            place.map(|place| state.journal[place].at).map_err(|_| StoreErrorKind::Broken.into())
        };
        entries.iter().map(instant).collect()
    }

    async fn last(&self) -> Result<Seq, StoreError> {
        Ok(self.state().head().seq)
    }

    async fn head(&self) -> Result<Head, StoreError> {
        Ok(self.state().head())
    }

    fn add_notifier(&self, notifier: CommitNotifier) {
        self.notifiers.add(notifier);
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(self)
    }
}

#[async_trait]
impl ApiKeys for MemoryStore {
    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        Ok(self.state().keys.values().cloned().collect())
    }

    async fn decide_keys(&self, mut decision: KeyDecision) -> Result<(), StoreError> {
        let mut state = self.state();
        let all: Vec<_> = state.keys.values().cloned().collect();
        let KeyPlan { keys, entry } = drive_keys(&mut decision, &all)?;
        if let Some((act, mut entry)) = entry {
            state.decide(&act, &mut entry).map_err(StoreError::of_key_entry)?;
        }
        state.keys.extend(keys.into_iter().map(|key| (key.id.clone(), key)));
        let last = state.head().seq;
        drop(state);
        self.notifiers.announce(last);
        Ok(())
    }

    async fn replayed(&self) -> Result<Seq, StoreError> {
        Ok(self.state().replayed)
    }
}

impl State {
    fn head(&self) -> Head {
        self.journal.last().map_or(Head::START, Entry::head)
    }

    /// Writes what a decision has led to, and returns the number of its entry.
    fn write(&mut self, act: &Act, plan: Plan) -> Result<Option<Seq>, StoreError> {
        if plan.is_empty() {
            return Ok(None);
        }
        let entry = act.enter(self.head(), plan)?;
        let seq = entry.seq;
        self.enter(entry);
        Ok(Some(seq))
    }

    fn entries(&self, after: Seq, limit: Limit) -> Portion<Entry> {
        let from = self.journal.partition_point(|entry| entry.seq <= after);
        portion(&self.journal[from..], limit, serde_json::to_string)
    }

    /// Applies an entry and stores it.
    fn enter(&mut self, entry: Entry) {
        for change in entry.changes() {
            self.apply(entry.seq, change.clone());
        }
        self.journal.push(entry);
    }

    /// Returns what a key means, of several records no more than there is room for.
    fn load(&self, key: &Key, room: usize) -> Lookup {
        match key {
            Key::Record(key) => self.records.get(key).cloned().into(),
            Key::ActivePrescription(patient, medicine) => self
                .prescriptions_for(*patient, medicine)
                .find(|found| matches!(&found.record, Record::Prescription(p) if p.is_active()))
                .cloned()
                .into(),
            Key::NewestPrescription(patient, medicine) => {
                self.prescriptions_for(*patient, medicine).next_back().cloned().into()
            }
            Key::ActivePrescriptionFor(medicine) => self
                .active_for
                .range((medicine.clone(), PrescriptionId::FIRST)..)
                .next()
                .filter(|(of, _)| of == medicine)
                .and_then(|(_, id)| self.record::<Prescription>(*id))
                .into(),
            Key::ActivePrescriptions(patient) => {
                let first = (*patient, MedicineKey::from_stored(""), PrescriptionId::FIRST);
                let all = self.prescriptions.range(first..).take_while(|(of, ..)| of == patient);
                let records = all.filter_map(|(.., id)| self.records.get(&RecordKey::Prescription(*id)));
                let active = records.filter(|found| matches!(&found.record, Record::Prescription(p) if p.is_active()));
                Lookup::Count(active.count() as u64)
            }
            Key::PrescriptionsOf(patient) => {
                let mut ids: Vec<_> = self
                    .prescriptions
                    .range((*patient, MedicineKey::from_stored(""), PrescriptionId::FIRST)..)
                    .take_while(|(of, ..)| of == patient)
                    .map(|(.., id)| *id)
                    .take(room.saturating_add(1))
                    .collect();
                ids.sort_unstable();
                self.all::<Prescription>(ids, room)
            }
            Key::ConsultationsOf(patient) => self.all::<Consultation>(numbers_of(&self.consultations, *patient), room),
            Key::DiagnosesOf(patient) => self.all::<Diagnosis>(numbers_of(&self.diagnoses, *patient), room),
            Key::UnpaidInvoice(prescription) => {
                self.unpaid_of.get(prescription).and_then(|id| self.record::<Invoice>(*id)).into()
            }
            Key::UnpaidInvoiceOf(patient) => self
                .unpaid
                .range((*patient, InvoiceId::FIRST, PrescriptionId::FIRST)..)
                .next()
                .filter(|(of, ..)| of == patient)
                .and_then(|(_, id, _)| self.record::<Invoice>(*id))
                .into(),
            Key::PaidInvoices(prescription) => {
                let paid =
                    self.paid_of.range((*prescription, InvoiceId::FIRST)..).take_while(|(of, _)| of == prescription);
                self.all::<Invoice>(paid.take(2).map(|(_, id)| *id), room)
            }
            Key::LastPaidInvoices(patient) => {
                let (first, last) = (ReceiptId::FIRST, ReceiptId::try_from(i64::MAX).unwrap_or(ReceiptId::FIRST));
                let highest = InvoiceId::try_from(i64::MAX).unwrap_or(InvoiceId::FIRST);
                let paid = self.paid.range((*patient, first, InvoiceId::FIRST)..=(*patient, last, highest));
                self.all::<Invoice>(paid.rev().take(2).map(|(.., id)| *id), room)
            }
            Key::LastCorrection(receipt) => {
                let last = ReceiptId::try_from(i64::MAX).unwrap_or(ReceiptId::FIRST);
                let mut corrections = self.corrections.range((*receipt, ReceiptId::FIRST)..=(*receipt, last));
                corrections.next_back().and_then(|(_, id)| self.record::<Receipt>(*id)).into()
            }
            Key::StockOrItem(medicine) => {
                self.record::<Stock>(medicine.clone()).or_else(|| self.record::<Item>(medicine.clone())).into()
            }
            Key::OpenLots(medicine) => {
                let lots: Vec<_> = self.lots_of(medicine).take(room.saturating_add(1)).collect();
                match lots.len() > room {
                    true => Lookup::TooMany,
                    false => Lookup::Many(lots.into_iter().cloned().collect()),
                }
            }
            Key::ReversalOf(id) => self.reversals.get(id).and_then(|id| self.record::<Movement>(*id)).into(),
            Key::FreePatientNumber(after) => self.free_patient_number(*after).into(),
            Key::ReplyTo(request) => {
                self.replies_to.get(request).and_then(|id| self.record::<Reply>(id.clone())).into()
            }
            Key::RepliesBefore(instant) => {
                let before = self.replies.iter().take_while(|(at, _)| at < instant).take(2);
                self.all::<Reply>(before.map(|(_, id)| id.clone()), room)
            }
        }
    }

    fn record<E: Entity>(&self, id: E::Id) -> Option<Versioned<Record>> {
        self.records.get(&E::key(id)).cloned()
    }

    fn all<E: Entity>(&self, ids: impl IntoIterator<Item = E::Id>, room: usize) -> Lookup {
        let ids: Vec<_> = ids.into_iter().take(room.saturating_add(1)).collect();
        match ids.len() > room {
            true => Lookup::TooMany,
            false => Lookup::Many(ids.into_iter().filter_map(|id| self.record::<E>(id)).collect()),
        }
    }

    fn prescriptions_for(
        &self,
        patient: PatientId,
        medicine: &MedicineKey,
    ) -> impl DoubleEndedIterator<Item = &Versioned<Record>> {
        let last = PrescriptionId::try_from(i64::MAX).unwrap_or(PrescriptionId::FIRST);
        self.prescriptions
            .range((patient, medicine.clone(), PrescriptionId::FIRST)..=(patient, medicine.clone(), last))
            .filter_map(|(.., id)| self.records.get(&RecordKey::Prescription(*id)))
    }

    /// Returns the open lots of a medicine, in their order.
    fn lots_of(&self, medicine: &MedicineKey) -> impl Iterator<Item = &Versioned<Record>> {
        let lots = self.records.range(RecordKey::OpenLot((medicine.clone(), FIRST_LOT))..).map(|(_, found)| found);
        lots.take_while(move |found| matches!(&found.record, Record::OpenLot(lot) if lot.medicine.key() == medicine))
    }

    fn free_patient_number(&self, after: i64) -> Option<Versioned<Record>> {
        let used = |id| {
            self.records.contains_key(&RecordKey::Patient(id)) || self.records.contains_key(&RecordKey::Voided(id))
        };
        let mut number = after.checked_add(1)?;
        while used(PatientId::try_from(number).ok()?) {
            number = number.checked_add(1)?;
        }
        let counter = Counter { series: Series::Patient, last: number };
        Some(Versioned { version: Seq::ZERO, record: counter.into() })
    }

    fn apply(&mut self, seq: Seq, change: Change) {
        let key = change.key();
        let put = match change {
            Change::Put(record) => Some(record),
            Change::Remove(_) => None,
        };
        if let Some(old) = self.records.remove(&key) {
            self.index(&old.record, false);
        }
        if let Some(record) = put {
            self.index(&record, true);
            self.records.insert(key, Versioned { version: seq, record });
        }
    }

    /// Adds a record to the indexes, or removes it from them.
    fn index(&mut self, record: &Record, enter: bool) {
        fn set<T: Ord>(index: &mut BTreeSet<T>, entry: T, enter: bool) {
            if enter {
                index.insert(entry);
            } else {
                index.remove(&entry);
            }
        }
        match record {
            Record::Prescription(p) => {
                let medicine = p.medicine.key();
                set(&mut self.prescriptions, (p.patient_id, medicine.clone(), p.prescription_id), enter);
                if p.is_active() {
                    set(&mut self.active_for, (medicine.clone(), p.prescription_id), enter);
                }
            }
            Record::Consultation(c) => set(&mut self.consultations, (c.patient_id, c.consultation_id), enter),
            Record::Diagnosis(d) => set(&mut self.diagnoses, (d.patient_id, d.consultation_id), enter),
            Record::Invoice(i) if i.state == InvoiceState::Unpaid => {
                set(&mut self.unpaid, (i.patient_id, i.invoice_id, i.prescription_id), enter);
                if enter {
                    self.unpaid_of.insert(i.prescription_id, i.invoice_id);
                } else {
                    self.unpaid_of.remove(&i.prescription_id);
                }
            }
            Record::Invoice(i) if i.state == InvoiceState::Paid => {
                if let Some(receipt) = i.receipt_id {
                    set(&mut self.paid, (i.patient_id, receipt, i.invoice_id), enter);
                }
                set(&mut self.paid_of, (i.prescription_id, i.invoice_id), enter);
            }
            Record::Receipt(r) => {
                if let Some(corrected) = r.corrects {
                    set(&mut self.corrections, (corrected, r.receipt_id), enter);
                }
            }
            Record::Movement(m) => {
                if let Some(reversed) = m.reverses.filter(|_| enter) {
                    self.reversals.insert(reversed, m.movement_id);
                } else if let Some(reversed) = m.reverses {
                    self.reversals.remove(&reversed);
                }
            }
            Record::Reply(r) => {
                set(&mut self.replies, (r.at, r.id.clone()), enter);
                if let Some(request) = r.request.clone().filter(|_| enter) {
                    self.replies_to.insert(request, r.id.clone());
                } else if let Some(request) = &r.request {
                    self.replies_to.remove(request);
                }
            }
            Record::Patient(p) => {
                find_terms(p).into_iter().for_each(|term| set(&mut self.terms, (term, p.patient_id), enter));
            }
            Record::Invoice(_)
            | Record::Voided(_)
            | Record::History(_)
            | Record::Item(_)
            | Record::Demand(_)
            | Record::RegularDemand(_)
            | Record::Stock(_)
            | Record::OpenLot(_)
            | Record::StockDay(_)
            | Record::Dispensing(_)
            | Record::Takings(_)
            | Record::Counter(_)
            | Record::Key(_) => {}
        }
    }

    fn list(&self, query: &Query, limit: Limit) -> Portion<Versioned<Record>> {
        // The range begins just above the cursor, or at the first key of the kind, and ends with the kind.
        let from = |first: RecordKey, after: Option<RecordKey>| match after {
            Some(key) => (Excluded(key), Unbounded),
            None => (Included(first), Unbounded),
        };
        let empty = || MedicineKey::from_stored("");
        match query {
            Query::Patients { filter, after } => {
                let range = from(RecordKey::Patient(PatientId::FIRST), after.map(RecordKey::Patient));
                self.select::<Patient>(range, limit, |patient| matches_patient(filter, patient))
            }
            Query::FindPatients { text } => {
                match find(text, limit, &mut Terms { records: &self.records, terms: &self.terms }) {
                    Ok(found) => found,
                    Err(never) => match never {},
                }
            }
            Query::Prescriptions { filter, after } => {
                let range = from(RecordKey::Prescription(PrescriptionId::FIRST), after.map(RecordKey::Prescription));
                self.select::<Prescription>(range, limit, |prescription| matches_prescription(filter, prescription))
            }
            Query::SinglePrescriptions { after } => {
                let range = from(RecordKey::Prescription(PrescriptionId::FIRST), after.map(RecordKey::Prescription));
                self.select::<Prescription>(range, limit, |prescription| {
                    prescription.is_active() && !prescription.is_regular()
                })
            }
            Query::Consultations { filter, after } => {
                let range = from(RecordKey::Consultation(ConsultationId::FIRST), after.map(RecordKey::Consultation));
                self.select::<Consultation>(range, limit, |consultation| matches_consultation(filter, consultation))
            }
            Query::Invoices { filter, after } if filter.newest => {
                let last = InvoiceId::try_from(i64::MAX).unwrap_or(InvoiceId::FIRST);
                let end = after.map_or(Included(RecordKey::Invoice(last)), |id| Excluded(RecordKey::Invoice(id)));
                let range = self.records.range((Included(RecordKey::Invoice(InvoiceId::FIRST)), end)).rev();
                matching::<Invoice>(range, limit, |invoice| matches_invoice(filter, invoice))
            }
            Query::Invoices { filter, after } => {
                let range = from(RecordKey::Invoice(InvoiceId::FIRST), after.map(RecordKey::Invoice));
                self.select::<Invoice>(range, limit, |invoice| matches_invoice(filter, invoice))
            }
            Query::Items { after } => {
                let range = from(RecordKey::Item(empty()), after.clone().map(RecordKey::Item));
                self.select::<Item>(range, limit, |_| true)
            }
            Query::Demand { from: first, to: last, after } => {
                let after = after.clone().map(RecordKey::Demand);
                // Days before the period are left out, even when the cursor stands before the period.
                let range = from(RecordKey::Demand((*first, empty())), after);
                self.select::<Demand>(range, limit, |demand| *first <= demand.day && demand.day <= *last)
            }
            Query::RegularDemands { after } => {
                let range = from(
                    RecordKey::RegularDemand((empty(), EveryDays::clamped(1))),
                    after.clone().map(RecordKey::RegularDemand),
                );
                self.select::<RegularDemand>(range, limit, |_| true)
            }
            Query::All { after } => {
                let range = from(RecordKey::Patient(PatientId::FIRST), after.clone());
                portion(self.records.range(range).map(|(_, found)| found), limit, record_json)
            }
            Query::DemandOf { medicine, from: first, to: last } => {
                let range = from(RecordKey::Demand((*first, empty())), None);
                self.select::<Demand>(range, limit, |demand| demand.medicine.key() == medicine && demand.day <= *last)
            }
            Query::Stocks { filter, after } => {
                let range = from(RecordKey::Stock(empty()), after.clone().map(RecordKey::Stock));
                self.select::<Stock>(range, limit, |stock| matches_stock(filter, stock))
            }
            Query::OpenLots { after } => {
                let range = from(RecordKey::OpenLot((empty(), FIRST_LOT)), after.clone().map(RecordKey::OpenLot));
                self.select::<OpenLot>(range, limit, |_| true)
            }
            Query::Movements { filter, after } => {
                let range = from(RecordKey::Movement(MovementId::FIRST), after.map(RecordKey::Movement));
                self.select::<Movement>(range, limit, |movement| matches_movement(filter, movement))
            }
            Query::Receipts { filter, after } => {
                let range = from(RecordKey::Receipt(ReceiptId::FIRST), after.map(RecordKey::Receipt));
                self.select::<Receipt>(range, limit, |receipt| matches_receipt(filter, receipt))
            }
            Query::Takings { holder, from: first, to: last, after } => {
                let begin = TakingsKey { day: *first, holder: "".into(), currency: None };
                let range = from(RecordKey::Takings(begin), after.clone().map(RecordKey::Takings));
                self.select::<Takings>(range, limit, |takings| {
                    (*first..=*last).contains(&takings.of.day)
                        && holder.as_ref().is_none_or(|holder| takings.of.holder == *holder)
                })
            }
            Query::StockDays { medicine, from: first, to: last, after } => {
                let after = after.clone().map(RecordKey::StockDay);
                let range = from(RecordKey::StockDay((empty(), Date::MIN)), after);
                self.select::<StockDay>(range, limit, |day| {
                    medicine.as_ref().is_none_or(|medicine| day.medicine.key() == medicine)
                        && day.day <= *last
                        && (day.day >= *first || self.is_last_before(day, *first))
                })
            }
        }
    }

    /// Returns whether this is the last day of its medicine before the given one.
    fn is_last_before(&self, day: &StockDay, first: Date) -> bool {
        let key = RecordKey::StockDay((day.medicine.key().clone(), day.day));
        let mut later = self.records.range((Excluded(key), Unbounded));
        let next = later.next().and_then(|(_, found)| StockDay::from_record(&found.record));
        next.is_none_or(|next| !next.medicine.is_same(&day.medicine) || next.day >= first)
    }

    fn select<E: Entity>(
        &self,
        range: impl std::ops::RangeBounds<RecordKey>,
        limit: Limit,
        wanted: impl Fn(&E) -> bool,
    ) -> Portion<Versioned<Record>> {
        matching(self.records.range(range), limit, wanted)
    }
}

/// Returns the wanted records of a kind, up to the first of another kind.
fn matching<'a, E: Entity>(
    records: impl Iterator<Item = (&'a RecordKey, &'a Versioned<Record>)>,
    limit: Limit,
    wanted: impl Fn(&E) -> bool,
) -> Portion<Versioned<Record>> {
    let of_kind = records.map_while(|(_, found)| E::from_record(&found.record).zip(Some(found)));
    portion(of_kind.filter(|(record, _)| wanted(record)).map(|(_, found)| found), limit, record_json)
}

/// The lot before all others: of the first day, without a text.
const FIRST_LOT: LotId = LotId { lot: None, expires: Some(Date::MIN) };

/// Returns the numbers of a patient in an index.
fn numbers_of(
    index: &BTreeSet<(PatientId, ConsultationId)>,
    patient: PatientId,
) -> impl Iterator<Item = ConsultationId> {
    index.range((patient, ConsultationId::FIRST)..).take_while(move |(of, _)| *of == patient).map(|(_, id)| *id)
}

//! A model of a store, which answers by looking at every record.

use std::collections::BTreeMap;

use care_core::{
    model::{
        Consultation, Date, Demand, Diagnosis, FindText, Findable, Invoice, InvoiceState, Item, Movement, NamePrefix,
        OpenLot, Patient, PatientId, Prescription, PrescriptionState, Receipt, RegularDemand, Stock, StockDay, Takings,
        folded_name,
    },
    store::{
        Change, ConsultationFilter, Counter, Entity, InvoiceFilter, Key, MovementFilter, PatientFilter,
        PrescriptionFilter, Query, ReceiptFilter, Record, RecordKey, Reply, Seq, Series, StockFilter, Versioned,
    },
};

/// All records, each with the number of the entry that put it.
#[derive(Debug, Clone, Default)]
pub(super) struct Model {
    records: BTreeMap<RecordKey, Versioned<Record>>,
}

impl Model {
    pub(super) fn apply(&mut self, version: Seq, change: &Change) {
        match change {
            Change::Put(record) => {
                let record = record.clone();
                self.records.insert(record.key(), Versioned { version, record });
            }
            Change::Remove(key) => {
                self.records.remove(key);
            }
        }
    }

    pub(super) fn holds(&self, key: &RecordKey) -> bool {
        self.records.contains_key(key)
    }

    /// Returns all records of a kind, in the order of their keys.
    pub(super) fn every<E: Entity>(&self) -> impl Iterator<Item = Versioned<&E>> {
        self.records.values().filter_map(|found| {
            let record = E::from_record(&found.record)?;
            Some(Versioned { version: found.version, record })
        })
    }

    /// Returns the records that answer a key.
    pub(super) fn answer(&self, key: &Key) -> Vec<Versioned<Record>> {
        match key {
            Key::Record(key) => self.records.get(key).cloned().into_iter().collect(),
            Key::ActivePrescription(patient, medicine) => self.those(|p: &Prescription| {
                p.patient_id == *patient && p.medicine.key() == medicine && p.state == PrescriptionState::Active
            }),
            Key::NewestPrescription(patient, medicine) => self
                .those(|p: &Prescription| p.patient_id == *patient && p.medicine.key() == medicine)
                .pop()
                .into_iter()
                .collect(),
            Key::ActivePrescriptionFor(medicine) => self
                .those(|p: &Prescription| p.medicine.key() == medicine && p.state == PrescriptionState::Active)
                .into_iter()
                .take(1)
                .collect(),
            Key::ActivePrescriptions(_) => Vec::new(),
            Key::PrescriptionsOf(patient) => self.those(|p: &Prescription| p.patient_id == *patient),
            Key::ConsultationsOf(patient) => self.those(|c: &Consultation| c.patient_id == *patient),
            Key::DiagnosesOf(patient) => self.those(|d: &Diagnosis| d.patient_id == *patient),
            Key::UnpaidInvoice(prescription) => {
                self.those(|i: &Invoice| i.prescription_id == *prescription && i.state == InvoiceState::Unpaid)
            }
            Key::UnpaidInvoiceOf(patient) => self
                .those(|i: &Invoice| i.patient_id == *patient && i.state == InvoiceState::Unpaid)
                .into_iter()
                .take(1)
                .collect(),
            Key::PaidInvoices(prescription) => self
                .those(|i: &Invoice| i.prescription_id == *prescription && i.state == InvoiceState::Paid)
                .into_iter()
                .take(2)
                .collect(),
            Key::LastPaidInvoices(patient) => {
                let mut paid: Vec<_> = self.every::<Invoice>().collect();
                paid.retain(|i| i.patient_id == *patient && i.state == InvoiceState::Paid);
                paid.sort_by_key(|i| std::cmp::Reverse(i.receipt_id));
                paid.into_iter().take(2).map(owned).collect()
            }
            Key::LastCorrection(receipt) => {
                self.those(|r: &Receipt| r.corrects == Some(*receipt)).pop().into_iter().collect()
            }
            Key::StockOrItem(medicine) => {
                let stock = self.those(|s: &Stock| s.medicine.key() == medicine);
                if stock.is_empty() { self.those(|i: &Item| i.medicine.key() == medicine) } else { stock }
            }
            Key::OpenLots(medicine) => {
                let mut lots: Vec<_> = self.every::<OpenLot>().collect();
                lots.retain(|lot| lot.medicine.key() == medicine);
                lots.sort_by_key(|lot| lot.lot_id());
                lots.into_iter().map(owned).collect()
            }
            Key::ReversalOf(id) => self.those(|m: &Movement| m.reverses == Some(*id)),
            Key::FreePatientNumber(above) => self.free_number(*above).into_iter().collect(),
            Key::ReplyTo(request) => self.those(|r: &Reply| r.request.as_ref() == Some(request)),
            Key::RepliesBefore(instant) => {
                let mut before: Vec<_> = self.every::<Reply>().collect();
                before.retain(|reply| reply.record.at < *instant);
                before.sort_by_key(|reply| (reply.record.at, reply.record.id.clone()));
                let oldest = before.into_iter().take(2);
                oldest.map(|found| Versioned { version: found.version, record: found.record.clone().into() }).collect()
            }
        }
    }

    /// Returns the number that answers a key, or `None` for a key of records.
    pub(super) fn count(&self, key: &Key) -> Option<u64> {
        match key {
            Key::ActivePrescriptions(patient) => {
                let of = |p: &Prescription| p.patient_id == *patient && p.state == PrescriptionState::Active;
                Some(self.those(of).len() as u64)
            }
            Key::Record(_)
            | Key::ActivePrescription(..)
            | Key::NewestPrescription(..)
            | Key::ActivePrescriptionFor(_)
            | Key::PrescriptionsOf(_)
            | Key::ConsultationsOf(_)
            | Key::DiagnosesOf(_)
            | Key::UnpaidInvoice(_)
            | Key::UnpaidInvoiceOf(_)
            | Key::PaidInvoices(_)
            | Key::LastPaidInvoices(_)
            | Key::LastCorrection(_)
            | Key::StockOrItem(_)
            | Key::OpenLots(_)
            | Key::ReversalOf(_)
            | Key::FreePatientNumber(_)
            | Key::ReplyTo(_)
            | Key::RepliesBefore(_) => None,
        }
    }

    /// Returns the first records of a query.
    pub(super) fn list(&self, query: &Query, limit: usize) -> Vec<Versioned<Record>> {
        let mut all = match query {
            Query::Patients { filter: PatientFilter { name_prefix, phone, email }, after } => {
                self.those(|p: &Patient| {
                    let begins = |prefix: &NamePrefix| {
                        let name = p.name.as_ref().map(|name| folded_name(name.as_str()));
                        name.is_some_and(|name| name.starts_with(prefix.as_str()))
                    };
                    after.is_none_or(|after| p.patient_id > after)
                        && name_prefix.as_ref().is_none_or(begins)
                        && (phone.is_none() || *phone == p.phone)
                        && (email.is_none() || *email == p.email)
                })
            }
            Query::FindPatients { text } => self.found(text),
            Query::Prescriptions { filter: PrescriptionFilter { patient_id, medicine, state }, after } => {
                self.those(|p: &Prescription| {
                    after.is_none_or(|after| p.prescription_id > after)
                        && patient_id.is_none_or(|id| id == p.patient_id)
                        && medicine.as_ref().is_none_or(|key| key == p.medicine.key())
                        && state.is_none_or(|state| state == p.state)
                })
            }
            Query::SinglePrescriptions { after } => self.those(|p: &Prescription| {
                let is_single = p.state == PrescriptionState::Active && p.is_regular != Some(true);
                is_single && after.is_none_or(|after| p.prescription_id > after)
            }),
            Query::Consultations { filter: ConsultationFilter { patient_id, state }, after } => {
                self.those(|c: &Consultation| {
                    after.is_none_or(|after| c.consultation_id > after)
                        && patient_id.is_none_or(|id| id == c.patient_id)
                        && state.is_none_or(|state| state == c.state)
                })
            }
            Query::Invoices { filter: InvoiceFilter { patient_id, state, from, to, newest }, after } => {
                let mut found = self.those(|i: &Invoice| {
                    let follows = |after| if *newest { i.invoice_id < after } else { i.invoice_id > after };
                    after.is_none_or(follows)
                        && patient_id.is_none_or(|id| id == i.patient_id)
                        && state.is_none_or(|state| state == i.state)
                        && from.is_none_or(|day| i.invoice_date >= day)
                        && to.is_none_or(|day| i.invoice_date <= day)
                });
                if *newest {
                    found.reverse();
                }
                found
            }
            Query::Items { after } => {
                self.those(|item: &Item| after.as_ref().is_none_or(|after| item.medicine.key() > after))
            }
            Query::Demand { from, to, after } => self.those(|demand: &Demand| {
                let after = after.as_ref().map(|(day, key)| (*day, key));
                (*from..=*to).contains(&demand.day)
                    && after.is_none_or(|after| (demand.day, demand.medicine.key()) > after)
            }),
            Query::RegularDemands { after } => self.those(|regular_demand: &RegularDemand| {
                let key = (regular_demand.medicine.key(), regular_demand.every_days);
                after.as_ref().is_none_or(|(medicine, days)| key > (medicine, *days))
            }),
            Query::DemandOf { medicine, from, to } => self
                .those(|demand: &Demand| demand.medicine.key() == medicine && demand.day >= *from && demand.day <= *to),
            Query::Stocks { filter: StockFilter { expires_to }, after } => self.those(|stock: &Stock| {
                let expires = |to: Date| stock.expires.is_some_and(|day| day <= to);
                after.as_ref().is_none_or(|after| stock.medicine.key() > after) && expires_to.is_none_or(expires)
            }),
            Query::OpenLots { after } => self.those(|lot: &OpenLot| {
                let key = (lot.medicine.key().clone(), lot.lot_id());
                after.as_ref().is_none_or(|after| key > *after)
            }),
            Query::Movements {
                filter: MovementFilter { medicine, lot, expires, kind, invoice_id, from, to },
                after,
            } => self.those(|m: &Movement| {
                after.is_none_or(|after| m.movement_id > after)
                    && medicine.as_ref().is_none_or(|key| key == m.medicine.key())
                    && lot.as_ref().is_none_or(|lot| *lot == m.lot)
                    && expires.is_none_or(|day| m.expires == Some(day))
                    && kind.is_none_or(|kind| kind == m.kind)
                    && invoice_id.is_none_or(|id| m.invoice_id == Some(id))
                    && from.is_none_or(|day| m.day >= day)
                    && to.is_none_or(|day| m.day <= day)
            }),
            Query::Receipts { filter: ReceiptFilter { invoice_id, holder, kind, from, to }, after } => {
                self.those(|r: &Receipt| {
                    after.is_none_or(|after| r.receipt_id > after)
                        && invoice_id.is_none_or(|id| id == r.invoice_id)
                        && holder.as_ref().is_none_or(|holder| *holder == r.holder)
                        && kind.is_none_or(|kind| kind == r.kind)
                        && from.is_none_or(|day| r.day >= day)
                        && to.is_none_or(|day| r.day <= day)
                })
            }
            Query::Takings { holder, from, to, after } => self.those(|t: &Takings| {
                holder.as_ref().is_none_or(|holder| *holder == t.of.holder)
                    && t.of.day >= *from
                    && t.of.day <= *to
                    && after.as_ref().is_none_or(|after| t.of > *after)
            }),
            Query::StockDays { medicine, from, to, after } => self.those(|day: &StockDay| {
                let of_it = || self.every::<StockDay>().filter(|other| other.record.medicine.is_same(&day.medicine));
                let last = of_it().map(|other| other.record.day).filter(|other| other < from).max();
                medicine.as_ref().is_none_or(|key| key == day.medicine.key())
                    && day.day <= *to
                    && after.as_ref().is_none_or(|(key, last)| (day.medicine.key(), day.day) > (key, *last))
                    && (day.day >= *from || Some(day.day) == last)
            }),
            Query::All { after } => self
                .records
                .values()
                .filter(|found| after.as_ref().is_none_or(|after| found.record.key() > *after))
                .cloned()
                .collect(),
        };
        all.truncate(limit);
        all
    }

    fn those<E: Entity>(&self, wanted: impl Fn(&E) -> bool) -> Vec<Versioned<Record>> {
        self.every::<E>().filter(|found| wanted(found.record)).map(owned).collect()
    }

    /// Returns all patients that match a text, the best first.
    fn found(&self, text: &FindText) -> Vec<Versioned<Record>> {
        for words in text.readings() {
            let mut ranked: Vec<_> = self.every::<Patient>().collect();
            ranked.retain(|found| Findable::of(found.record).rank(words).is_some());
            ranked.sort_by_key(|found| (Findable::of(found.record).rank(words), found.record.patient_id));
            if !ranked.is_empty() {
                return ranked.into_iter().map(owned).collect();
            }
        }
        Vec::new()
    }

    fn free_number(&self, above: i64) -> Option<Versioned<Record>> {
        let is_free = |number: &i64| {
            PatientId::try_from(*number)
                .is_ok_and(|id| !self.holds(&RecordKey::Patient(id)) && !self.holds(&RecordKey::Voided(id)))
        };
        let last = (above.checked_add(1)?..=i64::MAX).find(is_free)?;
        let counter = Counter { series: Series::Patient, last };
        Some(Versioned { version: Seq::ZERO, record: counter.into() })
    }
}

fn owned<E: Entity>(found: Versioned<&E>) -> Versioned<Record> {
    Versioned { version: found.version, record: found.record.clone().into() }
}

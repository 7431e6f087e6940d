//! Proving that the journal is possible under the rules of the domain.

mod bills;
mod counts;
mod numbers;
mod owners;
mod prescriptions;
mod receipts;
mod shelves;
mod visits;

use std::collections::BTreeSet;

use super::{
    contradiction::{Contradiction, What, require},
    replica::Replica,
};
use crate::{
    model::{InvoiceState, PatientId, PrescriptionId, TakingsKey},
    store::{Change, Entry, Record, RecordKey, Series},
};
use bills::Bills;
use counts::Counts;
use numbers::Numbers;
use prescriptions::Prescriptions;
use receipts::Receipts;
use shelves::Shelves;
use visits::Visits;

/// The rules of the domain, applied to one entry after the other. They are written independently of the use cases, so
/// that a mistake there is not repeated here.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    numbers: Numbers,
    prescriptions: Prescriptions,
    visits: Visits,
    bills: Bills,
    counts: Counts,
    shelves: Shelves,
    receipts: Receipts,
    /// The patients that this entry voids.
    voided: BTreeSet<PatientId>,
    /// The records that this entry changes, and those on which its changes bear.
    touched: BTreeSet<RecordKey>,
}

impl Ledger {
    /// Begins an entry.
    pub(super) fn begin(&mut self, entry: &Entry) {
        self.receipts.begin(entry);
        let voids = entry.changes().filter_map(|change| match change {
            Change::Put(Record::Voided(voided)) => Some(voided.patient_id),
            _ => None,
        });
        self.voided = voids.collect();
    }

    /// Checks a change of the entry. The replica is still as before it.
    pub(super) fn enter(&mut self, change: &Change, replica: &Replica) -> Result<(), Contradiction> {
        self.touched.insert(change.key());
        let made = match change {
            Change::Put(record) => self.put(record, replica),
            Change::Remove(key) => self.remove(key),
        };
        made.map_err(|what| Contradiction::of(change.key(), what))
    }

    /// Checks the complete entry. The replica is as after it.
    pub(super) fn end(&mut self, replica: &Replica) -> Result<(), Contradiction> {
        self.numbers.end(replica)?;
        for paid in self.bills.paid() {
            self.prescriptions.pay(paid)?;
            self.visits.pay(paid, &self.prescriptions)?;
        }
        for refunded in self.bills.refunded() {
            self.prescriptions.refund(refunded, self.bills.stands_for(refunded.prescription_id))?;
            self.visits.refund(refunded, self.bills.last_of(refunded.patient_id));
        }
        self.prescriptions.end()?;
        self.shelves.end(&self.bills, &self.prescriptions)?;
        self.receipts.end(&self.bills)?;
        for key in std::mem::take(&mut self.touched) {
            self.check(&key, replica).map_err(|what| Contradiction::of(key, what))?;
        }
        self.visits.end(&self.prescriptions, self.bills.paid())?;
        self.bills.end();
        Ok(())
    }

    /// Checks the complete journal: every reference must point to a record.
    pub(super) fn close(&self, replica: &Replica) -> Result<(), Contradiction> {
        self.visits.close()?;
        owners::close(replica)?;
        self.bills.close(&self.prescriptions)
    }

    fn put(&mut self, record: &Record, replica: &Replica) -> Result<(), What> {
        let is_new = !replica.holds(&record.key());
        match record {
            Record::Patient(patient) => {
                let is_voided = replica.holds(&RecordKey::Voided(patient.patient_id));
                require(!is_voided, "is registered, but its number was voided before")?;
            }
            Record::Voided(voided) => {
                let id = voided.patient_id;
                self.touched.extend([RecordKey::Patient(id), RecordKey::History(id)]);
            }
            Record::History(history) => self.visits.write(history.clone()),
            Record::Consultation(consultation) => {
                if is_new {
                    self.numbers.give(Series::Consultation, consultation.consultation_id.value())?;
                }
                self.visits.put(consultation)?;
            }
            Record::Diagnosis(diagnosis) => self.visits.diagnose(diagnosis, replica)?,
            Record::Prescription(prescription) => {
                let id = prescription.prescription_id;
                if is_new {
                    self.numbers.give(Series::Prescription, id.value())?;
                }
                let (before, after) = self.prescriptions.put(prescription)?;
                let is_invoiced = self.bills.waits_for(id);
                let before = before.as_ref().map(|held| (held, is_invoiced));
                self.counts.account(before, Some((&after, is_invoiced)), &mut self.touched);
            }
            // An erasure puts records again in the form that the rewritten journal had from the beginning: paid and
            // refunded invoices, and without their notes movements and receipts.
            Record::Invoice(invoice) if invoice.state != InvoiceState::Unpaid && replica.holds_as_it_is(record) => {}
            Record::Movement(_) | Record::Receipt(_) if replica.holds_as_it_is(record) => {}
            Record::Movement(_) | Record::Receipt(_) if !is_new => return Err("is changed after it was made"),
            Record::Invoice(invoice) => {
                if is_new {
                    self.numbers.give(Series::Invoice, invoice.invoice_id.value())?;
                }
                self.touched.insert(RecordKey::Stock(invoice.medicine.key().clone()));
                let is_issued = invoice.state == InvoiceState::Unpaid;
                self.bills.put(invoice, &self.prescriptions)?;
                if invoice.state != InvoiceState::Refunded {
                    self.invoice(invoice.prescription_id, is_issued);
                }
                if is_issued {
                    self.shelves.issue(invoice)?;
                }
            }
            Record::Movement(movement) => {
                self.numbers.give(Series::Movement, movement.movement_id.value())?;
                let key = movement.medicine.key();
                self.touched.extend([
                    RecordKey::Stock(key.clone()),
                    RecordKey::OpenLot((key.clone(), movement.lot_id())),
                    RecordKey::StockDay((key.clone(), movement.day)),
                ]);
                self.touched.extend(movement.invoice_id.map(RecordKey::Dispensing));
                self.shelves.enter(movement)?;
            }
            Record::Receipt(receipt) => {
                self.touched.insert(RecordKey::Takings(TakingsKey::of(receipt)));
                self.receipts.enter(receipt, &mut self.numbers)?;
            }
            Record::Demand(demand) => self.counts.spell_demand(demand),
            Record::RegularDemand(regular) => self.counts.spell_regular(regular),
            Record::Stock(stock) => self.shelves.put(stock)?,
            Record::Counter(counter) => self.numbers.count(counter)?,
            Record::Item(_)
            | Record::OpenLot(_)
            | Record::StockDay(_)
            | Record::Dispensing(_)
            | Record::Takings(_)
            | Record::Reply(_)
            | Record::Key(_) => {}
        }
        Ok(())
    }

    fn remove(&mut self, key: &RecordKey) -> Result<(), What> {
        match key {
            RecordKey::Voided(_) => Err("is removed, but a voided number stays voided"),
            RecordKey::History(id) => {
                self.visits.forget(*id);
                require(self.voided.contains(id), "is removed, but its patient is not voided")
            }
            RecordKey::Consultation(id) => self.visits.remove(*id, &self.voided),
            RecordKey::Diagnosis(id) => self.visits.remove_diagnosis(*id, &self.voided),
            RecordKey::Prescription(id) => {
                if let Some(before) = self.prescriptions.remove(*id) {
                    self.touched.insert(RecordKey::Consultation(before.consultation_id));
                    self.counts.withdraw(&before, &mut self.touched);
                }
                Ok(())
            }
            RecordKey::Invoice(id) => {
                let of = self.bills.cancel(*id)?;
                self.invoice(of, false);
                Ok(())
            }
            RecordKey::Item(medicine) => {
                self.touched.insert(RecordKey::Stock(medicine.clone()));
                Ok(())
            }
            RecordKey::Stock(medicine) => {
                self.shelves.remove(medicine);
                Ok(())
            }
            RecordKey::Movement(_) | RecordKey::StockDay(_) | RecordKey::Dispensing(_) => {
                Err("is removed, but what was moved stays written")
            }
            RecordKey::Receipt(_) | RecordKey::Takings(_) => Err("is removed, but receipts stay written"),
            RecordKey::Counter(_) => Err("is removed, but numbers are never given twice"),
            RecordKey::Key(_) => Err("is removed, but a key that was issued stays written"),
            RecordKey::Patient(_)
            | RecordKey::Demand(_)
            | RecordKey::RegularDemand(_)
            | RecordKey::OpenLot(_)
            | RecordKey::Reply(_) => Ok(()),
        }
    }

    /// Notes that an invoice of this prescription was issued, or no longer waits.
    fn invoice(&mut self, of: PrescriptionId, is_issued: bool) {
        if let Some(held) = self.prescriptions.get(of) {
            self.counts.account(Some((held, !is_issued)), Some((held, is_issued)), &mut self.touched);
        }
    }

    /// Checks a record that the entry touches. The replica is as after the entry.
    fn check(&self, key: &RecordKey, replica: &Replica) -> Result<(), What> {
        let is_voided = |id: &PatientId| replica.holds(&RecordKey::Voided(*id));
        let is_due = |due: Option<Record>| match due {
            Some(due) => replica.holds_as_it_is(&due),
            None => !replica.holds(key),
        };
        let is_there = || replica.holds(key);
        match key {
            RecordKey::Patient(id) | RecordKey::History(id) if is_there() => {
                require(!is_voided(id), "is still there, but its patient is voided")
            }
            RecordKey::Patient(id) => require(is_voided(id), "is removed, but its number is not voided"),
            RecordKey::Consultation(id) => self.visits.check(*id, &self.prescriptions),
            RecordKey::Diagnosis(id) => self.visits.check_diagnosis(*id),
            RecordKey::Prescription(id) => match self.prescriptions.get(*id) {
                Some(held) => {
                    require(self.visits.lists(held, *id), "is not in a consultation of its patient on its day")
                }
                None => require(!self.bills.waits_for(*id), "is withdrawn, but an invoice of it is unpaid"),
            },
            RecordKey::Demand(of) => require(is_due(self.counts.demand(of)), "does not count what was prescribed"),
            RecordKey::RegularDemand(of) => {
                require(is_due(self.counts.regular(of)), "does not count what was prescribed")
            }
            RecordKey::Stock(medicine) => {
                let is_stocked = replica.holds(&RecordKey::Item(medicine.clone()));
                self.shelves.check(medicine, self.bills.reserved(medicine), is_stocked)
            }
            RecordKey::OpenLot((medicine, lot)) => {
                require(is_due(self.shelves.lot(medicine, lot)), "is not what its movements make")
            }
            RecordKey::StockDay(of) => require(is_due(self.shelves.day(of)), "does not count what was moved"),
            RecordKey::Dispensing(of) => require(is_due(self.shelves.dispensing(*of)), "is not what its movements say"),
            RecordKey::Takings(of) => require(is_due(self.receipts.takings(of)), "does not count its receipts"),
            RecordKey::History(_)
            | RecordKey::Voided(_)
            | RecordKey::Invoice(_)
            | RecordKey::Item(_)
            | RecordKey::Movement(_)
            | RecordKey::Receipt(_)
            | RecordKey::Counter(_)
            | RecordKey::Reply(_)
            | RecordKey::Key(_) => Ok(()),
        }
    }
}

//! Proving that the journal is possible under the rules of the domain.

mod bills;
mod counts;
mod diagnoses;
mod numbers;
mod prescriptions;
mod receipts;
mod shelves;
mod visits;

use std::collections::BTreeSet;

use super::{Contradiction, contradiction::What, replica::Replica};
use crate::{
    model::{InvoiceState, PatientId, PrescriptionId},
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
    /// The patients whose record this entry removes.
    removed: BTreeSet<PatientId>,
}

impl Ledger {
    /// Begins an entry.
    pub(super) fn begin(&mut self, entry: &Entry) {
        self.removed.clear();
        self.voided.clear();
        self.receipts.begin(entry);
        let voids = entry.changes().filter_map(|change| match change {
            Change::Put(Record::Voided(voided)) => Some(voided.patient_id),
            _ => None,
        });
        self.voided.extend(voids);
    }

    /// Checks a change of the entry. The replica is still as before it.
    pub(super) fn enter(&mut self, change: &Change, replica: &Replica) -> Result<(), Contradiction> {
        let made = match change {
            Change::Put(record) => self.put(record, replica),
            Change::Remove(key) => self.remove(key),
        };
        made.map_err(|what| Contradiction::of(change.key(), what))
    }

    /// Checks the complete entry. The replica is as after it.
    pub(super) fn end(&mut self, replica: &Replica) -> Result<(), Contradiction> {
        self.patients(replica)?;
        self.numbers.end(replica)?;
        for paid in self.bills.paid() {
            self.prescriptions.pay(paid)?;
            self.visits.pay(paid, &self.prescriptions)?;
        }
        for refunded in self.bills.refunded() {
            self.prescriptions.refund(refunded, |id| self.bills.stands_for(id))?;
            self.visits.refund(refunded, &self.bills);
        }
        self.prescriptions.end(|held, id| self.visits.lists(held, id), |id| self.bills.waits_for(id))?;
        self.visits.end(&self.prescriptions, &self.bills)?;
        self.shelves.end(replica, &self.bills, &self.prescriptions)?;
        self.receipts.end(replica, &self.bills)?;
        self.counts.end()?;
        self.bills.end();
        Ok(())
    }

    /// Checks the complete journal: every reference must point to a record.
    pub(super) fn close(&self, replica: &Replica) -> Result<(), Contradiction> {
        let patients = |id| replica.holds(&RecordKey::Patient(id));
        self.visits.close(patients)?;
        self.prescriptions.close(patients)?;
        self.bills.close(&self.prescriptions)
    }

    fn put(&mut self, record: &Record, replica: &Replica) -> Result<(), What> {
        match record {
            Record::Patient(patient) if replica.holds(&RecordKey::Voided(patient.patient_id)) => {
                Err("is registered, but its number was voided before")
            }
            Record::History(history) => {
                self.visits.write(history.clone());
                Ok(())
            }
            Record::Consultation(consultation) => {
                if !self.visits.knows(consultation.consultation_id) {
                    let number = consultation.consultation_id.value();
                    self.numbers.give(Series::Consultation, number)?;
                }
                self.visits.put(consultation)
            }
            Record::Diagnosis(diagnosis) => self.visits.diagnose(diagnosis, replica),
            Record::Prescription(prescription) => {
                let id = prescription.prescription_id;
                let before = self.prescriptions.get(id).cloned();
                if before.is_none() {
                    self.numbers.give(Series::Prescription, id.value())?;
                }
                let after = self.prescriptions.put(prescription)?;
                let is_invoiced = self.bills.waits_for(id);
                self.counts.account(before.as_ref().map(|held| (held, is_invoiced)), Some((&after, is_invoiced)));
                Ok(())
            }
            // An erasure puts paid and refunded invoices again, in the form that the rewritten journal had from the
            // beginning.
            Record::Invoice(invoice) if invoice.state != InvoiceState::Unpaid && replica.holds_as_it_is(record) => {
                Ok(())
            }
            Record::Invoice(invoice) => {
                if !replica.holds(&RecordKey::Invoice(invoice.invoice_id)) {
                    let number = invoice.invoice_id.value();
                    self.numbers.give(Series::Invoice, number)?;
                }
                let is_issued = invoice.state == InvoiceState::Unpaid;
                self.bills.put(invoice, &self.prescriptions)?;
                if invoice.state != InvoiceState::Refunded {
                    self.invoice(invoice.prescription_id, is_issued);
                }
                if is_issued { self.shelves.issue(invoice) } else { Ok(()) }
            }
            Record::Demand(demand) => {
                self.counts.write_demand(demand);
                Ok(())
            }
            Record::RegularDemand(regular) => {
                self.counts.write_regular(regular);
                Ok(())
            }
            Record::Stock(stock) => self.shelves.put(stock),
            Record::OpenLot(lot) => {
                self.shelves.touch_lot(lot.medicine.key().clone(), lot.lot_id());
                Ok(())
            }
            // An erasure that took its note puts a movement again, like a paid invoice.
            Record::Movement(_) if replica.holds_as_it_is(record) => Ok(()),
            Record::Movement(movement) if replica.holds(&RecordKey::Movement(movement.movement_id)) => {
                Err("is changed after it was made")
            }
            Record::Movement(movement) => {
                self.numbers.give(Series::Movement, movement.movement_id.value())?;
                self.shelves.enter(movement)
            }
            Record::StockDay(day) => {
                self.shelves.touch_day(day.medicine.key().clone(), day.day);
                Ok(())
            }
            Record::Dispensing(dispensing) => {
                self.shelves.touch_handed(dispensing.invoice_id);
                Ok(())
            }
            // So does a receipt.
            Record::Receipt(_) if replica.holds_as_it_is(record) => Ok(()),
            Record::Receipt(receipt) if replica.holds(&RecordKey::Receipt(receipt.receipt_id)) => {
                Err("is changed after it was made")
            }
            Record::Receipt(receipt) => self.receipts.enter(receipt, &mut self.numbers),
            Record::Takings(takings) => {
                self.receipts.touch(takings.of.clone());
                Ok(())
            }
            Record::Counter(counter) => self.numbers.count(counter),
            Record::Patient(_) | Record::Voided(_) | Record::Item(_) | Record::Reply(_) | Record::Key(_) => Ok(()),
        }
    }

    fn remove(&mut self, key: &RecordKey) -> Result<(), What> {
        match key {
            RecordKey::Patient(id) => {
                self.removed.insert(*id);
                Ok(())
            }
            RecordKey::Voided(_) => Err("is removed, but a voided number stays voided"),
            RecordKey::History(id) => {
                self.visits.forget(*id);
                match self.voided.contains(id) {
                    true => Ok(()),
                    false => Err("is removed, but its patient is not voided"),
                }
            }
            RecordKey::Consultation(id) => self.visits.remove(*id, &self.voided),
            RecordKey::Diagnosis(id) => self.visits.forget_diagnosis(*id, &self.voided),
            RecordKey::Prescription(id) => {
                let Some(before) = self.prescriptions.remove(*id) else {
                    return Ok(());
                };
                self.visits.touch(before.consultation_id);
                self.counts.withdraw(&before);
                Ok(())
            }
            RecordKey::Invoice(id) => {
                let of = self.bills.cancel(*id)?;
                self.invoice(of, false);
                Ok(())
            }
            RecordKey::Demand((day, key)) => {
                self.counts.remove_demand(*day, key.clone());
                Ok(())
            }
            RecordKey::RegularDemand(key) => {
                self.counts.remove_regular(key.clone());
                Ok(())
            }
            RecordKey::Stock(key) => {
                self.shelves.remove(key);
                Ok(())
            }
            RecordKey::OpenLot((medicine, lot)) => {
                self.shelves.touch_lot(medicine.clone(), lot.clone());
                Ok(())
            }
            RecordKey::Movement(_) | RecordKey::StockDay(_) | RecordKey::Dispensing(_) => {
                Err("is removed, but what was moved stays written")
            }
            RecordKey::Receipt(_) | RecordKey::Takings(_) => Err("is removed, but receipts stay written"),
            RecordKey::Counter(_) => Err("is removed, but numbers are never given twice"),
            RecordKey::Item(key) => {
                self.shelves.touch(key);
                Ok(())
            }
            RecordKey::Reply(_) => Ok(()),
            RecordKey::Key(_) => Err("is removed, but a key that was issued stays written"),
        }
    }

    /// Notes that an invoice of this prescription was issued, or no longer waits.
    fn invoice(&mut self, of: PrescriptionId, is_issued: bool) {
        if let Some(held) = self.prescriptions.get(of) {
            self.counts.account(Some((held, !is_issued)), Some((held, is_issued)));
        }
    }

    fn patients(&self, replica: &Replica) -> Result<(), Contradiction> {
        for id in &self.removed {
            if !replica.holds(&RecordKey::Voided(*id)) {
                let what = "is removed, but its number is not voided";
                return Err(Contradiction::of(RecordKey::Patient(*id), what));
            }
        }
        for id in &self.voided {
            for left in [RecordKey::Patient(*id), RecordKey::History(*id)] {
                if replica.holds(&left) {
                    let what = "is still there, but its patient is voided";
                    return Err(Contradiction::of(left, what));
                }
            }
        }
        Ok(())
    }
}

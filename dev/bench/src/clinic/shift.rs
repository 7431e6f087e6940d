//! A further block: the decisions of the first one, with the numbers of later patients.

use care_core::{
    model::{Invalid, MethodTotal, Patient, PrescribedUnits},
    store::{Act, Change, Record, RecordKey, Series},
};

use super::{
    block::{Block, PATIENTS, Step},
    people,
};

/// The number of earlier blocks.
#[derive(Clone, Copy)]
pub(crate) struct Shift<'a> {
    block: &'a Block,
    blocks: u64,
}

impl<'a> Shift<'a> {
    pub(crate) const fn new(block: &'a Block, blocks: u64) -> Self {
        Self { block, blocks }
    }

    /// Returns a decision of this block.
    pub(crate) fn step(self, step: &Step) -> Result<(Act, Vec<Change>), Invalid> {
        let changes = step.changes.iter().map(|change| match change {
            Change::Put(record) => Ok(Change::Put(self.record(record.clone())?)),
            Change::Remove(key) => {
                unreachable!("no decision of a block removes anything, but one removes a {}", key.kind())
            }
        });
        Ok((step.act.clone(), changes.collect::<Result<_, _>>()?))
    }

    fn record(self, mut record: Record) -> Result<Record, Invalid> {
        // The record at the end of a block, if it is one that counts something.
        let total = self.block.totals.get(&record.key());
        match (&mut record, total) {
            (Record::Patient(patient), _) => people::rename(patient, self.id(patient.patient_id, Series::Patient)?)?,
            (Record::History(history), _) => history.patient_id = self.id(history.patient_id, Series::Patient)?,
            (Record::Consultation(consultation), _) => {
                consultation.patient_id = self.id(consultation.patient_id, Series::Patient)?;
                consultation.consultation_id = self.id(consultation.consultation_id, Series::Consultation)?;
                for id in &mut consultation.prescription_ids {
                    *id = self.id(*id, Series::Prescription)?;
                }
            }
            (Record::Diagnosis(diagnosis), _) => {
                diagnosis.patient_id = self.id(diagnosis.patient_id, Series::Patient)?;
                diagnosis.consultation_id = self.id(diagnosis.consultation_id, Series::Consultation)?;
            }
            (Record::Prescription(prescription), _) => {
                prescription.patient_id = self.id(prescription.patient_id, Series::Patient)?;
                prescription.consultation_id = self.id(prescription.consultation_id, Series::Consultation)?;
                prescription.prescription_id = self.id(prescription.prescription_id, Series::Prescription)?;
            }
            (Record::Invoice(invoice), _) => {
                invoice.patient_id = self.id(invoice.patient_id, Series::Patient)?;
                invoice.prescription_id = self.id(invoice.prescription_id, Series::Prescription)?;
                invoice.invoice_id = self.id(invoice.invoice_id, Series::Invoice)?;
                invoice.receipt_id = invoice.receipt_id.map(|id| self.id(id, Series::Receipt)).transpose()?;
                let mut patient = Patient::new(invoice.patient_id);
                people::rename(&mut patient, invoice.patient_id)?;
                (invoice.name, invoice.phone, invoice.email) = (patient.name, patient.phone, patient.email);
            }
            (Record::Receipt(receipt), _) => {
                receipt.receipt_id = self.id(receipt.receipt_id, Series::Receipt)?;
                receipt.invoice_id = self.id(receipt.invoice_id, Series::Invoice)?;
            }
            (Record::Demand(demand), Some(Record::Demand(total))) => {
                demand.prescribed += self.blocks * total.prescribed;
                demand.regular += self.blocks * total.regular;
                demand.dispensed += self.blocks * total.dispensed;
                self.add(&mut demand.wanted, total.wanted);
                self.add(&mut demand.waiting, total.waiting);
            }
            (Record::RegularDemand(regular), Some(Record::RegularDemand(total))) => {
                regular.active_regular += self.blocks * total.active_regular;
                self.add(&mut regular.wanted, total.wanted);
            }
            (Record::Takings(takings), Some(Record::Takings(total))) => {
                takings.receipts += self.blocks * total.receipts;
                takings.unpriced += self.blocks * total.unpriced;
                self.add_totals(&mut takings.totals, &total.totals);
            }
            (Record::Counter(counter), _) => counter.last += self.numbers(counter.series),
            (other, _) => {
                unreachable!("no decision of a block puts a {}, so nothing says how it is moved", other.kind())
            }
        }
        Ok(record)
    }

    /// Adds the sums of the earlier blocks, which pay in one way alone.
    fn add_totals(self, sums: &mut [MethodTotal], totals: &[MethodTotal]) {
        let blocks = self.blocks.cast_signed();
        for total in totals {
            let of = |sum: &&mut MethodTotal| sum.method == total.method;
            if let Some(sum) = sums.iter_mut().find(of) {
                sum.payments += self.blocks * total.payments;
                sum.paid += blocks * total.paid;
            }
        }
    }

    /// Adds the counts of the earlier blocks.
    fn add(self, count: &mut PrescribedUnits, total: PrescribedUnits) {
        count.units += self.blocks * total.units;
        count.unnamed += self.blocks * total.unnamed;
    }

    /// Returns the identifier in this series of the same record in this block.
    fn id<T: Into<i64> + TryFrom<i64, Error = Invalid>>(self, id: T, series: Series) -> Result<T, Invalid> {
        T::try_from(id.into() + self.numbers(series))
    }

    /// Returns how many numbers of a series the earlier blocks have used.
    fn numbers(self, series: Series) -> i64 {
        let of_a_block = match self.block.totals.get(&RecordKey::Counter(series)) {
            Some(Record::Counter(total)) => total.last,
            // The numbers of patients are chosen, and not counted.
            _ if series == Series::Patient => PATIENTS.cast_signed(),
            _ => 0,
        };
        self.blocks.cast_signed() * of_a_block
    }
}

//! A further block: the decisions of the first one, with the numbers of later patients.

use care_core::{
    model::{ConsultationId, Invalid, InvoiceId, MethodTotal, PatientId, PrescribedUnits, PrescriptionId, ReceiptId},
    store::{Act, Change, Counter, Record, RecordKey, Series},
};

use super::{
    block::{Block, PATIENTS, Step},
    people,
};

/// The number of earlier blocks.
#[derive(Debug, Clone, Copy)]
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
        match &mut record {
            Record::Patient(patient) => people::rename(patient, self.patient(patient.patient_id)?)?,
            Record::History(history) => history.patient_id = self.patient(history.patient_id)?,
            Record::Consultation(consultation) => {
                consultation.patient_id = self.patient(consultation.patient_id)?;
                consultation.consultation_id = self.consultation(consultation.consultation_id)?;
                for id in &mut consultation.prescription_ids {
                    *id = self.prescription(*id)?;
                }
            }
            Record::Diagnosis(diagnosis) => {
                diagnosis.patient_id = self.patient(diagnosis.patient_id)?;
                diagnosis.consultation_id = self.consultation(diagnosis.consultation_id)?;
            }
            Record::Prescription(prescription) => {
                prescription.patient_id = self.patient(prescription.patient_id)?;
                prescription.consultation_id = self.consultation(prescription.consultation_id)?;
                prescription.prescription_id = self.prescription(prescription.prescription_id)?;
            }
            Record::Invoice(invoice) => {
                let id = self.patient(invoice.patient_id)?;
                let mut patient = care_core::model::Patient::new(id);
                people::rename(&mut patient, id)?;
                invoice.patient_id = id;
                invoice.prescription_id = self.prescription(invoice.prescription_id)?;
                let number = i64::from(invoice.invoice_id) + self.numbers(Series::Invoice);
                invoice.invoice_id = InvoiceId::try_from(number)?;
                invoice.receipt_id = invoice.receipt_id.map(|id| self.receipt(id)).transpose()?;
                (invoice.name, invoice.phone, invoice.email) = (patient.name, patient.phone, patient.email);
            }
            Record::Demand(demand) => {
                let key = RecordKey::Demand((demand.day, demand.medicine.key().clone()));
                if let Some(Record::Demand(total)) = self.block.totals.get(&key) {
                    demand.prescribed += self.blocks * total.prescribed;
                    demand.regular += self.blocks * total.regular;
                    demand.dispensed += self.blocks * total.dispensed;
                    self.add(&mut demand.wanted, total.wanted);
                    self.add(&mut demand.waiting, total.waiting);
                }
            }
            Record::RegularDemand(regular) => {
                let key = RecordKey::RegularDemand((regular.medicine.key().clone(), regular.every_days));
                if let Some(Record::RegularDemand(total)) = self.block.totals.get(&key) {
                    regular.active_regular += self.blocks * total.active_regular;
                    self.add(&mut regular.wanted, total.wanted);
                }
            }
            Record::Receipt(receipt) => {
                receipt.receipt_id = self.receipt(receipt.receipt_id)?;
                let number = i64::from(receipt.invoice_id) + self.numbers(Series::Invoice);
                receipt.invoice_id = InvoiceId::try_from(number)?;
            }
            Record::Takings(takings) => {
                if let Some(Record::Takings(total)) = self.block.totals.get(&RecordKey::Takings(takings.of.clone())) {
                    takings.receipts += self.blocks * total.receipts;
                    takings.unpriced += self.blocks * total.unpriced;
                    self.add_totals(&mut takings.totals, &total.totals);
                }
            }
            Record::Counter(Counter { series, last }) => *last += self.numbers(*series),
            other => unreachable!("no decision of a block puts a {}, so nothing says how it is moved", other.kind()),
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

    fn receipt(self, id: ReceiptId) -> Result<ReceiptId, Invalid> {
        ReceiptId::try_from(id.value() + self.numbers(Series::Receipt))
    }

    /// Adds the counts of the earlier blocks.
    fn add(self, count: &mut PrescribedUnits, total: PrescribedUnits) {
        count.units += self.blocks * total.units;
        count.unnamed += self.blocks * total.unnamed;
    }

    /// Returns how many numbers of a series the earlier blocks have used.
    fn numbers(self, series: Series) -> i64 {
        match self.block.totals.get(&RecordKey::Counter(series)) {
            Some(Record::Counter(total)) => self.blocks.cast_signed() * total.last,
            _ => 0,
        }
    }

    fn patient(self, id: PatientId) -> Result<PatientId, Invalid> {
        PatientId::try_from(id.value() + (self.blocks * PATIENTS).cast_signed())
    }

    fn consultation(self, id: ConsultationId) -> Result<ConsultationId, Invalid> {
        ConsultationId::try_from(id.value() + self.numbers(Series::Consultation))
    }

    fn prescription(self, id: PrescriptionId) -> Result<PrescriptionId, Invalid> {
        PrescriptionId::try_from(id.value() + self.numbers(Series::Prescription))
    }
}

//! The writing transaction's cache of the database.

use std::collections::HashMap;

use care_core::{
    model::MedicineKey,
    store::{Change, Entry, Key, Lookup, Record, RecordKey, RecordKind, Versioned},
};

/// The records and answers that were loaded under the writers' lock, updated with what the batch's decisions have
/// changed since. They are exact as long as the lock is held.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    records: HashMap<RecordKey, Lookup>,
    answers: HashMap<Key, Lookup>,
}

impl Cache {
    /// Returns what is cached for a key.
    pub(crate) fn get(&self, key: &Key) -> Option<&Lookup> {
        match key {
            Key::Record(key) => self.records.get(key),
            key => self.answers.get(key),
        }
    }

    /// Adds what was loaded.
    pub(crate) fn insert(&mut self, key: Key, found: Lookup) {
        match key {
            Key::Record(key) => drop(self.records.insert(key, found)),
            key => drop(self.answers.insert(key, found)),
        }
    }

    /// Returns how much is cached.
    pub(crate) fn len(&self) -> usize {
        self.records.len() + self.answers.len()
    }

    pub(crate) fn clear(&mut self) {
        self.records.clear();
        self.answers.clear();
    }

    /// Applies an entry. Answers that the entry may have made stale are dropped, and loaded again when a decision asks
    /// for them.
    pub(crate) fn follow(&mut self, entry: &Entry) {
        for change in entry.changes() {
            let (key, new) = match change {
                Change::Put(record) => (record.key(), Some(record)),
                Change::Remove(key) => (key.clone(), None),
            };
            let found: Lookup = new.map(|record| Versioned { version: entry.seq, record: record.clone() }).into();
            if let RecordKey::OpenLot((medicine, _)) = &key {
                self.follow_lot(medicine, &key, &found);
                self.records.insert(key, found);
                continue;
            }
            if let Some(new) = new {
                self.forget(new);
            }
            match self.records.insert(key.clone(), found) {
                Some(Lookup::One(old)) => self.forget(&old.record),
                Some(_) => {}
                None => self.forget_all_about(&key),
            }
            self.forget_rest(&key);
        }
    }

    /// Updates a lot in the cached list of its medicine's lots, so that the next payment for the medicine does not have
    /// to write and load them first.
    fn follow_lot(&mut self, medicine: &MedicineKey, key: &RecordKey, found: &Lookup) {
        let Some(Lookup::Many(lots)) = self.answers.get_mut(&Key::OpenLots(medicine.clone())) else {
            return;
        };
        match (lots.binary_search_by(|lot| lot.record.key().cmp(key)), found) {
            (Ok(place), Lookup::One(lot)) => lots[place] = lot.clone(),
            (Ok(place), _) => drop(lots.remove(place)),
            (Err(place), Lookup::One(lot)) => lots.insert(place, lot.clone()),
            (Err(_), _) => {}
        }
    }

    /// Drops the cached answers that contain this record.
    fn forget(&mut self, record: &Record) {
        let keys = match record {
            Record::Prescription(p) => {
                let (patient, medicine) = (p.patient_id, p.medicine.key());
                vec![
                    Key::ActivePrescription(patient, medicine.clone()),
                    Key::NewestPrescription(patient, medicine.clone()),
                    Key::ActivePrescriptionFor(medicine.clone()),
                    Key::ActivePrescriptions(patient),
                    Key::PrescriptionsOf(patient),
                ]
            }
            Record::Consultation(c) => vec![Key::ConsultationsOf(c.patient_id)],
            Record::Diagnosis(d) => vec![Key::DiagnosesOf(d.patient_id)],
            Record::Invoice(i) => vec![
                Key::UnpaidInvoice(i.prescription_id),
                Key::UnpaidInvoiceOf(i.patient_id),
                Key::PaidInvoices(i.prescription_id),
                Key::LastPaidInvoices(i.patient_id),
            ],
            Record::Receipt(r) => r.corrects.map(Key::LastCorrection).into_iter().collect(),
            Record::Item(i) => vec![Key::StockOrItem(i.medicine.key().clone())],
            Record::Stock(s) => vec![Key::StockOrItem(s.medicine.key().clone())],
            Record::Movement(m) => m.reverses.map(Key::ReversalOf).into_iter().collect(),
            Record::Reply(r) => {
                self.answers.retain(|key, _| !matches!(key, Key::RepliesBefore(before) if r.at < *before));
                r.request.clone().map(Key::ReplyTo).into_iter().collect()
            }
            // Only their own entries name these records; `forget_rest` drops the answers about free numbers.
            Record::Patient(_)
            | Record::Voided(_)
            | Record::History(_)
            | Record::Demand(_)
            | Record::RegularDemand(_)
            | Record::OpenLot(_)
            | Record::StockDay(_)
            | Record::Dispensing(_)
            | Record::Takings(_)
            | Record::Counter(_)
            | Record::Key(_) => Vec::new(),
        };
        for key in keys {
            self.answers.remove(&key);
        }
    }

    /// Drops the answers that do not name the records they depend on.
    fn forget_rest(&mut self, key: &RecordKey) {
        if matches!(key, RecordKey::Patient(_) | RecordKey::Voided(_)) {
            self.answers.retain(|key, _| !matches!(key, Key::FreePatientNumber(_)));
        }
    }

    /// Drops every answer that a record of this kind may be part of, for when the record's old value is not known.
    fn forget_all_about(&mut self, key: &RecordKey) {
        let kind = RecordKind::of(key);
        self.answers.retain(|key, _| !kinds(key).contains(&kind));
    }
}

/// Returns the kinds of records that determine the answer to a key that does not name its record.
pub(crate) const fn kinds(key: &Key) -> &'static [RecordKind] {
    match key {
        Key::Record(_) => &[],
        Key::FreePatientNumber(_) => &[RecordKind::Patient, RecordKind::Voided],
        Key::ConsultationsOf(_) => &[RecordKind::Consultation],
        Key::DiagnosesOf(_) => &[RecordKind::Diagnosis],
        Key::ActivePrescription(..)
        | Key::NewestPrescription(..)
        | Key::ActivePrescriptionFor(_)
        | Key::ActivePrescriptions(_)
        | Key::PrescriptionsOf(_) => &[RecordKind::Prescription],
        Key::UnpaidInvoice(_) | Key::UnpaidInvoiceOf(_) | Key::PaidInvoices(_) | Key::LastPaidInvoices(_) => {
            &[RecordKind::Invoice]
        }
        Key::LastCorrection(_) => &[RecordKind::Receipt],
        Key::StockOrItem(_) => &[RecordKind::Item, RecordKind::Stock],
        Key::OpenLots(_) => &[RecordKind::OpenLot],
        Key::ReversalOf(_) => &[RecordKind::Movement],
        Key::ReplyTo(_) | Key::RepliesBefore(_) => &[RecordKind::Reply],
    }
}

//! A model of a store, which answers by looking at every record.

use std::collections::BTreeMap;

use care_core::{
    model::{
        FindText, Findable, Invoice, InvoiceState, MedicineKey, Patient, PatientId, Prescription, PrescriptionId,
        PrescriptionState,
    },
    store::{Change, Datum, Entity, Owner, Record, RecordKey, RecordKind, Seq, Versioned, rows::Facts},
};

/// All records, each with the number of the entry that put it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

    /// Returns a record.
    pub(super) fn record(&self, key: &RecordKey) -> Vec<Versioned<Record>> {
        self.records.get(key).cloned().into_iter().collect()
    }

    /// Returns the records above a key.
    pub(super) fn above(&self, after: Option<&RecordKey>) -> Vec<Versioned<Record>> {
        self.records.values().filter(|found| after.is_none_or(|after| found.record.key() > *after)).cloned().collect()
    }

    /// Returns the wanted records of a kind, in the order of their keys.
    pub(super) fn those<E: Entity>(&self, wanted: impl Fn(&E) -> bool) -> Vec<Versioned<Record>> {
        self.every::<E>().filter(|found| wanted(found.record)).map(owned).collect()
    }

    /// Returns the wanted records of a kind, in an order of their own.
    pub(super) fn sorted<E: Entity, K: Ord>(
        &self,
        wanted: impl Fn(&E) -> bool,
        by: impl Fn(&E) -> K,
    ) -> Vec<Versioned<Record>> {
        let mut found: Vec<_> = self.every::<E>().filter(|found| wanted(found.record)).collect();
        found.sort_by_key(|found| by(found.record));
        found.into_iter().map(owned).collect()
    }

    /// Returns the records of a kind whose owner has this number.
    pub(super) fn owned(&self, kind: RecordKind, owner: i64) -> Vec<Versioned<Record>> {
        let Some(Owner { column, .. }) = kind.owner() else { return Vec::new() };
        let is_its_own = |record: &Record| {
            RecordKind::of_record(record) == kind
                && Facts::of(record, [column]).get(column) == Some(&Datum::Number(owner))
        };
        self.records.values().filter(|found| is_its_own(&found.record)).cloned().collect()
    }

    /// Returns the patient's active prescription for a medicine.
    pub(super) fn active(&self, patient: PatientId, medicine: &MedicineKey) -> Vec<Versioned<Record>> {
        self.those(|p: &Prescription| {
            p.patient_id == patient && p.medicine.key() == medicine && p.state == PrescriptionState::Active
        })
    }

    /// Returns the unpaid invoice of a prescription.
    pub(super) fn unpaid(&self, prescription: PrescriptionId) -> Vec<Versioned<Record>> {
        self.those(|i: &Invoice| i.prescription_id == prescription && i.state == InvoiceState::Unpaid)
    }

    /// Returns all patients that match a text, the best first.
    pub(super) fn found(&self, text: &FindText) -> Vec<Versioned<Record>> {
        for words in text.readings() {
            let mut ranked: Vec<_> = self.every::<Patient>().collect();
            ranked.retain(|found| Findable::of(found.record).rank(words).is_some());
            // Those that resemble the text alike come by name.
            let name = |patient: &Patient| patient.folded_name().filter(|_| text.is_similar());
            ranked.sort_by_key(|found| {
                (Findable::of(found.record).rank(words), name(found.record), found.record.patient_id)
            });
            if !ranked.is_empty() {
                return ranked.into_iter().map(owned).collect();
            }
        }
        Vec::new()
    }

    /// Returns the smallest number above this one that no patient has or had.
    pub(super) fn free_number(&self, above: i64) -> Option<u64> {
        let is_free = |number: &i64| {
            PatientId::try_from(*number)
                .is_ok_and(|id| !self.holds(&RecordKey::Patient(id)) && !self.holds(&RecordKey::Voided(id)))
        };
        (above.checked_add(1)?..=i64::MAX).find(is_free).map(i64::cast_unsigned)
    }
}

fn owned<E: Entity>(found: Versioned<&E>) -> Versioned<Record> {
    Versioned { version: found.version, record: found.record.clone().into() }
}

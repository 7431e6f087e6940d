//! A person's records, of every kind that a patient or an invoice of the patient can own.

use care_core::{
    model::InvoiceState,
    store::{Change, Owner, Record, RecordKind, Revision},
};
use serde_json::{Map, Value, json};

use super::{
    consultation_forms, diagnosis_forms, dispensing_forms, history_forms, invoice_forms, medicine, movement_forms,
    patient_forms, prescription, prescription_forms, receipt_forms, replies,
};

/// The beginning of every text of a person in [`of_person`].
pub const CANARY: &str = "canary";

/// Returns the forms of a patient, and of all records that the patient or an invoice of the patient can own, in an
/// order in which any store takes them. Among the forms of a kind every field has a value. Each field that an erasure
/// takes has one in all of them: a text that begins with [`CANARY`] and the patient's number, where the field can hold
/// it. The records, and the invoice among them, have the given number.
pub fn of_person(patient: i64, number: i64) -> Vec<Record> {
    RecordKind::ALL.iter().flat_map(|kind| with_canaries(*kind, patient, number)).collect()
}

fn with_canaries(kind: RecordKind, patient: i64, number: i64) -> Vec<Record> {
    let forms = forms(kind, patient, number);
    // The last form with a value counts.
    let personal: Map<String, Value> = forms.iter().flat_map(personal).collect();
    let of = |form: &Record| {
        let mut members = document(form);
        if let Some(Owner { kind: of, column, .. }) = kind.owner() {
            let owner = if of == RecordKind::Invoice { number } else { patient };
            members.insert(camel_case(column), json!(owner));
        }
        for (member, usual) in &personal {
            let text = format!("{CANARY}-{patient}-{kind}-{member}");
            // A name in ASCII has no spelling of its own.
            let marked = format!("{text}-\u{e9}");
            let values = [json!(marked), json!([marked]), json!(format!("{text}@example.org"))];
            let fits = |value: &Value| {
                let mut members = members.clone();
                members.insert(member.clone(), value.clone());
                read(form, members).is_some()
            };
            let value =
                values.into_iter().chain([usual.clone()]).find(fits).expect("a value for each field of a person");
            members.insert(member.clone(), value);
        }
        read(form, members).expect("a record")
    };
    forms.iter().map(of).collect()
}

/// Returns the forms of a kind of record that can be a person's. The last invoice is paid, so that its patient can be
/// voided.
fn forms(kind: RecordKind, patient: i64, number: i64) -> Vec<Record> {
    fn all<E: Into<Record>>(forms: impl IntoIterator<Item = E>) -> Vec<Record> {
        forms.into_iter().map(Into::into).collect()
    }
    let medicine = medicine("Sampleol 250");
    match kind {
        RecordKind::Patient => all(patient_forms(patient)),
        RecordKind::History => all(history_forms(patient)),
        RecordKind::Consultation => all(consultation_forms(number, patient)),
        RecordKind::Diagnosis => all(diagnosis_forms(number, patient)),
        RecordKind::Prescription => all(prescription_forms(number, patient, &medicine)),
        RecordKind::Invoice => {
            let mut forms = invoice_forms(number, &prescription(number, patient, &medicine));
            forms.sort_by_key(|form| form.state != InvoiceState::Unpaid);
            all(forms)
        }
        RecordKind::Movement => all(movement_forms(number, &medicine)),
        RecordKind::Dispensing => all(dispensing_forms(number, &medicine)),
        RecordKind::Receipt => all(receipt_forms(number)),
        RecordKind::Reply => all(replies().into_iter().cycle().skip(number as usize).take(1)),
        RecordKind::Voided
        | RecordKind::Item
        | RecordKind::Demand
        | RecordKind::RegularDemand
        | RecordKind::Stock
        | RecordKind::OpenLot
        | RecordKind::StockDay
        | RecordKind::Takings
        | RecordKind::Counter
        | RecordKind::Key => Vec::new(),
    }
}

/// Returns the members that an erasure takes, as far as the record has them.
fn personal(record: &Record) -> Map<String, Value> {
    let Some(left) = record.emptied().as_ref().map(document) else { return Map::new() };
    document(record).into_iter().filter(|(name, value)| left.get(name) != Some(value)).collect()
}

fn document(record: &Record) -> Map<String, Value> {
    match serde_json::to_value(record) {
        Ok(Value::Object(members)) => members,
        _ => panic!("a record is an object"),
    }
}

/// Reads the members of a record with the identity of this one, if they are those of a record.
fn read(of: &Record, members: Map<String, Value>) -> Option<Record> {
    let salt = "0".repeat(32);
    let put = json!({ "change": "put", "record": of.kind(), "id": of.key().id(), "value": members, "salt": salt });
    match serde_json::from_value::<Revision>(put).ok()?.change {
        Change::Put(record) => Some(record),
        Change::Remove(_) => None,
    }
}

/// Returns the name in documents of a column.
fn camel_case(column: &str) -> String {
    let mut parts = column.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..])
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use care_core::store::{
        Seq,
        rows::{RowError, RowWriter, Value},
    };

    use super::*;

    /// The columns of a row that have a value.
    #[derive(Default)]
    struct Filled(Vec<bool>);

    impl RowWriter for Filled {
        type Error = RowError;

        fn put<'v>(&mut self, value: impl Into<Value<'v>>) -> Result<(), RowError> {
            self.0.push(match value.into() {
                Value::Integer(number) => number.is_some(),
                Value::Boolean(value) => value.is_some(),
                Value::Double(number) => number.is_some(),
                Value::Text(text) => text.is_some(),
                Value::Bytes(bytes) => bytes.is_some(),
            });
            Ok(())
        }
    }

    /// Returns what the program in another language says that an erasure takes.
    fn said_elsewhere() -> BTreeMap<String, BTreeSet<String>> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.ci/chain.py");
        let program = std::fs::read_to_string(path).unwrap();
        let (_, table) = program.split_once("GONE = {").unwrap();
        let (table, _) = table.split_once('}').unwrap();
        let texts: Vec<_> = table.split('"').skip(1).step_by(2).collect();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        texts.chunks(2).map(|row| (row[0].to_owned(), words(row[1]))).collect()
    }

    #[test]
    fn another_program_knows_what_an_erasure_takes_of_every_kind() {
        let mut taken: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for record in of_person(7, 1) {
            let members: Vec<_> = personal(&record).into_iter().map(|(name, _)| name).collect();
            if !members.is_empty() {
                taken.entry(record.kind().to_owned()).or_default().extend(members);
            }
        }
        assert_eq!(said_elsewhere(), taken);
    }

    #[test]
    fn every_kind_with_an_owner_has_samples_with_every_field() {
        let records = of_person(7, 1);
        let owned = RecordKind::ALL.iter().filter(|kind| kind.owner().is_some()).chain(&[RecordKind::Patient]);
        for kind in owned {
            let mut empty: BTreeSet<_> = kind.table().all().map(|column| column.name).collect();
            for record in records.iter().filter(|record| RecordKind::of_record(record) == *kind) {
                let mut row = Filled::default();
                record.write(Seq::new(1), &mut row).unwrap();
                kind.table().all().zip(row.0).filter(|(_, is_filled)| *is_filled).for_each(|(column, _)| {
                    empty.remove(column.name);
                });
                assert_eq!(personal(record).is_empty(), !kind.is_emptied(), "{record:?}");
            }
            assert_eq!(empty, BTreeSet::new(), "{kind}: no sample has a value there");
        }
    }
}

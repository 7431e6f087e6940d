//! The changes of a decision.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use crate::{
    kinds::RecordKind,
    store::{Commitment, Record, RecordKey, Salt, Seq},
};

/// One change of one record.
///
/// Not `non_exhaustive`: a store that does not apply a new form of change must not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "nearly every change is a put")]
pub enum Change {
    /// The record is put, in the place of an earlier version if there is one.
    Put(Record),
    /// The record is removed.
    Remove(RecordKey),
}

/// A change in the journal, with the version that the record had before the entry.
///
/// In JSON, an absent `replaced` means [`Seq::ZERO`]:
/// ```json
/// {"change":"put","record":"Voided","id":"7","value":{"patientId":7},"salt":"00112233445566778899aabbccddeeff"}
/// {"change":"remove","record":"Patient","id":"7","replaced":3}
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The change.
    pub change: Change,
    /// The version of the record before the entry, [`Seq::ZERO`] when there was none. A state between two changes of
    /// the same record in one entry is not a version.
    pub replaced: Seq,
    /// The salt of the value. A change without a value has none, and a value gets one with its entry.
    pub salt: Option<Salt>,
    /// The commitment that the chain is made of, where an erasure has replaced the value since.
    pub commitment: Option<Commitment>,
}

impl Revision {
    /// Returns the revision of a change that is about to be entered into the journal.
    pub const fn of(change: Change, replaced: Seq) -> Self {
        Self { change, replaced, salt: None, commitment: None }
    }
}

impl Change {
    /// Returns a put of any kind of record.
    pub fn put(record: impl Into<Record>) -> Self {
        Self::Put(record.into())
    }

    /// Returns the key of its record.
    pub fn key(&self) -> RecordKey {
        match self {
            Self::Put(record) => record.key(),
            Self::Remove(key) => key.clone(),
        }
    }

    /// Returns its kind of record.
    pub(crate) const fn record_kind(&self) -> RecordKind {
        match self {
            Self::Put(record) => RecordKind::of_record(record),
            Self::Remove(key) => RecordKind::of(key),
        }
    }

    /// Returns the name of its kind of record in the journal.
    pub const fn kind(&self) -> &'static str {
        self.record_kind().name()
    }
}

/// The form of a change in the journal, with its value as a record or as JSON.
#[derive(Serialize, Deserialize)]
struct Form<K, V> {
    change: Verb,
    record: K,
    id: String,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    value: Option<V>,
    #[serde(default, skip_serializing_if = "Seq::is_zero")]
    replaced: Seq,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    salt: Option<Salt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commitment: Option<Commitment>,
}

/// The form of a key in the journal.
#[derive(Serialize, Deserialize)]
struct KeyForm<K> {
    record: K,
    id: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verb {
    Put,
    Remove,
}

impl Serialize for Revision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = match &self.change {
            Change::Put(record) => Some(record),
            Change::Remove(_) => None,
        };
        self.form(value).serialize(serializer)
    }
}

impl Revision {
    /// Returns what serializes as the revision does, with a value that was serialized before.
    pub(in crate::store) fn with_json<'a>(&self, value: Option<&'a RawValue>) -> impl Serialize + use<'a> {
        self.form(value)
    }

    fn form<V>(&self, value: Option<V>) -> Form<&'static str, V> {
        let key = self.change.key();
        let change = match &self.change {
            Change::Put(_) => Verb::Put,
            Change::Remove(_) => Verb::Remove,
        };
        let Self { replaced, salt, commitment, .. } = *self;
        Form { change, record: key.kind(), id: key.id(), value, replaced, salt, commitment }
    }
}

impl<'de> Deserialize<'de> for Revision {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Form { change, record, id, value, replaced, salt, commitment } =
            Form::<String, serde_json::Value>::deserialize(deserializer)?;
        let change = match (change, value) {
            (Verb::Put, Some(value)) if salt.is_some() => {
                let record = Record::parse(&record, &id, value).map_err(|_| de::Error::custom("not a record"))?;
                if record.key().id() != id {
                    return Err(de::Error::custom("the record and its id disagree"));
                }
                Change::Put(record)
            }
            (Verb::Remove, None) if salt.is_none() && commitment.is_none() => Change::Remove(key(&record, &id)?),
            _ => return Err(de::Error::custom("a put has a value and its salt, and a removal has neither")),
        };
        Ok(Self { change, replaced, salt, commitment })
    }
}

/// The form of a read in the journal: `{"record":"Patient","id":"7"}`.
impl Serialize for RecordKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        KeyForm { record: self.kind(), id: self.id() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RecordKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let KeyForm { record, id } = KeyForm::<String>::deserialize(deserializer)?;
        key(&record, &id)
    }
}

fn key<E: de::Error>(kind: &str, id: &str) -> Result<RecordKey, E> {
    RecordKey::parse(kind, id).ok_or_else(|| E::custom("not the id of a record"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            Date, Demand, EveryDays, Item, KeyId, KeyName, KeyRecord, LotId, LotText, MedicineName, Patient, PatientId,
            RegularDemand, Scopes, StockDay,
        },
        store::{Counter, ReplyId, Series, Voided},
    };

    #[test]
    fn changes_and_keys_read_back_as_they_are_written() {
        let medicine = MedicineName::new(" Ibuprofen  400").unwrap();
        let (key, day) = (medicine.key().clone(), "31/01/2026".parse::<Date>().unwrap());
        let id = PatientId::FIRST;
        let puts = [
            Change::put(Patient::new(id)),
            Change::put(Voided { patient_id: id }),
            Change::put(Item::new(medicine.clone())),
            Change::put(Demand { prescribed: 2, regular: 1, ..Demand::new(medicine.clone(), day) }),
            Change::put(RegularDemand {
                active_regular: 1,
                ..RegularDemand::new(medicine.clone(), EveryDays::clamped(28))
            }),
            Change::put(StockDay { received: 7, ..StockDay::new(medicine.clone(), day) }),
            Change::put(Counter { series: Series::Invoice, last: 3 }),
            Change::put(KeyRecord {
                key_id: KeyId::new("0123456789az").unwrap(),
                name: KeyName::new("desk").unwrap(),
                scopes: Scopes::ALL,
                expires: None,
                revoked: None,
            }),
        ];
        let keys = [
            RecordKey::Patient(id),
            RecordKey::Voided(id),
            RecordKey::History(id),
            RecordKey::Consultation(7.try_into().unwrap()),
            RecordKey::Diagnosis(7.try_into().unwrap()),
            RecordKey::Prescription(7.try_into().unwrap()),
            RecordKey::Invoice(7.try_into().unwrap()),
            RecordKey::Item(key.clone()),
            RecordKey::Demand((day, key.clone())),
            RecordKey::RegularDemand((key.clone(), EveryDays::clamped(28))),
            RecordKey::Stock(key.clone()),
            RecordKey::OpenLot((key.clone(), LotId::default())),
            RecordKey::OpenLot((key.clone(), LotId { lot: LotText::new("\u{e9} 7").ok(), expires: None })),
            RecordKey::OpenLot((key.clone(), LotId { lot: LotText::new("-").ok(), expires: Some(day) })),
            RecordKey::Movement(7.try_into().unwrap()),
            RecordKey::StockDay((key, day)),
            RecordKey::Dispensing(7.try_into().unwrap()),
            RecordKey::Counter(Series::Movement),
            RecordKey::Reply(ReplyId::random()),
            RecordKey::Key(KeyId::new("0123456789az").unwrap()),
        ];
        let removals = keys.clone().map(Change::Remove);
        let revisions: Vec<_> = puts.into_iter().chain(removals).zip(0..).collect();
        for (change, replaced) in revisions {
            let salt = matches!(change, Change::Put(_)).then_some(Salt::new([7; 16]));
            let commitment = salt.filter(|_| replaced % 2 == 0).map(|_| Commitment::new([8; 32]));
            let revision = Revision { change, replaced: Seq::new(replaced), salt, commitment };
            let text = serde_json::to_string(&revision).unwrap();
            assert_eq!(serde_json::from_str::<Revision>(&text).unwrap(), revision, "{text}");
        }
        for key in keys {
            let text = serde_json::to_string(&key).unwrap();
            assert_eq!(serde_json::from_str::<RecordKey>(&text).unwrap(), key, "{text}");
        }
    }

    #[test]
    fn the_journal_form_is_the_documented_one() {
        let id = PatientId::FIRST;
        let text = |revision: Revision| serde_json::to_string(&revision).unwrap();
        let mut put = Revision::of(Change::put(Voided { patient_id: id }), Seq::ZERO);
        put.salt = Some(Salt::new([0x1f; 16]));
        let digits = "1f".repeat(16);
        let due =
            format!(r#"{{"change":"put","record":"Voided","id":"1","value":{{"patientId":1}},"salt":"{digits}"}}"#);
        assert_eq!(text(put.clone()), due);
        put.commitment = Some(Commitment::new([0x2e; 32]));
        let commitment = "2e".repeat(32);
        assert_eq!(text(put), format!(r#"{},"commitment":"{commitment}"}}"#, due.trim_end_matches('}')));
        let remove = text(Revision::of(Change::Remove(RecordKey::Patient(id)), Seq::new(3)));
        assert_eq!(remove, r#"{"change":"remove","record":"Patient","id":"1","replaced":3}"#);
        let read = serde_json::to_string(&RecordKey::Patient(id)).unwrap();
        assert_eq!(read, r#"{"record":"Patient","id":"1"}"#);
    }

    #[test]
    fn a_contradiction_is_refused() {
        for text in [
            r#"{"change":"put","record":"Voided","id":"1","value":{"patientId":1}}"#,
            r#"{"change":"put","record":"Voided","id":"1","value":{"patientId":1},"salt":"1f"}"#,
            r#"{"change":"remove","record":"Voided","id":"1","salt":"00000000000000000000000000000000"}"#,
            r#"{"change":"put","record":"Voided","id":"1","salt":"00000000000000000000000000000000"}"#,
            r#"{"change":"remove","record":"Voided","id":"0"}"#,
            r#"{"change":"remove","record":"Patient","id":"1","value":{}}"#,
            r#"{"change":"read","record":"Patient","id":"1"}"#,
        ] {
            assert!(serde_json::from_str::<Revision>(text).is_err(), "{text}");
        }
        let put = |record: &str, id: &str| {
            let salt = "0".repeat(32);
            let text = format!(
                r#"{{"change":"put","record":"{record}","id":"{id}","value":{{"patientId":1}},"salt":"{salt}"}}"#
            );
            serde_json::from_str::<Revision>(&text).is_ok()
        };
        assert!(put("Voided", "1") && !put("Voided", "2") && !put("Nothing", "1"));
        assert!(serde_json::from_str::<RecordKey>(r#"{"record":"Patient","id":"0"}"#).is_err());
    }
}

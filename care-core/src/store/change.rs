//! What a decision wants written.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Record, RecordKey, ReplyKey, Series};
use crate::model::{Date, MedicineKey};

/// One change of one record, or the note that it was read. Every store matches it exhaustively.
///
/// In the journal:
/// ```json
/// {"change":"put","record":"Voided","id":"7","value":{"patientId":7}}
/// {"change":"remove","record":"Patient","id":"7"}
/// {"change":"read","record":"Patient","id":"7"}
/// ```
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly every change is a put")]
pub enum Change {
    /// The record becomes this, whether or not it was there.
    Put(Record),
    /// The record is no more.
    Remove(RecordKey),
    /// The record was read, whether or not it is there still. It stays as it is, in the version it has: all that a store
    /// does of this is to write it down.
    Read(RecordKey),
}

impl Change {
    /// A put of any kind of record.
    pub fn put(record: impl Into<Record>) -> Self {
        Self::Put(record.into())
    }

    /// Which record it is about.
    pub fn key(&self) -> RecordKey {
        match self {
            Self::Put(record) => record.key(),
            Self::Remove(key) | Self::Read(key) => key.clone(),
        }
    }
}

impl RecordKey {
    /// The name of the kind of record, as the journal calls it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Patient(_) => "Patient",
            Self::Voided(_) => "Voided",
            Self::History(_) => "History",
            Self::Consultation(_) => "Consultation",
            Self::Diagnosis(_) => "Diagnosis",
            Self::Prescription(_) => "Prescription",
            Self::Invoice(_) => "Invoice",
            Self::Item(_) => "Item",
            Self::Demand(..) => "Demand",
            Self::Usage(_) => "Usage",
            Self::Stock(_) => "Stock",
            Self::Movement(_) => "Movement",
            Self::StockDay(..) => "StockDay",
            Self::Dispensing(_) => "Dispensing",
            Self::Counter(_) => "Counter",
            Self::Reply(_) => "Reply",
        }
    }

    /// What identifies the record among its kind, as text.
    pub fn id(&self) -> String {
        match self {
            Self::Patient(id) | Self::Voided(id) | Self::History(id) => id.to_string(),
            Self::Consultation(id) | Self::Diagnosis(id) => id.to_string(),
            Self::Prescription(id) => id.to_string(),
            Self::Invoice(id) | Self::Dispensing(id) => id.to_string(),
            Self::Movement(id) => id.to_string(),
            Self::Item(key) | Self::Usage(key) | Self::Stock(key) => key.as_str().to_owned(),
            // The day comes first: it has a fixed length, the medicine may hold anything.
            Self::Demand(day, key) | Self::StockDay(key, day) => format!("{day} {}", key.as_str()),
            Self::Counter(series) => series.as_str().to_owned(),
            // The key comes first: it holds no space, the actor's name may.
            Self::Reply(ReplyKey { actor, key }) => format!("{key} {actor}"),
        }
    }

    fn parse(kind: &str, id: &str) -> Option<Self> {
        fn number<T: TryFrom<i64>>(id: &str) -> Option<T> {
            T::try_from(id.parse().ok()?).ok()
        }
        Some(match kind {
            "Patient" => Self::Patient(number(id)?),
            "Voided" => Self::Voided(number(id)?),
            "History" => Self::History(number(id)?),
            "Consultation" => Self::Consultation(number(id)?),
            "Diagnosis" => Self::Diagnosis(number(id)?),
            "Prescription" => Self::Prescription(number(id)?),
            "Invoice" => Self::Invoice(number(id)?),
            "Item" => Self::Item(MedicineKey::from_stored(id)),
            "Demand" => {
                let (day, key) = id.split_once(' ')?;
                Self::Demand(day.parse::<Date>().ok()?, MedicineKey::from_stored(key))
            }
            "Usage" => Self::Usage(MedicineKey::from_stored(id)),
            "Stock" => Self::Stock(MedicineKey::from_stored(id)),
            "Movement" => Self::Movement(number(id)?),
            "StockDay" => {
                let (day, key) = id.split_once(' ')?;
                Self::StockDay(MedicineKey::from_stored(key), day.parse::<Date>().ok()?)
            }
            "Dispensing" => Self::Dispensing(number(id)?),
            "Counter" => Self::Counter(match id {
                "patient" => Series::Patient,
                "prescription" => Series::Prescription,
                "invoice" => Series::Invoice,
                "consultation" => Series::Consultation,
                "movement" => Series::Movement,
                _ => return None,
            }),
            "Reply" => {
                let (key, actor) = id.split_once(' ')?;
                Self::Reply(ReplyKey { actor: actor.into(), key: key.into() })
            }
            _ => return None,
        })
    }
}

/// The form of a change in the journal.
#[derive(Serialize)]
struct Written<'a> {
    change: &'static str,
    id: String,
    #[serde(flatten)]
    of: Of<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Of<'a> {
    Put(&'a Record),
    Kind { record: &'static str },
}

#[derive(Deserialize)]
struct Read {
    change: Verb,
    record: String,
    id: String,
    value: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verb {
    Put,
    Remove,
    Read,
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let key = self.key();
        match self {
            Self::Put(record) => Written { change: "put", id: key.id(), of: Of::Put(record) },
            Self::Remove(_) => Written { change: "remove", id: key.id(), of: Of::Kind { record: key.kind() } },
            Self::Read(_) => Written { change: "read", id: key.id(), of: Of::Kind { record: key.kind() } },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Read::deserialize(deserializer)?;
        match (read.change, read.value) {
            (Verb::Put, Some(value)) => {
                let tagged = serde_json::json!({ "record": read.record, "value": value });
                let record = Record::deserialize(tagged).map_err(|_| de::Error::custom("not a record"))?;
                if record.key().id() != read.id {
                    return Err(de::Error::custom("the record and its id disagree"));
                }
                Ok(Self::Put(record))
            }
            (verb @ (Verb::Remove | Verb::Read), None) => RecordKey::parse(&read.record, &read.id)
                .map(if matches!(verb, Verb::Read) { Self::Read } else { Self::Remove })
                .ok_or_else(|| de::Error::custom("not the id of a record")),
            _ => Err(de::Error::custom("a put has a value and nothing else has one")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Demand, Item, MedicineName, Patient, PatientId, StockDay, Usage},
        store::{Counter, Voided},
    };

    #[test]
    fn changes_read_back_as_they_are_written() {
        let medicine = MedicineName::new(" Ibuprofen  400").unwrap();
        let day: Date = "31/01/2026".parse().unwrap();
        let id = PatientId::FIRST;
        let changes = vec![
            Change::put(Patient::new(id)),
            Change::put(Voided { patient_id: id }),
            Change::put(Item::new(medicine.clone())),
            Change::put(Demand { prescribed: 2, regular: 1, ..Demand::new(medicine.clone(), day) }),
            Change::put(Usage { active_regular: 1, ..Usage::new(medicine.clone()) }),
            Change::put(StockDay { received: 7, ..StockDay::new(medicine.clone(), day) }),
            Change::put(Counter { series: Series::Invoice, last: 3 }),
            Change::Remove(RecordKey::Patient(id)),
            Change::Remove(RecordKey::Item(medicine.key().clone())),
            Change::Remove(RecordKey::Demand(day, medicine.key().clone())),
            Change::Remove(RecordKey::Counter(Series::Movement)),
            Change::Remove(RecordKey::Stock(medicine.key().clone())),
            Change::Remove(RecordKey::StockDay(medicine.key().clone(), day)),
            Change::Remove(RecordKey::Movement(7.try_into().unwrap())),
            Change::Remove(RecordKey::Dispensing(7.try_into().unwrap())),
            Change::Read(RecordKey::History(id)),
        ];
        let text = serde_json::to_string(&changes).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Change>>(&text).unwrap(), changes);
    }

    #[test]
    fn the_journal_form_is_the_documented_one() {
        let put = serde_json::to_value(Change::put(Voided { patient_id: PatientId::FIRST })).unwrap();
        let expected = serde_json::json!({"change":"put","record":"Voided","id":"1","value":{"patientId":1}});
        assert_eq!(put, expected);
        let remove = serde_json::to_string(&Change::Remove(RecordKey::Patient(PatientId::FIRST))).unwrap();
        assert_eq!(remove, r#"{"change":"remove","id":"1","record":"Patient"}"#);
        let read = serde_json::to_string(&Change::Read(RecordKey::Patient(PatientId::FIRST))).unwrap();
        assert_eq!(read, r#"{"change":"read","id":"1","record":"Patient"}"#);
    }

    #[test]
    fn a_contradiction_is_refused() {
        for text in [
            r#"{"change":"put","record":"Voided","id":"2","value":{"patientId":1}}"#,
            r#"{"change":"put","record":"Voided","id":"1"}"#,
            r#"{"change":"remove","record":"Voided","id":"0"}"#,
            r#"{"change":"remove","record":"Patient","id":"1","value":{}}"#,
            r#"{"change":"read","record":"Patient","id":"1","value":{}}"#,
            r#"{"change":"read","record":"Patient","id":"0"}"#,
        ] {
            assert!(serde_json::from_str::<Change>(text).is_err(), "{text}");
        }
    }
}

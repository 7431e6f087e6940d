//! The stored records.

use std::ops::Deref;

use care_derive::Record;
use serde::Serialize;
use serde_json::Value;

use super::identity::Identity;
use crate::{
    model::{
        Consultation, ConsultationId, Date, Demand, Diagnosis, Dispensing, EveryDays, History, Invoice, InvoiceId,
        Item, KeyId, KeyRecord as Key, LotId, MedicineKey, Movement, MovementId, OpenLot, Patient, PatientId,
        Prescription, PrescriptionId, Receipt, ReceiptId, RegularDemand, Stock, StockDay, Takings, TakingsKey,
    },
    store::{Counter, Reply, ReplyId, Seq, Series},
};

/// A record together with the journal entry that put it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Versioned<T> {
    /// The number of that entry.
    pub version: Seq,
    /// The record.
    pub record: T,
}

impl<T> Versioned<T> {
    /// Returns the record without its version.
    pub fn into_record(self) -> T {
        self.record
    }

    /// Returns what is made of the record, with the same version.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Versioned<U> {
        Versioned { version: self.version, record: map(self.record) }
    }
}

impl<T: Clone> Versioned<&T> {
    /// Returns a copy of the record, with its version.
    pub fn cloned(self) -> Versioned<T> {
        self.map(T::clone)
    }
}

/// A versioned record can be read like the record itself: `patient.name` for `patient.record.name`.
impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

/// The mark of a voided patient number, which is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[record(table = "voided", key(patient_id))]
pub struct Voided {
    /// The number.
    pub patient_id: PatientId,
}

/// The person whom a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// This patient.
    Patient(PatientId),
    /// The patient of this invoice, whom the record does not name.
    Invoice(InvoiceId),
}

/// A kind of record, with its identifier.
pub trait Entity: 'static + Clone + PartialEq + Into<Record> + Sized {
    /// The identifier.
    type Id: Clone + Send + Sync;

    /// The kind.
    const KIND: RecordKind;

    /// Returns the key of the record with this identifier.
    fn key(id: Self::Id) -> RecordKey;

    /// Returns the identifier of the record.
    fn id(&self) -> Self::Id;

    /// Returns the record as this kind, or `None` when it is of another.
    fn from_record(record: &Record) -> Option<&Self>;

    /// Returns the record as this kind by value, or `None` when it is of another.
    fn try_from_record(record: Record) -> Option<Self>;
}

/// Defines the sum of all records. A store handles no kind by its name: [`RecordKind`] knows the table of each.
macro_rules! records {
    ($($(#[$doc:meta])* $kind:ident($id:ty) = |$record:ident| $of:expr;)*) => {
        /// The key of one record. Keys are ordered by kind, as they stand here, and then by identifier: numbers by
        /// value, names by their bytes, demand by day first, intervals, lots and days of stock by medicine first,
        /// takings by day.
        ///
        /// Not `non_exhaustive`: what means something for each kind does not compile without a new one.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RecordKey {
            $($(#[$doc])* $kind($id),)*
        }

        impl RecordKey {
            /// Returns the name of the kind of record in the journal.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => stringify!($kind),)*
                }
            }

            /// Returns the identifier of the record within its kind, as text.
            pub fn id(&self) -> String {
                match self {
                    $(Self::$kind(id) => id.text(),)*
                }
            }

            /// Reads the texts that [`kind`](Self::kind) and [`id`](Self::id) have returned.
            pub fn parse(kind: &str, id: &str) -> Option<Self> {
                match kind {
                    $(stringify!($kind) => Identity::parse(id).map(Self::$kind),)*
                    _ => None,
                }
            }
        }

        /// A kind of record. Kinds are ordered as [`RecordKey`] orders them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RecordKind {
            $($(#[$doc])* $kind,)*
        }

        impl RecordKind {
            /// Returns the kind of the record that a key identifies.
            pub const fn of(key: &RecordKey) -> Self {
                match key {
                    $(RecordKey::$kind(_) => Self::$kind,)*
                }
            }

            /// All kinds, in their order.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The names of all kinds in the journal, in their order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($kind)),*];

            /// Returns the kind with this name in the journal; `None` when there is none.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($kind) => Some(Self::$kind),)*
                    _ => None,
                }
            }
        }

        /// Any record. Its JSON is that of the record itself.
        ///
        /// Not `non_exhaustive`: what means something for each kind does not compile without a new one.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum Record {
            $($(#[$doc])* $kind($kind),)*
        }

        impl Record {
            /// Returns the key of the record.
            pub fn key(&self) -> RecordKey {
                match self {
                    $(Self::$kind(record) => RecordKey::$kind(record.id()),)*
                }
            }

            /// Returns the name of the kind of record in the journal.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => stringify!($kind),)*
                }
            }

            /// Reads the JSON of a record of this kind with this identifier, which the value of a key leaves out.
            pub(crate) fn parse(kind: &str, id: &str, mut value: Value) -> serde_json::Result<Self> {
                if kind == "Key"
                    && let Some(members) = value.as_object_mut()
                {
                    members.insert("keyId".to_owned(), Value::from(id));
                }
                match kind {
                    $(stringify!($kind) => serde_json::from_value(value).map(Self::$kind),)*
                    _ => Err(serde::de::Error::custom("not a kind of record")),
                }
            }
        }

        $(
            impl From<$kind> for Record {
                fn from(record: $kind) -> Self {
                    Self::$kind(record)
                }
            }

            impl Entity for $kind {
                type Id = $id;

                const KIND: RecordKind = RecordKind::$kind;

                fn key(id: Self::Id) -> RecordKey {
                    RecordKey::$kind(id)
                }

                fn id(&self) -> Self::Id {
                    let $record = self;
                    $of
                }

                fn from_record(record: &Record) -> Option<&Self> {
                    match record {
                        Record::$kind(record) => Some(record),
                        _ => None,
                    }
                }

                fn try_from_record(record: Record) -> Option<Self> {
                    match record {
                        Record::$kind(record) => Some(record),
                        _ => None,
                    }
                }
            }
        )*

        /// The type of each kind of record, under the name of its variant in [`Record`](enum@Record) and
        /// [`RecordKey`].
        pub(crate) mod kinds {
            $($(#[$doc])* pub(crate) type $kind = super::$kind;)*
        }

        /// Calls a macro with the names of all kinds of records, in the order of their keys.
        macro_rules! each_kind {
            ($with:ident) => { $with! { $($kind)* } };
        }
        pub(crate) use each_kind;
    };
}

records! {
    /// A patient.
    Patient(PatientId) = |it| it.patient_id;
    /// The mark that a patient number was used and voided.
    Voided(PatientId) = |it| it.patient_id;
    /// A patient's completed visits, without the diseases.
    History(PatientId) = |it| it.patient_id;
    /// A consultation, without the diseases.
    Consultation(ConsultationId) = |it| it.consultation_id;
    /// The diseases of a consultation.
    Diagnosis(ConsultationId) = |it| it.consultation_id;
    /// A prescription.
    Prescription(PrescriptionId) = |it| it.prescription_id;
    /// An invoice.
    Invoice(InvoiceId) = |it| it.invoice_id;
    /// An inventory item.
    Item(MedicineKey) = |it| it.medicine.key().clone();
    /// The prescriptions of a medicine on a day.
    Demand((Date, MedicineKey)) = |it| (it.day, it.medicine.key().clone());
    /// The active recurring prescriptions of a medicine with an interval.
    RegularDemand((MedicineKey, EveryDays)) = |it| (it.medicine.key().clone(), it.every_days);
    /// The stock of a medicine.
    Stock(MedicineKey) = |it| it.medicine.key().clone();
    /// An open lot of a tracked medicine.
    OpenLot((MedicineKey, LotId)) = |it| (it.medicine.key().clone(), it.lot_id());
    /// A movement of stock.
    Movement(MovementId) = |it| it.movement_id;
    /// The movements of a medicine on a day.
    StockDay((MedicineKey, Date)) = |it| (it.medicine.key().clone(), it.day);
    /// The lots from which an invoice took units.
    Dispensing(InvoiceId) = |it| it.invoice_id;
    /// A receipt of money.
    Receipt(ReceiptId) = |it| it.receipt_id;
    /// The receipts of a holder on a day in a currency, counted.
    Takings(TakingsKey) = |it| it.of.clone();
    /// The last number given in a series.
    Counter(Series) = |it| it.series;
    /// The answer to a request that may be repeated.
    Reply(ReplyId) = |it| it.id.clone();
    /// The journal's record of a client's key.
    Key(KeyId) = |it| it.key_id.clone();
}

impl Record {
    /// Returns the person whom the record is about, if it is about one.
    pub(crate) const fn subject(&self) -> Option<Subject> {
        match self {
            Self::Patient(Patient { patient_id, .. })
            | Self::Voided(Voided { patient_id })
            | Self::History(History { patient_id, .. })
            | Self::Consultation(Consultation { patient_id, .. })
            | Self::Diagnosis(Diagnosis { patient_id, .. })
            | Self::Prescription(Prescription { patient_id, .. })
            | Self::Invoice(Invoice { patient_id, .. }) => Some(Subject::Patient(*patient_id)),
            Self::Movement(Movement { invoice_id: Some(invoice_id), .. })
            | Self::Receipt(Receipt { invoice_id, .. }) => Some(Subject::Invoice(*invoice_id)),
            Self::Reply(Reply { patient_id: Some(patient_id), .. }) => Some(Subject::Patient(*patient_id)),
            Self::Movement(Movement { invoice_id: None, .. })
            | Self::Reply(Reply { patient_id: None, .. })
            | Self::Item(_)
            | Self::Demand(_)
            | Self::RegularDemand(_)
            | Self::Stock(_)
            | Self::OpenLot(_)
            | Self::StockDay(_)
            | Self::Dispensing(_)
            | Self::Takings(_)
            | Self::Counter(_)
            | Self::Key(_) => None,
        }
    }
}

impl RecordKey {
    /// Returns whether clients may ask for earlier versions of the record, and there may be more than a few of them.
    pub const fn has_versions(&self) -> bool {
        match self {
            Self::Patient(_)
            | Self::History(_)
            | Self::Consultation(_)
            | Self::Prescription(_)
            | Self::Invoice(_)
            | Self::Item(_)
            | Self::Stock(_) => true,
            Self::Voided(_)
            | Self::Diagnosis(_)
            | Self::Demand(_)
            | Self::RegularDemand(_)
            | Self::OpenLot(_)
            | Self::Movement(_)
            | Self::StockDay(_)
            | Self::Dispensing(_)
            | Self::Receipt(_)
            | Self::Takings(_)
            | Self::Counter(_)
            | Self::Reply(_)
            | Self::Key(_) => false,
        }
    }

    /// Returns whether a record with [versions](Self::has_versions) may be created again under its identifier once it
    /// was removed. No link leads from the new record to the versions before.
    pub const fn has_reusable_id(&self) -> bool {
        matches!(self, Self::Item(_) | Self::Stock(_))
    }
}

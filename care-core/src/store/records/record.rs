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

/// The number of a record's versions, as far as clients may ask for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Versions {
    /// A few at most.
    Few,
    /// Any number.
    Many,
    /// Any number, and the record may be created again under its identifier once it was removed. No link leads from the
    /// new record to the versions before.
    ManyAgain,
}

/// A record that may be about a person.
pub(crate) trait About {
    /// Returns the person whom the record is about, if it is about one.
    fn subject(&self) -> Option<Subject>;
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

macro_rules! subject {
    ($record:ident = $value:expr, _) => {
        None
    };
    ($record:ident = $value:expr, [$about:expr]) => {{
        let $record = $value;
        Option::from($about)
    }};
}

macro_rules! journaled {
    (_) => {
        None
    };
    ($name:literal) => {
        Some($name)
    };
}

/// Defines the sum of all records. A store handles no kind by its name: [`RecordKind`] knows the table of each.
///
/// A row has the identifier of a record; the [`Subject`], or `_` without one; the [`Versions`]; and the name
/// under which clients see the record in the journal, `_` for the service's own bookkeeping.
macro_rules! records {
    ($($(#[$doc:meta])* $kind:ident($id:ty) = |$record:ident| $of:expr,
        about: $about:tt, versions: $versions:ident, journaled: $journaled:tt;)*) => {
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

            /// Returns the identifier of the record within its kind, where that is a number.
            pub fn number(&self) -> Option<i64> {
                match self {
                    $(Self::$kind(id) => id.number(),)*
                }
            }

            const fn versions(&self) -> Versions {
                match self {
                    $(Self::$kind(_) => Versions::$versions,)*
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

            /// Returns the name under which clients see such records in the journal, which is that of their form in
            /// XML; `None` for the service's own bookkeeping.
            pub const fn journaled(self) -> Option<&'static str> {
                match self {
                    $(Self::$kind => journaled!($journaled),)*
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

            /// Returns the person whom the record is about, if it is about one.
            pub(crate) fn subject(&self) -> Option<Subject> {
                match self {
                    $(Self::$kind(record) => record.subject(),)*
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

            impl About for $kind {
                fn subject(&self) -> Option<Subject> {
                    subject!($record = self, $about)
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

        /// Calls a macro with all kinds of records, each with its name in the journal.
        #[cfg(feature = "openapi")]
        macro_rules! each_journaled {
            ($with:ident) => { $with! { $($kind $journaled)* } };
        }
        #[cfg(feature = "openapi")]
        pub(crate) use each_journaled;
    };
}

records! {
    /// A patient.
    Patient(PatientId) = |it| it.patient_id,
        about: [Subject::Patient(it.patient_id)], versions: Many, journaled: "Patient";
    /// The mark that a patient number was used and voided.
    Voided(PatientId) = |it| it.patient_id, about: [Subject::Patient(it.patient_id)], versions: Few, journaled: _;
    /// A patient's completed visits, without the diseases.
    History(PatientId) = |it| it.patient_id,
        about: [Subject::Patient(it.patient_id)], versions: Many, journaled: "History";
    /// A consultation, without the diseases.
    Consultation(ConsultationId) = |it| it.consultation_id,
        about: [Subject::Patient(it.patient_id)], versions: Many, journaled: "Consultation";
    /// The diseases of a consultation.
    Diagnosis(ConsultationId) = |it| it.consultation_id,
        about: [Subject::Patient(it.patient_id)], versions: Few, journaled: _;
    /// A prescription.
    Prescription(PrescriptionId) = |it| it.prescription_id,
        about: [Subject::Patient(it.patient_id)], versions: Many, journaled: "Prescription";
    /// An invoice.
    Invoice(InvoiceId) = |it| it.invoice_id,
        about: [Subject::Patient(it.patient_id)], versions: Many, journaled: "Invoice";
    /// An inventory item.
    Item(MedicineKey) = |it| it.medicine.key().clone(), about: _, versions: ManyAgain, journaled: "Inventory";
    /// The prescriptions of a medicine on a day.
    Demand((Date, MedicineKey)) = |it| (it.day, it.medicine.key().clone()), about: _, versions: Few, journaled: _;
    /// The active recurring prescriptions of a medicine with an interval.
    RegularDemand((MedicineKey, EveryDays)) = |it| (it.medicine.key().clone(), it.every_days),
        about: _, versions: Few, journaled: _;
    /// The stock of a medicine.
    Stock(MedicineKey) = |it| it.medicine.key().clone(), about: _, versions: ManyAgain, journaled: "Stock";
    /// An open lot of a tracked medicine.
    OpenLot((MedicineKey, LotId)) = |it| (it.medicine.key().clone(), it.lot_id()),
        about: _, versions: Few, journaled: _;
    /// A movement of stock.
    Movement(MovementId) = |it| it.movement_id,
        about: [it.invoice_id.map(Subject::Invoice)], versions: Few, journaled: "Movement";
    /// The movements of a medicine on a day.
    StockDay((MedicineKey, Date)) = |it| (it.medicine.key().clone(), it.day), about: _, versions: Few, journaled: _;
    /// The lots from which an invoice took units.
    Dispensing(InvoiceId) = |it| it.invoice_id, about: _, versions: Few, journaled: _;
    /// A receipt of money.
    Receipt(ReceiptId) = |it| it.receipt_id,
        about: [Subject::Invoice(it.invoice_id)], versions: Few, journaled: "Receipt";
    /// The receipts of a holder on a day in a currency, counted.
    Takings(TakingsKey) = |it| it.of.clone(), about: _, versions: Few, journaled: _;
    /// The last number given in a series.
    Counter(Series) = |it| it.series, about: _, versions: Few, journaled: _;
    /// The answer to a request that may be repeated.
    Reply(ReplyId) = |it| it.id.clone(), about: [it.patient_id.map(Subject::Patient)], versions: Few, journaled: _;
    /// The journal's record of a client's key.
    Key(KeyId) = |it| it.key_id.clone(), about: _, versions: Few, journaled: "Key";
}

impl RecordKey {
    /// Returns whether clients may ask for earlier versions of the record, and there may be more than a few of them.
    pub const fn has_versions(&self) -> bool {
        !matches!(self.versions(), Versions::Few)
    }

    /// Returns whether a record with [versions](Self::has_versions) may be created again under its identifier once it
    /// was removed. No link leads from the new record to the versions before.
    pub const fn has_reusable_id(&self) -> bool {
        matches!(self.versions(), Versions::ManyAgain)
    }
}

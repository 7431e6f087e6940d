//! Records as the service answers them, where they differ from those of the model.

use care_core::{
    model::{
        Address, Age, Amount, Currency, Date, Email, EveryDays, InvoiceId, InvoiceState, LotText, MedicineName, Name,
        PatientId, Phone, PrescriptionId, PrescriptionState, Price, Quantity, ShortText, StockSettings, Timestamp,
        Units,
    },
    store::Seq,
};
use serde::Deserialize;
use serde_json::Value;

/// A prescription (interface document, 2.2). As an item of a list it holds its number and its state besides; of a
/// single one the number is [`Answer::number`](crate::Answer::number).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prescription {
    /// Its number, in a list.
    pub prescription_id: Option<PrescriptionId>,
    /// The patient.
    pub patient_id: PatientId,
    /// The medicine.
    pub medicine: MedicineName,
    /// The inventory's answer at this moment.
    pub is_available: Option<bool>,
    /// The way to take it.
    pub dosage: Option<ShortText>,
    /// True for a medicine that is taken regularly.
    pub is_regular: Option<bool>,
    /// Its price, in whole units of the currency.
    pub price: Option<Price>,
    /// The currency of the price.
    pub currency: Option<Currency>,
    /// Its place in the flow, in a list.
    pub state: Option<PrescriptionState>,
    /// The units of a supply, in a list.
    pub quantity: Option<Quantity>,
    /// The days from one supply to the next, in a list.
    pub every_days: Option<EveryDays>,
}

/// An invoice (interface document, 2.4). As an item of a list it holds its number and its state besides.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invoice {
    /// Its number, in a list.
    pub invoice_id: Option<InvoiceId>,
    /// The patient who is billed.
    pub patient_id: PatientId,
    /// The medicine that is billed.
    pub medicine: MedicineName,
    /// The patient's name when it was issued, like all that follows.
    pub name: Option<Name>,
    /// The patient's age.
    pub age: Option<Age>,
    /// The day on which it was issued.
    pub invoice_date: Date,
    /// The patient's gender.
    pub gender: Option<ShortText>,
    /// The patient's telephone number.
    pub phone: Option<Phone>,
    /// The patient's email address.
    pub email: Option<Email>,
    /// The facility's address.
    pub companyaddress: Option<Address>,
    /// The way to take the medicine.
    pub dosage: Option<ShortText>,
    /// The price, in whole units of the currency.
    pub price: Option<Price>,
    /// The currency of the price.
    pub currency: Option<Currency>,
    /// Its place in the flow, in a list.
    pub state: Option<InvoiceState>,
    /// The units that are billed, in a list.
    pub quantity: Option<Quantity>,
}

/// The stock of a tracked medicine, as of today.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stock {
    /// The medicine.
    pub medicine: MedicineName,
    /// Its settings.
    #[serde(flatten)]
    pub settings: StockSettings,
    /// All units that are there.
    pub on_hand: i64,
    /// Those past their date.
    pub expired: i64,
    /// Those that may be dispensed.
    pub usable: i64,
    /// Those that unpaid invoices hold.
    pub reserved: Amount,
    /// Those that may be promised.
    pub available: i64,
    /// The open lots, in the order in which they are dispensed.
    pub lots: Vec<Lot>,
}

/// An open lot.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lot {
    /// The maker's name for it.
    pub lot: Option<LotText>,
    /// Its last day.
    pub expires: Option<Date>,
    /// Its units.
    pub on_hand: Units,
    /// True when it may be dispensed.
    pub usable: Option<bool>,
}

/// The end of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct News {
    /// The number of its last entry.
    pub seq: Seq,
}

/// The name, the scopes and the end of a key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct KeyFacts {
    /// The name of its holder in the journal.
    pub name: String,
    /// The words of its scopes. A newer service may have scopes that this crate does not know.
    pub scopes: Vec<String>,
    /// The first instant at which it is no longer valid; `None` for a key without an end.
    pub expires: Option<Timestamp>,
}

/// An entry of the journal.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct JournalEntry {
    /// Its number.
    pub seq: Seq,
    /// The time of its commit.
    pub at: Timestamp,
    /// The name of the key.
    pub actor: String,
    /// The operation's identifier in the OpenAPI document.
    pub operation: String,
    /// The changes, and the reads where those are noted.
    pub changes: Vec<JournalChange>,
}

/// A change of one record.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct JournalChange {
    /// The kind of change.
    pub change: ChangeKind,
    /// The name of the record in XML: `Patient`, for example.
    pub record: String,
    /// The identity of the record.
    pub id: RecordId,
    /// The record as it is since, of a [`ChangeKind::Put`].
    pub value: Option<Value>,
}

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Made or changed.
    Put,
    /// Taken away.
    Remove,
    /// Read, where reads are noted.
    Read,
}

/// The identity of a record among those of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
pub enum RecordId {
    /// A number.
    Number(i64),
    /// A medicine.
    Name(String),
}

/// The parameters of the restock report; the service has defaults for what is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RestockQuery {
    /// Its first day.
    pub from: Option<Date>,
    /// Its last day.
    pub to: Option<Date>,
    /// The most items.
    pub limit: Option<u32>,
}

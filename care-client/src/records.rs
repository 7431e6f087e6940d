//! Records in answers that differ from those of the model.

use care_core::{
    model::{
        Address, Age, Amount, CreditNoteId, Currency, Date, Email, EveryDays, InvoiceId, InvoiceState, Item, LotText,
        MedicineName, Name, PatientConsultation, PatientId, PaymentMethod, Phone, PrescriptionId, PrescriptionState,
        Price, Quantity, ReceiptId, ShortText, StockSettings, Timestamp, Units,
    },
    service::{CurrencyAmount, RestockItem, Waiting},
    store::{Link, Seq},
};
use serde::Deserialize;
use serde_json::Value;

/// A prescription (interface document, 2.2). List items also carry its number and its state; for a single prescription,
/// [`Answer::number`](crate::Answer::number) is the number.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prescription {
    /// Its number, in lists only.
    pub prescription_id: Option<PrescriptionId>,
    /// The patient.
    pub patient_id: PatientId,
    /// The medicine.
    pub medicine: MedicineName,
    /// Whether the inventory has the medicine at this moment.
    pub is_available: Option<bool>,
    /// The dosage instructions.
    pub dosage: Option<ShortText>,
    /// True for a medicine that is taken regularly.
    pub is_regular: Option<bool>,
    /// Its price, in whole units of the currency.
    pub price: Option<Price>,
    /// The currency of the price.
    pub currency: Option<Currency>,
    /// Its state in the flow, in lists only.
    pub state: Option<PrescriptionState>,
    /// The units of one supply, in lists only.
    pub quantity: Option<Quantity>,
    /// The days from one supply to the next, in lists only.
    pub every_days: Option<EveryDays>,
}

/// An invoice (interface document, 2.4). List items also carry its number and its state.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invoice {
    /// Its number, in lists only.
    pub invoice_id: Option<InvoiceId>,
    /// The patient who is billed.
    pub patient_id: PatientId,
    /// The medicine that is billed.
    pub medicine: MedicineName,
    /// The patient's name. This and the fields below are as they were when the invoice was issued.
    pub name: Option<Name>,
    /// The patient's age.
    pub age: Option<Age>,
    /// The day on which the invoice was issued.
    pub invoice_date: Date,
    /// The patient's gender.
    pub gender: Option<ShortText>,
    /// The patient's telephone number.
    pub phone: Option<Phone>,
    /// The patient's email address.
    pub email: Option<Email>,
    /// The facility's address.
    pub companyaddress: Option<Address>,
    /// The dosage instructions.
    pub dosage: Option<ShortText>,
    /// The price, in whole units of the currency.
    pub price: Option<Price>,
    /// The currency of the price.
    pub currency: Option<Currency>,
    /// Its state in the flow, in lists only.
    pub state: Option<InvoiceState>,
    /// The units that are billed, in lists only.
    pub quantity: Option<Quantity>,
    /// The receipt of its payment, in lists only.
    pub receipt_id: Option<ReceiptId>,
    /// The credit note of its refund, in lists only.
    pub credit_note_id: Option<CreditNoteId>,
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
    /// All units on the shelf.
    pub on_hand: i64,
    /// The units past their expiry date.
    pub expired: i64,
    /// The units that may be dispensed.
    pub usable: i64,
    /// The units that unpaid invoices hold.
    pub reserved: Amount,
    /// The units that are usable and not reserved.
    pub available: i64,
    /// The open lots, in the order in which they are dispensed.
    pub lots: Vec<Lot>,
}

/// An open lot.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lot {
    /// The manufacturer's lot number.
    pub lot: Option<LotText>,
    /// Its expiry date: the last day on which it may be dispensed.
    pub expires: Option<Date>,
    /// The units left in it.
    pub on_hand: Units,
    /// True if it may be dispensed.
    pub usable: Option<bool>,
}

/// The end of the journal, and the kinds of records that have changed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct News {
    /// The number of the last entry.
    pub seq: Seq,
    /// The kinds of records that changed after the client's entry, as the journal names them; `None` when the server
    /// does not know them, so that any may have changed.
    pub kinds: Option<Vec<String>>,
}

/// The name, the scopes and the expiry of a key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct KeyFacts {
    /// The name under which the journal records its holder.
    pub name: String,
    /// Its scopes, as strings: a newer service may have scopes that this crate does not know.
    pub scopes: Vec<String>,
    /// The first instant at which the key is no longer valid; `None` if it never expires.
    pub expires: Option<Timestamp>,
}

/// A journal entry.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct JournalEntry {
    /// Its number.
    pub seq: Seq,
    /// When it was committed.
    pub at: Timestamp,
    /// The name of the key that made the request.
    pub actor: String,
    /// The operation's identifier in the OpenAPI document.
    pub operation: String,
    /// The changes and, if the service records reads, the reads.
    pub changes: Vec<JournalChange>,
    /// The link of the chain. A follower keeps it: an entry that comes with another one later was changed, or one
    /// before it was.
    pub link: Link,
}

/// A journal entry as an event: what was done to which records, without any value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Event {
    /// The number of the entry.
    pub seq: Seq,
    /// When it was committed.
    pub at: Timestamp,
    /// The type, such as `invoice.paid`. A newer service may have types that this crate does not know.
    pub r#type: String,
    /// The records that changed, 200 at most.
    pub records: Vec<EventRecord>,
    /// Whether further records changed.
    #[serde(default)]
    pub more: bool,
}

/// A record that changed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct EventRecord {
    /// The name of the record in XML: `Patient`, for example.
    pub record: String,
    /// The identity of the record.
    pub id: RecordId,
    /// The kind of change.
    pub change: ChangeKind,
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
    /// The record after the change, for [`ChangeKind::Put`].
    pub value: Option<Value>,
}

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ChangeKind {
    /// Created or changed.
    Put,
    /// Removed.
    Remove,
    /// Read, if the service records reads.
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

/// The parameters of the restock report; the service has defaults for those left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RestockQuery {
    /// Its first day.
    pub from: Option<Date>,
    /// Its last day.
    pub to: Option<Date>,
    /// The highest number of items.
    pub limit: Option<u32>,
}

/// A report on takings, by days or by receipt numbers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TakingsReport {
    /// The first day; absent in a report by numbers.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
    /// The number before the first receipt; absent in a report by days.
    pub above: Option<i64>,
    /// The number of the last receipt.
    pub upto: Option<i64>,
    /// The sums of the whole range.
    #[serde(flatten)]
    pub sums: Takings,
    /// The takings by day, and then by holder.
    pub items: Vec<DayTakings>,
    /// Whether there are further days or holders, which the sums include.
    #[serde(default)]
    pub more: bool,
}

/// The takings of a holder on a day.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DayTakings {
    /// The day.
    pub day: Date,
    /// The holder of the key.
    pub holder: String,
    /// The sums.
    #[serde(flatten)]
    pub sums: Takings,
}

/// The records that wait at the front desk today. A part that was not asked for, or that the key may not read, is `None`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Today {
    /// The facility's day.
    pub day: Date,
    /// The open consultations.
    pub open_visits: Option<Waiting<PatientConsultation>>,
    /// The active prescriptions that are not regular and have no unpaid invoice.
    pub without_invoice: Option<Waiting<Prescription>>,
    /// The unpaid invoices.
    pub unpaid: Option<UnpaidInvoices>,
    /// The medicines that are not available and have an active prescription.
    pub out_with_demand: Option<Waiting<Item>>,
    /// The stocks with a lot that expires within `keepDays` and 30 days.
    pub expiring: Option<Waiting<Stock>>,
    /// The items of the restock report whose order is above 0.
    pub orders: Option<Waiting<RestockItem>>,
    /// The totals of the day's takings.
    pub taken: Option<Vec<MethodTotal>>,
    /// The parts that the key may not read.
    #[serde(default)]
    pub left: Vec<String>,
}

/// The unpaid invoices of a day.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct UnpaidInvoices {
    /// The invoices.
    #[serde(flatten)]
    pub waiting: Waiting<Invoice>,
    /// The prices of those that are counted, by currency.
    pub totals: Vec<CurrencyAmount>,
}

/// Sums of receipts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Takings {
    /// The number of receipts.
    pub receipts: u64,
    /// The number of those without an amount, which are in no total.
    pub unpriced: u64,
    /// The totals by currency, those without one last, and then by method.
    pub totals: Vec<MethodTotal>,
}

/// The sums of one currency and method, in whole units of the currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct MethodTotal {
    /// The currency; absent for invoices without one.
    pub currency: Option<Currency>,
    /// The method.
    pub method: PaymentMethod,
    /// The number of payments.
    pub payments: u64,
    /// Their sum.
    pub paid: i64,
    /// The number of refunds.
    pub refunds: u64,
    /// Their sum.
    pub refunded: i64,
    /// The sum that corrections moved to this method, less what they moved from it.
    pub moved: i64,
    /// `paid`, less `refunded`, and `moved`.
    pub net: i64,
}

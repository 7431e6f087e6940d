//! Records as answers show them, where they differ from those of the model: each shape once, for the server that writes
//! it and for the client that reads it.
//!
//! A server borrows from the record that it shows, so an answer copies no text. A client gets records that own their
//! texts, `Prescription<'static>` for example. Scopes, types of events and kinds of records are texts rather than
//! enums, since a newer service may have some that this crate does not know.

mod journal;

use std::borrow::Cow;

use care_derive::Record;

use crate::{
    model::{
        Address, Age, Amount, CreditNoteId, Currency, Date, Email, EveryDays, InvoiceId, InvoiceState, Item, LotText,
        MedicineName, Name, PatientConsultation, PatientId, Phone, PrescriptionId, PrescriptionState, Price, Quantity,
        ReceiptId, ShortText, StockSettings, Timestamp, Units,
    },
    service::{CurrencyAmount, CurrencyTotal, DayTakings, RestockItem, TakingsSums, Waiting},
};

pub use journal::{ChangeKind, Event, EventRecord, JournalChange, JournalEntry, News, RecordId};
#[cfg(feature = "openapi")]
pub(crate) use journal::{EntryNumber, JournaledKind, ShownKind};

/// A prescription, its identifier and its state.
///
/// The interface document describes it in 2.2.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "ListedPrescription")]
pub struct Prescription<'a> {
    /// Its unique identifier.
    ///
    /// Only lists show it.
    #[field(required)]
    pub prescription_id: Option<PrescriptionId>,
    /// Unique identifier of the patient.
    pub patient_id: PatientId,
    /// Name of the prescribed medicine.
    pub medicine: Cow<'a, MedicineName>,
    /// Whether the medicine is available in the inventory at this moment.
    ///
    /// The journal does not say it.
    #[field(required)]
    pub is_available: Option<bool>,
    /// Prescribed dosage.
    #[field(example = "1-0-1")]
    pub dosage: Option<Cow<'a, ShortText>>,
    /// Whether it is a recurring subscription.
    #[field(example = false)]
    pub is_regular: Option<bool>,
    /// Unit price or total price of the medicine, in whole units.
    pub price: Option<Price>,
    /// Currency code of the price.
    pub currency: Option<Currency>,
    /// The day of its consultation.
    ///
    /// Only lists show it.
    #[field(required, example = "15/03/2026")]
    pub prescribed: Option<Date>,
    /// The state.
    ///
    /// Only lists show it.
    #[field(required)]
    pub state: Option<PrescriptionState>,
    /// The units of one supply.
    ///
    /// Only lists show it.
    pub quantity: Option<Quantity>,
    /// The days between supplies while the prescription is regular.
    ///
    /// Only lists show it.
    pub every_days: Option<EveryDays>,
}

/// An invoice, its identifier and its state.
///
/// The interface document describes it in 2.4.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "ListedInvoice")]
pub struct Invoice<'a> {
    /// Its unique identifier.
    ///
    /// Only lists show it.
    #[field(required)]
    pub invoice_id: Option<InvoiceId>,
    /// Unique identifier of the patient being invoiced.
    pub patient_id: PatientId,
    /// Name of the billed medicine.
    pub medicine: Cow<'a, MedicineName>,
    /// Registered name of the patient.
    ///
    /// This and the fields below are as they were when the invoice was issued.
    pub name: Option<Cow<'a, Name>>,
    /// Age of the patient in years.
    pub age: Option<Age>,
    /// Date the invoice was generated.
    #[field(optional, example = "15/03/2026")]
    pub invoice_date: Date,
    /// Gender of the patient.
    #[field(example = "female")]
    pub gender: Option<Cow<'a, ShortText>>,
    /// Contact phone number of the patient.
    pub phone: Option<Phone>,
    /// Email address of the patient.
    pub email: Option<Cow<'a, Email>>,
    /// Registered address of the issuing healthcare facility.
    pub companyaddress: Option<Cow<'a, Address>>,
    /// Billed dosage.
    #[field(example = "1-0-1")]
    pub dosage: Option<Cow<'a, ShortText>>,
    /// Total billed amount for the medicine, in whole units.
    pub price: Option<Price>,
    /// Currency code of the billed amount.
    pub currency: Option<Currency>,
    /// The state.
    ///
    /// Only lists show it.
    #[field(required)]
    pub state: Option<InvoiceState>,
    /// Units that it reserves, or took when it was paid.
    ///
    /// Only lists show it.
    pub quantity: Option<Quantity>,
    /// The receipt of its payment.
    ///
    /// Only lists show it.
    pub receipt_id: Option<ReceiptId>,
    /// The credit note of its refund.
    ///
    /// Only lists show it.
    pub credit_note_id: Option<CreditNoteId>,
}

/// The stock of a tracked medicine, as of today.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Stock", root = "Stock")]
pub struct Stock<'a> {
    /// The medicine.
    pub medicine: Cow<'a, MedicineName>,
    /// Its settings.
    #[field(group, like = StockSettings)]
    pub settings: Cow<'a, StockSettings>,
    /// All units on the shelf.
    #[field(like = Amount, example = 100)]
    pub on_hand: i64,
    /// The units past their expiry date.
    #[field(like = Amount, example = 0)]
    pub expired: i64,
    /// The units that may be dispensed.
    #[field(like = Amount, example = 100)]
    pub usable: i64,
    /// The units that unpaid invoices hold.
    #[field(example = 0)]
    pub reserved: Amount,
    /// The units that are usable and not reserved.
    #[field(like = Amount, example = 100)]
    pub available: i64,
    /// The open lots, in the order in which they are dispensed.
    #[field(most = crate::model::Shelf::MAX_LOTS)]
    pub lots: Vec<Lot<'a>>,
}

/// An open lot.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "StockLot")]
pub struct Lot<'a> {
    /// The text on the pack, in its first spelling within the medicine.
    #[field(example = "A1")]
    pub lot: Option<Cow<'a, LotText>>,
    /// The last day on which it is good.
    #[field(example = "31/12/2027")]
    pub expires: Option<Date>,
    /// The units left in it.
    pub on_hand: Units,
    /// Whether it may be dispensed.
    #[field(optional)]
    pub usable: bool,
}

/// A report on takings, by days or by receipt numbers.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Takings", root = "Takings")]
pub struct TakingsReport {
    /// The first day; absent in a report by numbers.
    #[field(example = "15/03/2026")]
    pub from: Option<Date>,
    /// The last day.
    #[field(example = "15/03/2026")]
    pub to: Option<Date>,
    /// The number before the first receipt; absent in a report by days.
    #[field(aside, like = u64, example = 0)]
    pub above: Option<i64>,
    /// The number of the last receipt.
    #[field(aside, like = u64, example = 3)]
    pub upto: Option<i64>,
    /// The sums of the whole range.
    #[field(group)]
    pub sums: TakingsSums,
    /// The takings by day, and then by holder.
    pub items: Vec<DayTakings>,
    /// Whether there are further days or holders, which the totals include; absent when there are none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// The records that wait at the front desk today.
///
/// A part that was not asked for, or that the key may not read, is `None`.
#[derive(Debug, Clone, PartialEq, Record)]
#[record(document = "Today", root = "Today")]
pub struct Today<'a> {
    /// The facility's day.
    #[field(example = "15/03/2026")]
    pub day: Date,
    /// Open consultations, by number.
    pub open_visits: Option<Waiting<Cow<'a, PatientConsultation>>>,
    /// Active prescriptions that are not regular and have no unpaid invoice, by number.
    pub without_invoice: Option<Waiting<Prescription<'a>>>,
    /// Unpaid invoices, by number.
    pub unpaid: Option<UnpaidInvoices<'a>>,
    /// Medicines of the inventory that are not available and have an active prescription, by name.
    pub out_with_demand: Option<Waiting<Cow<'a, Item>>>,
    /// Stocks with a lot that expires within `keepDays` and 30 days, by name.
    pub expiring: Option<Waiting<Stock<'a>>>,
    /// Items of the restock report whose order is above 0, most urgent first.
    pub orders: Option<Waiting<Cow<'a, RestockItem>>>,
    /// The totals of the day's takings, by currency and method.
    pub taken: Option<Vec<CurrencyTotal>>,
    /// The currencies that `taken` leaves out, as a sum is beyond ±(2^53-1); empty for none. Absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[field(aside, like = Vec::<String>, example = "JPY")]
    pub beyond: Vec<Box<str>>,
    /// The parts that are left out because the key lacks their scope; absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[field(like = Vec::<crate::service::DayPart>)]
    pub left: Vec<Cow<'static, str>>,
}

/// Unpaid invoices.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Unpaid")]
pub struct UnpaidInvoices<'a> {
    /// The invoices.
    #[field(group)]
    pub waiting: Waiting<Invoice<'a>>,
    /// The prices of the counted ones by currency, those without one last.
    pub totals: Vec<CurrencyAmount>,
    /// The currencies that `totals` leaves out likewise. Absent without any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[field(aside, like = Vec::<String>, example = "JPY")]
    pub beyond: Vec<Box<str>>,
}

/// The key of the request.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Key", root = "Key")]
pub struct KeyFacts<'a> {
    /// The name of its holder, as the journal has it.
    #[field(example = "front desk")]
    pub name: Cow<'a, str>,
    /// The scopes of the key.
    #[field(like = Vec::<crate::model::Scope>)]
    pub scopes: Vec<Cow<'static, str>>,
    /// The first instant at which it is no longer valid, in UTC; absent for a key without an end.
    #[field(example = "2027-03-15T12:00:00.000Z")]
    pub expires: Option<Timestamp>,
    /// The facility, as its server is told.
    pub facility: FacilityFacts<'a>,
}

/// The facility that issues the invoices.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[record(document = "Facility")]
pub struct FacilityFacts<'a> {
    /// Its name.
    #[field(example = "Sample Clinic")]
    pub name: Option<Cow<'a, Name>>,
    /// Its registered address.
    #[field(example = "1 Sample Street, Sampleton")]
    pub address: Option<Cow<'a, Address>>,
    /// True if a visit's papers show the allergies of the patient.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub print_allergies: bool,
}

#[cfg(test)]
mod tests {
    use serde::{Serialize, de::DeserializeOwned};

    use super::*;

    /// Reads a document and writes it again.
    fn rewritten<T: Serialize + DeserializeOwned>(document: &str) -> String {
        serde_json::to_string(&serde_json::from_str::<T>(document).unwrap()).unwrap()
    }

    #[test]
    fn records_with_parts_read_back_as_they_are_written() {
        let stock = concat!(
            r#"{"medicine":"Ibuprofen","unit":"tablet","packUnits":1,"supplyUnits":1,"keepDays":0,"held":false,"#,
            r#""ordered":0,"policy":"cover","minDays":30,"maxDays":90,"leadDays":14,"reviewDays":30,"#,
            r#""serviceLevel":95,"basis":"dispensed","onHand":5,"expired":0,"usable":5,"reserved":2,"available":3,"#,
            r#""lots":[{"lot":"A1","expires":"31/12/2026","onHand":5,"usable":true}]}"#
        );
        assert_eq!(rewritten::<Stock<'static>>(stock), stock);
        let sums = concat!(
            r#""receipts":3,"unpriced":1,"totals":[{"currency":"KES","method":"cash","payments":2,"paid":30,"#,
            r#""refunds":1,"refunded":10,"moved":-5,"net":15}],"beyond":[{"currency":"EUR","method":"card"},"#,
            r#"{"method":"cash"}]"#
        );
        let takings = format!(
            r#"{{"above":0,"upto":3,{sums},"items":[{{"day":"31/01/2026","holder":"desk",{sums}}}],"more":true}}"#
        );
        assert_eq!(rewritten::<TakingsReport>(&takings), takings);
        let unpaid = r#"{"count":0,"items":[],"totals":[{"currency":"KES","amount":7}],"beyond":["EUR",""]}"#;
        let today =
            format!(r#"{{"day":"31/01/2026","unpaid":{unpaid},"taken":[],"beyond":["EUR"],"left":["orders"]}}"#);
        assert_eq!(rewritten::<Today<'static>>(&today), today);
    }

    #[test]
    fn a_client_reads_names_and_members_of_a_newer_service() {
        let event = r#"{"seq":1,"at":"2026-11-22T10:00:00.000Z","type":"ward.moved","records":[],"why":"new"}"#;
        assert_eq!(serde_json::from_str::<Event<'static>>(event).unwrap().r#type, "ward.moved");
        let key = r#"{"name":"desk","scopes":["ward:read"],"facility":{},"since":1}"#;
        assert_eq!(serde_json::from_str::<KeyFacts<'static>>(key).unwrap().scopes, ["ward:read"]);
        let news = r#"{"epoch":"9f3a1c20","seq":1,"kinds":["Ward"]}"#;
        assert_eq!(serde_json::from_str::<News>(news).unwrap().kinds.unwrap(), ["Ward"]);
        let change = r#"{"change":"put","record":"Ward","id":"north","value":{"beds":4}}"#;
        let change: JournalChange<'static> = serde_json::from_str(change).unwrap();
        assert_eq!((change.id, change.value.unwrap()["beds"].as_i64()), (RecordId::Name("north".into()), Some(4)));
    }
}

//! Records in answers: exactly the documented fields, in the interface document's order.

use std::collections::BTreeSet;

use serde::Serialize;

use super::stock_view::StockView;
use crate::{
    keys::Principal,
    model::{
        Address, Age, Consultation, ConsultationId, ConsultationState, CreditNoteId, Currency, Date, Disease, Email,
        EveryDays, History, Invoice, InvoiceId, InvoiceState, Item, MedicineName, Movement, Name, Patient, PatientId,
        Phone, Prescription, PrescriptionId, PrescriptionState, Price, Quantity, Receipt, ReceiptId, Scope, ShortText,
        Timestamp,
    },
    operation::JournalOperation,
    store::{Change, Entry, Link, Record, RecordKey, Seq},
};

/// A prescription. In a list it has its identifier and its state too.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PrescriptionView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    prescription_id: Option<PrescriptionId>,
    patient_id: PatientId,
    medicine: &'a MedicineName,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_available: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dosage: Option<&'a ShortText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_regular: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Price>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Currency>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<PrescriptionState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantity: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every_days: Option<EveryDays>,
}

/// The key that a request presents.
#[derive(Debug, Serialize)]
pub(crate) struct KeyView<'a> {
    name: &'a str,
    scopes: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<Timestamp>,
}

impl<'a> KeyView<'a> {
    /// Returns what its holder may know of it.
    pub(crate) fn of(principal: &'a Principal) -> Self {
        let scopes = principal.scopes.iter().map(Scope::as_str).collect();
        Self { name: &principal.name, scopes, expires: principal.expires }
    }
}

/// An invoice. In a list it has its identifier and its state too.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InvoiceView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    invoice_id: Option<InvoiceId>,
    patient_id: PatientId,
    medicine: &'a MedicineName,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a Name>,
    #[serde(skip_serializing_if = "Option::is_none")]
    age: Option<Age>,
    invoice_date: Date,
    #[serde(skip_serializing_if = "Option::is_none")]
    gender: Option<&'a ShortText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<Phone>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a Email>,
    #[serde(skip_serializing_if = "Option::is_none")]
    companyaddress: Option<&'a Address>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dosage: Option<&'a ShortText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Price>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Currency>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<InvoiceState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantity: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt_id: Option<ReceiptId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_note_id: Option<CreditNoteId>,
}

/// A consultation in the journal. Its diseases are in the entry that records them, and in the one that counts the
/// visit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ConsultationView<'a> {
    consultation_id: ConsultationId,
    patient_id: PatientId,
    date: Date,
    #[serde(skip_serializing_if = "Option::is_none")]
    diseases: Option<&'a [Disease]>,
    prescription_ids: &'a [PrescriptionId],
    state: ConsultationState,
}

/// The number of the journal's last entry, and the kinds of records that have changed since the client's.
#[derive(Debug, Serialize)]
pub(crate) struct NewsView {
    pub(crate) seq: Seq,
    #[serde(skip_serializing_if = "Option::is_none")]
    kinds: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    all: bool,
}

/// An entry of the journal as an event: what was done to which records, without any value and any actor.
#[derive(Debug, Serialize)]
pub struct EventView<'a> {
    /// The number of the entry.
    pub seq: Seq,
    /// When it was committed.
    pub at: Timestamp,
    /// The type, such as `invoice.paid`.
    pub r#type: &'static str,
    /// The records that changed, [`MOST`](Self::MOST) at most.
    pub records: Vec<EventRecord<'a>>,
    /// Whether further records changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// A record that changed.
#[derive(Debug, Serialize)]
pub struct EventRecord<'a> {
    /// The name of the record in XML: `Patient`, for example.
    pub record: &'static str,
    /// The identity of the record.
    pub id: IdView<'a>,
    /// `put` or `remove`.
    pub change: &'static str,
}

/// A journal entry.
#[derive(Debug, Serialize)]
pub(crate) struct EntryView<'a> {
    seq: Seq,
    at: Timestamp,
    actor: &'a str,
    operation: &'a str,
    changes: Vec<ChangeView<'a>>,
    link: Link,
}

/// A change of a record that the contract shows.
#[derive(Debug, Serialize)]
struct ChangeView<'a> {
    change: &'static str,
    record: &'static str,
    id: IdView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<RecordView<'a>>,
}

/// The identity of a record among those of its kind.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum IdView<'a> {
    /// A number.
    Number(i64),
    /// The folded name of a medicine.
    Name(&'a str),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum RecordView<'a> {
    Patient(&'a Patient),
    History(&'a History),
    Consultation(ConsultationView<'a>),
    Prescription(PrescriptionView<'a>),
    Invoice(InvoiceView<'a>),
    Item(&'a Item),
    Stock(StockView<'a>),
    Movement(&'a Movement),
    Receipt(&'a Receipt),
}

impl<'a> PrescriptionView<'a> {
    /// Returns the view of a single record.
    pub(crate) fn single(prescription: &'a Prescription, is_available: bool) -> Self {
        let listed = Self::listed(prescription, Some(is_available));
        Self { prescription_id: None, state: None, quantity: None, every_days: None, ..listed }
    }

    /// Returns the view of an item in a list. The journal shows no availability.
    pub(crate) fn listed(prescription: &'a Prescription, is_available: Option<bool>) -> Self {
        Self {
            prescription_id: Some(prescription.prescription_id),
            patient_id: prescription.patient_id,
            medicine: &prescription.medicine,
            is_available,
            dosage: prescription.dosage.as_ref(),
            is_regular: prescription.is_regular,
            price: prescription.price,
            currency: prescription.currency,
            state: Some(prescription.state),
            quantity: prescription.quantity,
            every_days: prescription.every_days,
        }
    }
}

impl<'a> InvoiceView<'a> {
    /// Returns the view of a single record.
    pub(crate) fn single(invoice: &'a Invoice) -> Self {
        let listed = Self::listed(invoice);
        Self { invoice_id: None, state: None, quantity: None, receipt_id: None, credit_note_id: None, ..listed }
    }

    /// Returns the view of an item in a list.
    pub(crate) fn listed(invoice: &'a Invoice) -> Self {
        Self {
            invoice_id: Some(invoice.invoice_id),
            patient_id: invoice.patient_id,
            medicine: &invoice.medicine,
            name: invoice.name.as_ref(),
            age: invoice.age,
            invoice_date: invoice.invoice_date,
            gender: invoice.gender.as_ref(),
            phone: invoice.phone,
            email: invoice.email.as_ref(),
            companyaddress: invoice.companyaddress.as_ref(),
            dosage: invoice.dosage.as_ref(),
            price: invoice.price,
            currency: invoice.currency,
            state: Some(invoice.state),
            quantity: invoice.quantity,
            receipt_id: invoice.receipt_id,
            credit_note_id: invoice.credit_note_id,
        }
    }
}

impl<'a> ConsultationView<'a> {
    fn of(consultation: &'a Consultation, entry: &'a Entry) -> Self {
        let diseases = entry.changes().find_map(|change| match change {
            Change::Put(Record::Diagnosis(made)) if made.consultation_id == consultation.consultation_id => {
                Some(made.diseases.as_slice())
            }
            _ => None,
        });
        Self {
            consultation_id: consultation.consultation_id,
            patient_id: consultation.patient_id,
            date: consultation.date,
            diseases,
            prescription_ids: &consultation.prescription_ids,
            state: consultation.state,
        }
    }
}

impl NewsView {
    /// Returns the view with the kinds that the journal shows, under its names; with `all` when they are unknown.
    pub(crate) fn new(seq: Seq, kinds: Option<BTreeSet<&'static str>>) -> Self {
        let all = kinds.is_none();
        Self { seq, kinds: kinds.map(|kinds| kinds.into_iter().filter_map(shown).collect()), all }
    }
}

/// Returns the journal's name for a kind of record; `None` for the service's own bookkeeping.
fn shown(kind: &'static str) -> Option<&'static str> {
    match kind {
        "Item" => Some("Inventory"),
        "Patient" | "History" | "Consultation" | "Prescription" | "Invoice" | "Stock" | "Movement" | "Receipt" => {
            Some(kind)
        }
        _ => None,
    }
}

impl<'a> EventView<'a> {
    /// The highest number of records in an event.
    pub const MOST: usize = 200;

    /// Returns the event of an entry; `None` for one that notes reads, or that another version of the service wrote.
    pub fn of(entry: &'a Entry) -> Option<Self> {
        let r#type = JournalOperation::named(&entry.operation)?.event().filter(|_| entry.reads.is_empty())?;
        let mut records = entry.changes().filter_map(|change| ChangeView::of(change, entry));
        let first = records.by_ref().take(Self::MOST);
        let first = first.map(|ChangeView { change, record, id, .. }| EventRecord { record, id, change }).collect();
        Some(Self { seq: entry.seq, at: entry.at, r#type, records: first, more: records.next().is_some() })
    }
}

impl<'a> From<&'a Entry> for EntryView<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self {
            seq: entry.seq,
            at: entry.at,
            actor: &entry.actor,
            operation: &entry.operation,
            changes: entry
                .changes()
                .filter_map(|change| ChangeView::of(change, entry))
                .chain(entry.reads.iter().filter_map(|key| ChangeView::without_value("read", key)))
                .collect(),
            link: entry.link,
        }
    }
}

impl<'a> ChangeView<'a> {
    /// Returns the view of a change; `None` for the service's own bookkeeping, which the contract does not show.
    fn of(change: &'a Change, entry: &'a Entry) -> Option<Self> {
        match change {
            Change::Put(record) => {
                let (id, value) = match record {
                    Record::Patient(r) => (r.patient_id.into(), RecordView::Patient(r)),
                    Record::History(r) => (r.patient_id.into(), RecordView::History(r)),
                    Record::Consultation(r) => {
                        (r.consultation_id.into(), RecordView::Consultation(ConsultationView::of(r, entry)))
                    }
                    Record::Prescription(r) => {
                        (r.prescription_id.into(), RecordView::Prescription(PrescriptionView::listed(r, None)))
                    }
                    Record::Invoice(r) => (r.invoice_id.into(), RecordView::Invoice(InvoiceView::listed(r))),
                    Record::Item(r) => {
                        let id = IdView::Name(r.medicine.key().as_str());
                        return Some(Self { change: "put", record: "Inventory", id, value: Some(RecordView::Item(r)) });
                    }
                    Record::Stock(r) => {
                        let (id, value) = (IdView::Name(r.medicine.key().as_str()), StockView::stored(r));
                        return Some(Self {
                            change: "put",
                            record: "Stock",
                            id,
                            value: Some(RecordView::Stock(value)),
                        });
                    }
                    Record::Movement(r) => (r.movement_id.into(), RecordView::Movement(r)),
                    Record::Receipt(r) => (r.receipt_id.into(), RecordView::Receipt(r)),
                    Record::Voided(_)
                    | Record::Diagnosis(_)
                    | Record::Demand(_)
                    | Record::RegularDemand(_)
                    | Record::OpenLot(_)
                    | Record::StockDay(_)
                    | Record::Dispensing(_)
                    | Record::Takings(_)
                    | Record::Counter(_)
                    | Record::Reply(_) => return None,
                };
                Some(Self { change: "put", record: record.kind(), id: IdView::Number(id), value: Some(value) })
            }
            Change::Remove(key) => Self::without_value("remove", key),
        }
    }

    fn without_value(change: &'static str, key: &'a RecordKey) -> Option<Self> {
        let (record, id) = match key {
            RecordKey::Patient(id) | RecordKey::History(id) => (key.kind(), IdView::Number(id.value())),
            RecordKey::Consultation(id) => (key.kind(), IdView::Number(id.value())),
            RecordKey::Prescription(id) => (key.kind(), IdView::Number(id.value())),
            RecordKey::Invoice(id) => (key.kind(), IdView::Number(id.value())),
            RecordKey::Item(medicine) => ("Inventory", IdView::Name(medicine.as_str())),
            RecordKey::Stock(medicine) => (key.kind(), IdView::Name(medicine.as_str())),
            RecordKey::Movement(id) => (key.kind(), IdView::Number(id.value())),
            RecordKey::Receipt(id) => (key.kind(), IdView::Number(id.value())),
            RecordKey::Voided(_)
            | RecordKey::Diagnosis(_)
            | RecordKey::Demand(_)
            | RecordKey::RegularDemand(_)
            | RecordKey::OpenLot(_)
            | RecordKey::StockDay(_)
            | RecordKey::Dispensing(_)
            | RecordKey::Takings(_)
            | RecordKey::Counter(_)
            | RecordKey::Reply(_) => return None,
        };
        Some(Self { change, record, id, value: None })
    }
}

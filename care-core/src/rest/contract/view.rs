//! Records in answers: how the server fills the shapes of [`wire`](crate::wire), and the shapes that only the journal
//! has.

use std::{borrow::Cow, collections::BTreeSet};

use serde::Serialize;

use crate::{
    keys::Principal,
    kinds::records,
    model::{
        self, Amount, Consultation, ConsultationId, ConsultationState, Date, Disease, MedicineName, PatientId,
        PrescriptionId, Scope, StockSettings,
    },
    operation::JournalOperation,
    service::{Facility, LiveStock},
    stock::Levels,
    store::{Change, Entry, Epoch, Record, RecordKey, RecordKind, Seq, records::record::stored},
    wire::{
        ChangeKind, Event, EventRecord, FacilityFacts, Invoice, JournalChange, JournalEntry, KeyFacts, Lot, News,
        Prescription, RecordId, Stock,
    },
};

/// A record in the journal. A client reads it as a document of any form.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum RecordView<'a> {
    Consultation(ConsultationView<'a>),
    Prescription(Prescription<'a>),
    Invoice(Invoice<'a>),
    Stock(StockView<'a>),
    /// As it is stored.
    Whole(&'a Record),
}

/// A consultation in the journal. Its diseases are in the entry that records them, and in the one that counts the
/// visit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConsultationView<'a> {
    consultation_id: ConsultationId,
    patient_id: PatientId,
    date: Date,
    #[serde(skip_serializing_if = "Option::is_none")]
    diseases: Option<&'a [Disease]>,
    prescription_ids: &'a [PrescriptionId],
    state: ConsultationState,
}

/// The stock of a medicine in the journal: without the lots, which its movements tell, and without the figures that
/// depend on the day.
#[derive(Debug, Serialize)]
pub(crate) struct StockView<'a> {
    medicine: &'a MedicineName,
    #[serde(flatten)]
    settings: &'a StockSettings,
    reserved: Amount,
}

impl<'a> Prescription<'a> {
    /// Returns the form of a single record.
    pub(crate) fn single(prescription: &'a model::Prescription, is_available: bool) -> Self {
        let listed = Self::listed(prescription, Some(is_available));
        Self { prescription_id: None, prescribed: None, state: None, quantity: None, every_days: None, ..listed }
    }

    /// Returns the form of an item in a list. The journal shows no availability.
    pub(crate) fn listed(prescription: &'a model::Prescription, is_available: Option<bool>) -> Self {
        Self {
            prescription_id: Some(prescription.prescription_id),
            patient_id: prescription.patient_id,
            medicine: Cow::Borrowed(&prescription.medicine),
            is_available,
            dosage: prescription.dosage.as_ref().map(Cow::Borrowed),
            is_regular: prescription.is_regular,
            price: prescription.price,
            currency: prescription.currency,
            prescribed: Some(prescription.prescribed),
            state: Some(prescription.state),
            quantity: prescription.quantity,
            every_days: prescription.every_days,
        }
    }
}

impl<'a> Invoice<'a> {
    /// Returns the form of a single record.
    pub(crate) fn single(invoice: &'a model::Invoice) -> Self {
        let listed = Self::listed(invoice);
        Self { invoice_id: None, state: None, quantity: None, receipt_id: None, credit_note_id: None, ..listed }
    }

    /// Returns the form of an item in a list.
    pub(crate) fn listed(invoice: &'a model::Invoice) -> Self {
        Self {
            invoice_id: Some(invoice.invoice_id),
            patient_id: invoice.patient_id,
            medicine: Cow::Borrowed(&invoice.medicine),
            name: invoice.name.as_ref().map(Cow::Borrowed),
            age: invoice.age,
            invoice_date: invoice.invoice_date,
            gender: invoice.gender.as_ref().map(Cow::Borrowed),
            phone: invoice.phone,
            email: invoice.email.as_ref().map(Cow::Borrowed),
            companyaddress: invoice.companyaddress.as_ref().map(Cow::Borrowed),
            dosage: invoice.dosage.as_ref().map(Cow::Borrowed),
            price: invoice.price,
            currency: invoice.currency,
            state: Some(invoice.state),
            quantity: invoice.quantity,
            receipt_id: invoice.receipt_id,
            credit_note_id: invoice.credit_note_id,
        }
    }
}

impl<'a> From<&'a LiveStock> for Stock<'a> {
    fn from(live: &'a LiveStock) -> Self {
        let Levels { on_hand, expired, usable, available, .. } = live.levels();
        let lots = live.shelf.lots().iter().zip(live.usable()).map(|(lot, usable)| Lot {
            lot: lot.id.lot.as_ref().map(Cow::Borrowed),
            expires: lot.id.expires,
            on_hand: lot.on_hand,
            usable,
        });
        Self {
            medicine: Cow::Borrowed(&live.stock.medicine),
            settings: Cow::Borrowed(&live.stock.settings),
            on_hand,
            expired,
            usable,
            reserved: live.stock.reserved,
            available,
            lots: lots.collect(),
        }
    }
}

/// A kind of record as the journal shows it.
trait InJournal {
    /// Returns what an entry that puts the record shows of it.
    fn shown<'a>(&'a self, whole: &'a Record, entry: &'a Entry) -> RecordView<'a>;
}

impl InJournal for Consultation {
    fn shown<'a>(&'a self, _whole: &'a Record, entry: &'a Entry) -> RecordView<'a> {
        RecordView::Consultation(ConsultationView::of(self, entry))
    }
}

impl InJournal for model::Prescription {
    fn shown<'a>(&'a self, _whole: &'a Record, _entry: &'a Entry) -> RecordView<'a> {
        RecordView::Prescription(Prescription::listed(self, None))
    }
}

impl InJournal for model::Invoice {
    fn shown<'a>(&'a self, _whole: &'a Record, _entry: &'a Entry) -> RecordView<'a> {
        RecordView::Invoice(Invoice::listed(self))
    }
}

impl InJournal for model::Stock {
    fn shown<'a>(&'a self, _whole: &'a Record, _entry: &'a Entry) -> RecordView<'a> {
        let Self { medicine, settings, reserved, .. } = self;
        RecordView::Stock(StockView { medicine, settings, reserved: *reserved })
    }
}

/// Implements `InJournal` for a kind that the journal shows whole. A kind of which it shows parts implements the trait
/// above. The service's own bookkeeping has an implementation that nothing calls.
macro_rules! in_journal {
    ([parts $name:literal], $record:ty) => {};
    ($whole:tt, $record:ty) => {
        impl InJournal for $record {
            fn shown<'a>(&'a self, whole: &'a Record, _entry: &'a Entry) -> RecordView<'a> {
                RecordView::Whole(whole)
            }
        }
    };
}

macro_rules! views {
    ($($(#[$doc:meta])* $kind:ident($record:ty) $called:literal $journaled:tt $facts:tt)*) => {
        $(in_journal!($journaled, $record);)*

        impl<'a> RecordView<'a> {
            fn of(record: &'a Record, entry: &'a Entry) -> Self {
                match record {
                    $(Record::$kind(made) => made.shown(record, entry),)*
                }
            }
        }
    };
}

records!(views);

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

impl<'a> KeyFacts<'a> {
    /// Returns the facts that the holder of a key may know. The identifier of the key stays with the service.
    pub(crate) fn new(principal: &'a Principal, facility: &'a Facility) -> Self {
        let scopes = principal.scopes.iter().map(|scope: Scope| Cow::Borrowed(scope.as_str())).collect();
        let facility = FacilityFacts {
            name: facility.name.as_ref().map(Cow::Borrowed),
            address: facility.address.as_ref().map(Cow::Borrowed),
            print_allergies: facility.prints_allergies,
        };
        Self { name: Cow::Borrowed(&principal.name), scopes, expires: principal.expires, facility }
    }
}

impl News {
    /// Returns the news with the kinds that the journal shows, under its names; with `all` when they are unknown.
    pub(crate) fn new(epoch: Epoch, seq: Seq, kinds: Option<BTreeSet<&'static str>>) -> Self {
        let all = kinds.is_none();
        let kinds = kinds
            .map(|kinds| kinds.into_iter().filter_map(RecordKind::named).filter_map(told).map(Cow::Borrowed).collect());
        Self { epoch: epoch.to_string(), seq, kinds, all }
    }
}

/// Returns the name under which news tell of a kind of record; `None` for the service's own bookkeeping, and for keys,
/// which are no news about a record.
pub(crate) fn told(kind: RecordKind) -> Option<&'static str> {
    kind.journaled().filter(|_| kind != RecordKind::Key)
}

impl<'a> Event<'a> {
    /// Returns the event of an entry; `None` for one that notes reads, or that another version of the service wrote.
    pub fn of(entry: &'a Entry) -> Option<Self> {
        let r#type = JournalOperation::named(&entry.operation)?.event().filter(|_| entry.reads.is_empty())?;
        let mut shown = entry.changes().filter(|change| change.record_kind().journaled().is_some());
        let mut first: Vec<_> = shown.by_ref().take(Self::MOST).collect();
        let next = shown.next();
        let more = next.is_some();
        // A receiver of a voiding has to know the patient.
        let patient = next.into_iter().chain(shown).find(|change| change.record_kind() == RecordKind::Patient);
        if let (Some(patient), Some(last)) = (patient, first.last_mut()) {
            *last = patient;
        }
        let record = |change: &Change| {
            let JournalChange { change, record, id, .. } = JournalChange::bare(change)?;
            Some(EventRecord { record, id, change })
        };
        let records = first.into_iter().filter_map(record).collect();
        Some(Self { seq: entry.seq, at: entry.at, r#type: Cow::Borrowed(r#type), records, more })
    }
}

impl<'a> From<&'a Entry> for JournalEntry<'a, RecordView<'a>> {
    fn from(entry: &'a Entry) -> Self {
        Self {
            seq: entry.seq,
            at: entry.at,
            actor: Cow::Borrowed(&entry.actor),
            operation: Cow::Borrowed(&entry.operation),
            changes: entry
                .changes()
                .filter_map(|change| JournalChange::of(change, entry))
                .chain(entry.reads.iter().filter_map(|key| JournalChange::without_value(ChangeKind::Read, key)))
                .collect(),
            link: entry.link,
        }
    }
}

impl<'a> JournalChange<'a, RecordView<'a>> {
    /// Returns the form of a change; `None` for the service's own bookkeeping, which the contract does not show.
    fn of(change: &'a Change, entry: &'a Entry) -> Option<Self> {
        let bare = Self::bare(change)?;
        let value = match change {
            Change::Put(record) => Some(RecordView::of(record, entry)),
            Change::Remove(_) => None,
        };
        Some(Self { value, ..bare })
    }

    /// Returns the form of a change without the record that it puts.
    fn bare(change: &Change) -> Option<Self> {
        match change {
            Change::Put(record) => Self::without_value(ChangeKind::Put, &record.key()),
            Change::Remove(key) => Self::without_value(ChangeKind::Remove, key),
        }
    }

    fn without_value(change: ChangeKind, key: &RecordKey) -> Option<Self> {
        let record = RecordKind::of(key).journaled()?;
        let id = key.number().map_or_else(|| RecordId::Name(key.id().into()), RecordId::Number);
        Some(Self { change, record: record.into(), id, value: None })
    }
}

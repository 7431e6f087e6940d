//! The records that have several forms: in answers, in the journal, and sent back by a client.

use crate::{
    model::{History, Item, KeyRecord, Movement, Patient, PatientConsultation, Receipt, Shelf},
    rest::{
        contract::{bodies::Derived, view::RecordView},
        openapi::values::{
            node::{Node, object},
            record::{Documented, Field, Record},
            value::{Described, Value},
        },
    },
    wire::{Invoice, Lot, Prescription, Stock},
};

/// Returns a single prescription.
pub(crate) fn prescription() -> Record {
    Prescription::record()
        .named("Prescription", "Details of a prescription assigned to a patient.")
        .rooted("Prescription")
        .without(&["prescriptionId", "prescribed", "state", "quantity", "everyDays"])
}

/// Returns a single invoice.
pub(crate) fn invoice() -> Record {
    let description = "Billing statement for a patient's prescription: a snapshot taken when it was issued.";
    Invoice::record().named("Invoice", description).rooted("Invoice").without(&[
        "invoiceId",
        "state",
        "quantity",
        "receiptId",
        "creditNoteId",
    ])
}

fn stored_prescription() -> Record {
    let description = "A prescription as it is stored, without the availability of its medicine.";
    Prescription::record().named("StoredPrescription", description).without(&["isAvailable"])
}

fn stored_consultation() -> Record {
    let diagnosed = "The diseases; only in the entries that record them and count them as a visit.";
    PatientConsultation::record()
        .named("StoredConsultation", "A consultation as it is stored.")
        .changing("diseases", |field: Field| field.meaning(diagnosed).optional())
}

fn stored_stock() -> Record {
    let description = "A stock as it is stored, without its lots, which its movements tell, and without the figures \
                       that depend on the day.";
    Stock::record()
        .named("StoredStock", description)
        .without(&["onHand", "expired", "usable", "available", "lots"])
        .requiring(&["medicine", "unit", "reserved"])
}

impl Documented for Derived {
    fn members() -> Vec<Field> {
        let lot = Lot::record().named("StockLotInput", "An open lot as it was answered, sent back without effect.");
        let lots = lot.requiring(&[]).input().nested("lots").list().with("maxItems", Shelf::MAX_LOTS);
        let figures = Stock::members().into_iter().filter(|field| Self::FIGURES.contains(&field.name()));
        let lots = Field::new("lots", lots, "The open lots, as they are handed out.");
        figures.map(Field::optional).chain([lots]).collect()
    }

    fn record() -> Record {
        Record::new("Derived", "What follows from other members of a stock.", Self::members())
    }
}

/// The records of the journal, some of which have other members there than in answers.
impl Described for RecordView<'_> {
    type Example = Node;

    fn described(member: &'static str) -> Value {
        let records = [
            Patient::record(),
            History::record(),
            stored_consultation(),
            stored_prescription(),
            Invoice::record(),
            Item::record(),
            stored_stock(),
            Movement::record(),
            Receipt::record(),
            KeyRecord::record().without(&["keyId"]),
        ];
        let schema = object()
            .with("anyOf", records.iter().map(Record::reference).collect::<Node>())
            .with("xml", object().with("name", member));
        let parts = records.iter().flat_map(Record::schemas).collect();
        Value { parts, ..Value::new(schema, Patient::record().example()) }
    }
}

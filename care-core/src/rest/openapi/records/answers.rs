//! The records that have several forms: in answers, in the journal, and sent back by a client.

use crate::{
    kinds::records,
    model::{self, Patient, PatientConsultation, Shelf},
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

/// A kind of record as the journal has it.
trait Journaled {
    /// Returns its form there.
    fn journaled() -> Record;
}

impl<T: Documented> Journaled for T {
    fn journaled() -> Record {
        T::record()
    }
}

impl Journaled for model::Invoice {
    fn journaled() -> Record {
        Invoice::record()
    }
}

impl Journaled for model::Prescription {
    fn journaled() -> Record {
        let description = "A prescription as it is stored, without the availability of its medicine.";
        Prescription::record().named("StoredPrescription", description).without(&["isAvailable"])
    }
}

impl Journaled for model::Consultation {
    fn journaled() -> Record {
        let diagnosed = "The diseases; only in the entries that record them and count them as a visit.";
        PatientConsultation::record()
            .named("StoredConsultation", "A consultation as it is stored.")
            .changing("diseases", |field: Field| field.meaning(diagnosed).optional())
    }
}

impl Journaled for model::Stock {
    fn journaled() -> Record {
        let description = "A stock as it is stored, without its lots, which its movements tell, and without the \
                           figures that depend on the day.";
        Stock::record()
            .named("StoredStock", description)
            .without(&["onHand", "expired", "usable", "available", "lots"])
            .requiring(&["medicine", "unit", "reserved"])
    }
}

macro_rules! journaled {
    (_, $kind:ty) => {
        None
    };
    ([$shown:ident $name:literal], $kind:ty) => {
        Some(<$kind as Journaled>::journaled())
    };
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
        macro_rules! by_kind {
            ($($(#[$doc:meta])* $kind:ident($record:ty) $called:literal $journaled:tt $facts:tt)*) => {
                [$(journaled!($journaled, $record)),*]
            };
        }
        let records: Vec<Record> = records!(by_kind).into_iter().flatten().collect();
        let schema = object()
            .with("anyOf", records.iter().map(Record::reference).collect::<Node>())
            .with("xml", object().with("name", member));
        let parts = records.iter().flat_map(Record::schemas).collect();
        Value { parts, ..Value::new(schema, Patient::record().example()) }
    }
}

//! Pages of lists.

use super::parameters::cursor;
use crate::{
    model::{Item, Movement, Patient, PatientConsultation, Receipt},
    rest::{
        Operation,
        contract::view::RecordView,
        openapi::values::{
            record::{Field, Record},
            value::{Described, boolean, plain_text},
        },
    },
    store::{Head, Seq},
    wire::{Event, Invoice, JournalEntry, Prescription, Stock},
};

pub(crate) fn patient_page() -> Record {
    let more = "Whether others may match `find`; absent when none do.";
    page::<Patient>("PatientPage", "Patients by number, or those that match best.", Operation::ListPatients)
        .with(Field::new("more", boolean(true), more))
}

pub(crate) fn prescription_page() -> Record {
    page::<Prescription<'_>>("PrescriptionPage", "Prescriptions by number.", Operation::ListPrescriptions)
}

pub(crate) fn consultation_page() -> Record {
    page::<PatientConsultation>("ConsultationPage", "Consultations by number.", Operation::ListConsultations)
}

pub(crate) fn invoice_page() -> Record {
    page::<Invoice<'_>>("InvoicePage", "Invoices by number.", Operation::ListInvoices)
}

pub(crate) fn inventory_page() -> Record {
    page::<Item>("InventoryPage", "The inventory by name.", Operation::ListMedicines)
}

pub(crate) fn stock_page() -> Record {
    page::<Stock<'_>>("StockPage", "Tracked medicines by name.", Operation::ListStock)
}

pub(crate) fn movement_page() -> Record {
    page::<Movement>("MovementPage", "Movements by number.", Operation::ListMovements)
}

pub(crate) fn receipt_page() -> Record {
    page::<Receipt>("ReceiptPage", "Receipts by number.", Operation::ListReceipts)
}

pub(crate) fn journal_page() -> Record {
    let description = "A new value means another past, after a restore or an import: begin again from 0.";
    page::<JournalEntry<'_, RecordView<'_>>>("JournalPage", "Journal entries in commit order.", Operation::ListJournal)
        .with(epoch(description))
        .with(Field::of::<Head>("head", "The head of the journal: keep it elsewhere.").required())
}

pub(crate) fn event_page() -> Record {
    let seq = "The last entry that was looked at, also when it is no event: go on after it.";
    page::<Event<'_>>("EventPage", "Events in commit order.", Operation::ListEvents)
        .with(epoch("A new value means another past, after a restore or an import."))
        .with(Field::of::<Seq>("seq", seq).required())
}

fn epoch(meaning: &'static str) -> Field {
    Field::new("epoch", plain_text("5eed5eed").with("pattern", "^[0-9a-f]{8}$"), meaning).required()
}

fn page<T: Described>(name: &'static str, description: &'static str, operation: Operation) -> Record {
    let fields = vec![
        Field::of::<Vec<T>>("items", "").required(),
        Field::new("next", plain_text(cursor(operation)), "The `after` of the next page; absent on the last."),
    ];
    Record::new(name, description, fields).rooted("Page")
}

//! Pages of lists, the restock report with its plans, and back-tests.

use super::{parameters::cursor, reports};
use crate::{
    model::{Item, Movement, Patient, PatientConsultation, Receipt},
    rest::{
        Operation,
        openapi::values::{
            record::{Documented, Field, Record},
            value::{boolean, plain_text, ranged},
        },
    },
    service::{RestockItem, RestockReport},
    stock::{AtRisk, Backtest, BacktestRow, Figure, Plan, Reasoning},
    wire::{Invoice, Prescription, Stock},
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 18] {
    [
        Plan::record(),
        AtRisk::record(),
        Reasoning::record(),
        Figure::record(),
        Backtest::record(),
        BacktestRow::record(),
        patient_page(),
        prescription_page(),
        consultation_page(),
        invoice_page(),
        inventory_page(),
        stock_page(),
        movement_page(),
        receipt_page(),
        journal_page(),
        event_page(),
        RestockReport::record(),
        RestockItem::record(),
    ]
}

pub(crate) fn patient_page() -> Record {
    let more = "Whether others may match `find`; absent when none do.";
    page("PatientPage", "Patients by number, or those that match best.", Operation::ListPatients, &Patient::record())
        .with(Field::new("more", boolean(true), more))
}

pub(crate) fn prescription_page() -> Record {
    page("PrescriptionPage", "Prescriptions by number.", Operation::ListPrescriptions, &Prescription::record())
}

pub(crate) fn consultation_page() -> Record {
    page("ConsultationPage", "Consultations by number.", Operation::ListConsultations, &PatientConsultation::record())
}

pub(crate) fn invoice_page() -> Record {
    page("InvoicePage", "Invoices by number.", Operation::ListInvoices, &Invoice::record())
}

pub(crate) fn inventory_page() -> Record {
    page("InventoryPage", "The inventory by name.", Operation::ListMedicines, &Item::record())
}

pub(crate) fn stock_page() -> Record {
    page("StockPage", "Tracked medicines by name.", Operation::ListStock, &Stock::record())
}

pub(crate) fn movement_page() -> Record {
    page("MovementPage", "Movements by number.", Operation::ListMovements, &Movement::record())
}

pub(crate) fn receipt_page() -> Record {
    page("ReceiptPage", "Receipts by number.", Operation::ListReceipts, &Receipt::record())
}

pub(crate) fn journal_page() -> Record {
    let epoch = plain_text("5eed5eed").with("pattern", "^[0-9a-f]{8}$");
    let description = "A new value means another past, after a restore or an import: begin again from 0.";
    page("JournalPage", "Journal entries in commit order.", Operation::ListJournal, &reports::journal_entry())
        .with(Field::new("epoch", epoch, description))
        .with(Field::new("head", reports::head().nested("head"), "The head of the journal: keep it elsewhere."))
        .requiring(&["items", "epoch", "head"])
}

pub(crate) fn event_page() -> Record {
    let epoch = plain_text("5eed5eed").with("pattern", "^[0-9a-f]{8}$");
    let description = "A new value means another past, after a restore or an import.";
    let seq = ranged(0_i64, i64::MAX, 12);
    page("EventPage", "Events in commit order.", Operation::ListEvents, &reports::event())
        .with(Field::new("epoch", epoch, description))
        .with(Field::new("seq", seq, "The last entry that was looked at, also when it is no event: go on after it."))
        .requiring(&["items", "epoch", "seq"])
}

pub(crate) fn page(name: &'static str, description: &'static str, operation: Operation, item: &Record) -> Record {
    let fields = vec![
        Field::new("items", item.nested("items").list(), ""),
        Field::new("next", plain_text(cursor(operation)), "The `after` of the next page; absent on the last."),
    ];
    Record::new(name, description, fields).rooted("Page").requiring(&["items"])
}

//! Pages of lists, and the restock report.

use super::{answers, parameters::cursor, reports, stock};
use crate::{
    model::{Patient, Receipt},
    rest::{
        Operation,
        openapi::values::{
            node::object,
            record::{Documented, Field, Record},
            value::{Value, boolean, count, date, medicine, plain_text, ranged, words},
        },
    },
    service::Recommendation,
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 12] {
    [
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
        restock(),
        restock_item(),
    ]
}

pub(crate) fn patient_page() -> Record {
    let more = "Whether others may match `find`; absent when none do.";
    page("PatientPage", "Patients by number, or those that match best.", Operation::ListPatients, &Patient::record())
        .with(Field::new("more", boolean(true), more))
}

pub(crate) fn prescription_page() -> Record {
    page("PrescriptionPage", "Prescriptions by number.", Operation::ListPrescriptions, &answers::listed_prescription())
}

pub(crate) fn consultation_page() -> Record {
    page("ConsultationPage", "Consultations by number.", Operation::ListConsultations, &answers::consultation())
}

pub(crate) fn invoice_page() -> Record {
    page("InvoicePage", "Invoices by number.", Operation::ListInvoices, &answers::listed_invoice())
}

pub(crate) fn inventory_page() -> Record {
    page("InventoryPage", "The inventory by name.", Operation::ListMedicines, &answers::inventory())
}

pub(crate) fn stock_page() -> Record {
    page("StockPage", "Tracked medicines by name.", Operation::ListStock, &stock::stock())
}

pub(crate) fn movement_page() -> Record {
    page("MovementPage", "Movements by number.", Operation::ListMovements, &stock::movement())
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

pub(crate) fn restock() -> Record {
    let fields = vec![
        Field::new("from", date("16/12/2025"), "The first day of the period."),
        Field::new("to", date("15/03/2026"), "Its last day."),
        Field::new("items", restock_item().nested("items").list(), "Most urgent first."),
        Field::new(
            "more",
            boolean(true),
            "Whether there are further, less urgent medicines; absent when there are none.",
        ),
    ];
    Record::new("Restock", "Advice on restocking from historic prescriptions.", fields)
        .rooted("Restock")
        .requiring(&["from", "to", "items"])
}

pub(super) fn restock_item() -> Record {
    let average = object().with("type", "number").with("format", "double").with("minimum", 0_i64);
    let recommendation = words(
        [Recommendation::Now, Recommendation::Soon, Recommendation::Watch, Recommendation::None]
            .map(Recommendation::as_str),
    );
    let fields = vec![
        Field::new("medicine", medicine(), "The medicine."),
        Field::new("isAvailable", boolean(true), "Whether it is available now."),
        Field::new("prescribed", count(6), "The number of prescriptions made in the period."),
        Field::new("regular", count(1), "The number of those that recur."),
        Field::new("dispensed", count(2), "The number of those that were paid."),
        Field::new(
            "unmet",
            count(4),
            "The number of those that were not paid, when the medicine is not available now.",
        ),
        Field::new(
            "averageMonthly",
            Value::new(average, 2_i64),
            "`prescribed` for every 30 days, with at most two decimals.",
        ),
        Field::new(
            "previousPrescribed",
            count(3),
            "The number of prescriptions made in the equally long period just before.",
        ),
        Field::new("lastPrescribed", date("14/03/2026"), "The last day of prescribing within the two periods."),
        Field::new("recommendation", recommendation, "The urgency."),
        Field::new("reasons", plain_text("stocked but not available now").list(), "The reasons, with their numbers."),
        Field::new(
            "why",
            super::plans::reasoning().nested("why").list(),
            "The rule and the figures of each sentence in `reasons`.",
        ),
        Field::new(
            "plan",
            super::plans::plan().nested("plan"),
            "The plan of a tracked medicine whose policy is not `none`.",
        ),
    ];
    Record::new("RestockItem", "The advice on one medicine.", fields).requiring(&[
        "medicine",
        "isAvailable",
        "prescribed",
        "regular",
        "dispensed",
        "unmet",
        "averageMonthly",
        "previousPrescribed",
        "recommendation",
        "reasons",
        "why",
    ])
}

pub(crate) fn page(name: &'static str, description: &'static str, operation: Operation, item: &Record) -> Record {
    let fields = vec![
        Field::new("items", item.nested("items").list(), ""),
        Field::new("next", plain_text(cursor(operation)), "The `after` of the next page; absent on the last."),
    ];
    Record::new(name, description, fields).rooted("Page").requiring(&["items"])
}

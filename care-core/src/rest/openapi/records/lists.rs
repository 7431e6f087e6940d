//! Pages of lists.

use crate::{
    model::Patient,
    rest::{
        contract::view::RecordView,
        openapi::values::{
            record::{Documented, Field, Record},
            value::{Described, boolean, plain_text},
        },
    },
    store::{Head, Seq},
    wire::{Event, Invoice, JournalEntry, Prescription},
};

/// Returns a page of such records.
pub(crate) fn page<T: Documented>() -> Record {
    let mut page = page_of::<T>("", "A page of the list, in its order.");
    page.name = T::record().name + "Page";
    page
}

pub(crate) fn patient_page() -> Record {
    let more = "Whether others may match `find`; absent when none do.";
    page_of::<Patient>("PatientPage", "Patients by number, or those that match best.").with(Field::new(
        "more",
        boolean(true),
        more,
    ))
}

pub(crate) fn prescription_page() -> Record {
    page_of::<Prescription<'_>>("PrescriptionPage", "Prescriptions by number.")
}

pub(crate) fn invoice_page() -> Record {
    page_of::<Invoice<'_>>("InvoicePage", "Invoices by number.")
}

pub(crate) fn journal_page() -> Record {
    let description = "A new value means another past, after a restore or an import: begin again from 0.";
    page_of::<JournalEntry<'_, RecordView<'_>>>("JournalPage", "Journal entries in commit order.")
        .with(epoch(description))
        .with(Field::of::<Head>("head", "The head of the journal: keep it elsewhere.").required())
}

pub(crate) fn event_page() -> Record {
    let seq = "The last entry that was looked at, also when it is no event: go on after it.";
    page_of::<Event<'_>>("EventPage", "Events in commit order.")
        .with(epoch("A new value means another past, after a restore or an import."))
        .with(Field::of::<Seq>("seq", seq).required())
}

fn epoch(meaning: &'static str) -> Field {
    Field::new("epoch", plain_text("5eed5eed").with("pattern", "^[0-9a-f]{8}$"), meaning).required()
}

fn page_of<T: Described>(name: &'static str, description: &'static str) -> Record {
    let next = "The `after` of the next page; absent on the last.";
    let fields = vec![Field::of::<Vec<T>>("items", "").required(), Field::new("next", plain_text("12"), next)];
    Record::new(name, description, fields).rooted("Page")
}

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
    let mut page = page_of::<T>("", "A page of the list, in its order.", []);
    page.name = T::record().name + "Page";
    page
}

pub(crate) fn patient_page() -> Record {
    let more = Field::new("more", boolean(true), "Whether others may match `find`; absent when none do.");
    page_of::<Patient>("PatientPage", "Patients by number, or those that match best.", [more])
}

pub(crate) fn prescription_page() -> Record {
    page_of::<Prescription<'_>>("PrescriptionPage", "Prescriptions by number.", [])
}

pub(crate) fn invoice_page() -> Record {
    page_of::<Invoice<'_>>("InvoicePage", "Invoices by number.", [])
}

pub(crate) fn journal_page() -> Record {
    let epoch = epoch("A new value means another past, after a restore or an import: begin again from 0.");
    let head = Field::of::<Head>("head", "The head of the journal: keep it elsewhere.").required();
    page_of::<JournalEntry<'_, RecordView<'_>>>("JournalPage", "Journal entries in commit order.", [epoch, head])
}

pub(crate) fn event_page() -> Record {
    let epoch = epoch("A new value means another past, after a restore or an import.");
    let seq = "The last entry that was looked at, also when it is no event: go on after it.";
    let seq = Field::of::<Seq>("seq", seq).required();
    page_of::<Event<'_>>("EventPage", "Events in commit order.", [epoch, seq])
}

fn epoch(meaning: &'static str) -> Field {
    Field::new("epoch", plain_text("5eed5eed").with("pattern", "^[0-9a-f]{8}$"), meaning).required()
}

/// Returns a page with these members between its items and the cursor.
fn page_of<T: Described>(
    name: &'static str,
    description: &'static str,
    own: impl IntoIterator<Item = Field>,
) -> Record {
    let items = Field::of::<Vec<T>>("items", "").required();
    let next = Field::new("next", plain_text("12"), "The `after` of the next page; absent on the last.");
    let fields = [items].into_iter().chain(own).chain([next]).collect();
    Record::new(name, description, fields).rooted("Page")
}

//! `derive(Record)` and `derive(Filter)`, by which `care-core` declares each field of a record, and each parameter of a
//! query, once.
//!
//! # Records
//!
//! ```ignore
//! /// A line of the ledger of money.
//! #[derive(Debug, Clone, PartialEq, Eq, Record)]
//! #[record(table = "receipt", key(receipt_id), document = "Receipt", root = "Receipt")]
//! pub struct Receipt {
//!     /// The number of the receipt.
//!     #[field(example = 8)]
//!     pub receipt_id: ReceiptId,
//!     /// A note of a refund or a correction.
//!     #[field(personal, example = "paid twice")]
//!     pub note: Option<Note>,
//! }
//! ```
//!
//! The output names items of `care-core`, so the crate is of no use elsewhere. All of it is code that one would write
//! by hand: implementations of `Serialize` and `Deserialize`, of `Tabular` or `Group` in `store::rows`, of `Documented`
//! in `rest::openapi`, of `FromForm` in `rest`, a struct of the fields that a request names, and methods.
//!
//! ## On a struct: `#[record(…)]`
//!
//! | | |
//! |---|---|
//! | `table = "receipt"` | the record has a table of this name |
//! | `key(receipt_id)` | the columns of its primary key, in the table's order |
//! | `keyed(medicine)` | the field has two columns, `medicine_key` and `medicine` |
//! | `moving(…)` | indexed columns whose values change where those of the others stay, as a state does |
//! | `derived(folded_name)` | a column that the method of this name makes of the record |
//! | `owner(patient = patient_id, on_void = keep)` | the patient, or the `invoice`, in this column owns the record |
//! | `person` | the record is the person: its key is the number of the patient |
//! | `group` | the fields stand among those of the record that contains this one, in a field with `group` |
//! | `details = PatientDetails` | the struct of the fields to `edit`, which is made here |
//! | `new` | `new` takes the fields that are never absent and have no default |
//! | `document = "Receipt"` | the name of the record in the OpenAPI document, whose sentences are the comments |
//! | `root = "Receipt"` | the root of the record as a whole document in XML |
//! | `answered(receipts, receipt_id)` | answers show it as it is, and it is read at `/receipts/` and the number |
//! | `per_member` | the document has it once for each member that holds it, under that member's name |
//! | `body` | a form reads the record as the body of a request, or a part of one |
//! | `judged` | a rule of the body is about several of its fields: `Body` is implemented by hand |
//!
//! An index or the key begins with the column of the owner, which may be null. Voiding the patient can `remove` the
//! record, or `keep` it. Each field of a record with an owner, or of the person, is `personal` or `kept`.
//!
//! ## On a field: `#[field(…)]`
//!
//! | | |
//! |---|---|
//! | `name = "from"` | the name in documents, where it is not the field's in camel case |
//! | `edit` | a request may set the field, or clear it |
//! | `default = 1` | the value that a field has when it is cleared, and at first |
//! | `personal`, `kept` | whether an erasure takes the field |
//! | `extension` | the interface document does not show the field, nor does an API of its operations alone |
//! | `example = 8` | the example of the OpenAPI document, where that of the type does not do |
//! | `like = u64`, `words(low, high)` | its type for documents, the words that occur |
//! | `least = 1`, `most = 30` | the lengths of a list |
//! | `required`, `optional` | whether documents always have the field, where its type does not say so |
//! | `aside` | the example of the whole record leaves the field out |
//! | `group` | the field is a `group`: its columns and members stand among those of the record |
//! | `named` | a body may repeat in it what the path names, and nothing else |
//! | `otherwise = …` | the value of a body with which other fields are judged where this one is at fault |
//! | `columns(units, unnamed)` | these parts of the field have a column each, `wanted_units` for a field `wanted` |
//!
//! An optional field is left out of documents while it is absent. Further attributes for serde stand on the field as
//! `#[serde(…)]`.
//!
//! # Filters
//!
//! ```ignore
//! /// A filter of receipts. All set conditions must hold.
//! #[derive(Debug, Clone, PartialEq, Eq, Default, Filter)]
//! #[filter(rows(Receipt))]
//! pub struct ReceiptFilter {
//!     /// Only receipts of this invoice.
//!     #[filter(equal)]
//!     pub invoice_id: Option<InvoiceId>,
//!     /// Only receipts of this day or later.
//!     #[filter(at_least(day), unindexed, example = "16/12/2025")]
//!     pub from: Option<Date>,
//!     /// Only receipts of this day or earlier.
//!     #[filter(at_most(day), unindexed, example = "15/03/2026")]
//!     pub to: Option<Date>,
//! }
//! ```
//!
//! It makes an implementation of `Filter` in `store`, the constructor of the list, the reader of the query and the
//! description of the parameters in `rest`, and `filled`. With `#[filter(rows(Receipt))]` on the struct, it chooses
//! rows of that kind of record; without it, it is the request for a report.
//!
//! ## On a field: `#[filter(…)]`
//!
//! | | |
//! |---|---|
//! | `name = "name"` | the name in queries, where it is not the field's in camel case |
//! | `equal`, `at_least(day)`, `at_most(day)` | the column of the field's name, or this one, compares so |
//! | `one_of(patient_id)` | the column has one of the values |
//! | `word` | the column has this word, which statements name, since an index of such rows serves it |
//! | `among(OPEN_LOT_BY_LOT)` | the key is in the rows of another table that this index has under the value |
//! | `beginning(medicine_key)` | the column begins so; it must be the first of an index or of the key |
//! | `prefix`, `descending` | the beginning of a patient's folded name; whether the last rows come first |
//! | `unindexed` | no index serves the parameter, so such lists are read one at a time |
//! | `required`, `needs(medicine)`, `excludes(from)` | whether it, or one of these, must stand there; what must not |
//! | `empty_needs(medicine)` | one of these must stand beside an empty value |
//! | `example = 8`, `default = 100`, `least = 1`, `most = 9` | what documents say beside what the type does |

mod body;
mod checks;
mod declaration;
mod details;
mod document;
mod filter;
mod members;
mod owner;
mod row;
mod words;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::{declaration::Record, words::Misuse};

/// Derives what follows from the declaration of a record: see the crate.
#[proc_macro_derive(Record, attributes(record, field, serde))]
pub fn record(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expanded(input, expand)
}

/// Derives what follows from the declaration of a filter: see the crate.
#[proc_macro_derive(Filter, attributes(filter))]
pub fn filter(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expanded(input, filter::expand)
}

fn expanded(
    input: proc_macro::TokenStream,
    expand: impl FnOnce(&DeriveInput) -> Result<(TokenStream, Option<Misuse>), Misuse>,
) -> proc_macro::TokenStream {
    match syn::parse::<DeriveInput>(input) {
        Ok(input) => match expand(&input) {
            // A mistake is the only error when the implementations stand beside it.
            Ok((made, misuse)) => {
                [made, misuse.map(Misuse::into_compile_error).unwrap_or_default()].into_iter().collect()
            }
            Err(misuse) => misuse.into_compile_error(),
        }
        .into(),
        Err(error) => error.into_compile_error().into(),
    }
}

/// Returns what follows from a declaration, and a mistake in it.
fn expand(input: &DeriveInput) -> Result<(TokenStream, Option<Misuse>), Misuse> {
    let mut record = Record::of(input)?;
    let parts = [
        members::serde,
        members::values,
        members::documented,
        details::details,
        row::row,
        owner::owned,
        document::document,
        document::details,
        body::body,
        body::shown,
    ];
    let made = parts.iter().map(|part| part(&record)).collect();
    Ok((made, record.misuse.take()))
}

#[cfg(test)]
mod tests;

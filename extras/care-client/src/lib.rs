//! A typed, asynchronous client for the Patient Care Service, over HTTP with or without TLS.
//!
//! Records are built from the service's own model types, so a caller cannot send by accident a value that the service
//! would refuse, and an answer that breaks a rule is an error rather than a surprise.
//!
//! ```no_run
//! use care_client::{CareClient, care_core};
//! use care_core::{
//!     model::{MedicineName, PatientDetails, PatientId},
//!     service::NewPrescription,
//!     store::InvoiceFilter,
//! };
//! use futures_util::TryStreamExt as _;
//!
//! # async fn flow() -> Result<(), Box<dyn std::error::Error>> {
//! let care = CareClient::new("https://care.example.org/1.0.0", "the key")?;
//! let details = PatientDetails::named("Ada Example")?;
//! let ada = care.register_patient(&details).await?;
//!
//! let new = NewPrescription::of(MedicineName::new("Ibuprofen 400")?);
//! let prescribed = care.prescribe(ada.patient_id, &new).await?;
//! let invoice = care.issue_invoice(prescribed.id()?).await?;
//! let history = care.pay_invoice(invoice.id()?).await?;
//! assert_eq!(history.visits, 1);
//!
//! // An update that is refused if the record has changed since it was read.
//! let read = care.patient(ada.patient_id).await?;
//! let details = PatientDetails::default().age(37)?;
//! let mut update = care.update_patient(ada.patient_id, &details);
//! if let Some(tag) = &read.tag {
//!     update = update.expecting(tag);
//! }
//! update.await?;
//!
//! // All pages as one stream.
//! let mut unpaid = Box::pin(care.invoices(&InvoiceFilter::default()).stream());
//! while let Some(invoice) = unpaid.try_next().await? {
//!     println!("{:?}", invoice.invoice_id);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Retries
//!
//! A request whose answer is lost may have been done. Each `POST` therefore carries an `Idempotency-Key`, under which
//! the service runs it once however often it arrives. That makes a `POST` as safe to retry as a read. The client
//! retries a `PUT` or a `DELETE` only if nothing was done: either no connection was made, or the service said so (429,
//! or a 503 of its own). If the answer to a `PUT` or a `DELETE` is lost, the call fails with [`ClientError::Lost`], and
//! the caller reads the record to find out. [`CareClient::with_tries`] sets the number of tries. The client honours
//! `Retry-After`.
//!
//! # Keys
//!
//! The client sends the key to the base address and nowhere else: it follows no redirects, and uses no proxy unless the
//! caller [supplies](CareClient::over) a [`reqwest::Client`] that does. The key never appears in `Debug` output, errors
//! or logs.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// The service's records and filters, and the HTTP client beneath: a program that calls a server needs no dependency on
/// them.
pub use {care_core, reqwest};

mod answer;
mod call;
mod client;
mod error;
mod operations;
mod pages;
mod records;
mod retry;
mod tls;

pub use answer::{Answer, Tag};
pub use call::Call;
pub use client::CareClient;
pub use error::{ClientError, FieldFault, Refusal};
pub use pages::{Page, Pages};
pub use records::{
    ChangeKind, Event, EventRecord, FacilityFacts, Invoice, JournalChange, JournalEntry, KeyFacts, Lot, News,
    Prescription, RecordId, Stock, TakingsReport, Today, UnpaidInvoices,
};

// Compiles the code in the README along with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! A typed, asynchronous client of the Patient Care Service, over HTTP with or without TLS.
//!
//! Records are made of the service's own model types, so a value that the service would refuse cannot be sent by
//! accident, and an answer that breaks a rule is an error and not a surprise.
//!
//! ```no_run
//! use care_client::CareClient;
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
//! let ada = care.add_patient(None, &details).await?;
//!
//! let new = NewPrescription::of(MedicineName::new("Ibuprofen 400")?);
//! let prescribed = care.add_prescription(ada.record.patient_id, &new).await?;
//! let prescription = prescribed.number().ok_or("no number")?;
//! let invoice = care.issue_invoice(prescription).await?;
//! let history = care.pay_invoice(invoice.number().ok_or("no number")?).await?;
//! assert_eq!(history.record.visits, 1);
//!
//! // An update that expects the version that was read.
//! let read = care.patient(ada.record.patient_id).await?;
//! let details = PatientDetails::default().age(37)?;
//! let mut update = care.update_patient(ada.record.patient_id, &details);
//! if let Some(tag) = &read.tag {
//!     update = update.expecting(tag);
//! }
//! update.await?;
//!
//! // All pages, as they come.
//! let mut unpaid = Box::pin(care.invoices(&InvoiceFilter::default()).stream());
//! while let Some(invoice) = unpaid.try_next().await? {
//!     println!("{:?}", invoice.invoice_id);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What is tried again
//!
//! A request whose answer is lost may have been done. So each `POST` carries an `Idempotency-Key` of its own, under
//! which the service does it once however often it arrives, and is tried again; so are reads. A `PUT` or `DELETE` is
//! tried again only when nothing was done: no connection was made, or the service said so (429 and its own 503). When
//! its answer is lost the error is [`ClientError::Lost`], and the caller looks at the record to see.
//! [`CareClient::with_tries`] sets how often, and `Retry-After` is waited for.
//!
//! # Keys
//!
//! The key is sent to the base address and nowhere else: redirects are not followed, and no proxy is used unless the
//! caller's own [`reqwest::Client`] says so. It is in no `Debug` form, no error and no line of a log.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod body;
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
    ChangeKind, Invoice, JournalChange, JournalEntry, KeyFacts, Lot, News, Prescription, RecordId, RestockQuery, Stock,
};

// The code in the README is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The Patient Care Service as plain logic: patients, consultations, prescriptions, medicine inventory, invoices and
//! history, over pluggable storage and without any web framework, database or async runtime.
//!
//! ```
//! use care_core::{
//!     CareService, MemoryStore,
//!     model::{MedicineName, PatientDetails},
//!     service::NewPrescription,
//! };
//!
//! # futures_executor::block_on(async {
//! let care = CareService::new(MemoryStore::new());
//! let details = PatientDetails::named("Ada Example")?;
//! let ada = care.register_patient(details).await?;
//!
//! // The flow: prescribe, invoice, pay. The payment updates the history.
//! let new = NewPrescription::of(MedicineName::new("Ibuprofen 400")?);
//! let prescribed = care.prescribe(ada.patient_id, new).await?;
//! let issued = care.issue_invoice(prescribed.prescription.prescription_id).await?;
//! let history = care.pay_invoice(issued.invoice.invoice_id).await?;
//! assert_eq!(history.visits, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`model`]: records and the value types of their fields; a value of these types is valid by construction.
//! - [`operation`]: the operations of the service, and their names in the journal.
//! - [`stock`]: units on a shelf and advice on restocking, as pure functions.
//! - [`store`]: the storage traits, the types of their arguments and answers, and the memory store.
//! - [`service`]: [`CareService`], the use cases.
//! - [`wire`]: records as answers show them, which a server writes and a client reads.
//! - [`audit`]: the proof that a store does not contradict itself.
//! - `keys` (a feature): the keys of clients and their scopes.
//! - `rest` (a feature, which the frontends turn on): the REST contract over the types of the `http` crate.
//!
//! The other features: `openapi` serves the OpenAPI document of the contract, and `tower` makes a tower
//! service of it. Metrics go to the program's recorder for the facade `metrics`, if it installs one.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod audit;
pub mod error;
#[cfg(feature = "keys")]
pub mod keys;
mod kinds;
#[cfg_attr(not(feature = "rest"), expect(dead_code, reason = "only a server meters"))]
mod meter;
pub mod model;
pub mod operation;
#[cfg(feature = "rest")]
pub mod rest;
pub mod service;
pub mod stock;
pub mod store;
pub mod wire;

/// The crates whose types the contract speaks, in the versions that it uses.
#[cfg(feature = "rest")]
pub use {bytes, http};

pub use error::Error;
#[cfg(feature = "rest")]
pub use rest::Api;
pub use service::CareService;
pub use store::MemoryStore;

// The code in the README is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

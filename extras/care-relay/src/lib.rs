//! Delivers the events of the Patient Care Service as signed webhooks, as Standard Webhooks 1.0 describes them.
//!
//! The journal is the queue: an endpoint is a place in it, so nothing is copied, nothing overflows, and a receiver that
//! was down for a week gets everything, in order. A message says what was done to which records, and no value. The
//! relay itself cannot read one: its key needs the scope `events:read` alone.
//!
//! [`Relay`] runs in any program with tokio, and takes its events from a [`CareService`](care_core::CareService) in the
//! same process or from a [`CareClient`](care_client::CareClient). The program `care-relay` is the latter, with a
//! command line. docs/webhooks.md says how to receive.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod connection;
mod delivery;
mod error;
mod feed;
mod figures;
mod lookup;
mod message;
mod policy;
#[cfg(feature = "program")]
pub mod program;
mod relay;
mod schedule;
mod sender;
mod signature;
mod source;
mod state;
mod target;
mod tls;
mod types;

pub use error::RelayError;
pub use lookup::{Lookup, SystemLookup};
pub use policy::{BadNetwork, Network};
pub use relay::{Probe, Relay};
pub use signature::Secret;
pub use source::{End, EventPage, EventSource, SourceError};
pub use state::{NewEndpoint, Start, State, StateError};
pub use target::BadTarget;
pub use tls::BadCertificates;
pub use types::{EventTypes, UnknownType};

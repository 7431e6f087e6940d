//! The contract over HTTP as data: which operations there are, what they take, and what they answer.

pub(crate) mod answer;
pub(crate) mod input;
pub(crate) mod limits;
pub(crate) mod operation;
pub(crate) mod problem;
pub(crate) mod route;
pub(crate) mod status;
pub(crate) mod stock_input;
pub(crate) mod stock_view;
pub(crate) mod view;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use limits::Limits;
use operation::Operation;
use route::Operations;

/// The contract as one API has it: where it is mounted, its limits, and which operations it has.
#[derive(Debug, Clone)]
pub(crate) struct Contract {
    base: Arc<str>,
    limits: Limits,
    operations: Operations,
    audits_reads: bool,
    host_scheme: Option<Arc<str>>,
    describe: fn(&Self) -> String,
    /// The OpenAPI document, once a client has asked for it.
    document: OnceLock<Bytes>,
}

impl Contract {
    /// The contract at `/1.0.0` with all of these operations, described by this function.
    pub(crate) fn new(operations: Operations, describe: fn(&Self) -> String) -> Self {
        let base = Arc::from("/1.0.0");
        let limits = Limits::new();
        Self { base, limits, operations, audits_reads: false, host_scheme: None, describe, document: OnceLock::new() }
    }

    /// The path that all operations are below, empty for the root.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The limits of a request.
    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The operations that it has.
    pub(crate) const fn operations(&self) -> Operations {
        self.operations
    }

    /// Whether it has more than the interface document shows.
    pub(crate) fn has_extensions(&self) -> bool {
        self.operations.iter().any(Operation::is_extension)
    }

    /// Whether the journal says who read what.
    pub(crate) const fn audits_reads(&self) -> bool {
        self.audits_reads
    }

    /// The HTTP authentication scheme by which the host tells who asks, where clients present no key.
    pub(crate) fn host_scheme(&self) -> Option<&Arc<str>> {
        self.host_scheme.as_ref()
    }

    /// The OpenAPI document as it is served.
    pub(crate) fn document(&self) -> Bytes {
        self.document.get_or_init(|| (self.describe)(self).into()).clone()
    }

    pub(crate) fn set_base(&mut self, base: &str) {
        self.base = base.into();
        self.forget_document();
    }

    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.forget_document();
    }

    pub(crate) fn set_host_scheme(&mut self, scheme: &str) {
        self.host_scheme = Some(scheme.into());
        self.forget_document();
    }

    pub(crate) fn set_operations(&mut self, operations: Operations) {
        self.operations = operations;
        self.forget_document();
    }

    pub(crate) fn audit_reads(&mut self) {
        self.audits_reads = true;
        self.forget_document();
    }

    /// The document speaks of the settings, so a change of one outdates it.
    fn forget_document(&mut self) {
        self.document = OnceLock::new();
    }
}

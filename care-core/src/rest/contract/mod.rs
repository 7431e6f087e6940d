//! The contract over HTTP as data: the operations, their inputs and their answers.

pub(crate) mod answer;
pub(crate) mod bodies;
pub(crate) mod facade;
pub(crate) mod input;
pub(crate) mod limits;
pub(crate) mod problem;
pub(crate) mod route;
pub(crate) mod view;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use facade::Facade;
use limits::Limits;
use operation::Operation;
use route::Operations;

pub(crate) use crate::operation;

/// The contract of one API: its base path, its limits, and its operations.
#[derive(Debug, Clone)]
pub(crate) struct Contract {
    pub(crate) base: Arc<str>,
    pub(crate) limits: Limits,
    pub(crate) operations: Operations,
    pub(crate) audits_reads: bool,
    pub(crate) host_scheme: Option<Arc<str>>,
    pub(crate) facade: Option<Arc<dyn Facade>>,
    describe: Option<fn(&Self) -> String>,
    /// The OpenAPI document, made when a client first asks for it.
    document: OnceLock<Bytes>,
}

impl Contract {
    /// Returns the contract of all operations at `/1.0.0`. Without `describe`, it has no document.
    pub(crate) fn new(describe: Option<fn(&Self) -> String>) -> Self {
        let served = |operation: &Operation| describe.is_some() || *operation != Operation::GetOpenapi;
        Self {
            base: Arc::from("/1.0.0"),
            limits: Limits::new(),
            operations: Operations::of(Operation::all().filter(served)),
            audits_reads: false,
            host_scheme: None,
            facade: None,
            describe,
            document: OnceLock::new(),
        }
    }

    /// Returns the base path of all operations, empty for the root.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Returns the limits of a request.
    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the operations.
    pub(crate) const fn operations(&self) -> Operations {
        self.operations
    }

    /// Returns the operations that no setting of this build can serve.
    pub(crate) fn left_out(&self) -> Operations {
        Operations::of(self.describe.is_none().then_some(Operation::GetOpenapi))
    }

    /// Returns whether there are operations that the interface document does not show.
    pub(crate) fn has_extensions(&self) -> bool {
        self.operations.has_extensions()
    }

    /// Returns whether the journal records reads.
    pub(crate) const fn audits_reads(&self) -> bool {
        self.audits_reads
    }

    /// Returns the HTTP authentication scheme of a host that names the principals itself; `None` where clients present
    /// keys.
    pub(crate) fn host_scheme(&self) -> Option<&Arc<str>> {
        self.host_scheme.as_ref()
    }

    /// Returns the facade beside this contract; `None` where only the interface document's operations are served.
    pub(crate) fn facade(&self) -> Option<&Arc<dyn Facade>> {
        self.facade.as_ref().filter(|_| self.has_extensions())
    }

    /// Returns the OpenAPI document.
    pub(crate) fn document(&self) -> Bytes {
        self.document.get_or_init(|| self.describe.map_or_else(Bytes::new, |describe| describe(self).into())).clone()
    }

    /// Changes the contract, and drops the document, which describes it before the change.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Self)) {
        change(self);
        self.document = OnceLock::new();
    }
}

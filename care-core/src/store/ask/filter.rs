//! The parameters by which clients ask for a filter.

/// A filter of a list, or the request for a report. `derive(Filter)` makes it of a declaration.
pub trait Filter {
    /// The parameters, in the order of the document.
    const PARAMETERS: &'static [Parameter];

    /// Returns the parameters that ask for the filter, each with its value in the one form that the service writes. A
    /// condition that is not set has none, so filters that mean the same have the same parameters.
    ///
    /// ```
    /// use care_core::store::{Filter, InvoiceFilter};
    ///
    /// let filter = InvoiceFilter { patient_id: Some(7.try_into()?), newest: true, ..InvoiceFilter::default() };
    /// let parameters = [("patientId", "7".to_owned()), ("newest", "true".to_owned())];
    /// assert_eq!(filter.parameters(), parameters);
    /// # Ok::<(), care_core::model::Invalid>(())
    /// ```
    fn parameters(&self) -> Vec<(&'static str, String)>;
}

/// A parameter of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Whether no index serves it: such a list may look at all rows.
    pub is_unindexed: bool,
    /// The rules about it and others.
    pub beside: &'static [Beside],
}

/// A rule about a parameter and others. The names are those of parameters; the texts are what breaks the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// It must be there.
    Required,
    /// One of these must stand beside it.
    Needs(&'static [&'static str], &'static str),
    /// One of these must stand beside it while it is empty.
    EmptyNeeds(&'static [&'static str], &'static str),
    /// None of these may stand beside it.
    Excludes(&'static [&'static str], &'static str),
}

impl Parameter {
    /// Returns a parameter with this name, which may stand beside any other.
    pub const fn new(name: &'static str) -> Self {
        Self { name, is_unindexed: false, beside: &[] }
    }
}

/// The filter of a list that has none.
impl Filter for () {
    const PARAMETERS: &'static [Parameter] = &[];

    fn parameters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{InvoiceFilter, MovementFilter};

    /// A filter that has no parameter yet.
    #[derive(Debug, Default, care_derive::Filter)]
    struct Nothing {}

    #[test]
    fn what_is_not_asked_for_is_no_parameter() {
        assert_eq!((InvoiceFilter::default().parameters(), MovementFilter::default().parameters()), (vec![], vec![]));
        let of_no_lot = MovementFilter { lot: Some(None), ..MovementFilter::default() };
        assert_eq!(of_no_lot.parameters(), [("lot", String::new())]);
        assert_eq!((Nothing::PARAMETERS.len(), Nothing {}.parameters()), (0, vec![]));
    }
}

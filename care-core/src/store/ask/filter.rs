//! The parameters by which clients ask for a filter.

use super::query::{
    ConsultationFilter, InvoiceFilter, MovementFilter, PatientFilter, PrescriptionFilter, ReceiptFilter, StockFilter,
};

/// A filter of a list that clients can ask for.
pub trait Filter {
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

/// Returns the parameters that have a value.
fn set<const N: usize>(parameters: [(&'static str, Option<String>); N]) -> Vec<(&'static str, String)> {
    parameters.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn text(value: Option<&(impl ToString + ?Sized)>) -> Option<String> {
    value.map(ToString::to_string)
}

/// The filter of a list that has none.
impl Filter for () {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

impl Filter for PatientFilter {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Self { name_prefix, phone, email } = self;
        set([
            ("name", text(name_prefix.as_ref().map(|prefix| prefix.as_str()))),
            ("phone", text(phone.map(|phone| phone.value()).as_ref())),
            ("email", text(email.as_ref().map(|email| email.as_str()))),
        ])
    }
}

impl Filter for PrescriptionFilter {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Self { patient_id, medicine, state } = self;
        set([
            ("patientId", text(patient_id.as_ref())),
            ("medicine", text(medicine.as_ref())),
            ("state", text(state.map(|state| state.as_str()))),
        ])
    }
}

impl Filter for ConsultationFilter {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Self { patient_id, state } = self;
        set([("patientId", text(patient_id.as_ref())), ("state", text(state.map(|state| state.as_str())))])
    }
}

impl Filter for InvoiceFilter {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Self { patient_id, state, from, to, newest } = self;
        set([
            ("patientId", text(patient_id.as_ref())),
            ("state", text(state.map(|state| state.as_str()))),
            ("from", text(from.as_ref())),
            ("to", text(to.as_ref())),
            ("newest", text(newest.then_some("true"))),
        ])
    }
}

impl Filter for StockFilter {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Self { expires_to } = self;
        set([("expiresTo", text(expires_to.as_ref()))])
    }
}

impl Filter for MovementFilter {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Self { medicine, lot, expires, kind, invoice_id, from, to } = self;
        set([
            ("medicine", text(medicine.as_ref())),
            // An empty text asks for the units that belong to no lot.
            ("lot", lot.as_ref().map(|lot| text(lot.as_ref().map(|lot| lot.as_str())).unwrap_or_default())),
            ("expires", text(expires.as_ref())),
            ("kind", text(kind.map(|kind| kind.as_str()))),
            ("invoiceId", text(invoice_id.as_ref())),
            ("from", text(from.as_ref())),
            ("to", text(to.as_ref())),
        ])
    }
}

impl Filter for ReceiptFilter {
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Self { invoice_id, holder, kind, from, to } = self;
        set([
            ("invoiceId", text(invoice_id.as_ref())),
            ("holder", text(holder.as_ref())),
            ("kind", text(kind.map(|kind| kind.as_str()))),
            ("from", text(from.as_ref())),
            ("to", text(to.as_ref())),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_is_no_parameter() {
        let filters: [&dyn Filter; 8] = [
            &(),
            &PatientFilter::default(),
            &PrescriptionFilter::default(),
            &ConsultationFilter::default(),
            &InvoiceFilter::default(),
            &StockFilter::default(),
            &MovementFilter::default(),
            &ReceiptFilter::default(),
        ];
        assert!(filters.iter().all(|filter| filter.parameters().is_empty()));
        let of_no_lot = MovementFilter { lot: Some(None), ..MovementFilter::default() };
        assert_eq!(of_no_lot.parameters(), [("lot", String::new())]);
    }
}

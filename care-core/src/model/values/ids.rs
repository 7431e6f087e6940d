//! Identifiers of records.

use serde::{Deserialize, Serialize};

use super::conversions::{as_number, as_scalar};
use crate::model::Invalid;

const RULE: &str = "must be 1 to 9223372036854775807";

/// Defines one identifier type. The types differ only in the record that they identify.
macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// An integer from 1 to 2^63-1, in JSON and XML a plain decimal number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "i64")]
        pub struct $name(i64);

        impl $name {
            /// The first identifier of its kind, 1.
            pub const FIRST: Self = Self(1);

            /// Returns the number itself, 1 to 2^63-1.
            pub const fn value(self) -> i64 {
                self.0
            }
        }

        impl TryFrom<i64> for $name {
            type Error = Invalid;

            fn try_from(value: i64) -> Result<Self, Invalid> {
                if value < 1 {
                    return Err(Invalid(RULE));
                }
                Ok(Self(value))
            }
        }

        as_number!($name, i64, RULE, id => id.0);
        as_scalar!($name, i64);
    };
}

identifier! {
    /// The identifier of a patient, chosen by the clinic or given by the store.
    PatientId
}
identifier! {
    /// The identifier of a prescription, given by the store.
    PrescriptionId
}
identifier! {
    /// The identifier of an invoice, given by the store without gaps.
    InvoiceId
}
identifier! {
    /// The identifier of a consultation, given by the store.
    ConsultationId
}
identifier! {
    /// The identifier of a movement of stock, given by the store without gaps over all medicines.
    MovementId
}
identifier! {
    /// The identifier of a receipt, given by the store without gaps.
    ReceiptId
}
identifier! {
    /// The number of the credit note of a refund, given by the store without gaps.
    CreditNoteId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_start_at_one() {
        for refused in [0, -1, i64::MIN] {
            assert!(PatientId::try_from(refused).is_err());
        }
        for accepted in [1, i64::MAX] {
            assert_eq!(PatientId::try_from(accepted).map(PatientId::value), Ok(accepted));
        }
    }
}

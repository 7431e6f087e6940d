//! Identifiers of records.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::conversions::{as_number, as_scalar};
use crate::model::{InQuery, Invalid};

const RULE: &str = "must be 1 to 9223372036854775807";

/// Defines the types of identifiers, each with the series of its numbers, its name in paths, and the words for what has
/// it. They differ only in the record that they identify.
macro_rules! identifiers {
    ($($(#[$doc:meta])* $name:ident $series:ident $wire:literal $of:literal;)*) => {
        $(
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
        )*

        /// Calls a macro with all types of identifiers, each with its series, its name in paths and its words.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! each_identifier {
            ($with:ident) => { $with! { $($name $series $wire $of)* } };
        }
        pub(crate) use each_identifier;
    };
}

// In the order of their words in paths, which is that of the series of numbers.
identifiers! {
    /// The identifier of a consultation, given by the store.
    ConsultationId Consultation "consultationId" "Consultation";
    /// The number of the credit note of a refund, given by the store without gaps.
    CreditNoteId CreditNote "creditNoteId" "Credit note";
    /// The identifier of an invoice, given by the store without gaps.
    InvoiceId Invoice "invoiceId" "Invoice";
    /// The identifier of a movement of stock, given by the store without gaps over all medicines.
    MovementId Movement "movementId" "Movement";
    /// The identifier of a patient, chosen by the clinic or given by the store.
    PatientId Patient "patientId" "Patient";
    /// The identifier of a prescription, given by the store.
    PrescriptionId Prescription "prescriptionId" "Prescription";
    /// The identifier of a receipt, given by the store without gaps.
    ReceiptId Receipt "receiptId" "Receipt";
}

/// The numbers of patients in a query: 1 to 50, with commas between them, each once and in order.
///
/// ```
/// use care_core::model::{InQuery, PatientIds};
///
/// assert_eq!(PatientIds::read("3,1,3".to_owned())?.text(), "1,3");
/// # Ok::<(), care_core::model::Invalid>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PatientIds(BTreeSet<PatientId>);

impl PatientIds {
    /// The highest number of them, repeated ones included.
    pub const MAX: usize = 50;

    /// Returns the numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = PatientId> {
        self.0.iter().copied()
    }
}

impl InQuery for PatientIds {
    fn read(text: String) -> Result<Self, Invalid> {
        const RULE: Invalid = Invalid("must be 1 to 50 numbers of patients with commas between them");
        let ids: Vec<_> = text.split(',').take(Self::MAX + 1).map(|id| PatientId::read(id.to_owned())).collect();
        if ids.len() > Self::MAX {
            return Err(RULE);
        }
        ids.into_iter().collect::<Result<_, _>>().map(Self).map_err(|_| RULE)
    }

    fn text(&self) -> String {
        self.iter().map(|id| id.to_string()).collect::<Vec<_>>().join(",")
    }
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

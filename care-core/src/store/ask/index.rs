//! The indexes by which rows are found: the only list of them.

use super::{
    selection::Selection,
    term::{Comparison, Datum, Index, Term},
};
use crate::store::RecordKind;

macro_rules! indexes {
    ($(
        $(#[$doc:meta])*
        $static:ident $name:literal: $([$how:ident])? $kind:ident($($column:literal),+ $(; $open:literal)?)
        $(only [$($only:expr),+])? $(words $words:expr)?;
    )*) => {
        $(
            $(#[$doc])*
            pub(super) static $static: Index = Index {
                name: $name,
                kind: RecordKind::$kind,
                columns: &[$($column),+ $(, $open)?],
                fixed: [$($column),+].len(),
                only: &[$($($only),+)?],
                is_unique: indexes!(@is unique $($how)?),
                is_primary: indexes!(@is primary $($how)?),
                words: indexes!(@words $($words)?),
            };
        )*

        /// All indexes, those of one table in the order of preference.
        pub static INDEXES: &[&Index] = &[$(&$static),*];
    };
    (@is unique unique) => { true };
    (@is primary primary) => { true };
    (@is $what:ident $($how:ident)?) => { false };
    (@words) => { &[] };
    (@words $words:expr) => { &$words };
}

const ACTIVE: Term = Term::Word("state", "active");
const PAID: Term = Term::Word("state", "paid");
const UNPAID: Term = Term::Word("state", "unpaid");

// Each index has the order of the lists that it finds, or their rows are few. A list need not fix the column behind a
// semicolon.
indexes! {
    PATIENT_BY_PHONE "patient_by_phone": Patient("phone") only [Term::Present("phone")];
    PATIENT_BY_EMAIL "patient_by_email": Patient("email") only [Term::Present("email")];
    CONSULTATION_BY_PATIENT "consultation_by_patient": Consultation("patient_id");
    CONSULTATION_BY_STATE "consultation_by_state": Consultation("state");
    DIAGNOSIS_BY_PATIENT "diagnosis_by_patient": Diagnosis("patient_id");
    // A patient has few that are active, and many others.
    PRESCRIPTION_ACTIVE "prescription_active": [unique] Prescription("patient_id"; "medicine_key") only [ACTIVE];
    PRESCRIPTION_BY_PATIENT "prescription_by_patient": Prescription("patient_id", "medicine_key");
    PRESCRIPTION_OF_PATIENT "prescription_of_patient": Prescription("patient_id");
    PRESCRIPTION_BY_MEDICINE "prescription_by_medicine": Prescription("medicine_key"; "state")
        words ["active", "completed"];
    PRESCRIPTION_SINGLE "prescription_single": Prescription("state") only [ACTIVE, Term::NotTrue("is_regular")];
    PRESCRIPTION_BY_STATE "prescription_by_state": Prescription("state");
    INVOICE_PAID "invoice_paid": Invoice("prescription_id") only [PAID];
    INVOICE_UNPAID "invoice_unpaid": [unique] Invoice("prescription_id") only [UNPAID];
    INVOICE_UNPAID_BY_PATIENT "invoice_unpaid_by_patient": Invoice("patient_id") only [UNPAID];
    INVOICE_PAID_BY_PATIENT "invoice_paid_by_patient": Invoice("patient_id", "receipt_id") only [PAID];
    INVOICE_BY_PATIENT "invoice_by_patient": Invoice("patient_id");
    INVOICE_BY_STATE "invoice_by_state": Invoice("state");
    OPEN_LOT_OF_MEDICINE "open_lot_of_medicine": [primary] OpenLot("medicine_key");
    OPEN_LOT_BY_LOT "open_lot_by_lot": OpenLot("lot_key");
    MOVEMENT_REVERSAL "movement_reversal": [unique] Movement("reverses") only [Term::Present("reverses")];
    // An invoice has a few movements, and so has a lot, a medicine many.
    MOVEMENT_BY_INVOICE "movement_by_invoice": Movement("invoice_id") only [Term::Present("invoice_id")];
    MOVEMENT_BY_LOT "movement_by_lot": Movement("lot_key"; "medicine_key") only [Term::Present("lot_key")];
    MOVEMENT_BY_MEDICINE "movement_by_medicine": Movement("medicine_key");
    RECEIPT_CORRECTED "receipt_corrected": Receipt("corrects") only [Term::Present("corrects")];
    RECEIPT_BY_INVOICE "receipt_by_invoice": Receipt("invoice_id");
    // Refunds and corrections are few among many payments.
    RECEIPT_REFUND "receipt_refund": Receipt("kind") only [Term::Word("kind", "refund")];
    RECEIPT_CORRECTION "receipt_correction": Receipt("kind") only [Term::Word("kind", "correction")];
    RECEIPT_BY_HOLDER "receipt_by_holder": Receipt("holder");
    REPLY_TO "reply_to": [unique] Reply("actor", "key");
    REPLY_BY_AGE "reply_by_age": Reply("at");
    REPLY_BY_PATIENT "reply_by_patient": Reply("patient_id") only [Term::Present("patient_id")];
}

impl Index {
    /// Returns the rows of the index in which its first columns have these values, by primary key.
    pub(super) fn rows<const N: usize>(&'static self, values: [Datum; N]) -> Selection {
        let mut terms = Vec::with_capacity(N + self.only.len());
        let columns = self.columns.iter().zip(values);
        terms.extend(columns.map(|(column, value)| Term::Compared(column, Comparison::Equal, value)));
        terms.extend_from_slice(self.only);
        let mut rows = Selection::of(self.kind);
        (rows.index, rows.terms) = (Some(self), terms);
        rows
    }

    /// Returns the index that finds all rows of a kind with a value in this column, the first of its own; `None` when
    /// there is none.
    pub(crate) const fn beginning_with(kind: RecordKind, column: &str) -> Option<&'static Self> {
        let mut indexes = INDEXES;
        while let [index, others @ ..] = indexes {
            let has_all = match index.only {
                [] => true,
                [Term::Present(only)] => is_same(only, column),
                _ => false,
            };
            let [first, ..] = index.columns else { return None };
            if index.kind as usize == kind as usize && index.fixed == 1 && is_same(first, column) && has_all {
                return Some(index);
            }
            indexes = others;
        }
        None
    }

    /// Returns the columns that the indexes of a kind name. Some may come twice.
    pub fn columns_of(kind: RecordKind) -> impl Iterator<Item = &'static str> {
        let named = |one: &&'static Self| one.columns.iter().copied().chain(one.only.iter().map(Term::column));
        INDEXES.iter().filter(move |index| index.kind == kind).flat_map(named)
    }

    /// Returns the index that finds the rows of a list; `None` where the primary key alone is needed.
    pub(super) fn of_list(list: &Selection) -> Option<&'static Self> {
        let is_met = |condition: &Term| match condition {
            Term::Present(column) => list.fixes(column),
            condition => list.terms.contains(condition),
        };
        let finds = |one: &&&Self| {
            one.kind == list.kind
                && one.columns.iter().take(one.fixed).all(|column| list.fixes(column))
                && one.only.iter().all(is_met)
        };
        INDEXES.iter().find(finds).copied()
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let mut one = one.as_bytes();
    let mut other = other.as_bytes();
    while let ([first, behind @ ..], [other_first, other_behind @ ..]) = (one, other) {
        if *first != *other_first {
            return false;
        }
        one = behind;
        other = other_behind;
    }
    one.is_empty() && other.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_found_by_an_index_of_all_rows_that_begins_with_its_column() {
        let found = |kind, column| Index::beginning_with(kind, column).map(|index| index.name);
        assert_eq!(found(RecordKind::Prescription, "patient_id"), Some("prescription_of_patient"));
        assert_eq!(found(RecordKind::Invoice, "patient_id"), Some("invoice_by_patient"));
        assert_eq!(found(RecordKind::Movement, "invoice_id"), Some("movement_by_invoice"));
        // An index of some rows, one of another table, one in which the column comes later, and none.
        assert_eq!(found(RecordKind::Invoice, "prescription_id"), None);
        assert_eq!(found(RecordKind::Item, "patient_id"), None);
        assert_eq!(found(RecordKind::Reply, "key"), None);
        assert_eq!(found(RecordKind::Receipt, "invoice"), None);
    }
}

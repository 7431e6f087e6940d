//! The indexes that find the rows of selections.

use care_core::store::{
    RecordKind,
    rows::{Selection, Term},
};

/// An index, and the selections of its table whose rows it finds.
struct Index {
    kind: RecordKind,
    #[cfg(test)]
    name: &'static str,
    /// `INDEXED BY` and its name.
    clause: &'static str,
    finds: fn(&Selection<'_>) -> bool,
}

macro_rules! indexes {
    ($($name:literal $kind:ident if $finds:expr;)*) => {
        static INDEXES: &[Index] = &[$(Index {
            kind: RecordKind::$kind,
            #[cfg(test)]
            name: $name,
            clause: concat!("INDEXED BY ", $name),
            finds: $finds,
        }),*];
    };
}

// Of one table, in the order of preference. Each index has the order of its selections, or its rows are few.
indexes! {
    "consultation_by_patient" Consultation if |rows| has(rows, "patient_id");
    "consultation_by_state" Consultation if |rows| has(rows, "state");
    "diagnosis_by_patient" Diagnosis if |rows| has(rows, "patient_id");
    // A patient has few that are active, and many others.
    "prescription_active" Prescription if |rows| has(rows, "patient_id") && is(rows, "state", "active");
    "prescription_by_patient" Prescription if |rows| has(rows, "patient_id") && has(rows, "medicine_key");
    "prescription_of_patient" Prescription if |rows| has(rows, "patient_id");
    "prescription_by_medicine" Prescription if |rows| has(rows, "medicine_key");
    "prescription_single" Prescription if |rows| {
        is(rows, "state", "active") && rows.terms.contains(&Term::NotTrue("is_regular"))
    };
    "prescription_by_state" Prescription if |rows| has(rows, "state");
    "invoice_paid" Invoice if |rows| has(rows, "prescription_id") && is(rows, "state", "paid");
    "invoice_unpaid" Invoice if |rows| has(rows, "prescription_id");
    "invoice_unpaid_by_patient" Invoice if |rows| has(rows, "patient_id") && is(rows, "state", "unpaid");
    // Of a list the order is another one.
    "invoice_paid_by_patient" Invoice if |rows| has(rows, "patient_id") && rows.order.starts_with("receipt_id");
    "invoice_by_patient" Invoice if |rows| has(rows, "patient_id");
    "invoice_by_state" Invoice if |rows| has(rows, "state");
    "movement_reversal" Movement if |rows| has(rows, "reverses");
    // An invoice has a few movements, a medicine many.
    "movement_by_invoice" Movement if |rows| has(rows, "invoice_id");
    "movement_by_medicine" Movement if |rows| has(rows, "medicine_key");
    "receipt_corrected" Receipt if |rows| has(rows, "corrects");
    "receipt_by_invoice" Receipt if |rows| has(rows, "invoice_id");
    "receipt_refund" Receipt if |rows| is(rows, "kind", "refund");
    "receipt_correction" Receipt if |rows| is(rows, "kind", "correction");
    "receipt_by_holder" Receipt if |rows| has(rows, "holder");
    "reply_to" Reply if |rows| has(rows, "actor");
    "reply_by_age" Reply if |_| true;
}

/// Returns `INDEXED BY` and the name of an index, or nothing where the primary key alone is needed.
pub(crate) fn index(selection: &Selection<'_>) -> &'static str {
    let found = INDEXES.iter().find(|index| index.kind == selection.kind && (index.finds)(selection));
    found.map_or("", |index| index.clause)
}

/// Returns whether a column must have one value.
fn has(rows: &Selection<'_>, column: &str) -> bool {
    rows.fixed().any(|(fixed, _)| fixed == column)
}

/// Returns whether a column must have this word of the code.
fn is(rows: &Selection<'_>, column: &str, word: &str) -> bool {
    rows.fixed().any(|fixed| fixed == (column, Some(word)))
}

#[cfg(test)]
mod tests {
    use care_core::{
        model::{
            ConsultationState, Date, InvoiceState, LotText, MedicineKey, MovementKind, NamePrefix, PatientId,
            PrescriptionState, ReceiptKind, Timestamp,
        },
        store::{
            ConsultationFilter, InvoiceFilter, Key, Limit, MovementFilter, PatientFilter, PrescriptionFilter, Query,
            ReceiptFilter, RequestKey, StockFilter, kinds,
            rows::{KeyRows, QueryRows, Tabular},
        },
    };
    use rusqlite::Connection;

    use super::*;
    use crate::{
        file::schema,
        read::{list::list, load::load},
    };

    fn empty() -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        schema::migrate(&conn).unwrap();
        conn
    }

    fn table(kind: RecordKind) -> &'static str {
        macro_rules! tables {
            ($($kind:ident)*) => {
                match kind {
                    $(RecordKind::$kind => kinds::$kind::TABLE.name,)*
                }
            };
        }
        care_core::record_kinds!(tables)
    }

    /// Returns the queries with every combination of conditions.
    fn queries() -> Vec<Query> {
        let (medicine, day) = (MedicineKey::from_stored("m"), Date::MAX);
        let mut all = vec![Query::SinglePrescriptions { after: None }];
        for mask in 0..1_u32 << 7 {
            let has = |bit: u32| mask & 1 << bit != 0;
            let (patient_id, medicine) = (has(0).then_some(PatientId::FIRST), has(1).then(|| medicine.clone()));
            let (from, to) = (has(2).then_some(day), has(3).then_some(day));
            if mask < 1 << 3 {
                let name_prefix = has(0).then(|| NamePrefix::new("a"));
                let phone = has(1).then(|| 1.try_into().unwrap());
                let email = has(2).then(|| "a@b".to_owned().try_into().unwrap());
                all.push(Query::Patients { filter: PatientFilter { name_prefix, phone, email }, after: None });
                let filter = StockFilter { expires_to: has(0).then_some(day) };
                all.push(Query::Stocks { filter, after: None });
            }
            for state in [None, Some(PrescriptionState::Active), Some(PrescriptionState::Completed)] {
                let filter = PrescriptionFilter { patient_id, medicine: medicine.clone(), state };
                all.push(Query::Prescriptions { filter, after: None });
            }
            for state in [None, Some(ConsultationState::Open), Some(ConsultationState::Completed)] {
                all.push(Query::Consultations { filter: ConsultationFilter { patient_id, state }, after: None });
            }
            for state in InvoiceState::ALL.iter().copied().map(Some).chain([None]) {
                let filter = InvoiceFilter { patient_id, state, from, to, newest: has(4) };
                all.push(Query::Invoices { filter, after: None });
            }
            for kind in ReceiptKind::ALL.iter().copied().map(Some).chain([None]) {
                let invoice_id = has(0).then(|| 1.try_into().unwrap());
                let filter = ReceiptFilter { invoice_id, holder: has(1).then(|| "h".into()), kind, from, to };
                all.push(Query::Receipts { filter, after: None });
            }
            for lot in [None, Some(None), Some(Some(LotText::try_from("A".to_owned()).unwrap()))] {
                let (expires, invoice_id) = (has(4).then_some(day), has(5).then(|| 1.try_into().unwrap()));
                let kind = has(6).then_some(MovementKind::Receipt);
                let filter = MovementFilter { medicine: medicine.clone(), lot, expires, kind, invoice_id, from, to };
                all.push(Query::Movements { filter, after: None });
            }
        }
        all
    }

    fn keys() -> Vec<Key> {
        let (patient, medicine) = (PatientId::FIRST, MedicineKey::from_stored("m"));
        let (prescription, receipt) = (1.try_into().unwrap(), 1.try_into().unwrap());
        vec![
            Key::ActivePrescription(patient, medicine.clone()),
            Key::NewestPrescription(patient, medicine.clone()),
            Key::ActivePrescriptionFor(medicine.clone()),
            Key::ActivePrescriptions(patient),
            Key::PrescriptionsOf(patient),
            Key::ConsultationsOf(patient),
            Key::DiagnosesOf(patient),
            Key::UnpaidInvoice(prescription),
            Key::UnpaidInvoiceOf(patient),
            Key::PaidInvoices(prescription),
            Key::LastPaidInvoices(patient),
            Key::LastCorrection(receipt),
            Key::OpenLots(medicine),
            Key::ReversalOf(1.try_into().unwrap()),
            Key::ReplyTo(RequestKey { actor: "a".into(), key: "k".into() }),
            Key::RepliesBefore(Timestamp::from_unix_millis(0).unwrap()),
        ]
    }

    #[test]
    fn every_index_is_one_of_its_table() {
        let conn = empty();
        let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ? AND tbl_name = ?)";
        for index in INDEXES {
            let is_there: bool = conn.query_row(sql, [index.name, table(index.kind)], |row| row.get(0)).unwrap();
            assert!(is_there, "{} is no index of {}", index.name, table(index.kind));
        }
    }

    #[test]
    fn every_selection_can_use_its_index_and_every_index_has_a_selection() {
        let conn = empty();
        let mut used = std::collections::BTreeSet::new();
        for query in queries() {
            if let QueryRows::Selected(selection) = QueryRows::of(&query) {
                used.insert(index(&selection));
            }
            assert!(list(&conn, &query, Limit::items(1)).is_ok(), "{query:?}");
        }
        for key in keys() {
            if let KeyRows::Selected(selection) = KeyRows::of(&key) {
                used.insert(index(&selection));
            }
            assert!(load(&conn, &key, 1).is_ok(), "{key:?}");
        }
        for index in INDEXES {
            assert!(used.contains(index.clause), "{} finds nothing", index.name);
        }
    }
}

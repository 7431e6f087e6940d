//! Queries: the lists that a store can answer, as values.

use std::{fmt, marker::PhantomData, ops::Deref};

use super::{selection::Selection, term::Index};
use crate::{
    model::{
        ConsultationState, Date, Email, FindText, InvoiceId, InvoiceState, LotText, MedicineKey, MovementKind,
        NamePrefix, PatientId, Phone, PrescriptionState, ReceiptKind,
    },
    store::RecordKey,
};

/// A list of records, from a cursor on. Those but [`All`](Self::All) are made as [`List`]s, by the constructors of the
/// kinds of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// The rows of a selection, in its order.
    Rows(Rows),
    /// Of these rows, the patients whose folded name has a prefix. It is no term, since each store has its own way to
    /// find a range of names and to sort what it finds by number.
    Named(Rows, NamePrefix),
    /// Patients that match a text, the best first, and those that match alike by number. A store looks at a bounded
    /// number of them, as [`Ranking`](crate::store::find::Ranking) says; more than it lists may match.
    Found(FindText),
    /// The demand for one medicine in a period, by day.
    DemandOf {
        /// The medicine.
        medicine: MedicineKey,
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
    },
    /// The days with a movement in a period, by medicine, then by day; for each medicine also the last such day before
    /// the period.
    StockDays {
        /// The medicine; `None` for all.
        medicine: Option<MedicineKey>,
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
        /// The cursor: only days after this day of this medicine.
        after: Option<(MedicineKey, Date)>,
    },
    /// Every record of every kind, in the order of [`RecordKey`].
    All {
        /// The cursor: only records above this key.
        after: Option<RecordKey>,
    },
}

/// The rows of a selection from a cursor on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// The selection.
    pub selection: Selection,
    /// The cursor: only rows behind this key, in the order of the selection.
    pub after: Option<RecordKey>,
}

/// A query that knows the kind of its records.
pub struct List<E> {
    query: Query,
    record: PhantomData<fn() -> E>,
}

impl<E> List<E> {
    pub(super) const fn new(query: Query) -> Self {
        Self { query, record: PhantomData }
    }

    /// Returns the rows of a selection behind a key, found by the index that suits them.
    pub(super) fn of(selection: Selection, after: Option<RecordKey>) -> Self {
        Self::new(Query::Rows(Rows::of(selection, after)))
    }
}

impl Rows {
    pub(super) fn of(selection: Selection, after: Option<RecordKey>) -> Self {
        Self { selection: Selection { index: Index::of_list(&selection), ..selection }, after }
    }
}

impl<E> Deref for List<E> {
    type Target = Query;

    fn deref(&self) -> &Query {
        &self.query
    }
}

impl<E> From<List<E>> for Query {
    fn from(list: List<E>) -> Self {
        list.query
    }
}

impl<E> fmt::Debug for List<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.query.fmt(f)
    }
}

/// A filter of patients. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatientFilter {
    /// The prefix of the name.
    pub name_prefix: Option<NamePrefix>,
    /// The phone number.
    pub phone: Option<Phone>,
    /// The email address, letter case included.
    pub email: Option<Email>,
}

/// A filter of prescriptions. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrescriptionFilter {
    /// The patient.
    pub patient_id: Option<PatientId>,
    /// The medicine.
    pub medicine: Option<MedicineKey>,
    /// The state.
    pub state: Option<PrescriptionState>,
}

/// A filter of consultations. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConsultationFilter {
    /// The patient.
    pub patient_id: Option<PatientId>,
    /// The state.
    pub state: Option<ConsultationState>,
}

/// A filter of invoices. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InvoiceFilter {
    /// The patient.
    pub patient_id: Option<PatientId>,
    /// The state.
    pub state: Option<InvoiceState>,
    /// The first day of issue.
    pub from: Option<Date>,
    /// The last day of issue.
    pub to: Option<Date>,
    /// Whether the list begins with the newest invoice.
    pub newest: bool,
}

/// A filter of tracked medicines. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StockFilter {
    /// The last day on which a stock may [expire](crate::model::Stock::expires); those without such a day do not.
    pub expires_to: Option<Date>,
}

/// A filter of movements. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MovementFilter {
    /// The medicine.
    pub medicine: Option<MedicineKey>,
    /// The text of the lot; `Some(None)` for lots without one.
    pub lot: Option<Option<LotText>>,
    /// The expiry date of the lot.
    pub expires: Option<Date>,
    /// The kind.
    pub kind: Option<MovementKind>,
    /// The invoice.
    pub invoice_id: Option<InvoiceId>,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

/// A filter of receipts. All set conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceiptFilter {
    /// The invoice.
    pub invoice_id: Option<InvoiceId>,
    /// The holder of the key.
    pub holder: Option<Box<str>>,
    /// The kind.
    pub kind: Option<ReceiptKind>,
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

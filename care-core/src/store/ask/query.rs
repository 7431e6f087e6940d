//! Queries: the lists that a store can answer.

use crate::{
    model::{
        ConsultationId, ConsultationState, Date, Email, EveryDays, FindText, InvoiceId, InvoiceState, LotId, LotText,
        MedicineKey, MovementId, MovementKind, NamePrefix, PatientId, Phone, PrescriptionId, PrescriptionState,
        ReceiptId, ReceiptKind, TakingsKey,
    },
    store::RecordKey,
};

/// A list of records in ascending order of their key, or in the order that the query names, from a cursor on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Patients by number.
    Patients {
        /// The filter.
        filter: PatientFilter,
        /// The cursor: only patients above this number.
        after: Option<PatientId>,
    },
    /// Patients that match a text, the best first, and those that match alike by number. A store looks at a bounded
    /// number of them, as [`Ranking`](crate::store::find::Ranking) says; more than it lists may match.
    FindPatients {
        /// The text.
        text: FindText,
    },
    /// Prescriptions by number.
    Prescriptions {
        /// The filter.
        filter: PrescriptionFilter,
        /// The cursor: only prescriptions above this number.
        after: Option<PrescriptionId>,
    },
    /// The active prescriptions that do not recur, by number.
    SinglePrescriptions {
        /// The cursor: only prescriptions above this number.
        after: Option<PrescriptionId>,
    },
    /// Consultations by number.
    Consultations {
        /// The filter.
        filter: ConsultationFilter,
        /// The cursor: only consultations above this number.
        after: Option<ConsultationId>,
    },
    /// Invoices by number, the highest first if the filter says so.
    Invoices {
        /// The filter.
        filter: InvoiceFilter,
        /// The cursor: only invoices above this number; below it when the highest come first.
        after: Option<InvoiceId>,
    },
    /// Inventory items by folded name (in the order of its bytes).
    Items {
        /// The cursor: only items above this name.
        after: Option<MedicineKey>,
    },
    /// The demand of a period, by day, then by folded name.
    Demand {
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
        /// The cursor: only counts after this medicine on this day.
        after: Option<(Date, MedicineKey)>,
    },
    /// The demand for one medicine in a period, by day.
    DemandOf {
        /// The medicine.
        medicine: MedicineKey,
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
    },
    /// The recurring prescriptions of each medicine and interval, by folded name, then by interval.
    RegularDemands {
        /// The cursor: only counts after this interval of this medicine.
        after: Option<(MedicineKey, EveryDays)>,
    },
    /// Tracked medicines by folded name.
    Stocks {
        /// The filter.
        filter: StockFilter,
        /// The cursor: only medicines above this name.
        after: Option<MedicineKey>,
    },
    /// Open lots by the medicine's folded name, then in the order in which they are handed out.
    OpenLots {
        /// The cursor: only lots after this one of this medicine.
        after: Option<(MedicineKey, LotId)>,
    },
    /// Movements by number.
    Movements {
        /// The filter.
        filter: MovementFilter,
        /// The cursor: only movements above this number.
        after: Option<MovementId>,
    },
    /// Receipts by number.
    Receipts {
        /// The filter.
        filter: ReceiptFilter,
        /// The cursor: only receipts above this number.
        after: Option<ReceiptId>,
    },
    /// Takings of a period, by day, then by holder, then by currency.
    Takings {
        /// The holder; `None` for all.
        holder: Option<Box<str>>,
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
        /// The cursor: only takings after these.
        after: Option<TakingsKey>,
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

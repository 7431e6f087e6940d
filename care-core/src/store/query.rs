//! What can be listed.

use super::RecordKey;
use crate::model::{
    Date, Email, InvoiceId, InvoiceState, LotText, MedicineKey, MovementId, MovementKind, NamePrefix, PatientId, Phone,
    PrescriptionId, PrescriptionState,
};

/// A list: which records, in ascending order of their key, from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Patients by number.
    Patients {
        /// Which of them.
        filter: PatientFilter,
        /// Only those above this number.
        after: Option<PatientId>,
    },
    /// Prescriptions by number.
    Prescriptions {
        /// Which of them.
        filter: PrescriptionFilter,
        /// Only those above this number.
        after: Option<PrescriptionId>,
    },
    /// Invoices by number.
    Invoices {
        /// Which of them.
        filter: InvoiceFilter,
        /// Only those above this number.
        after: Option<InvoiceId>,
    },
    /// Inventory items by folded name (in the order of its bytes).
    Items {
        /// Only those above this name.
        after: Option<MedicineKey>,
    },
    /// What was prescribed in a period, by day, then by folded name.
    Demand {
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
        /// Only what comes after this medicine on this day.
        after: Option<(Date, MedicineKey)>,
    },
    /// What was prescribed of one medicine in a period, by day.
    DemandOf {
        /// The medicine.
        medicine: MedicineKey,
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
    },
    /// The medicines of which anything recurs or ever did, by folded name.
    Usages {
        /// Only those above this name.
        after: Option<MedicineKey>,
    },
    /// Tracked medicines by folded name.
    Stocks {
        /// Which of them.
        filter: StockFilter,
        /// Only those above this name.
        after: Option<MedicineKey>,
    },
    /// Movements by number.
    Movements {
        /// Which of them.
        filter: MovementFilter,
        /// Only those above this number.
        after: Option<MovementId>,
    },
    /// The days with a movement in a period, by medicine, then by day; before them for each medicine the last one
    /// before the period.
    StockDays {
        /// Only those of this medicine.
        medicine: Option<MedicineKey>,
        /// The first day.
        from: Date,
        /// The last day.
        to: Date,
        /// Only what comes after this day of this medicine.
        after: Option<(MedicineKey, Date)>,
    },
    /// Every record of every kind, in the order of [`RecordKey`].
    All {
        /// Only those above this key.
        after: Option<RecordKey>,
    },
}

/// Which patients; all of what is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatientFilter {
    /// The name begins with this.
    pub name_prefix: Option<NamePrefix>,
    /// The phone number is this.
    pub phone: Option<Phone>,
    /// The email address is this, letter case included.
    pub email: Option<Email>,
}

/// Which prescriptions; all of what is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrescriptionFilter {
    /// They are this patient's.
    pub patient_id: Option<PatientId>,
    /// They are for this medicine.
    pub medicine: Option<MedicineKey>,
    /// They are in this state.
    pub state: Option<PrescriptionState>,
}

/// Which invoices; all of what is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InvoiceFilter {
    /// They are this patient's.
    pub patient_id: Option<PatientId>,
    /// They are in this state.
    pub state: Option<InvoiceState>,
}

/// Which tracked medicines; all of what is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StockFilter {
    /// An open lot expires on this day or before it.
    pub expires_to: Option<Date>,
}

/// Which movements; all of what is set must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MovementFilter {
    /// They are of this medicine.
    pub medicine: Option<MedicineKey>,
    /// They are of lots with this text, or of those without one.
    pub lot: Option<Option<LotText>>,
    /// They are of lots with this date.
    pub expires: Option<Date>,
    /// They are of this kind.
    pub kind: Option<MovementKind>,
    /// They are of this invoice.
    pub invoice_id: Option<InvoiceId>,
    /// They happened on this day or after it.
    pub from: Option<Date>,
    /// They happened on this day or before it.
    pub to: Option<Date>,
}

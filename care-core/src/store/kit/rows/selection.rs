//! Selections: the rows of one table that a query or a key asks for, as a few terms.
//!
//! A filter or a key is said here once. A store renders the terms in its SQL, and adds what it alone knows: an index,
//! or a way of its own for the few questions that are no selection.

use super::{RowKey, Value};
use crate::{
    model::{ConsultationState, Date, FindText, InvoiceState, MedicineKey, NamePrefix, PrescriptionState, ReceiptKind},
    store::{
        ConsultationFilter, InvoiceFilter, Key, MovementFilter, PatientFilter, PrescriptionFilter, Query,
        ReceiptFilter, RecordKey, RecordKind, RequestKey, StockFilter,
    },
};

/// Rows of one table: those that meet all terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection<'a> {
    /// The kind of record whose table it is.
    pub kind: RecordKind,
    /// The terms.
    pub terms: Vec<Term<'a>>,
    /// The order of the rows: columns as `ORDER BY` names them.
    pub order: &'static str,
    /// The rows that are wanted.
    pub wanted: Wanted,
}

/// The rows that are wanted of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All of them. Of a query, those that its portion takes.
    All,
    /// The first ones, as many as this.
    First(usize),
    /// Their number alone.
    Count,
}

/// A condition on a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Term<'a> {
    /// A column, or several with commas between them, as they compare with as many values. A store binds the values.
    Compared(&'static str, Comparison, Vec<Value<'a>>),
    /// The column has this word of the code. A store writes the word into its statement, so that an index of the rows
    /// with this word can be used.
    Word(&'static str, &'static str),
    /// The column is null.
    Null(&'static str),
    /// The column is false or null. A store writes `IS NOT TRUE`, so that an index of such rows can be used.
    NotTrue(&'static str),
}

/// The way in which columns compare with values. Several columns are compared as a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Greater.
    Above,
    /// Greater or equal.
    AtLeast,
    /// Less or equal.
    AtMost,
    /// Less.
    Below,
}

impl Comparison {
    /// Returns the operator in SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Above => ">",
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Below => "<",
        }
    }
}

/// The rows that a query asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryRows<'a> {
    /// These rows.
    Selected(Selection<'a>),
    /// Of these rows, the patients above this number whose folded name has a prefix. Each store orders texts in a way
    /// of its own, and finds them so.
    Named(Selection<'a>, &'a NamePrefix, i64),
    /// The patients of [`Query::FindPatients`], found by the rows of their terms.
    Found(&'a FindText),
    /// The rows of [`Query::StockDays`].
    StockDays {
        /// The medicine; `None` for all.
        medicine: Option<&'a MedicineKey>,
        /// The first day and the last.
        period: (Date, Date),
        /// The cursor.
        after: Option<&'a (MedicineKey, Date)>,
    },
    /// The rows of all tables above a key.
    All(Option<&'a RecordKey>),
}

/// The rows that a key asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyRows<'a> {
    /// These rows.
    Selected(Selection<'a>),
    /// The row with this primary key.
    Record(&'a RecordKey),
    /// The row of [`Key::StockOrItem`].
    StockOrItem(&'a MedicineKey),
    /// The number of [`Key::FreePatientNumber`].
    FreePatientNumber(i64),
}

impl<'a> QueryRows<'a> {
    /// Returns the rows that a query asks for.
    pub fn of(query: &'a Query) -> Self {
        Self::Selected(match query {
            Query::Patients { filter, after } => {
                let PatientFilter { name_prefix, phone, email } = filter;
                let after = after.map(|id| id.value());
                let selection = Selection::of(RecordKind::Patient, "patient_id")
                    .after("patient_id", after)
                    .equal("phone", phone.map(|phone| phone.value()))
                    .equal("email", email.as_ref().map(|email| email.as_str()));
                match name_prefix {
                    Some(prefix) => return Self::Named(selection, prefix, after.unwrap_or_default()),
                    None => selection,
                }
            }
            Query::FindPatients { text } => return Self::Found(text),
            Query::Prescriptions { filter, after } => {
                let PrescriptionFilter { patient_id, medicine, state } = filter;
                Selection::of(RecordKind::Prescription, "prescription_id")
                    .after("prescription_id", after.map(|id| id.value()))
                    .equal("patient_id", patient_id.map(|id| id.value()))
                    .equal("medicine_key", medicine.as_ref().map(MedicineKey::as_str))
                    .word("state", state.map(PrescriptionState::as_str))
            }
            Query::SinglePrescriptions { after } => Selection::of(RecordKind::Prescription, "prescription_id")
                .after("prescription_id", after.map(|id| id.value()))
                .word("state", Some(PrescriptionState::Active.as_str()))
                .and(Term::NotTrue("is_regular")),
            Query::Consultations { filter, after } => {
                let ConsultationFilter { patient_id, state } = filter;
                Selection::of(RecordKind::Consultation, "consultation_id")
                    .after("consultation_id", after.map(|id| id.value()))
                    .equal("patient_id", patient_id.map(|id| id.value()))
                    .word("state", state.map(ConsultationState::as_str))
            }
            Query::Invoices { filter, after } => {
                let InvoiceFilter { patient_id, state, from, to, newest } = filter;
                let (order, by) = match newest {
                    false => ("invoice_id", Comparison::Above),
                    true => ("invoice_id DESC", Comparison::Below),
                };
                Selection::of(RecordKind::Invoice, order)
                    .compared("invoice_id", by, after.map(|id| id.value()))
                    .equal("patient_id", patient_id.map(|id| id.value()))
                    .word("state", state.map(InvoiceState::as_str))
                    .at_least("invoice_date", from.map(Date::unix_days))
                    .at_most("invoice_date", to.map(Date::unix_days))
            }
            Query::Items { after } => Selection::of(RecordKind::Item, "medicine_key")
                .after("medicine_key", after.as_ref().map(MedicineKey::as_str)),
            Query::Demand { from, to, after } => {
                let selection = Selection::of(RecordKind::Demand, "day, medicine_key");
                // A cursor before the period means its beginning.
                match after.as_ref().filter(|(day, _)| day >= from) {
                    None => selection.at_least("day", Some(from.unix_days())),
                    after => selection.after_key("day, medicine_key", after),
                }
                .at_most("day", Some(to.unix_days()))
            }
            Query::DemandOf { medicine, from, to } => Selection::of(RecordKind::Demand, "day")
                .equal("medicine_key", Some(medicine.as_str()))
                .at_least("day", Some(from.unix_days()))
                .at_most("day", Some(to.unix_days())),
            Query::RegularDemands { after } => Selection::of(RecordKind::RegularDemand, "medicine_key, every_days")
                .after_key("medicine_key, every_days", after.as_ref()),
            Query::Stocks { filter, after } => {
                let StockFilter { expires_to } = filter;
                Selection::of(RecordKind::Stock, "medicine_key")
                    .after("medicine_key", after.as_ref().map(MedicineKey::as_str))
                    .at_most("expires", expires_to.map(Date::unix_days))
            }
            Query::OpenLots { after } => Selection::of(RecordKind::OpenLot, "medicine_key, expires, lot")
                .after_key("medicine_key, expires, lot", after.as_ref()),
            Query::Movements { filter, after } => {
                let MovementFilter { medicine, lot, expires, kind, invoice_id, from, to } = filter;
                let selection = Selection::of(RecordKind::Movement, "movement_id")
                    .after("movement_id", after.map(|id| id.value()))
                    .equal("medicine_key", medicine.as_ref().map(MedicineKey::as_str))
                    .equal("expires", expires.map(Date::unix_days))
                    .equal("kind", kind.map(|kind| kind.as_str()))
                    .equal("invoice_id", invoice_id.map(|id| id.value()))
                    .at_least("day", from.map(Date::unix_days))
                    .at_most("day", to.map(Date::unix_days));
                match lot {
                    Some(None) => selection.and(Term::Null("lot")),
                    Some(Some(lot)) => selection.equal("lot", Some(lot.as_str())),
                    None => selection,
                }
            }
            Query::Receipts { filter, after } => {
                let ReceiptFilter { invoice_id, holder, kind, from, to } = filter;
                Selection::of(RecordKind::Receipt, "receipt_id")
                    .after("receipt_id", after.map(|id| id.value()))
                    .equal("invoice_id", invoice_id.map(|id| id.value()))
                    .equal("holder", holder.as_deref())
                    .word("kind", kind.map(ReceiptKind::as_str))
                    .at_least("day", from.map(Date::unix_days))
                    .at_most("day", to.map(Date::unix_days))
            }
            Query::Takings { holder, from, to, after } => {
                let selection = Selection::of(RecordKind::Takings, "day, holder, currency");
                // A cursor before the period means its beginning.
                match after.as_ref().filter(|after| after.day >= *from) {
                    None => selection.at_least("day", Some(from.unix_days())),
                    after => selection.after_key("day, holder, currency", after),
                }
                .at_most("day", Some(to.unix_days()))
                .equal("holder", holder.as_deref())
            }
            Query::StockDays { medicine, from, to, after } => {
                return Self::StockDays { medicine: medicine.as_ref(), period: (*from, *to), after: after.as_ref() };
            }
            Query::All { after } => return Self::All(after.as_ref()),
        })
    }
}

impl<'a> KeyRows<'a> {
    /// Returns the rows that a key asks for.
    pub fn of(key: &'a Key) -> Self {
        let active = || Some(PrescriptionState::Active.as_str());
        let (unpaid, paid) = (|| Some(InvoiceState::Unpaid.as_str()), || Some(InvoiceState::Paid.as_str()));
        let prescriptions = || Selection::of(RecordKind::Prescription, "prescription_id");
        let invoices = || Selection::of(RecordKind::Invoice, "invoice_id").word("state", unpaid()).first(1);
        Self::Selected(match key {
            Key::ActivePrescription(patient, medicine) => prescriptions()
                .equal("patient_id", Some(patient.value()))
                .equal("medicine_key", Some(medicine.as_str()))
                .word("state", active())
                .first(1),
            Key::NewestPrescription(patient, medicine) => {
                Selection::of(RecordKind::Prescription, "prescription_id DESC")
                    .equal("patient_id", Some(patient.value()))
                    .equal("medicine_key", Some(medicine.as_str()))
                    .first(1)
            }
            Key::ActivePrescriptionFor(medicine) => {
                prescriptions().equal("medicine_key", Some(medicine.as_str())).word("state", active()).first(1)
            }
            Key::ActivePrescriptions(patient) => Selection {
                wanted: Wanted::Count,
                ..prescriptions().equal("patient_id", Some(patient.value())).word("state", active())
            },
            Key::PrescriptionsOf(patient) => prescriptions().equal("patient_id", Some(patient.value())),
            Key::ConsultationsOf(patient) => {
                Selection::of(RecordKind::Consultation, "consultation_id").equal("patient_id", Some(patient.value()))
            }
            Key::DiagnosesOf(patient) => {
                Selection::of(RecordKind::Diagnosis, "consultation_id").equal("patient_id", Some(patient.value()))
            }
            Key::UnpaidInvoice(prescription) => invoices().equal("prescription_id", Some(prescription.value())),
            Key::UnpaidInvoiceOf(patient) => invoices().equal("patient_id", Some(patient.value())),
            Key::PaidInvoices(prescription) => Selection::of(RecordKind::Invoice, "invoice_id")
                .equal("prescription_id", Some(prescription.value()))
                .word("state", paid())
                .first(2),
            Key::LastPaidInvoices(patient) => Selection::of(RecordKind::Invoice, "receipt_id DESC")
                .equal("patient_id", Some(patient.value()))
                .word("state", paid())
                .first(2),
            Key::LastCorrection(receipt) => {
                Selection::of(RecordKind::Receipt, "receipt_id DESC").equal("corrects", Some(receipt.value())).first(1)
            }
            Key::OpenLots(medicine) => {
                Selection::of(RecordKind::OpenLot, "expires, lot").equal("medicine_key", Some(medicine.as_str()))
            }
            Key::ReversalOf(movement) => {
                Selection::of(RecordKind::Movement, "movement_id").equal("reverses", Some(movement.value())).first(1)
            }
            Key::ReplyTo(RequestKey { actor, key }) => Selection::of(RecordKind::Reply, "reply_id")
                .equal("actor", Some(&**actor))
                .equal("key", Some(&**key))
                .first(1),
            Key::RepliesBefore(instant) => Selection::of(RecordKind::Reply, "at, reply_id")
                .compared("at", Comparison::Below, Some(instant.unix_millis()))
                .first(2),
            Key::Record(key) => return Self::Record(key),
            Key::StockOrItem(medicine) => return Self::StockOrItem(medicine),
            Key::FreePatientNumber(after) => return Self::FreePatientNumber(*after),
        })
    }
}

impl<'a> Selection<'a> {
    /// Returns all rows of a table, in this order.
    pub const fn of(kind: RecordKind, order: &'static str) -> Self {
        Self { kind, terms: Vec::new(), order, wanted: Wanted::All }
    }

    /// Returns the columns that must have one value each, and the value where it is a word of the code.
    pub fn fixed(&self) -> impl Iterator<Item = (&'static str, Option<&'static str>)> + Clone {
        self.terms.iter().filter_map(|term| match term {
            Term::Compared(column, Comparison::Equal, values) if values.len() == 1 => Some((*column, None)),
            Term::Word(column, word) => Some((*column, Some(*word))),
            Term::Compared(..) | Term::Null(_) | Term::NotTrue(_) => None,
        })
    }

    /// Adds a term.
    #[must_use]
    pub fn and(mut self, term: Term<'a>) -> Self {
        self.terms.push(term);
        self
    }

    fn compared(self, column: &'static str, by: Comparison, value: Option<impl Into<Value<'a>>>) -> Self {
        match value {
            Some(value) => self.and(Term::Compared(column, by, vec![value.into()])),
            None => self,
        }
    }

    fn equal(self, column: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        self.compared(column, Comparison::Equal, value)
    }

    fn after(self, column: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        self.compared(column, Comparison::Above, value)
    }

    fn at_least(self, column: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        self.compared(column, Comparison::AtLeast, value)
    }

    fn at_most(self, column: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        self.compared(column, Comparison::AtMost, value)
    }

    /// Adds that a key of several columns comes after this one, if there is one.
    fn after_key(self, columns: &'static str, key: Option<&'a impl RowKey>) -> Self {
        match key {
            Some(key) => self.and(Term::Compared(columns, Comparison::Above, key.values().collect())),
            None => self,
        }
    }

    fn word(self, column: &'static str, word: Option<&'static str>) -> Self {
        match word {
            Some(word) => self.and(Term::Word(column, word)),
            None => self,
        }
    }

    const fn first(mut self, rows: usize) -> Self {
        self.wanted = Wanted::First(rows);
        self
    }
}

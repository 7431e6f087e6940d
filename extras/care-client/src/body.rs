//! Request bodies that differ from the records of the model.

use care_core::{
    model::{
        Amount, Currency, Date, Disease, EveryDays, InvoiceId, LotId, MedicineName, MovementReason, Note,
        PatientDetails, PatientId, PaymentMethod, PrescriptionDetails, Price, Quantity, RefundReason, StockDetails,
        UnitName, Units,
    },
    service::{NewConsultation, NewMovement, NewPrescription, OpeningLot},
    stock::LotCount,
};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PatientBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patient_id: Option<PatientId>,
    #[serde(flatten)]
    pub(crate) details: &'a PatientDetails,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PrescriptionBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    patient_id: Option<PatientId>,
    medicine: &'a str,
    #[serde(flatten)]
    details: &'a PrescriptionDetails,
    #[serde(skip_serializing_if = "Option::is_none")]
    quantity: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every_days: Option<EveryDays>,
}

impl<'a> PrescriptionBody<'a> {
    pub(crate) fn new(patient_id: Option<PatientId>, new: &'a NewPrescription) -> Self {
        let NewPrescription { medicine, details, quantity, every_days, .. } = new;
        Self { patient_id, medicine: medicine.as_str(), details, quantity: *quantity, every_days: *every_days }
    }

    pub(crate) fn update(patient_id: PatientId, medicine: &'a MedicineName, details: &'a PrescriptionDetails) -> Self {
        Self { patient_id: Some(patient_id), medicine: medicine.as_str(), details, quantity: None, every_days: None }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConsultationBody<'a> {
    patient_id: PatientId,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<Date>,
    diseases: &'a [Disease],
    prescriptions: Vec<PrescriptionBody<'a>>,
}

impl<'a> From<&'a NewConsultation> for ConsultationBody<'a> {
    fn from(new: &'a NewConsultation) -> Self {
        let NewConsultation { patient_id, date, diseases, prescriptions } = new;
        let prescriptions = prescriptions.iter().map(|new| PrescriptionBody::new(None, new)).collect();
        Self { patient_id: *patient_id, date: *date, diseases, prescriptions }
    }
}

#[derive(Serialize)]
pub(crate) struct StockBody<'a> {
    pub(crate) unit: &'a UnitName,
    #[serde(flatten)]
    pub(crate) details: &'a StockDetails,
    pub(crate) opening: Vec<OpeningBody<'a>>,
}

#[derive(Serialize)]
pub(crate) struct OpeningBody<'a> {
    #[serde(flatten)]
    lot: &'a LotId,
    units: Units,
}

impl<'a> From<&'a OpeningLot> for OpeningBody<'a> {
    fn from(opening: &'a OpeningLot) -> Self {
        Self { lot: &opening.lot, units: opening.units }
    }
}

#[derive(Serialize)]
pub(crate) struct CountBody<'a> {
    lines: Vec<LineBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a Note>,
}

#[derive(Serialize)]
struct LineBody<'a> {
    #[serde(flatten)]
    lot: &'a LotId,
    counted: Amount,
}

impl<'a> CountBody<'a> {
    pub(crate) fn new(lines: &'a [LotCount], note: Option<&'a Note>) -> Self {
        let lines = lines.iter().map(|line| LineBody { lot: &line.lot, counted: line.counted }).collect();
        Self { lines, note }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MovementBody<'a> {
    kind: &'static str,
    #[serde(flatten)]
    lot: &'a LotId,
    units: Units,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<MovementReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invoice_id: Option<InvoiceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Price>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Currency>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a Note>,
}

impl<'a> From<&'a NewMovement> for MovementBody<'a> {
    fn from(new: &'a NewMovement) -> Self {
        let of = |kind, lot, units, note: &'a Option<Note>| {
            let (reason, invoice_id, cost, currency) = (None, None, None, None);
            Self { kind, lot, units, reason, invoice_id, cost, currency, note: note.as_ref() }
        };
        match new {
            NewMovement::Receipt { lot, units, cost, note } => Self {
                cost: cost.map(|(cost, _)| cost),
                currency: cost.map(|(_, currency)| currency),
                ..of("receipt", lot, *units, note)
            },
            NewMovement::Return { lot, units, invoice_id, note } => {
                Self { invoice_id: Some(*invoice_id), ..of("return", lot, *units, note) }
            }
            NewMovement::Removal { lot, units, reason, note } => {
                Self { reason: Some(*reason), ..of("removal", lot, *units, note) }
            }
        }
    }
}

#[derive(Serialize)]
pub(crate) struct PaymentBody {
    pub(crate) method: PaymentMethod,
}

#[derive(Serialize)]
pub(crate) struct RefundBody<'a> {
    pub(crate) reason: RefundReason,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<&'a Note>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) method: Option<PaymentMethod>,
    pub(crate) restock: bool,
    pub(crate) reopen: bool,
}

#[derive(Serialize)]
pub(crate) struct CorrectionBody<'a> {
    pub(crate) method: PaymentMethod,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<&'a Note>,
}

//! The bodies of requests, as far as no use case takes them as they are. Reader and document follow from the
//! declarations.

use care_derive::Record;

use super::input::Body;
use crate::{
    model::{
        Consultation, Date, Disease, ItemDetails, MedicineName, Note, PatientDetails, PatientId, PaymentMethod,
        PrescriptionDetails, PrescriptionId, Shelf, StockDetails, SupplyDetails, UnitName,
    },
    rest::body::form::{Form, FromForm, Most},
    service::{CareService, NewConsultation, NewMovement, NewPrescription, NewRefund, OpeningLot},
    stock::LotCount,
};

/// A patient to register. Without a `patientId` one is given.
#[derive(Record)]
#[record(body, document = "NewPatientInput", root = "Patient")]
pub(crate) struct NewPatient {
    #[field(group)]
    pub(crate) details: PatientDetails,
    /// Unique identifier of the patient.
    pub(crate) patient_id: Option<PatientId>,
}

/// An update of a patient. An absent member keeps its value, `null` clears it.
#[derive(Record)]
#[record(body, document = "PatientInput", root = "Patient")]
pub(crate) struct PatientUpdate {
    #[field(group)]
    pub(crate) details: PatientDetails,
    /// Unique identifier of the patient.
    pub(crate) patient_id: PatientId,
}

/// A new prescription. An absent member takes the inventory's value.
#[derive(Record)]
#[record(body, document = "NewPrescriptionInput", root = "Prescription")]
pub(crate) struct PatientPrescription {
    /// Unique identifier of the patient.
    pub(crate) patient_id: PatientId,
    #[field(group)]
    pub(crate) prescribed: Prescribed,
}

/// A prescription of the consultation; its `patientId`, if given, is the consultation's.
#[derive(Record)]
#[record(body, document = "ConsultationPrescriptionInput")]
pub(crate) struct ConsultationPrescription {
    /// Unique identifier of the patient.
    patient_id: Option<PatientId>,
    #[field(group)]
    prescribed: Prescribed,
}

/// The fields of every new prescription.
#[derive(Record)]
#[record(body, document = "Prescribed")]
pub(crate) struct Prescribed {
    /// Name of the prescribed medicine.
    medicine: MedicineName,
    /// Without effect: availability follows from the inventory.
    is_available: Option<bool>,
    #[field(group)]
    details: PrescriptionDetails,
    #[field(group)]
    supply: SupplyDetails,
}

/// An update of a prescription. An absent member keeps its value or takes the inventory's, `null` clears it.
#[derive(Record)]
#[record(body, document = "PrescriptionInput", root = "Prescription")]
pub(crate) struct PrescriptionUpdate {
    /// Unique identifier of the patient.
    pub(crate) patient_id: PatientId,
    /// Name of the prescribed medicine.
    pub(crate) medicine: MedicineName,
    /// Without effect: availability follows from the inventory.
    is_available: Option<bool>,
    #[field(group)]
    pub(crate) details: PrescriptionDetails,
}

/// An update of a supply. An absent member keeps its value, `null` clears it.
#[derive(Record)]
#[record(body, document = "SupplyInput", root = "Supply")]
pub(crate) struct SupplyUpdate {
    /// Must be the prescription in the path.
    #[field(named)]
    prescription_id: Option<PrescriptionId>,
    #[field(group)]
    pub(crate) details: SupplyDetails,
}

/// An inventory item in a request. An absent member keeps its value, `null` clears it; an item is available unless it
/// is said not to be. The XML root may be `InventoryItem` too.
#[derive(Record)]
#[record(body, document = "InventoryInput", root = "Inventory")]
pub(crate) struct ItemInput {
    /// Must be the medicine in the path, in any spelling.
    #[field(named)]
    medicine: Option<MedicineName>,
    #[field(group)]
    pub(crate) details: ItemDetails,
}

/// A new consultation, recorded completely or not at all.
///
/// It is read by hand: the patient decides which prescriptions are at fault.
#[derive(Record)]
#[record(document = "ConsultationInput", root = "Consultation")]
pub(crate) struct ConsultationInput {
    /// Unique identifier of the patient.
    patient_id: PatientId,
    /// Day of the visit, today unless given, tomorrow at the latest.
    date: Option<Date>,
    /// The diseases.
    #[field(optional, most = Consultation::MAX_DISEASES)]
    diseases: Vec<Disease>,
    /// The prescriptions, each medicine once.
    #[field(optional, most = Consultation::MAX_PRESCRIPTIONS)]
    prescriptions: Vec<ConsultationPrescription>,
}

/// A payment. The body may be left out.
#[derive(Record)]
#[record(body, document = "PaymentInput", root = "Payment")]
pub(crate) struct Payment {
    /// The method, cash unless given.
    #[field(default = PaymentMethod::Cash)]
    pub(crate) method: PaymentMethod,
}

/// The settings of a new stock. An absent member has its default.
#[derive(Record)]
#[record(body, document = "NewStockInput", root = "Stock")]
pub(crate) struct NewStock {
    /// The medicine in the path.
    #[field(named)]
    medicine: Option<MedicineName>,
    /// The name of one unit, the smallest thing handed out.
    #[field(example = "tablets")]
    pub(crate) unit: UnitName,
    #[field(group)]
    pub(crate) details: StockDetails,
    /// The lots in stock at the start, each once.
    #[field(optional, most = Shelf::MAX_LOTS)]
    pub(crate) opening: Vec<OpeningLot>,
}

/// An update of the settings of a stock. An absent member keeps its value, `null` goes back to the default (`unit` has
/// none). Derived members may be sent back, without effect.
#[derive(Record)]
#[record(body, document = "StockInput", root = "Stock")]
pub(crate) struct StockUpdate {
    /// The medicine in the path.
    #[field(named)]
    medicine: Option<MedicineName>,
    #[field(group)]
    pub(crate) details: StockDetails,
    #[field(group)]
    derived: Derived,
}

/// A count of a medicine.
#[derive(Record)]
#[record(body, document = "CountInput", root = "Count")]
pub(crate) struct Count {
    /// The counted lots, each once; others stay.
    #[field(least = 1_i64, most = Shelf::MAX_LOTS)]
    pub(crate) lines: Vec<LotCount>,
    /// A note.
    #[field(example = "shelf 2")]
    pub(crate) note: Option<Note>,
}

/// The members of a stock that follow from others. Their types are checked, and nothing else of them.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Derived;

impl Derived {
    /// The names of the figures, which stand beside `lots`.
    pub(crate) const FIGURES: [&str; 5] = ["onHand", "expired", "usable", "reserved", "available"];
}

impl FromForm for Derived {
    fn read(form: &mut Form<'_, '_>) -> Option<Self> {
        for figure in Self::FIGURES {
            form.field::<i64>(figure);
        }
        // A list that has no effect may be of any length.
        form.forms("lots", Most { elements: usize::MAX, rule: "" }, |form| {
            form.field::<String>("lot");
            form.field::<String>("expires");
            form.field::<i64>("onHand");
            form.field::<bool>("usable");
            Some(())
        });
        Some(Self)
    }
}

impl FromForm for ConsultationInput {
    fn read(form: &mut Form<'_, '_>) -> Option<Self> {
        let given = form.field("patientId");
        let patient_id = form.required("patientId", given);
        let date = form.field("date").value();
        let diseases = form.items("diseases", const { Most::of(Consultation::MAX_DISEASES) });
        let most = const { Most::of(Consultation::MAX_PRESCRIPTIONS) };
        let prescriptions = form.forms("prescriptions", most, |form| {
            let whose = form.field("patientId").value();
            if whose.is_some() && patient_id.is_some() && whose != patient_id {
                form.refuse("patientId", "must be the patient of the consultation");
            }
            Some(ConsultationPrescription { patient_id: whose, prescribed: Prescribed::read(form)? })
        });
        Some(Self {
            patient_id: patient_id?,
            date,
            diseases: diseases.value().unwrap_or_default(),
            prescriptions: prescriptions.value().unwrap_or_default(),
        })
    }
}

impl From<Prescribed> for NewPrescription {
    fn from(Prescribed { medicine, is_available: _, details, supply }: Prescribed) -> Self {
        let SupplyDetails { quantity, every_days } = supply;
        Self { medicine, details, quantity: quantity.value(), every_days: every_days.value() }
    }
}

impl From<ConsultationInput> for NewConsultation {
    fn from(ConsultationInput { patient_id, date, diseases, prescriptions }: ConsultationInput) -> Self {
        let prescriptions = prescriptions.into_iter().map(|of| of.prescribed.into()).collect();
        Self { patient_id, date, diseases, prescriptions }
    }
}

impl Body for ConsultationInput {}

impl Body for NewRefund {
    fn judge(&self, form: &mut Form<'_, '_>, _care: &CareService) {
        if let Some((field, broken)) = self.fault() {
            form.lacks(field, broken.rule());
        }
    }
}

impl Body for NewMovement {
    fn judge(&self, form: &mut Form<'_, '_>, _care: &CareService) {
        for (field, broken) in self.faults() {
            form.lacks(field, broken.rule());
        }
    }
}

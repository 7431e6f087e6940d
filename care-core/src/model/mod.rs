//! Records and the value types of their fields. A value of these types is valid by construction.
//!
//! The value types ([`Phone`], [`Weight`], [`MedicineName`], …) have private fields, and constructors that refuse
//! whatever the contract refuses, so that no later layer checks again. The records ([`Patient`], [`Invoice`], …) are
//! plain structs with public fields of these types.
//!
//! All types serialise with serde under the field names of the interface document. Deserialisation checks the values.

mod api_key;
mod consultation;
mod conversions;
mod currency;
mod date;
mod demand;
mod dispensing;
mod fold;
mod history;
mod ids;
mod invalid;
mod inventory;
mod invoice;
mod lot;
mod medicine;
mod movement;
mod numbers;
mod patch;
mod patient;
mod prescription;
mod record;
mod scalar;
mod scope;
mod shelf;
mod stock;
mod stock_day;
mod supply;
mod text;
mod time;
mod units;
mod visible;
mod words;

pub use api_key::{ApiKey, KeyId, KeyName, SecretDigest};
pub use consultation::{Consultation, ConsultationState, Diagnosis, PatientConsultation};
pub use currency::Currency;
pub use date::Date;
pub use demand::{Demand, RegularDemand};
pub use dispensing::{DispensedLot, Dispensing};
pub use history::{History, HistoryEntry, PatientHistory};
pub use ids::{ConsultationId, InvoiceId, MovementId, PatientId, PrescriptionId};
pub use invalid::Invalid;
pub use inventory::{Item, ItemDetails};
pub use invoice::{Invoice, InvoiceState};
pub use lot::{Lot, LotId, OpenLot};
pub use medicine::{MedicineKey, MedicineName};
pub use movement::{Movement, MovementKind, MovementReason};
pub use numbers::{Age, Phone, Price, Weight};
pub use patch::Patch;
pub use patient::{NamePrefix, Patient, PatientDetails, folded_name};
pub use prescription::{Prescription, PrescriptionDetails, PrescriptionState};
pub use scalar::{Raw, Scalar};
pub use scope::{Scope, Scopes, UnknownScope};
pub use shelf::{Shelf, ShelfError};
pub use stock::{Basis, Policy, ServiceLevel, Stock, StockDetails, StockSettings};
pub use stock_day::StockDay;
pub use supply::{PrescribedUnits, Refill, Supply};
pub use text::{Address, Disease, Email, LotText, Name, Note, ShortText, UnitName};
pub use time::{Timestamp, UtcOffset};
pub use units::{
    Amount, Delta, EveryDays, KeepDays, LeadDays, MaxDays, MinDays, PackUnits, Quantity, ReviewDays, Units,
};
pub use visible::{Visible, VisiblePath};

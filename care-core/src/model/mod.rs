//! Records and the value types of their fields. A value of these types is valid by construction.
//!
//! The value types ([`Phone`], [`Weight`], [`MedicineName`], …) have private fields, and constructors that refuse
//! whatever the contract refuses, so that no later layer checks again. The records ([`Patient`], [`Invoice`], …) are
//! plain structs with public fields of these types.
//!
//! All types serialise with serde under the field names of the interface document. Deserialisation checks the values.

mod api_key;
mod medicines;
mod money;
mod records;
mod scope;
pub(crate) mod values;
mod visible;

pub use api_key::{ApiKey, KeyId, KeyName, KeyRecord, SecretDigest};
pub use medicines::{
    demand::{Demand, RegularDemand},
    dispensing::{DispensedLot, Dispensing},
    inventory::{Item, ItemDetails},
    lot::{Lot, LotId, LotKey, LotText, OpenLot},
    medicine::{MedicineKey, MedicineName, MedicinePrefix},
    movement::{Movement, MovementKind, MovementReason},
    shelf::{Shelf, ShelfError},
    stock::{Basis, Policy, ServiceLevel, Stock, StockDetails, StockSettings},
    stock_day::StockDay,
    supply::{PrescribedUnits, Refill, Supply, SupplyDetails},
};
pub use money::{
    receipt::{PaymentMethod, Receipt, ReceiptKind, RefundReason},
    takings::{MethodTotal, Takings, TakingsFull, TakingsKey},
};
pub use records::{
    consultation::{Consultation, ConsultationState, Diagnosis, PatientConsultation},
    find::{
        CloseWord, FindRank, FindText, FindWord, Findable, Match, TermRange, email_term, find_terms, phone_digits,
        phone_term, whole_terms,
    },
    history::{History, HistoryEntry, PatientHistory},
    invoice::{Invoice, InvoiceState},
    patient::{NamePrefix, Patient, PatientDetails, folded_name},
    prescription::{Prescription, PrescriptionDetails, PrescriptionState},
};
pub use scope::{Scope, Scopes, UnknownScope};
#[cfg(feature = "rest")]
pub(crate) use values::scalar::plain_number;
pub use values::{
    currency::Currency,
    date::Date,
    fill::Fill,
    ids::{ConsultationId, CreditNoteId, InvoiceId, MovementId, PatientId, PatientIds, PrescriptionId, ReceiptId},
    invalid::Invalid,
    numbers::{Age, Phone, Price, Weight},
    patch::Patch,
    scalar::{Given, InQuery, Raw, Scalar},
    text::{Address, Disease, Email, LongText, Name, Note, ShortText, UnitName},
    time::{Timestamp, UtcOffset},
    units::{
        Amount, Delta, EveryDays, KeepDays, LeadDays, MaxDays, MinDays, PackUnits, Quantity, RestockLimit, ReviewDays,
        Units,
    },
};
pub(crate) use values::{ids::each_identifier, text::each_text, units::each_count};
pub use visible::{Visible, VisiblePath};

//! The kinds of records: each stands here once.

use std::fmt;

/// Hands the table of the kinds of records to another macro, which takes from each row what its room needs: the enum
/// of the kinds (here), the records and their keys (`store::records`), and the views of the journal (`rest`).
///
/// A row has a sentence, the name of the kind and its type; what sentences call it; whether clients see a record in the
/// journal `whole` or `parts` of it, and under which name, `_` for the service's own bookkeeping; and the facts:
///
/// - `id`: the type of its identifier, and where a record has it;
/// - `versions`: how many of them there are, as far as clients may ask for them;
/// - `late`: nearly every decision changes some of them, so a store may write them once for all decisions of a batch,
///   and a decision asks for one by its key alone.
///
/// A record says in `#[record(owner(…))]` whose it is.
macro_rules! records {
    ($then:ident) => { $then! {
        /// A patient.
        Patient(model::Patient) "patient" [whole "Patient"]
            { id: model::PatientId = |it| it.patient_id, versions: Many }
        /// The mark that a patient number was used and voided.
        Voided(stored::Voided) "voided number" _
            { id: model::PatientId = |it| it.patient_id, versions: Few }
        /// A patient's completed visits, without the diseases.
        History(model::History) "history" [whole "History"]
            { id: model::PatientId = |it| it.patient_id, versions: Many }
        /// A consultation, without the diseases.
        Consultation(model::Consultation) "consultation" [parts "Consultation"]
            { id: model::ConsultationId = |it| it.consultation_id, versions: Many }
        /// The diseases of a consultation.
        Diagnosis(model::Diagnosis) "diagnosis" _
            { id: model::ConsultationId = |it| it.consultation_id, versions: Few }
        /// A prescription.
        Prescription(model::Prescription) "prescription" [parts "Prescription"]
            { id: model::PrescriptionId = |it| it.prescription_id, versions: Many }
        /// An invoice.
        Invoice(model::Invoice) "invoice" [parts "Invoice"]
            { id: model::InvoiceId = |it| it.invoice_id, versions: Many }
        /// An inventory item.
        Item(model::Item) "medicine" [whole "Inventory"]
            { id: model::MedicineKey = |it| it.medicine.key().clone(), versions: ManyAgain }
        /// The prescriptions of a medicine on a day.
        Demand(model::Demand) "demand" _
            { id: (model::Date, model::MedicineKey) = |it| (it.day, it.medicine.key().clone()), versions: Few, late }
        /// The active recurring prescriptions of a medicine with an interval.
        RegularDemand(model::RegularDemand) "recurring demand" _
            { id: (model::MedicineKey, model::EveryDays) = |it| (it.medicine.key().clone(), it.every_days),
              versions: Few, late }
        /// The stock of a medicine.
        Stock(model::Stock) "stock" [parts "Stock"]
            { id: model::MedicineKey = |it| it.medicine.key().clone(), versions: ManyAgain, late }
        /// An open lot of a tracked medicine.
        OpenLot(model::OpenLot) "lot" _
            { id: (model::MedicineKey, model::LotId) = |it| (it.medicine.key().clone(), it.lot_id()), versions: Few }
        /// A movement of stock.
        Movement(model::Movement) "movement" [whole "Movement"]
            { id: model::MovementId = |it| it.movement_id, versions: Few }
        /// The movements of a medicine on a day.
        StockDay(model::StockDay) "day of stock" _
            { id: (model::MedicineKey, model::Date) = |it| (it.medicine.key().clone(), it.day), versions: Few, late }
        /// The lots from which an invoice took units.
        Dispensing(model::Dispensing) "dispensing" _
            { id: model::InvoiceId = |it| it.invoice_id, versions: Few }
        /// A receipt of money.
        Receipt(model::Receipt) "receipt" [whole "Receipt"]
            { id: model::ReceiptId = |it| it.receipt_id, versions: Few }
        /// The receipts of a holder on a day in a currency, counted.
        Takings(model::Takings) "takings" _
            { id: model::TakingsKey = |it| it.of.clone(), versions: Few, late }
        /// The last number given in a series.
        Counter(stored::Counter) "counter" _
            { id: stored::Series = |it| it.series, versions: Few, late }
        /// The answer to a request that may be repeated.
        Reply(stored::Reply) "reply" _
            { id: stored::ReplyId = |it| it.reply_id.clone(), versions: Few }
        /// The journal's record of a client's key.
        Key(model::KeyRecord) "key" [whole "Key"]
            { id: model::KeyId = |it| it.key_id.clone(), versions: Few }
    } };
}
pub(crate) use records;

macro_rules! journaled {
    (_) => {
        None
    };
    ([$shown:ident $name:literal]) => {
        Some($name)
    };
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($record:ty) $called:literal $journaled:tt $facts:tt)*) => {
        /// A kind of record. Kinds are ordered as [`RecordKey`](crate::store::RecordKey) orders them. As text it is
        /// what sentences call such a record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RecordKind {
            $($(#[$doc])* $kind,)*
        }

        impl RecordKind {
            /// All kinds, in their order.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The names of all kinds in the journal, in their order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($kind)),*];

            /// Returns its name in the journal.
            pub(crate) const fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// Returns the kind with this name in the journal; `None` when there is none.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// Returns the name under which clients see such records in the journal, which is that of their form in
            /// XML; `None` for the service's own bookkeeping.
            pub const fn journaled(self) -> Option<&'static str> {
                match self {
                    $(Self::$kind => journaled!($journaled),)*
                }
            }
        }

        impl fmt::Display for RecordKind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$kind => $called,)*
                })
            }
        }
    };
}

records!(kinds);

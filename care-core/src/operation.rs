//! The operations of the service: the only list of names, routes, scopes and inputs.

#[cfg(feature = "rest")]
use http::Method;

use crate::model::Scope;

/// One segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// This text, after percent-decoding.
    Literal(&'static str),
    /// Any text that is not empty. The name is the interface document's.
    Parameter(&'static str),
}

/// The input of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// No input; a body is ignored.
    Nothing,
    /// A record with one of these XML roots, of which the first is its name.
    Record(&'static [&'static str]),
    /// A record as [`Record`](Self::Record), or no body at all.
    Optional(&'static [&'static str]),
    /// Query parameters with these names.
    Query(&'static [&'static str]),
}

/// The nature of an operation, on which the way of its requests depends. Items are measured as an answer shows them, at
/// their longest and in XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    /// It answers a few words.
    Plain,
    /// It reads a single record, of which earlier versions can be read.
    Record,
    /// It reads a single record that is made of many others, of which earlier versions can be read: a history.
    LongRecord,
    /// It reads a page of items of at most this many KiB.
    Page(usize),
    /// It reads a page of the journal, of items of any length, and the client may let it wait for news.
    JournalPage,
    /// It says how far the journal goes, and the client may let it wait for news.
    News,
    /// It computes its answer from the counts of many days, of which few are computed at once.
    Report,
    /// It gathers what waits now, as a report does, and waits for none.
    Day,
    /// It answers the OpenAPI document: in JSON alone, and without a key.
    Document,
    /// It changes records.
    Change,
    /// It changes a record whose version the client can name in `If-Match`.
    VersionedChange,
}

/// The work of an operation, as far as others may have to wait for it.
#[cfg(feature = "rest")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A short answer from few records.
    Short,
    /// A single record that is made of many others.
    LongRecord,
    /// A page of items of at most this many bytes.
    Page(usize),
    /// A report.
    Report,
    /// A look at what waits now.
    Day,
    /// A change.
    Change,
}

/// One row of the table.
#[derive(Debug)]
struct Row {
    id: &'static str,
    #[cfg(feature = "rest")]
    method: Method,
    path: &'static [Segment],
    scope: Option<Scope>,
    input: Input,
    nature: Nature,
    event: Option<&'static str>,
    summary: &'static str,
}

macro_rules! scope {
    (None) => {
        None
    };
    ($scope:ident) => {
        Some(Scope::$scope)
    };
}

macro_rules! event {
    (_) => {
        None
    };
    ($type:literal) => {
        Some($type)
    };
}

/// Defines the operations and their table, one line for each. Before the summary stands the type of its events; reads
/// have none.
macro_rules! operations {
    ($($operation:ident $id:literal $method:ident $path:expr, $scope:ident, $input:expr,
        $nature:ident $(($item:literal))?, $event:tt, $summary:literal;)*) => {
        /// The operations of the interface: those of the interface document in its order, then the extensions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Operation {
            $(#[doc = concat!($summary, ".")] $operation,)*
        }

        const ALL: [Operation; [$(Operation::$operation),*].len()] = [$(Operation::$operation),*];

        static TABLE: [Row; ALL.len()] = [$(Row {
            id: $id,
            #[cfg(feature = "rest")]
            method: Method::$method,
            path: $path,
            scope: scope!($scope),
            input: $input,
            nature: Nature::$nature $(($item))?,
            event: event!($event),
            summary: $summary,
        }),*];
    };
}

use Segment::{Literal as L, Parameter as P};

const PATIENTS: &[Segment] = &[L("patient")];
const PATIENT: &[Segment] = &[L("patient"), P("patientId")];
const HISTORY: &[Segment] = &[L("history"), P("patientId")];
const PRESCRIPTIONS: &[Segment] = &[L("prescriptions")];
const PRESCRIPTION: &[Segment] = &[L("prescriptions"), P("prescriptionId")];
const PRESCRIPTION_INVOICE: &[Segment] = &[L("prescriptions"), P("prescriptionId"), L("invoice")];
const INVENTORY: &[Segment] = &[L("inventory")];
const MEDICINE: &[Segment] = &[L("inventory"), P("medicine")];
const INVOICES: &[Segment] = &[L("invoice")];
const INVOICE: &[Segment] = &[L("invoice"), P("invoiceId")];
const PAYMENT: &[Segment] = &[L("invoice"), P("invoiceId"), L("payment")];
const REFUND: &[Segment] = &[L("invoice"), P("invoiceId"), L("refund")];
const RECEIPTS: &[Segment] = &[L("receipts")];
const RECEIPT: &[Segment] = &[L("receipts"), P("receiptId")];
const CORRECTION: &[Segment] = &[L("receipts"), P("receiptId"), L("correction")];
const STOCK: &[Segment] = &[L("inventory"), P("medicine"), L("stock")];
const STOCKS: &[Segment] = &[L("stock")];
const MOVES: &[Segment] = &[L("inventory"), P("medicine"), L("movements")];
const COUNT: &[Segment] = &[L("inventory"), P("medicine"), L("count")];
const MOVEMENTS: &[Segment] = &[L("movements")];
const MOVEMENT: &[Segment] = &[L("movements"), P("movementId")];
const REVERSAL: &[Segment] = &[L("movements"), P("movementId"), L("reversal")];
const SUPPLY: &[Segment] = &[L("prescriptions"), P("prescriptionId"), L("supply")];
const CONSULTATIONS: &[Segment] = &[L("consultations")];
const CONSULTATION: &[Segment] = &[L("consultations"), P("consultationId")];

const A_PATIENT: Input = Input::Record(&["Patient"]);
const A_PRESCRIPTION: Input = Input::Record(&["Prescription"]);
const AN_ITEM: Input = Input::Record(&["Inventory", "InventoryItem"]);
const A_PAYMENT: Input = Input::Optional(&["Payment"]);
const A_REFUND: Input = Input::Record(&["Refund"]);
const A_CORRECTION: Input = Input::Record(&["Correction"]);
const A_STOCK: Input = Input::Record(&["Stock"]);
const A_MOVEMENT: Input = Input::Record(&["Movement"]);
const A_COUNT: Input = Input::Record(&["Count"]);
const A_SUPPLY: Input = Input::Record(&["Supply"]);
const A_CONSULTATION: Input = Input::Record(&["Consultation"]);

#[rustfmt::skip]
operations! {
    GetInvoice "getInvoice" GET INVOICE, InvoiceRead, Input::Nothing, Record, _, "Retrieve an invoice";
    GetPatient "getPatient" GET PATIENT, PatientRead, Input::Nothing, Record, _, "Retrieve a patient's profile";
    UpdatePatient "updatePatient" PUT PATIENTS, PatientWrite, A_PATIENT, VersionedChange,
        "patient.updated", "Update a patient's profile";
    GetHistory "getHistory" GET HISTORY, HistoryRead, Input::Nothing, LongRecord, _, "Find a patient's history";
    GetPrescription "getPrescription" GET PRESCRIPTION, PrescriptionsRead, Input::Nothing, Record,
        _, "Retrieve a prescription";
    UpdatePrescription "updatePrescription" PUT PRESCRIPTIONS, PrescriptionsWrite, A_PRESCRIPTION, VersionedChange,
        "prescription.updated", "Update a patient's prescription";
    DeletePrescription "deletePrescription" DELETE PRESCRIPTION, PrescriptionsWrite, Input::Nothing, VersionedChange,
        "prescription.withdrawn", "Withdraw a prescription";
    AddMedicine "addMedicine" POST MEDICINE, InventoryWrite, AN_ITEM, Change,
        "medicine.added", "Add a medicine to the inventory";
    UpdateMedicine "updateMedicine" PUT MEDICINE, InventoryWrite, AN_ITEM, VersionedChange,
        "medicine.updated", "Update the stock of a medicine";
    AddPatient "addPatient" POST PATIENTS, PatientWrite, A_PATIENT, Change, "patient.registered", "Register a patient";
    ListPatients "listPatients" GET PATIENTS, PatientRead,
        Input::Query(&["find", "name", "phone", "email", "limit", "after"]), Page(12), _, "List patients";
    DeletePatient "deletePatient" DELETE PATIENT, PatientWrite, Input::Nothing, VersionedChange,
        "patient.voided", "Void a patient";
    AddConsultation "addConsultation" POST CONSULTATIONS, PrescriptionsWrite, A_CONSULTATION, Change,
        "consultation.recorded", "Record a consultation";
    GetConsultation "getConsultation" GET CONSULTATION, HistoryRead, Input::Nothing, Record,
        _, "Retrieve a consultation";
    ListConsultations "listConsultations" GET CONSULTATIONS, HistoryRead,
        Input::Query(&["patientId", "state", "limit", "after"]), Page(50), _, "List consultations";
    AddPrescription "addPrescription" POST PRESCRIPTIONS, PrescriptionsWrite, A_PRESCRIPTION, Change,
        "prescription.made", "Prescribe a medicine";
    ListPrescriptions "listPrescriptions" GET PRESCRIPTIONS, PrescriptionsRead,
        Input::Query(&["patientId", "medicine", "state", "limit", "after"]), Page(6), _, "List prescriptions";
    IssueInvoice "issueInvoice" POST PRESCRIPTION_INVOICE, InvoiceWrite, Input::Nothing, Change,
        "invoice.issued", "Issue the invoice of a prescription";
    ListInvoices "listInvoices" GET INVOICES, InvoiceRead,
        Input::Query(&["patientId", "state", "from", "to", "newest", "limit", "after"]), Page(20), _, "List invoices";
    PayInvoice "payInvoice" POST PAYMENT, InvoiceWrite, A_PAYMENT, Change,
        "invoice.paid", "Pay an invoice, which completes the flow";
    CancelInvoice "cancelInvoice" DELETE INVOICE, InvoiceWrite, Input::Nothing, VersionedChange,
        "invoice.cancelled", "Cancel an unpaid invoice";
    RefundInvoice "refundInvoice" POST REFUND, InvoiceRefund, A_REFUND, VersionedChange,
        "invoice.refunded", "Refund a paid invoice in full";
    GetReceipt "getReceipt" GET RECEIPT, InvoiceRead, Input::Nothing, Record, _, "Retrieve a receipt";
    ListReceipts "listReceipts" GET RECEIPTS, InvoiceRead,
        Input::Query(&["invoiceId", "holder", "kind", "from", "to", "limit", "after"]), Page(4), _, "List receipts";
    CorrectReceipt "correctReceipt" POST CORRECTION, InvoiceRefund, A_CORRECTION, Change,
        "receipt.corrected", "Correct the method of a receipt";
    GetTakings "getTakings" GET &[L("takings")], InvoiceRead,
        Input::Query(&["from", "to", "above", "upto", "holder"]), Report, _, "Report on takings";
    ListMedicines "listMedicines" GET INVENTORY, InventoryRead, Input::Query(&["limit", "after"]), Page(6),
        _, "List the inventory";
    GetMedicine "getMedicine" GET MEDICINE, InventoryRead, Input::Nothing, Record,
        _, "Retrieve a medicine of the inventory";
    DeleteMedicine "deleteMedicine" DELETE MEDICINE, InventoryWrite, Input::Nothing, VersionedChange,
        "medicine.removed", "Remove a medicine from the inventory";
    StartStock "startStock" POST STOCK, InventoryWrite, A_STOCK, Change,
        "stock.started", "Start to track the stock of a medicine";
    GetStock "getStock" GET STOCK, InventoryRead, Input::Nothing, Record, _, "Retrieve the stock of a medicine";
    UpdateStock "updateStock" PUT STOCK, InventoryWrite, A_STOCK, VersionedChange,
        "stock.updated", "Update the settings of a stock";
    EndStock "endStock" DELETE STOCK, InventoryWrite, Input::Nothing, VersionedChange,
        "stock.ended", "End the tracking of a medicine";
    ListStock "listStock" GET STOCKS, InventoryRead, Input::Query(&["expiresTo", "limit", "after"]), Page(20),
        _, "List tracked medicines";
    MoveStock "moveStock" POST MOVES, InventoryWrite, A_MOVEMENT, Change,
        "stock.moved", "Receive, take back or remove units";
    GetMovement "getMovement" GET MOVEMENT, InventoryRead, Input::Nothing, Record, _, "Retrieve a movement";
    ListMovements "listMovements" GET MOVEMENTS, InventoryRead,
        Input::Query(&["medicine", "lot", "expires", "kind", "invoiceId", "from", "to", "limit", "after"]),
        Page(20), _, "List movements";
    ReverseMovement "reverseMovement" POST REVERSAL, InventoryWrite, Input::Nothing, Change,
        "stock.reversed", "Reverse a receipt or a removal";
    CountStock "countStock" POST COUNT, InventoryWrite, A_COUNT, VersionedChange,
        "stock.counted", "Set the stock to a count";
    GetSupply "getSupply" GET SUPPLY, PrescriptionsRead, Input::Nothing, Record,
        _, "Retrieve the supply of a prescription";
    UpdateSupply "updateSupply" PUT SUPPLY, PrescriptionsWrite, A_SUPPLY, VersionedChange,
        "prescription.updated", "Update the supply of a prescription";
    GetRestock "getRestock" GET &[L("restock")], InventoryRead, Input::Query(&["from", "to", "limit"]), Report,
        _, "Report on restocking";
    BacktestRestock "backtestRestock" GET &[L("restock"), L("backtest")], InventoryRead,
        Input::Query(&[
            "medicine", "from", "to", "policy", "min", "max", "minDays", "maxDays", "leadDays", "reviewDays",
            "serviceLevel", "basis",
        ]),
        Report, _, "Play policies against the past";
    ListJournal "listJournal" GET &[L("journal")], Admin, Input::Query(&["limit", "after", "wait"]), JournalPage,
        _, "List all changes";
    ListEvents "listEvents" GET &[L("events")], EventsRead, Input::Query(&["limit", "after", "wait"]), JournalPage,
        _, "List events: what changed, without any value";
    GetNews "getNews" GET &[L("news")], None, Input::Query(&["after", "wait"]), News, _, "Wait for changes";
    GetToday "getToday" GET &[L("today")], None, Input::Query(&["part"]), Day,
        _, "Report on what waits at the front desk";
    GetKey "getKey" GET &[L("key")], None, Input::Nothing, Plain, _, "Retrieve the name and the scopes of the key";
    GetOpenapi "getOpenapi" GET &[L("openapi.json")], None, Input::Nothing, Document, _, "Retrieve this document";
}

impl Operation {
    /// The number of operations in the interface document, which come first.
    pub const DOCUMENTED: usize = 9;

    /// The number of all operations.
    #[cfg(feature = "rest")]
    pub(crate) const COUNT: usize = ALL.len();

    /// Returns all operations, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.into_iter()
    }

    /// Returns the identifier of the operation in the OpenAPI document and in the journal.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// Returns its method. `HEAD` is allowed wherever this is `GET`.
    #[cfg(feature = "rest")]
    pub fn method(self) -> &'static Method {
        &self.row().method
    }

    /// Returns its path below the base path.
    pub fn path(self) -> &'static [Segment] {
        self.row().path
    }

    /// Returns the scope that it requires; `None` where no scope is required.
    pub fn scope(self) -> Option<Scope> {
        self.row().scope
    }

    /// Returns its input.
    pub fn input(self) -> Input {
        self.row().input
    }

    /// Returns a summary in a few words.
    pub fn summary(self) -> &'static str {
        self.row().summary
    }

    /// Returns the type of the events of its journal entries, such as `invoice.paid`; `None` for one that changes
    /// nothing.
    pub fn event(self) -> Option<&'static str> {
        self.row().event
    }

    /// Returns whether it answers a single record, of which earlier versions can be read.
    pub fn has_versions(self) -> bool {
        matches!(self.row().nature, Nature::Record | Nature::LongRecord)
    }

    /// Returns whether it changes a record whose version the client can name in `If-Match`.
    pub fn changes_a_version(self) -> bool {
        self.row().nature == Nature::VersionedChange
    }

    /// Returns whether it requires a valid key. Any valid key is enough for an operation without a
    /// [scope](Self::scope).
    pub fn needs_key(self) -> bool {
        self.row().nature != Nature::Document
    }

    /// Returns whether the client may let it wait for news.
    pub fn can_wait(self) -> bool {
        matches!(self.row().nature, Nature::JournalPage | Nature::News)
    }

    /// Returns the work for one of its requests.
    #[cfg(feature = "rest")]
    pub(crate) fn work(self) -> Work {
        match self.row().nature {
            Nature::Plain | Nature::Record | Nature::News | Nature::Document => Work::Short,
            Nature::LongRecord => Work::LongRecord,
            Nature::Page(kibibytes) => Work::Page(kibibytes << 10),
            Nature::JournalPage => Work::Page(usize::MAX),
            Nature::Report => Work::Report,
            Nature::Day => Work::Day,
            Nature::Change | Nature::VersionedChange => Work::Change,
        }
    }

    /// Returns whether it answers in XML as well as JSON.
    pub fn answers_xml(self) -> bool {
        self.row().nature != Nature::Document
    }

    /// Returns whether it is missing in the interface document.
    pub const fn is_extension(self) -> bool {
        self as usize >= Self::DOCUMENTED
    }

    /// Returns the operation in this row of the table.
    #[cfg(feature = "rest")]
    pub(crate) fn nth(place: usize) -> Option<Self> {
        ALL.get(place).copied()
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

/// The operation that a journal entry names: one of the interface, one that only tools run, or one of a facade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JournalOperation {
    /// An operation of the interface.
    Interface(Operation),
    /// The erasure of a person.
    ErasePatient,
    /// The import of patients, many of whose entries are written in one transaction.
    ImportPatients,
    /// The issue of a key.
    IssueKey,
    /// The issue of a key in the place of another one.
    RotateKey,
    /// The revocation of a key.
    RevokeKey,
    /// The read of a FHIR resource.
    FhirRead,
    /// The read of an earlier version of a FHIR resource.
    FhirVread,
    /// The read of a FHIR resource's versions.
    FhirHistory,
    /// The read of everything about a patient over FHIR.
    FhirEverything,
}

impl JournalOperation {
    /// Returns all of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [
            Self::ErasePatient,
            Self::ImportPatients,
            Self::IssueKey,
            Self::RotateKey,
            Self::RevokeKey,
            Self::FhirRead,
            Self::FhirVread,
            Self::FhirHistory,
            Self::FhirEverything,
        ];
        Operation::all().map(Self::Interface).chain(others)
    }

    /// Returns the name in journal entries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Interface(operation) => operation.id(),
            Self::ErasePatient => "erasePatient",
            Self::ImportPatients => "importPatients",
            Self::IssueKey => "issueKey",
            Self::RotateKey => "rotateKey",
            Self::RevokeKey => "revokeKey",
            Self::FhirRead => "fhirRead",
            Self::FhirVread => "fhirVread",
            Self::FhirHistory => "fhirHistory",
            Self::FhirEverything => "fhirEverything",
        }
    }

    /// Returns the type of the events of its entries; `None` for one whose entries note reads, or are about keys.
    ///
    /// ```
    /// use care_core::operation::{JournalOperation, Operation};
    ///
    /// assert_eq!(JournalOperation::ErasePatient.event(), Some("patient.erased"));
    /// assert_eq!(JournalOperation::from(Operation::GetPatient).event(), None);
    /// ```
    pub fn event(self) -> Option<&'static str> {
        match self {
            Self::Interface(operation) => operation.event(),
            Self::ErasePatient => Some("patient.erased"),
            Self::ImportPatients => Operation::AddPatient.event(),
            Self::IssueKey | Self::RotateKey | Self::RevokeKey => None,
            Self::FhirRead | Self::FhirVread | Self::FhirHistory | Self::FhirEverything => None,
        }
    }

    /// Returns the operation with this name; `None` for a name that this version does not know.
    ///
    /// ```
    /// use care_core::operation::{JournalOperation, Operation};
    ///
    /// assert_eq!(JournalOperation::named("payInvoice"), Some(Operation::PayInvoice.into()));
    /// assert_eq!(JournalOperation::named("erasePatient"), Some(JournalOperation::ErasePatient));
    /// assert_eq!(JournalOperation::named("payinvoice"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|operation| operation.name() == name)
    }
}

impl From<Operation> for JournalOperation {
    fn from(operation: Operation) -> Self {
        Self::Interface(operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_operations_share_a_name() {
        let mut names: Vec<_> = JournalOperation::all().map(JournalOperation::name).collect();
        names.sort_unstable();
        assert!(names.is_sorted_by(|one, next| one < next));
    }

    #[test]
    #[cfg(feature = "rest")]
    fn no_two_operations_share_a_method_and_path() {
        for (index, row) in TABLE.iter().enumerate() {
            for other in &TABLE[..index] {
                assert!(row.method != other.method || row.path != other.path, "{}", row.id);
            }
        }
    }

    #[test]
    #[cfg(feature = "rest")]
    fn each_operation_has_the_nature_that_its_method_allows() {
        for row in &TABLE {
            let is_change = match row.nature {
                Nature::Plain
                | Nature::Record
                | Nature::LongRecord
                | Nature::Page(_)
                | Nature::JournalPage
                | Nature::News
                | Nature::Report
                | Nature::Day
                | Nature::Document => false,
                Nature::Change | Nature::VersionedChange => true,
            };
            assert_eq!(is_change, row.method != Method::GET, "{}", row.id);
        }
    }

    #[test]
    #[cfg(feature = "rest")]
    fn each_operation_that_changes_records_has_a_type_of_events_and_no_other_one() {
        for row in &TABLE {
            assert_eq!(row.event.is_some(), row.method != Method::GET, "{}", row.id);
            let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(row.event.is_none_or(|event| event.split('.').all(is_word) && event.contains('.')), "{}", row.id);
        }
        assert!(JournalOperation::all().filter(|operation| operation.event().is_some()).count() > 20);
    }
}

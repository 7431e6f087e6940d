//! The table of operations: the only list of routes.

use http::Method;

use crate::model::Scope;

/// Every operation: those of the interface document in its order, then the extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is described by its row in the table")]
pub enum Operation {
    GetInvoice,
    GetPatient,
    UpdatePatient,
    GetHistory,
    GetPrescription,
    UpdatePrescription,
    DeletePrescription,
    AddMedicine,
    UpdateMedicine,
    AddPatient,
    ListPatients,
    DeletePatient,
    AddConsultation,
    GetConsultation,
    AddPrescription,
    ListPrescriptions,
    IssueInvoice,
    ListInvoices,
    PayInvoice,
    CancelInvoice,
    ListMedicines,
    GetMedicine,
    DeleteMedicine,
    StartStock,
    GetStock,
    UpdateStock,
    EndStock,
    ListStock,
    MoveStock,
    GetMovement,
    ListMovements,
    ReverseMovement,
    CountStock,
    GetSupply,
    UpdateSupply,
    GetRestock,
    BacktestRestock,
    ListJournal,
    GetNews,
    GetKey,
    GetOpenapi,
}

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
    /// Query parameters with these names.
    Query(&'static [&'static str]),
}

/// One row of the table.
#[derive(Debug)]
struct Row {
    operation: Operation,
    id: &'static str,
    method: Method,
    path: &'static [Segment],
    scope: Option<Scope>,
    input: Input,
    summary: &'static str,
}

impl Operation {
    /// The number of operations in the interface document, which come first.
    pub const DOCUMENTED: usize = 9;

    /// Returns all operations, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.operation)
    }

    /// Returns the identifier of the operation in the OpenAPI document and in the journal.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// Returns its method. `HEAD` is allowed wherever this is `GET`.
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

    /// Returns whether it answers a single record, of which earlier versions can be read.
    pub const fn has_versions(self) -> bool {
        matches!(
            self,
            Self::GetInvoice
                | Self::GetPatient
                | Self::GetHistory
                | Self::GetPrescription
                | Self::GetConsultation
                | Self::GetMedicine
                | Self::GetStock
                | Self::GetMovement
                | Self::GetSupply
        )
    }

    /// Returns whether it changes a record whose version the client can name in `If-Match`.
    pub fn changes_a_version(self) -> bool {
        [Method::PUT, Method::DELETE].contains(self.method()) || matches!(self, Self::CountStock)
    }

    /// Returns whether it requires a valid key. Any valid key is enough for an operation without a
    /// [scope](Self::scope).
    pub const fn needs_key(self) -> bool {
        !matches!(self, Self::GetOpenapi)
    }

    /// Returns whether the client may let it wait for news.
    pub const fn can_wait(self) -> bool {
        matches!(self, Self::ListJournal | Self::GetNews)
    }

    /// Returns whether it computes its answer from the counts of many days, of which few are computed at once.
    pub(crate) const fn is_report(self) -> bool {
        matches!(self, Self::GetRestock | Self::BacktestRestock)
    }

    /// Returns whether it is a change whose answer may be long: a history.
    pub(crate) const fn is_answered_at_length(self) -> bool {
        matches!(self, Self::PayInvoice)
    }

    /// Returns whether it answers in XML as well as JSON.
    pub const fn answers_xml(self) -> bool {
        !matches!(self, Self::GetOpenapi)
    }

    /// Returns whether it is missing in the interface document.
    pub const fn is_extension(self) -> bool {
        self as usize >= Self::DOCUMENTED
    }

    /// Returns the operation in this row of the table.
    pub(crate) fn nth(place: usize) -> Option<Self> {
        TABLE.get(place).map(|row| row.operation)
    }

    fn row(self) -> &'static Row {
        // A test compares the table with the order of the variants.
        &TABLE[self as usize]
    }
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
const A_STOCK: Input = Input::Record(&["Stock"]);
const A_MOVEMENT: Input = Input::Record(&["Movement"]);
const A_COUNT: Input = Input::Record(&["Count"]);
const A_SUPPLY: Input = Input::Record(&["Supply"]);
const A_CONSULTATION: Input = Input::Record(&["Consultation"]);

macro_rules! scope {
    (None) => {
        None
    };
    ($scope:ident) => {
        Some(Scope::$scope)
    };
}

/// Defines the table, one line for each row.
macro_rules! table {
    ($($operation:ident $id:literal $method:ident $path:expr, $scope:ident, $input:expr, $summary:literal;)*) => {
        static TABLE: &[Row] = &[$(Row {
            operation: Operation::$operation,
            id: $id,
            method: Method::$method,
            path: $path,
            scope: scope!($scope),
            input: $input,
            summary: $summary,
        }),*];
    };
}

#[rustfmt::skip]
table! {
    GetInvoice "getInvoice" GET INVOICE, InvoiceRead, Input::Nothing, "Retrieve an invoice";
    GetPatient "getPatient" GET PATIENT, PatientRead, Input::Nothing, "Retrieve a patient's profile";
    UpdatePatient "updatePatient" PUT PATIENTS, PatientWrite, A_PATIENT, "Update a patient's profile";
    GetHistory "getHistory" GET HISTORY, HistoryRead, Input::Nothing, "Find a patient's history";
    GetPrescription "getPrescription" GET PRESCRIPTION, PrescriptionsRead, Input::Nothing, "Retrieve a prescription";
    UpdatePrescription "updatePrescription" PUT PRESCRIPTIONS, PrescriptionsWrite, A_PRESCRIPTION, "Update a patient's prescription";
    DeletePrescription "deletePrescription" DELETE PRESCRIPTION, PrescriptionsWrite, Input::Nothing, "Withdraw a prescription";
    AddMedicine "addMedicine" POST MEDICINE, InventoryWrite, AN_ITEM, "Add a medicine to the inventory";
    UpdateMedicine "updateMedicine" PUT MEDICINE, InventoryWrite, AN_ITEM, "Update the stock of a medicine";
    AddPatient "addPatient" POST PATIENTS, PatientWrite, A_PATIENT, "Register a patient";
    ListPatients "listPatients" GET PATIENTS, PatientRead, Input::Query(&["name", "phone", "email", "limit", "after"]), "List patients";
    DeletePatient "deletePatient" DELETE PATIENT, PatientWrite, Input::Nothing, "Void a patient";
    AddConsultation "addConsultation" POST CONSULTATIONS, PrescriptionsWrite, A_CONSULTATION, "Record a consultation";
    GetConsultation "getConsultation" GET CONSULTATION, HistoryRead, Input::Nothing, "Retrieve a consultation";
    AddPrescription "addPrescription" POST PRESCRIPTIONS, PrescriptionsWrite, A_PRESCRIPTION, "Prescribe a medicine";
    ListPrescriptions "listPrescriptions" GET PRESCRIPTIONS, PrescriptionsRead, Input::Query(&["patientId", "medicine", "state", "limit", "after"]), "List prescriptions";
    IssueInvoice "issueInvoice" POST PRESCRIPTION_INVOICE, InvoiceWrite, Input::Nothing, "Issue the invoice of a prescription";
    ListInvoices "listInvoices" GET INVOICES, InvoiceRead, Input::Query(&["patientId", "state", "limit", "after"]), "List invoices";
    PayInvoice "payInvoice" POST PAYMENT, InvoiceWrite, Input::Nothing, "Pay an invoice, which completes the flow";
    CancelInvoice "cancelInvoice" DELETE INVOICE, InvoiceWrite, Input::Nothing, "Cancel an unpaid invoice";
    ListMedicines "listMedicines" GET INVENTORY, InventoryRead, Input::Query(&["limit", "after"]), "List the inventory";
    GetMedicine "getMedicine" GET MEDICINE, InventoryRead, Input::Nothing, "Retrieve a medicine of the inventory";
    DeleteMedicine "deleteMedicine" DELETE MEDICINE, InventoryWrite, Input::Nothing, "Remove a medicine from the inventory";
    StartStock "startStock" POST STOCK, InventoryWrite, A_STOCK, "Start to track the stock of a medicine";
    GetStock "getStock" GET STOCK, InventoryRead, Input::Nothing, "Retrieve the stock of a medicine";
    UpdateStock "updateStock" PUT STOCK, InventoryWrite, A_STOCK, "Update the settings of a stock";
    EndStock "endStock" DELETE STOCK, InventoryWrite, Input::Nothing, "End the tracking of a medicine";
    ListStock "listStock" GET STOCKS, InventoryRead, Input::Query(&["expiresTo", "limit", "after"]), "List tracked medicines";
    MoveStock "moveStock" POST MOVES, InventoryWrite, A_MOVEMENT, "Receive, take back or remove units";
    GetMovement "getMovement" GET MOVEMENT, InventoryRead, Input::Nothing, "Retrieve a movement";
    ListMovements "listMovements" GET MOVEMENTS, InventoryRead, Input::Query(&["medicine", "lot", "expires", "kind", "invoiceId", "from", "to", "limit", "after"]), "List movements";
    ReverseMovement "reverseMovement" POST REVERSAL, InventoryWrite, Input::Nothing, "Reverse a receipt or a removal";
    CountStock "countStock" POST COUNT, InventoryWrite, A_COUNT, "Set the stock to a count";
    GetSupply "getSupply" GET SUPPLY, PrescriptionsRead, Input::Nothing, "Retrieve the supply of a prescription";
    UpdateSupply "updateSupply" PUT SUPPLY, PrescriptionsWrite, A_SUPPLY, "Update the supply of a prescription";
    GetRestock "getRestock" GET &[L("restock")], InventoryRead, Input::Query(&["from", "to", "limit"]), "Report on restocking";
    BacktestRestock "backtestRestock" GET &[L("restock"), L("backtest")], InventoryRead, Input::Query(&["medicine", "from", "to", "policy", "min", "max", "minDays", "maxDays", "leadDays", "reviewDays", "serviceLevel", "basis"]), "Play policies against the past";
    ListJournal "listJournal" GET &[L("journal")], Admin, Input::Query(&["limit", "after", "wait"]), "List all changes";
    GetNews "getNews" GET &[L("news")], None, Input::Query(&["after", "wait"]), "Wait for changes";
    GetKey "getKey" GET &[L("key")], None, Input::Nothing, "Retrieve the name and the scopes of the key";
    GetOpenapi "getOpenapi" GET &[L("openapi.json")], None, Input::Nothing, "Retrieve this document";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::records::operations::OF_THE_INTERFACE;

    #[test]
    fn the_table_is_in_the_order_of_the_operations() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.operation as usize, index, "{}", row.id);
        }
        assert_eq!(TABLE.len(), Operation::GetOpenapi as usize + 1);
    }

    #[test]
    fn a_journal_may_name_each_operation_of_the_table_and_no_other_of_the_interface() {
        let mut ids: Vec<_> = Operation::all().map(Operation::id).collect();
        ids.sort_unstable();
        assert_eq!(ids, OF_THE_INTERFACE);
    }

    #[test]
    fn no_two_operations_share_an_id_or_a_method_and_path() {
        for (index, row) in TABLE.iter().enumerate() {
            for other in &TABLE[..index] {
                assert_ne!(row.id, other.id);
                assert!(row.method != other.method || row.path != other.path, "{}", row.id);
            }
        }
    }
}

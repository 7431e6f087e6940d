//! The parts of an operation's description that its row in the table does not have.

use http::{HeaderName, StatusCode, header};

use super::{
    records::{answers, desk, inputs, lists, money, reports, stock},
    values::record::{Documented, Record},
};
use crate::{
    error::{Conflict, Kind},
    model::{Item, Movement, Patient, PatientConsultation, PatientHistory, Receipt, Supply},
    rest::Operation,
    service::RestockReport,
    stock::Backtest,
    wire::{Stock, TakingsReport},
};

/// The body, the answers and the refusals of an operation.
#[derive(Debug)]
pub(super) struct Description {
    pub(super) tag: &'static str,
    pub(super) notes: &'static str,
    pub(super) body: Option<Record>,
    pub(super) answers: Vec<SuccessAnswer>,
    pub(super) missing: Option<Kind>,
    pub(super) conflicts: &'static [Conflict],
}

/// A successful answer.
#[derive(Debug)]
pub(super) struct SuccessAnswer {
    pub(super) status: StatusCode,
    pub(super) record: Option<Record>,
    pub(super) headers: &'static [HeaderName],
}

impl Description {
    const fn new(tag: &'static str, notes: &'static str) -> Self {
        Self { tag, notes, body: None, answers: Vec::new(), missing: None, conflicts: &[] }
    }

    /// Sets the body.
    fn takes(self, body: Record) -> Self {
        Self { body: Some(body), ..self }
    }

    /// Adds an answer.
    fn answers(mut self, status: StatusCode, record: Option<Record>, headers: &'static [HeaderName]) -> Self {
        self.answers.push(SuccessAnswer { status, record, headers });
        self
    }

    /// Adds the answers of a single record: 200 and 304.
    fn finds(self, record: Record, kind: Kind) -> Self {
        self.answers(StatusCode::OK, Some(record), &[header::ETAG])
            .answers(StatusCode::NOT_MODIFIED, None, &[header::ETAG])
            .misses(kind)
    }

    /// Adds the answer with a new record.
    fn creates(self, record: Record) -> Self {
        self.answers(StatusCode::CREATED, Some(record), &[header::ETAG, header::LOCATION, header::CONTENT_LOCATION])
    }

    /// Adds the answer with a page.
    fn lists(self, page: Record) -> Self {
        self.answers(StatusCode::OK, Some(page), &[header::LINK])
    }

    /// Adds the answer without a body.
    fn removes(self, kind: Kind) -> Self {
        self.answers(StatusCode::NO_CONTENT, None, &[]).misses(kind)
    }

    /// Sets the kind of the record that may be missing.
    fn misses(self, kind: Kind) -> Self {
        Self { missing: Some(kind), ..self }
    }

    /// Sets the states that forbid the operation.
    fn conflicts(self, conflicts: &'static [Conflict]) -> Self {
        Self { conflicts, ..self }
    }
}

/// Returns the description of an operation. A new operation does not compile without one.
pub(super) fn describe(operation: Operation) -> Description {
    match operation {
        Operation::GetInvoice => Description::new(
            "Invoice",
            "A snapshot taken when the invoice was issued: later changes of the patient or the prescription do not \
             show in it.",
        )
        .finds(answers::invoice(), Kind::Invoice),
        Operation::GetPatient => {
            Description::new("Patient", "Returns a single patient record.").finds(Patient::record(), Kind::Patient)
        }
        Operation::UpdatePatient => Description::new(
            "Patient",
            "Changes only the members in the body: an absent member keeps its value, `null` clears it. The \
             patient is identified by `patientId`; an unknown one is not created.",
        )
        .takes(inputs::patient())
        .answers(StatusCode::OK, Some(Patient::record()), &[header::ETAG, header::CONTENT_LOCATION])
        .misses(Kind::Patient),
        Operation::GetHistory => Description::new(
            "History",
            "Returns the history of diseases of the patient. A payment that completes a consultation adds to it.",
        )
        .finds(PatientHistory::record(), Kind::Patient),
        Operation::GetPrescription => {
            let description = "`isAvailable` is that of now. For a tracked medicine it says whether the next step \
                               would find its units.";
            Description::new("Prescriptions", description).finds(answers::prescription(), Kind::Prescription)
        }
        Operation::UpdatePrescription => Description::new(
            "Prescriptions",
            "Changes only the members in the body: an absent member keeps its value, `null` clears it. Meant \
             is the patient's active prescription for the medicine or, with none active, the newest.",
        )
        .takes(inputs::prescription())
        .answers(StatusCode::OK, Some(answers::prescription()), &[header::ETAG, header::CONTENT_LOCATION])
        .misses(Kind::Prescription),
        Operation::DeletePrescription => Description::new(
            "Prescriptions",
            "Withdraws the prescription. Its unpaid invoice, if there is one, must be cancelled first.",
        )
        .removes(Kind::Prescription)
        .conflicts(&[Conflict::UnpaidInvoice]),
        Operation::AddMedicine => Description::new("Inventory", "Adds the medicine to the inventory.")
            .takes(inputs::inventory())
            .answers(StatusCode::OK, Some(Item::record()), &[header::ETAG])
            .conflicts(&[Conflict::ItemExists]),
        Operation::UpdateMedicine => Description::new(
            "Inventory",
            "Changes only the members in the body: an absent member keeps its value, `null` clears it. A \
             cleared `isAvailable` is true again. Of a tracked medicine `isAvailable` follows from its stock: `false` \
             holds it back, `true` and `null` lift the hold.",
        )
        .takes(inputs::inventory())
        .answers(StatusCode::OK, Some(Item::record()), &[header::ETAG])
        .misses(Kind::Item),
        Operation::AddPatient => {
            Description::new("Patient", "Registers a patient. A number that was ever used is not given or taken again.")
                .takes(inputs::new_patient())
                .creates(Patient::record())
                .conflicts(&[Conflict::PatientExists, Conflict::NoNumberLeft])
        }
        Operation::ListPatients => Description::new(
            "Patient",
            "Sorted by number. All given filters must match. With `find` the best matches, in one page.",
        )
        .lists(lists::patient_page()),
        Operation::DeletePatient => Description::new(
            "Patient",
            "Voids the patient and withdraws the active prescriptions. Paid invoices stay readable.",
        )
        .removes(Kind::Patient)
        .conflicts(&[Conflict::UnpaidInvoice]),
        Operation::AddConsultation => Description::new(
            "Consultations",
            "Records diseases and prescriptions, completely or not at all. Without prescriptions it is completed \
             at once; otherwise the first payment completes it.",
        )
        .takes(inputs::consultation())
        .creates(PatientConsultation::record())
        .misses(Kind::Patient)
        .conflicts(&[Conflict::AlreadyPrescribed, Conflict::TooManyPrescriptions, Conflict::HistoryFull]),
        Operation::GetConsultation => Description::new("Consultations", "Returns a single consultation.")
            .finds(PatientConsultation::record(), Kind::Consultation),
        Operation::ListConsultations => {
            Description::new("Consultations", "Sorted by number. All given filters must match.")
                .lists(lists::consultation_page())
        }
        Operation::AddPrescription => Description::new(
            "Prescriptions",
            "Prescribes, in a consultation of its own. Price, currency and dosage are the inventory's unless given.",
        )
        .takes(inputs::new_prescription())
        .creates(answers::prescription())
        .misses(Kind::Patient)
        .conflicts(&[Conflict::AlreadyPrescribed, Conflict::TooManyPrescriptions]),
        Operation::ListPrescriptions => {
            Description::new("Prescriptions", "Sorted by number. All given filters must match.")
                .lists(lists::prescription_page())
        }
        Operation::IssueInvoice => Description::new(
            "Prescriptions",
            "Issues the invoice, with the next number. If an unpaid one exists, that one is answered.",
        )
        .creates(answers::invoice())
        .answers(StatusCode::OK, Some(answers::invoice()), &[header::ETAG, header::CONTENT_LOCATION])
        .misses(Kind::Prescription)
        .conflicts(&[Conflict::PrescriptionCompleted, Conflict::InsufficientStock]),
        Operation::ListInvoices => {
            Description::new("Invoice", "Sorted by number. All given filters must match.").lists(lists::invoice_page())
        }
        Operation::PayInvoice => Description::new(
            "Invoice",
            "Pays the invoice, which completes the flow: the prescription, unless it recurs, and the consultation, \
             which becomes a visit in the patient's history. Paid again, nothing is counted twice. Answers the \
             history as it is now. Without a body it is in cash.",
        )
        .takes(money::payment())
        .answers(StatusCode::OK, Some(PatientHistory::record()), &[header::ETAG, header::CONTENT_LOCATION])
        .misses(Kind::Invoice)
        .conflicts(&[Conflict::InvoiceRefunded, Conflict::InsufficientStock, Conflict::TakingsFull]),
        Operation::CancelInvoice => Description::new("Invoice", "Cancels the invoice. Its number stays used.")
            .removes(Kind::Invoice)
            .conflicts(&[Conflict::InvoicePaid]),
        Operation::RefundInvoice => Description::new(
            "Money",
            "Refunds a paid invoice in full, once and for good, with a credit note. Visits stay, and so do the units \
             that were handed out and the prescription, unless the refund says otherwise.",
        )
        .takes(money::refund())
        .creates(Receipt::record())
        .misses(Kind::Invoice)
        .conflicts(&[
            Conflict::InvoiceUnpaid,
            Conflict::AlreadyRefunded,
            Conflict::NotReopenable,
            Conflict::NotDispensed,
            Conflict::TooManyLots,
            Conflict::TooMuchStock,
            Conflict::TakingsFull,
        ]),
        Operation::GetReceipt => {
            Description::new("Money", "A receipt is never changed.").finds(Receipt::record(), Kind::Receipt)
        }
        Operation::ListReceipts => {
            Description::new("Money", "Sorted by number. All given filters must match.").lists(lists::receipt_page())
        }
        Operation::CorrectReceipt => Description::new(
            "Money",
            "Corrects the method of a payment or a refund. It counts for its own day and holder.",
        )
        .takes(money::correction())
        .creates(Receipt::record())
        .misses(Kind::Receipt)
        .conflicts(&[Conflict::NotCorrectable, Conflict::TakingsFull]),
        Operation::GetTakings => Description::new(
            "Money",
            "By days, today unless given and at most 400, or by receipt numbers, at most 10,000. Currencies are never \
             added. The list ends at 1 MiB; the totals are of the whole range. A currency and method whose sum is not \
             exact stands in `beyond`.",
        )
        .answers(StatusCode::OK, Some(TakingsReport::record()), &[]),
        Operation::ListMedicines => {
            Description::new("Inventory", "By name in folded form, code point by code point: `Zinc` before `Äther`.")
                .lists(lists::inventory_page())
        }
        Operation::GetMedicine => Description::new("Inventory", "Returns a single inventory item.")
            .finds(Item::record(), Kind::Item)
            .conflicts(&[Conflict::TooLongAgo]),
        Operation::DeleteMedicine => {
            Description::new("Inventory", "Prescriptions of it stay. Its stock is no longer tracked.")
                .removes(Kind::Item)
                .conflicts(&[Conflict::StockLeft])
        }
        Operation::StartStock => Description::new(
            "Stock",
            "Tracks the medicine from now on: its availability follows from units. One that was not available is held.",
        )
        .takes(stock::new_stock())
        .creates(Stock::record())
        .misses(Kind::Item)
        .conflicts(&[Conflict::AlreadyTracked, Conflict::TooMuchStock]),
        Operation::GetStock => Description::new("Stock", "Returns the units and lots as of today.")
            .finds(Stock::record(), Kind::Stock)
            .conflicts(&[Conflict::TooLongAgo]),
        Operation::UpdateStock => Description::new(
            "Stock",
            "Changes the settings that the body names and nothing else: an absent member keeps its value, `null` goes \
             back to the default.",
        )
        .takes(stock::update())
        .answers(StatusCode::OK, Some(Stock::record()), &[header::ETAG])
        .misses(Kind::Stock),
        Operation::EndStock => Description::new(
            "Stock",
            "Ends the tracking of a medicine without units. Its hold becomes the inventory's `isAvailable`.",
        )
        .removes(Kind::Stock)
        .conflicts(&[Conflict::StockLeft]),
        Operation::ListStock => Description::new("Stock", "By name.").lists(lists::stock_page()),
        Operation::MoveStock => Description::new(
            "Stock",
            "A receipt joins the open lot of the same text and date or opens one. A return goes back to the lot that \
             its invoice took it from. A removal takes from one lot. A member that the kind lacks or does not use is \
             refused.",
        )
        .takes(stock::new_movement())
        .creates(Movement::record())
        .misses(Kind::Stock)
        .conflicts(&[
            Conflict::InsufficientStock,
            Conflict::NotDispensed,
            Conflict::TooManyLots,
            Conflict::TooMuchStock,
        ]),
        Operation::GetMovement => Description::new("Stock", "Returns a line of the ledger, which never changes.")
            .finds(Movement::record(), Kind::Movement),
        Operation::ListMovements => {
            Description::new("Stock", "Sorted by number. All given filters must match.").lists(lists::movement_page())
        }
        Operation::ReverseMovement => {
            Description::new("Stock", "Reverses a receipt or a removal by the opposite movement.")
                .creates(Movement::record())
                .misses(Kind::Movement)
                .conflicts(&[
                    Conflict::NotReversible,
                    Conflict::AlreadyReversed,
                    Conflict::InsufficientStock,
                    Conflict::TooManyLots,
                    Conflict::TooMuchStock,
                ])
        }
        Operation::CountStock => Description::new(
            "Stock",
            "Makes the named lots what was counted, one adjustment for each that differs; others stay. `If-Match` \
             refuses a count between which and its writing anything was moved.",
        )
        .takes(stock::count_input())
        .answers(StatusCode::OK, Some(Stock::record()), &[header::ETAG, header::CONTENT_LOCATION])
        .misses(Kind::Stock)
        .conflicts(&[Conflict::TooManyLots, Conflict::TooMuchStock]),
        Operation::GetSupply => {
            Description::new("Prescriptions", "Returns the quantity and the interval of its supplies.")
                .finds(Supply::record(), Kind::Prescription)
        }
        Operation::UpdateSupply => Description::new(
            "Prescriptions",
            "Changes only the members in the body: an absent member keeps its value, `null` clears it.",
        )
        .takes(stock::supply_input())
        .answers(StatusCode::OK, Some(Supply::record()), &[header::ETAG])
        .misses(Kind::Prescription)
        .conflicts(&[Conflict::UnpaidInvoice, Conflict::PrescriptionCompleted]),
        Operation::GetRestock => {
            Description::new("Inventory", "Advises on restocking from historic prescriptions, most urgent first.")
                .answers(StatusCode::OK, Some(RestockReport::record()), &[])
        }
        Operation::BacktestRestock => Description::new(
            "Inventory",
            "Plays the policies against the past of a tracked medicine, day by day and without looking ahead, beside \
             what really happened. Settings that are given are tried instead of those that are stored.",
        )
        .answers(StatusCode::OK, Some(Backtest::record()), &[])
        .misses(Kind::Stock),
        Operation::ListJournal => {
            Description::new("Journal", "Sorted by commit. Entries never change.").lists(lists::journal_page())
        }
        Operation::ListEvents => Description::new(
            "Journal",
            "The entries of the journal that changed something, each with its type and the records that it changed, \
             without any value and any actor: read them with a key that may. Types may be added, and none is renamed: \
             ignore those that you do not know.",
        )
        .lists(lists::event_page()),
        Operation::GetNews => Description::new(
            "Journal",
            "Waits for a journal entry after `after`, as long as `wait` says. Any valid key may ask: the answer \
             reveals which kinds of records have changed, and no record.",
        )
        .answers(StatusCode::OK, Some(reports::news()), &[]),
        Operation::GetToday => Description::new(
            "Desk",
            "Any valid key may ask, and sees the parts that its scopes allow: `history:read` for `openVisits`, \
             `prescriptions:read` for `withoutInvoice`, `invoice:read` for `unpaid` and `taken`, `inventory:read` for \
             the others. `left` names the rest. Each part is counted to 1,000 and shows its first five records, alone \
             its first 500, as far as they fit into 1 MiB. `orders` may be two seconds old.",
        )
        .answers(StatusCode::OK, Some(desk::today()), &[]),
        Operation::GetKey => Description::new("Keys", "Any valid key may ask about itself, whatever its scopes.")
            .answers(StatusCode::OK, Some(reports::key()), &[]),
        Operation::GetOpenapi => {
            let description = Description::new("Document", "Needs no key. The document exists only in JSON.");
            description.answers(StatusCode::OK, Some(reports::document()), &[])
        }
    }
}

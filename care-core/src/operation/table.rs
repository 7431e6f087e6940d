//! The table of operations: each stands here once and whole.

/// Hands the table to another macro, which takes from each row what its room needs: the enum and its facts
/// (`operation`), the dispatch to the use cases and the reads that are audited (`rest::operations`), the bodies and
/// answers of the document (`rest::openapi`), and the methods of `care-client`.
///
/// A row begins with a summary, and the notes that the document and the client add to it. Then come the variant, the
/// identifier, the method and the path, and the facts:
///
/// - `scope` (`None` where any valid key is enough, and for the document), `tag` in the document, and the
///   [`Nature`](crate::operation::Nature), which for a change says what its answer shows;
/// - `event`: the type of its events; `_` for a read;
/// - `takes`: its [`Input`](crate::operation::Input) with the roots of its body in XML and the body in the document, or
///   with the declarations of its parameters, beside which stand those of its nature; `gives`: the answer there;
/// - `reads`: the kind of a patient's single record that its answer shows, which audited reads note; `_` for a read
///   that shows none, and for a change, which is in the journal itself;
/// - `misses`: the kind of record that may be missing; `conflicts`: the states that forbid it.
///
/// `run` makes the future that answers a request. It is boxed where it is larger than that of the read of a single
/// record: otherwise the future of every request would be as large.
///
/// `client` is the method of the client: its parameters for those of the path, behind `;` its body, or with `pages` or
/// `asks` the filter of a list or the request for a report, and what it answers. It is empty where the client has its
/// method by hand.
#[doc(hidden)]
#[macro_export]
macro_rules! operations {
    ($then:ident) => { $then! {
        /// Retrieve an invoice.
        ///
        /// A snapshot taken when the invoice was issued: later changes of the patient or the prescription do not show
        /// in it.
        GetInvoice "getInvoice" GET "/invoice/{invoiceId}" {
            scope: InvoiceRead, tag: "Invoice", nature: Single, event: _,
            takes: Nothing, gives: answers::invoice, reads: Invoice, misses: Invoice,
        }
        run { |request| single(request, CareService::invoice, CareService::as_of) }
        client { invoice(id: model::InvoiceId) -> wire::Invoice<'static> }

        /// Retrieve a patient's profile.
        ///
        /// Returns a single patient record.
        GetPatient "getPatient" GET "/patient/{patientId}" {
            scope: PatientRead, tag: "Patient", nature: Single, event: _,
            takes: Nothing, gives: model::Patient::record, reads: Patient, misses: Patient,
        }
        run { |request| single(request, CareService::patient, CareService::patient_as_of) }
        client { patient(id: model::PatientId) -> model::Patient }

        /// Update a patient's profile.
        ///
        /// Changes only the members in the body: an absent member keeps its value, `null` clears it. The patient is
        /// identified by `patientId`; an unknown one is not created.
        UpdatePatient "updatePatient" PUT "/patient" {
            scope: PatientWrite, tag: "Patient", nature: VersionedChange(Placed), event: "patient.updated",
            takes: Record ["Patient"] bodies::PatientUpdate::record, gives: model::Patient::record, reads: _,
            misses: Patient,
        }
        run {
            |request| Box::pin(change(
                request,
                |care, (), bodies::PatientUpdate { patient_id, details }, expected| async move {
                    match request.contract.has_extensions() {
                        true => care.update_patient(patient_id, details, expected).await,
                        false => care.update_documented_patient(patient_id, details, expected).await,
                    }
                },
            ))
        }
        client { }

        /// Find a patient's history.
        ///
        /// Returns the history of diseases of the patient. A payment that completes a consultation adds to it.
        GetHistory "getHistory" GET "/history/{patientId}" {
            scope: HistoryRead, tag: "History", nature: LongSingle, event: _,
            takes: Nothing, gives: model::PatientHistory::record, reads: History, misses: Patient,
        }
        run { |request| single(request, CareService::history, CareService::history_as_of) }
        client { history(id: model::PatientId) -> model::PatientHistory }

        /// Retrieve a prescription.
        ///
        /// `isAvailable` is that of now. For a tracked medicine it says whether the next step would find its units.
        GetPrescription "getPrescription" GET "/prescriptions/{prescriptionId}" {
            scope: PrescriptionsRead, tag: "Prescriptions", nature: Single, event: _,
            takes: Nothing, gives: answers::prescription, reads: Prescription, misses: Prescription,
        }
        run { |request| single(request, CareService::prescription, prescription_as_of) }
        client { prescription(id: model::PrescriptionId) -> wire::Prescription<'static> }

        /// Update a patient's prescription.
        ///
        /// Changes only the members in the body: an absent member keeps its value, `null` clears it. Meant is the
        /// patient's active prescription for the medicine or, with none active, the newest.
        UpdatePrescription "updatePrescription" PUT "/prescriptions" {
            scope: PrescriptionsWrite, tag: "Prescriptions", nature: VersionedChange(Placed),
            event: "prescription.updated",
            takes: Record ["Prescription"] bodies::PrescriptionUpdate::record, gives: answers::prescription, reads: _,
            misses: Prescription,
        }
        run {
            |request| change(request, |care, (), new: bodies::PrescriptionUpdate, expected| {
                care.update_prescription(new.patient_id, new.medicine.key().clone(), new.details, expected)
            })
        }
        client { }

        /// Withdraw a prescription.
        ///
        /// Withdraws the prescription. Its unpaid invoice, if there is one, must be cancelled first.
        DeletePrescription "deletePrescription" DELETE "/prescriptions/{prescriptionId}" {
            scope: PrescriptionsWrite, tag: "Prescriptions", nature: VersionedChange(Removed),
            event: "prescription.withdrawn",
            takes: Nothing, reads: _, misses: Prescription, conflicts: [UnpaidInvoice],
        }
        run { |request| change(request, |care, id, (), expected| care.withdraw_prescription(id, expected)) }
        client { withdraw_prescription(id: model::PrescriptionId) -> () }

        /// Add a medicine to the inventory.
        ///
        /// Adds the medicine to the inventory.
        AddMedicine "addMedicine" POST "/inventory/{medicine}" {
            scope: InventoryWrite, tag: "Inventory", nature: Change(Changed), event: "medicine.added",
            takes: Record ["Inventory", "InventoryItem"] bodies::ItemInput::record, gives: model::Item::record,
            reads: _,
            conflicts: [ItemExists],
        }
        run {
            |request| change(request, |care, medicine, new: bodies::ItemInput, _| care.add_item(medicine, new.details))
        }
        client { add_item(medicine: &model::MedicineName; details: &model::ItemDetails) -> model::Item }

        /// Update the stock of a medicine.
        ///
        /// Changes only the members in the body: an absent member keeps its value, `null` clears it. A cleared
        /// `isAvailable` is true again. Of a tracked medicine `isAvailable` follows from its stock: `false` holds it
        /// back, `true` and `null` lift the hold.
        UpdateMedicine "updateMedicine" PUT "/inventory/{medicine}" {
            scope: InventoryWrite, tag: "Inventory", nature: VersionedChange(Changed), event: "medicine.updated",
            takes: Record ["Inventory", "InventoryItem"] bodies::ItemInput::record, gives: model::Item::record,
            reads: _,
            misses: Item,
        }
        run {
            |request| change(request, |care, medicine, new: bodies::ItemInput, expected| {
                care.update_item(medicine, new.details, expected)
            })
        }
        client { update_item(medicine: &model::MedicineName; details: &model::ItemDetails) -> model::Item }

        /// Register a patient.
        ///
        /// Registers a patient. A number that was ever used is not given or taken again.
        AddPatient "addPatient" POST "/patient" {
            scope: PatientWrite, tag: "Patient", nature: Change(Made), event: "patient.registered",
            takes: Record ["Patient"] bodies::NewPatient::record, gives: model::Patient::record, reads: _,
            conflicts: [PatientExists, NoNumberLeft],
        }
        run {
            |request| Box::pin(change(request, |care, (), new, _| register(care, new)))
        }
        client { }

        /// List patients.
        ///
        /// Sorted by number. All given filters must match. With `find` the best matches, in one page; with `similar`
        /// those of other spellings.
        ListPatients "listPatients" GET "/patient" {
            scope: PatientRead, tag: "Patient", nature: Page(16), event: _,
            takes: Query [FindQuery, store::PatientFilter], gives: lists::patient_page, reads: _,
        }
        run { |request| Box::pin(lists::patients(request)) }
        client { pages patients(filter: &store::PatientFilter) -> model::Patient }

        /// Void a patient.
        ///
        /// Voids the patient and withdraws the active prescriptions. Paid invoices stay readable.
        DeletePatient "deletePatient" DELETE "/patient/{patientId}" {
            scope: PatientWrite, tag: "Patient", nature: VersionedChange(Removed), event: "patient.voided",
            takes: Nothing, reads: _, misses: Patient, conflicts: [UnpaidInvoice],
        }
        run { |request| change(request, |care, id, (), expected| care.void_patient(id, expected)) }
        client { void_patient(id: model::PatientId) -> () }

        /// Record a consultation.
        ///
        /// Records diseases and prescriptions, completely or not at all. Without prescriptions it is completed at once;
        /// otherwise the first payment completes it.
        AddConsultation "addConsultation" POST "/consultations" {
            scope: PrescriptionsWrite, tag: "Consultations", nature: Change(Made), event: "consultation.recorded",
            takes: Record ["Consultation"] bodies::ConsultationInput::record, gives: model::PatientConsultation::record,
            reads: _, misses: Patient, conflicts: [AlreadyPrescribed, TooManyPrescriptions, HistoryFull],
        }
        run {
            |request| change(request, |care, (), new: bodies::ConsultationInput, _| {
                care.record_consultation(new.into())
            })
        }
        client { record_consultation(; new: &service::NewConsultation) -> model::PatientConsultation }

        /// Retrieve a consultation.
        ///
        /// Returns a single consultation.
        GetConsultation "getConsultation" GET "/consultations/{consultationId}" {
            scope: HistoryRead, tag: "Consultations", nature: Single, event: _,
            takes: Nothing, gives: model::PatientConsultation::record, reads: Consultation, misses: Consultation,
        }
        run { |request| single(request, CareService::consultation, CareService::consultation_as_of) }
        client { consultation(id: model::ConsultationId) -> model::PatientConsultation }

        /// List consultations.
        ///
        /// Sorted by number. All given filters must match.
        ListConsultations "listConsultations" GET "/consultations" {
            scope: HistoryRead, tag: "Consultations", nature: Page(50), event: _,
            takes: Query [store::ConsultationFilter], gives: lists::page::<model::PatientConsultation>, reads: _,
        }
        run { |request| Box::pin(lists::list(request, CareService::consultations)) }
        client { pages consultations(filter: &store::ConsultationFilter) -> model::PatientConsultation }

        /// Prescribe a medicine.
        ///
        /// Prescribes, in a consultation of its own. Price, currency and dosage are the inventory's unless given.
        AddPrescription "addPrescription" POST "/prescriptions" {
            scope: PrescriptionsWrite, tag: "Prescriptions", nature: Change(Made), event: "prescription.made",
            takes: Record ["Prescription"] bodies::PatientPrescription::record, gives: answers::prescription, reads: _,
            misses: Patient, conflicts: [AlreadyPrescribed, TooManyPrescriptions],
        }
        run {
            |request| change(request, |care, (), bodies::PatientPrescription { patient_id, prescribed }, _| {
                care.prescribe(patient_id, prescribed.into())
            })
        }
        client { }

        /// List prescriptions.
        ///
        /// Sorted by number. All given filters must match.
        ListPrescriptions "listPrescriptions" GET "/prescriptions" {
            scope: PrescriptionsRead, tag: "Prescriptions", nature: Page(6), event: _,
            takes: Query [store::PrescriptionFilter], gives: lists::prescription_page, reads: _,
        }
        run { |request| Box::pin(lists::list(request, CareService::prescriptions)) }
        client { pages prescriptions(filter: &store::PrescriptionFilter) -> wire::Prescription<'static> }

        /// Issue the invoice of a prescription.
        ///
        /// Issues the invoice, with the next number. If an unpaid one exists, that one is answered.
        IssueInvoice "issueInvoice" POST "/prescriptions/{prescriptionId}/invoice" {
            scope: InvoiceWrite, tag: "Prescriptions", nature: Change(MadeOrFound), event: "invoice.issued",
            takes: Nothing, gives: answers::invoice, reads: _, misses: Prescription,
            conflicts: [PrescriptionCompleted, InsufficientStock],
        }
        run { |request| change(request, |care, id, (), _| care.issue_invoice(id)) }
        client { issue_invoice(id: model::PrescriptionId) -> wire::Invoice<'static> }

        /// List invoices.
        ///
        /// Sorted by number. All given filters must match.
        ListInvoices "listInvoices" GET "/invoice" {
            scope: InvoiceRead, tag: "Invoice", nature: Page(20), event: _,
            takes: Query [store::InvoiceFilter], gives: lists::invoice_page, reads: _,
        }
        run { |request| Box::pin(lists::list(request, CareService::invoices)) }
        client { pages invoices(filter: &store::InvoiceFilter) -> wire::Invoice<'static> }

        /// Pay an invoice, which completes the flow.
        ///
        /// Pays the invoice, which completes the flow: the prescription, unless it recurs, and the consultation, which
        /// becomes a visit in the patient's history. Paid again, nothing is counted twice. Answers the history as it is
        /// now. Without a body it is in cash.
        PayInvoice "payInvoice" POST "/invoice/{invoiceId}/payment" {
            scope: InvoiceWrite, tag: "Invoice", nature: Change(Placed), event: "invoice.paid",
            takes: Optional ["Payment"] bodies::Payment::record, gives: model::PatientHistory::record, reads: _,
            misses: Invoice,
            conflicts: [InvoiceRefunded, InsufficientStock, TakingsFull],
        }
        run {
            |request| Box::pin(change(request, |care, id, bodies::Payment { method }, _| {
                care.pay_invoice_by(id, method)
            }))
        }
        client { pay_invoice(id: model::InvoiceId) -> model::PatientHistory }

        /// Cancel an unpaid invoice.
        ///
        /// Cancels the invoice. Its number stays used.
        CancelInvoice "cancelInvoice" DELETE "/invoice/{invoiceId}" {
            scope: InvoiceWrite, tag: "Invoice", nature: VersionedChange(Removed), event: "invoice.cancelled",
            takes: Nothing, reads: _, misses: Invoice, conflicts: [InvoicePaid, InvoiceRefunded],
        }
        run { |request| change(request, |care, id, (), expected| care.cancel_invoice(id, expected)) }
        client { cancel_invoice(id: model::InvoiceId) -> () }

        /// Refund a paid invoice in full.
        ///
        /// Refunds a paid invoice in full, once and for good, with a credit note. Visits stay, and so do the units that
        /// were handed out and the prescription, unless the refund says otherwise.
        RefundInvoice "refundInvoice" POST "/invoice/{invoiceId}/refund" {
            scope: InvoiceRefund, tag: "Money", nature: VersionedChange(Made), event: "invoice.refunded",
            takes: Record ["Refund"] service::NewRefund::record, gives: model::Receipt::record, reads: _,
            misses: Invoice,
            conflicts: [
                InvoiceUnpaid, AlreadyRefunded, NotReopenable, NotDispensed, TooManyLots, TooMuchStock, TakingsFull
            ],
        }
        run {
            |request| Box::pin(change(request, |care, id, new: service::NewRefund, expected| {
                care.refund_invoice(id, new, expected)
            }))
        }
        client { refund_invoice(id: model::InvoiceId; new: &service::NewRefund) -> model::Receipt }

        /// Retrieve a receipt.
        ///
        /// A receipt is never changed.
        GetReceipt "getReceipt" GET "/receipts/{receiptId}" {
            scope: InvoiceRead, tag: "Money", nature: Single, event: _,
            takes: Nothing, gives: model::Receipt::record, reads: _, misses: Receipt,
        }
        run { |request| single(request, CareService::receipt, CareService::as_of) }
        client { receipt(id: model::ReceiptId) -> model::Receipt }

        /// List receipts.
        ///
        /// Sorted by number. All given filters must match.
        ListReceipts "listReceipts" GET "/receipts" {
            scope: InvoiceRead, tag: "Money", nature: Page(4), event: _,
            takes: Query [store::ReceiptFilter], gives: lists::page::<model::Receipt>, reads: _,
        }
        run { |request| Box::pin(lists::list(request, CareService::receipts)) }
        client { pages receipts(filter: &store::ReceiptFilter) -> model::Receipt }

        /// Correct the method of a receipt.
        ///
        /// Corrects the method of a payment or a refund. It counts for its own day and holder.
        CorrectReceipt "correctReceipt" POST "/receipts/{receiptId}/correction" {
            scope: InvoiceRefund, tag: "Money", nature: Change(Made), event: "receipt.corrected",
            takes: Record ["Correction"] service::NewCorrection::record, gives: model::Receipt::record, reads: _,
            misses: Receipt,
            conflicts: [NotCorrectable, TakingsFull],
        }
        run {
            |request| Box::pin(change(request, |care, id, new: service::NewCorrection, _| {
                care.correct_receipt(id, new)
            }))
        }
        client { correct_receipt(id: model::ReceiptId; new: &service::NewCorrection) -> model::Receipt }

        /// Report on takings.
        ///
        /// By days, today unless given and at most 400, or by receipt numbers, at most 10,000. Currencies are never
        /// added. The list ends at 1 MiB; the totals are of the whole range. A currency and method whose sum is not
        /// exact stands in `beyond`.
        GetTakings "getTakings" GET "/takings" {
            scope: InvoiceRead, tag: "Money", nature: Report, event: _,
            takes: Query [service::TakingsQuery], gives: wire::TakingsReport::record, reads: _,
        }
        run { |request| Box::pin(reports::takings(request)) }
        client { asks takings(query: &service::TakingsQuery) -> wire::TakingsReport }

        /// List the inventory.
        ///
        /// By name in folded form, code point by code point: `Zinc` before `Äther`.
        ListMedicines "listMedicines" GET "/inventory" {
            scope: InventoryRead, tag: "Inventory", nature: Page(6), event: _,
            takes: Query [store::ItemFilter], gives: lists::page::<model::Item>, reads: _,
        }
        run { |request| Box::pin(lists::list(request, CareService::items)) }
        client { pages items(filter: &store::ItemFilter) -> model::Item }

        /// Retrieve a medicine of the inventory.
        ///
        /// Returns a single inventory item.
        GetMedicine "getMedicine" GET "/inventory/{medicine}" {
            scope: InventoryRead, tag: "Inventory", nature: Single, event: _,
            takes: Nothing, gives: model::Item::record, reads: _, misses: Item, conflicts: [TooLongAgo],
        }
        run { |request| single(request, CareService::item, CareService::item_as_of) }
        client { item(medicine: &model::MedicineName) -> model::Item }

        /// Remove a medicine from the inventory.
        ///
        /// Prescriptions of it stay. Its stock is no longer tracked.
        DeleteMedicine "deleteMedicine" DELETE "/inventory/{medicine}" {
            scope: InventoryWrite, tag: "Inventory", nature: VersionedChange(Removed), event: "medicine.removed",
            takes: Nothing, reads: _, misses: Item, conflicts: [StockLeft],
        }
        run { |request| change(request, |care, medicine, (), expected| care.remove_item(medicine, expected)) }
        client { remove_item(medicine: &model::MedicineName) -> () }

        /// Start to track the stock of a medicine.
        ///
        /// Tracks the medicine from now on: its availability follows from units. One that was not available is held.
        StartStock "startStock" POST "/inventory/{medicine}/stock" {
            scope: InventoryWrite, tag: "Stock", nature: Change(Made), event: "stock.started",
            takes: Record ["Stock"] bodies::NewStock::record, gives: wire::Stock::record, reads: _, misses: Item,
            conflicts: [AlreadyTracked, TooMuchStock],
        }
        run {
            |request| Box::pin(change(request, |care, medicine, new: bodies::NewStock, _| {
                care.start_stock(medicine, new.unit, new.details, new.opening)
            }))
        }
        client { }

        /// Retrieve the stock of a medicine.
        ///
        /// Returns the units and lots as of today.
        GetStock "getStock" GET "/inventory/{medicine}/stock" {
            scope: InventoryRead, tag: "Stock", nature: Single, event: _,
            takes: Nothing, gives: wire::Stock::record, reads: _, misses: Stock, conflicts: [TooLongAgo],
        }
        run { |request| single(request, CareService::stock, CareService::stock_as_of) }
        client { stock(medicine: &model::MedicineName) -> wire::Stock<'static> }

        /// Update the settings of a stock.
        ///
        /// Changes the settings that the body names and nothing else: an absent member keeps its value, `null` goes
        /// back to the default.
        UpdateStock "updateStock" PUT "/inventory/{medicine}/stock" {
            scope: InventoryWrite, tag: "Stock", nature: VersionedChange(Changed), event: "stock.updated",
            takes: Record ["Stock"] bodies::StockUpdate::record, gives: wire::Stock::record, reads: _, misses: Stock,
        }
        run {
            |request| Box::pin(change(request, |care, medicine, new: bodies::StockUpdate, expected| {
                care.update_stock(medicine, new.details, expected)
            }))
        }
        client { update_stock(medicine: &model::MedicineName; details: &model::StockDetails) -> wire::Stock<'static> }

        /// End the tracking of a medicine.
        ///
        /// Ends the tracking of a medicine without units. Its hold becomes the inventory's `isAvailable`.
        EndStock "endStock" DELETE "/inventory/{medicine}/stock" {
            scope: InventoryWrite, tag: "Stock", nature: VersionedChange(Removed), event: "stock.ended",
            takes: Nothing, reads: _, misses: Stock, conflicts: [StockLeft],
        }
        run {
            |request| Box::pin(change(request, |care, medicine, (), expected| {
                care.end_stock(medicine, expected)
            }))
        }
        client { end_stock(medicine: &model::MedicineName) -> () }

        /// List tracked medicines.
        ///
        /// By name.
        ListStock "listStock" GET "/stock" {
            scope: InventoryRead, tag: "Stock", nature: Page(20), event: _,
            takes: Query [store::StockFilter], gives: lists::page::<wire::Stock>, reads: _,
        }
        run { |request| Box::pin(lists::list(request, CareService::stocks)) }
        client { pages stocks(filter: &store::StockFilter) -> wire::Stock<'static> }

        /// Receive, take back or remove units.
        ///
        /// A receipt joins the open lot of the same text and date or opens one. A return goes back to the lot that its
        /// invoice took it from. A removal takes from one lot. A member that the kind lacks or does not use is refused.
        MoveStock "moveStock" POST "/inventory/{medicine}/movements" {
            scope: InventoryWrite, tag: "Stock", nature: Change(Made), event: "stock.moved",
            takes: Record ["Movement"] service::NewMovement::record, gives: model::Movement::record, reads: _,
            misses: Stock,
            conflicts: [InsufficientStock, NotDispensed, TooManyLots, TooMuchStock],
        }
        run {
            |request| Box::pin(change(request, |care, medicine, new: service::NewMovement, _| {
                care.move_stock(medicine, new)
            }))
        }
        client { move_stock(medicine: &model::MedicineName; new: &service::NewMovement) -> model::Movement }

        /// Retrieve a movement.
        ///
        /// Returns a line of the ledger, which never changes.
        GetMovement "getMovement" GET "/movements/{movementId}" {
            scope: InventoryRead, tag: "Stock", nature: Single, event: _,
            takes: Nothing, gives: model::Movement::record, reads: _, misses: Movement,
        }
        run { |request| single(request, CareService::movement, CareService::as_of) }
        client { movement(id: model::MovementId) -> model::Movement }

        /// List movements.
        ///
        /// Sorted by number. All given filters must match.
        ListMovements "listMovements" GET "/movements" {
            scope: InventoryRead, tag: "Stock", nature: Page(20), event: _,
            takes: Query [store::MovementFilter], gives: lists::page::<model::Movement>, reads: _,
        }
        run { |request| Box::pin(lists::list(request, CareService::movements)) }
        client { pages movements(filter: &store::MovementFilter) -> model::Movement }

        /// Reverse a receipt or a removal.
        ///
        /// Reverses a receipt or a removal by the opposite movement.
        ReverseMovement "reverseMovement" POST "/movements/{movementId}/reversal" {
            scope: InventoryWrite, tag: "Stock", nature: Change(Made), event: "stock.reversed",
            takes: Nothing, gives: model::Movement::record, reads: _, misses: Movement,
            conflicts: [NotReversible, AlreadyReversed, InsufficientStock, TooManyLots, TooMuchStock],
        }
        run { |request| Box::pin(change(request, |care, id, (), _| care.reverse_movement(id))) }
        client { reverse_movement(id: model::MovementId) -> model::Movement }

        /// Set the stock to a count.
        ///
        /// Makes the named lots what was counted, one adjustment for each that differs; others stay. `If-Match` refuses
        /// a count between which and its writing anything was moved.
        CountStock "countStock" POST "/inventory/{medicine}/count" {
            scope: InventoryWrite, tag: "Stock", nature: VersionedChange(Placed), event: "stock.counted",
            takes: Record ["Count"] bodies::Count::record, gives: wire::Stock::record, reads: _, misses: Stock,
            conflicts: [TooManyLots, TooMuchStock],
        }
        run {
            |request| Box::pin(change(request, |care, medicine, bodies::Count { lines, note }, expected| {
                care.count_stock(medicine, lines, note, expected)
            }))
        }
        client { }

        /// Retrieve the supply of a prescription.
        ///
        /// Returns the quantity and the interval of its supplies.
        GetSupply "getSupply" GET "/prescriptions/{prescriptionId}/supply" {
            scope: PrescriptionsRead, tag: "Prescriptions", nature: Single, event: _,
            takes: Nothing, gives: model::Supply::record, reads: Prescription, misses: Prescription,
        }
        run { |request| single(request, supply, supply_as_of) }
        client { supply(id: model::PrescriptionId) -> model::Supply }

        /// Update the supply of a prescription.
        ///
        /// Changes only the members in the body: an absent member keeps its value, `null` clears it.
        UpdateSupply "updateSupply" PUT "/prescriptions/{prescriptionId}/supply" {
            scope: PrescriptionsWrite, tag: "Prescriptions", nature: VersionedChange(Changed),
            event: "prescription.updated",
            takes: Record ["Supply"] bodies::SupplyUpdate::record, gives: model::Supply::record, reads: _,
            misses: Prescription,
            conflicts: [UnpaidInvoice, PrescriptionCompleted],
        }
        run { |request| Box::pin(change(request, update_supply)) }
        client { update_supply(id: model::PrescriptionId; details: &model::SupplyDetails) -> model::Supply }

        /// Report on restocking.
        ///
        /// Advises on restocking from historic prescriptions, most urgent first.
        GetRestock "getRestock" GET "/restock" {
            scope: InventoryRead, tag: "Inventory", nature: Report, event: _,
            takes: Query [service::RestockQuery], gives: service::RestockReport::record, reads: _,
        }
        run { |request| Box::pin(reports::restock(request)) }
        client { asks restock(query: &service::RestockQuery) -> service::RestockReport }

        /// Play policies against the past.
        ///
        /// Plays the policies against the past of a tracked medicine, day by day and without looking ahead, beside what
        /// really happened. Settings that are given are tried instead of those that are stored.
        BacktestRestock "backtestRestock" GET "/restock/backtest" {
            scope: InventoryRead, tag: "Inventory", nature: Report, event: _,
            takes: Query [service::BacktestQuery, service::TriedSettings],
            gives: stock::Backtest::record, reads: _, misses: Stock,
        }
        run { |request| Box::pin(reports::backtest(request)) }
        client { }

        /// List all changes.
        ///
        /// Sorted by commit. Entries never change.
        ListJournal "listJournal" GET "/journal" {
            scope: Admin, tag: "Journal", nature: Journal, event: _,
            takes: Query [], gives: lists::journal_page, reads: _,
        }
        run { |request| Box::pin(lists::journal(request)) }
        client { }

        /// List events: what changed, without any value.
        ///
        /// The entries of the journal that changed something, each with its type and the records that it changed,
        /// without any value and any actor: read them with a key that may. Types may be added, and none is renamed:
        /// ignore those that you do not know.
        ListEvents "listEvents" GET "/events" {
            scope: EventsRead, tag: "Journal", nature: Journal, event: _,
            takes: Query [], gives: lists::event_page, reads: _,
        }
        run { |request| Box::pin(events::list(request)) }
        client { }

        /// Wait for changes.
        ///
        /// Waits for a journal entry after `after`, as long as `wait` says. Any valid key may ask: the answer reveals
        /// which kinds of records have changed, and no record.
        GetNews "getNews" GET "/news" {
            scope: None, tag: "Journal", nature: News, event: _,
            takes: Query [], gives: wire::News::record, reads: _,
        }
        run { |request| Box::pin(lists::news(request)) }
        client { }

        /// Report on what waits at the front desk.
        ///
        /// Any valid key may ask, and sees the parts that its scopes allow: `history:read` for `openVisits`,
        /// `prescriptions:read` for `withoutInvoice`, `invoice:read` for `unpaid` and `taken`, `inventory:read` for the
        /// others. `left` names the rest. Each part is counted to 1,000 and shows its first five records, alone its
        /// first 500, as far as they fit into 1 MiB. `orders` may be two seconds old.
        GetToday "getToday" GET "/today" {
            scope: None, tag: "Desk", nature: Day, event: _,
            takes: Query [service::DayQuery], gives: wire::Today::record, reads: _,
        }
        run { |request| Box::pin(today::today(request)) }
        client { asks today(query: &service::DayQuery) -> wire::Today<'static> }

        /// Retrieve the name and the scopes of the key.
        ///
        /// Any valid key may ask about itself, whatever its scopes.
        GetKey "getKey" GET "/key" {
            scope: None, tag: "Keys", nature: Plain, event: _,
            takes: Nothing, gives: wire::KeyFacts::record, reads: _,
        }
        run { |request| key(request) }
        client { key() -> wire::KeyFacts<'static> }

        /// Retrieve this document.
        ///
        /// Needs no key. The document exists only in JSON.
        GetOpenapi "getOpenapi" GET "/openapi.json" {
            scope: None, tag: "Document", nature: Document, event: _,
            takes: Nothing, gives: reports::document, reads: _,
        }
        run { |request| openapi(request) }
        client { openapi() -> Value }
    } };
}

//! The records of tracked medicines, in requests and in answers.

use crate::{
    model::{
        Basis, EveryDays, KeepDays, LeadDays, LotText, MaxDays, MinDays, MovementKind, MovementReason, Note, PackUnits,
        Policy, Quantity, ReviewDays, ServiceLevel, Shelf, UnitName, Units,
    },
    rest::openapi::values::{
        record::{Field, Record},
        value::{Value, amount, boolean, currency, date, identifier, medicine, price, ranged, said_text, words},
    },
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 13] {
    [
        stock(),
        stock_lot(),
        stored_stock(),
        new_stock(),
        opening_lot(),
        update(),
        movement(),
        new_movement(),
        count_input(),
        counted_lot(),
        supply(),
        supply_input(),
        answered_lot(),
    ]
}

const FAR: &str = "31/12/2027";

pub(super) fn lot() -> Field {
    Field::new("lot", said_text(LotText::MAX, "A1"), "The text on the pack, compared without normalisation.")
}

fn expires() -> Field {
    Field::new("expires", date(FAR), "The last day on which it is good.")
}

fn units(name: &'static str, meaning: &'static str) -> Field {
    Field::new(name, ranged(Units::MIN, Units::MAX, 100), meaning)
}

fn note() -> Field {
    Field::new("note", note_text(), "A note.")
}

fn note_text() -> Value {
    crate::rest::openapi::values::value::noted(Note::MAX, "shelf 2")
}

fn settings() -> Vec<Field> {
    let levels = ServiceLevel::ALL.iter().map(|level| crate::rest::openapi::values::node::Node::from(level.percent()));
    let level = crate::rest::openapi::values::node::object()
        .with("type", "integer")
        .with("enum", levels.collect::<crate::rest::openapi::values::node::Node>());
    vec![
        Field::new("medicine", medicine(), "The medicine in the path."),
        Field::new("unit", said_text(UnitName::MAX, "tablets"), "The name of a unit, the smallest thing handed out."),
        Field::new("packUnits", ranged(PackUnits::MIN, PackUnits::MAX, 20), "Units of a pack; orders are whole packs."),
        Field::new("supplyUnits", quantity(), "Units of a supply without a quantity."),
        Field::new(
            "keepDays",
            ranged(KeepDays::MIN, KeepDays::MAX, 7),
            "Days before its expiry on which a lot is no longer handed out.",
        ),
        Field::new("held", boolean(false), "Whether it is held back."),
        Field::new("ordered", amount(0), "Units on order."),
        Field::new("policy", words(policies()), "The policy by which the reorder level is computed."),
        Field::new("min", amount(20), "The reorder level of `minMax`."),
        Field::new("max", amount(200), "The level to which an order of `minMax` fills up."),
        Field::new("minDays", ranged(MinDays::MIN, MinDays::MAX, 30), "Days of demand at which `cover` orders."),
        Field::new(
            "maxDays",
            ranged(MaxDays::MIN, MaxDays::MAX, 90),
            "Days of demand to which an order of `cover` fills up.",
        ),
        Field::new("leadDays", ranged(LeadDays::MIN, LeadDays::MAX, 14), "The lead time of an order, in days."),
        Field::new(
            "reviewDays",
            ranged(ReviewDays::MIN, ReviewDays::MAX, 30),
            "The days for which an order of `service` is meant to last.",
        ),
        Field::new(
            "serviceLevel",
            Value::new(level, 95_i64),
            "The share of lead times without a shortage under `service`, in per cent.",
        ),
        Field::new("basis", words(bases()), "The figures that count as demand."),
    ]
}

fn policies() -> [&'static str; 4] {
    [Policy::Cover, Policy::MinMax, Policy::Service, Policy::None].map(Policy::as_str)
}

fn bases() -> [&'static str; 2] {
    [Basis::Dispensed, Basis::Prescribed].map(Basis::as_str)
}

pub(super) fn quantity() -> Value {
    ranged(Quantity::MIN, Quantity::MAX, 30)
}

pub(super) fn every_days() -> Value {
    ranged(EveryDays::MIN, EveryDays::MAX, 28)
}

fn derived(lot: &Record) -> Vec<Field> {
    let lots = lot.nested("lots").list().with("maxItems", Shelf::MAX_LOTS);
    vec![
        Field::new("onHand", amount(100), "All units."),
        Field::new("expired", amount(0), "Expired units."),
        Field::new("usable", amount(100), "Units that may be handed out."),
        Field::new("reserved", amount(0), "Units reserved by unpaid invoices."),
        Field::new("available", amount(100), "Usable units that are not reserved."),
        Field::new("lots", lots, "The open lots, as they are handed out."),
    ]
}

const ALWAYS: &[&str] = &[
    "medicine",
    "unit",
    "packUnits",
    "supplyUnits",
    "keepDays",
    "held",
    "ordered",
    "policy",
    "minDays",
    "maxDays",
    "leadDays",
    "reviewDays",
    "serviceLevel",
    "basis",
    "onHand",
    "expired",
    "usable",
    "reserved",
    "available",
    "lots",
];

pub(crate) fn stock() -> Record {
    let fields = settings().into_iter().chain(derived(&stock_lot())).collect();
    Record::new("Stock", "The stock of a tracked medicine.", fields).rooted("Stock").requiring(ALWAYS)
}

pub(super) fn stored_stock() -> Record {
    let reserved = Field::new("reserved", amount(0), "Units reserved by unpaid invoices.");
    let fields = settings().into_iter().chain([reserved]).collect();
    let what = "A stock as it is stored, without its lots, which its movements tell, and without the figures that \
                depend on the day.";
    Record::new("StoredStock", what, fields).requiring(&["medicine", "unit", "reserved"])
}

pub(super) fn stock_lot() -> Record {
    Record::new("StockLot", "An open lot.", open_lot()).requiring(&["onHand"]).with(usable())
}

fn answered_lot() -> Record {
    let description = "An open lot as it was answered, sent back without effect.";
    Record::new("StockLotInput", description, open_lot()).with(usable()).input()
}

fn open_lot() -> Vec<Field> {
    vec![lot(), expires(), units("onHand", "The number of its units.")]
}

fn usable() -> Field {
    Field::new("usable", boolean(true), "Whether it may be handed out.")
}

pub(crate) fn new_stock() -> Record {
    let opening = opening_lot().nested("opening").list().with("maxItems", Shelf::MAX_LOTS);
    let opening = Field::new("opening", opening, "The lots in stock at the start, each once.");
    let fields = settings().into_iter().chain([opening]).collect();
    Record::new("NewStockInput", "The settings of a new stock. An absent member has its default.", fields)
        .rooted("Stock")
        .requiring(&["unit"])
        .input()
}

pub(super) fn opening_lot() -> Record {
    let fields = vec![lot(), expires(), units("units", "The number of its units.")];
    Record::new("OpeningLotInput", "A lot in stock at the start.", fields).requiring(&["units"]).input()
}

pub(crate) fn update() -> Record {
    let never_null = |field: Field| if field.name() == "unit" { field.never_null() } else { field };
    let fields = settings().into_iter().map(never_null).chain(derived(&answered_lot())).collect();
    let description = "What an update says about the settings of a stock. An absent member keeps its value, `null` \
                       goes back to the default (`unit` has none). What is derived may be sent back, without effect.";
    Record::new("StockInput", description, fields).rooted("Stock").input()
}

fn kinds() -> [&'static str; 6] {
    use MovementKind::{Adjustment, Dispense, Receipt, Removal, Return, Reversal};
    [Receipt, Dispense, Return, Removal, Adjustment, Reversal].map(MovementKind::as_str)
}

pub(crate) fn kind() -> Value {
    use MovementKind::{Adjustment, Dispense, Receipt, Removal, Return, Reversal};
    words([Dispense, Receipt, Return, Removal, Adjustment, Reversal].map(MovementKind::as_str))
}

pub(super) fn lot_text() -> Value {
    // An empty value means lots without a text.
    Value::new(
        crate::rest::openapi::values::node::object().with("type", "string").with("maxLength", LotText::MAX),
        "A1",
    )
}

pub(crate) fn movement() -> Record {
    use MovementReason::{Count, Damaged, Expired, Lost, Opening, Other, Recalled, Supplier};
    let reasons = [Expired, Damaged, Lost, Recalled, Supplier, Other, Opening, Count].map(MovementReason::as_str);
    let signed = ranged(-Units::MAX, Units::MAX, 100);
    let fields = vec![
        Field::new("movementId", identifier(1), "The number, without gaps."),
        Field::new("medicine", medicine(), "The medicine."),
        Field::new("kind", words(kinds()), "The kind of movement."),
        Field::new("reason", words(reasons), "The reason of a removal or an adjustment."),
        Field::new("units", signed, "The units that came, or left when negative; never 0."),
        Field::new("balance", amount(100), "The units of the medicine afterwards."),
        lot(),
        expires(),
        Field::new("day", date("15/03/2026"), "The facility's day."),
        Field::new("invoiceId", identifier(1), "The invoice whose payment took the units, or whose units came back."),
        Field::new("prescriptionId", identifier(1), "The prescription of that invoice."),
        Field::new("reverses", identifier(1), "The movement that this one reverses."),
        Field::new("cost", price(), "The total cost of a receipt, in whole units of the currency."),
        Field::new("currency", currency(), "Currency code of the cost."),
        Field::new(
            "fromOrder",
            ranged(Units::MIN, Units::MAX, 60),
            "The units that a receipt took from what was on order, which its reversal gives back; absent for none.",
        ),
        note(),
    ];
    Record::new("Movement", "A line of the ledger: units that came to a lot or left it.", fields)
        .rooted("Movement")
        .requiring(&["movementId", "medicine", "kind", "units", "balance", "day"])
}

pub(crate) fn new_movement() -> Record {
    let reasons = ["expired", "damaged", "lost", "recalled", "supplier", "other"];
    let fields = vec![
        Field::new("kind", words(["receipt", "return", "removal"]), "The kind of movement."),
        units("units", "The number of units."),
        lot(),
        expires(),
        Field::new("reason", words(reasons), "The reason of a removal; `other` needs a note.").aside(),
        Field::new("invoiceId", identifier(1), "The invoice whose units come back.").aside(),
        Field::new("cost", price(), "The total cost of a receipt, in whole units of the currency."),
        Field::new("currency", currency(), "Currency code of the cost."),
        note(),
    ];
    Record::new(
        "MovementInput",
        "Units that come or leave. Each kind has members of its own; a cost has a currency, and a currency a cost.",
        fields,
    )
    .rooted("Movement")
    .requiring(&["kind", "units"])
    .input()
}

pub(crate) fn count_input() -> Record {
    let lines = counted_lot().nested("lines").list().with("minItems", 1_i64).with("maxItems", Shelf::MAX_LOTS);
    let fields = vec![Field::new("lines", lines, "The counted lots, each once; others stay."), note()];
    Record::new("CountInput", "A count of a medicine.", fields).rooted("Count").requiring(&["lines"]).input()
}

pub(super) fn counted_lot() -> Record {
    let fields = vec![lot(), expires(), Field::new("counted", amount(98), "The counted units.")];
    Record::new("CountedLotInput", "A counted lot.", fields).requiring(&["counted"]).input()
}

fn supplied(id: Field) -> Vec<Field> {
    vec![
        id,
        Field::new("quantity", quantity(), "Units of one supply."),
        Field::new("everyDays", every_days(), "Days between supplies while the prescription is regular."),
    ]
}

pub(crate) fn supply() -> Record {
    let id = Field::new("prescriptionId", identifier(1), "The prescription.");
    Record::new("Supply", "The quantity and the interval of a prescription.", supplied(id))
        .rooted("Supply")
        .requiring(&["prescriptionId"])
}

pub(crate) fn supply_input() -> Record {
    let id = Field::new("prescriptionId", identifier(1), "Must be the prescription in the path.");
    let description = "An update of a supply. An absent member keeps its value, `null` clears it.";
    Record::new("SupplyInput", description, supplied(id)).rooted("Supply").input()
}

/// Returns the members of a prescription's supply, for new and listed prescriptions.
pub(super) fn supply_fields() -> [Field; 2] {
    [
        Field::new("quantity", quantity(), "Units of one supply."),
        Field::new("everyDays", every_days(), "Days between supplies while the prescription is regular."),
    ]
}

/// Returns the member of an invoice with its reserved units.
pub(super) fn quantity_field() -> Field {
    Field::new("quantity", quantity(), "Units that it reserves, or took when it was paid.")
}

/// Returns the value of a planning setting.
pub(super) fn setting(name: &str) -> Value {
    let found = settings().into_iter().find(|field| field.name() == name);
    found.map_or_else(|| amount(0), Field::into_value)
}

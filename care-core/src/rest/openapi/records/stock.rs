//! The records of tracked medicines, in requests and in answers.

use crate::{
    model::{LotText, Movement, Note, Shelf, Supply, Units},
    rest::openapi::values::{
        record::{Documented, Field, Record},
        value::{Value, amount, currency, date, identifier, noted, price, ranged, said_text, words},
    },
    wire::{Lot, Stock},
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 13] {
    [
        Stock::record(),
        Lot::record(),
        stored_stock(),
        new_stock(),
        opening_lot(),
        update(),
        Movement::record(),
        new_movement(),
        count_input(),
        counted_lot(),
        Supply::record(),
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
    noted(Note::MAX, "shelf 2")
}

/// The members of a stock that are not stored with it.
const DERIVED: [&str; 5] = ["onHand", "expired", "usable", "available", "lots"];

pub(super) fn stored_stock() -> Record {
    let what = "A stock as it is stored, without its lots, which its movements tell, and without the figures that \
                depend on the day.";
    Stock::record().named("StoredStock", what).without(&DERIVED).requiring(&["medicine", "unit", "reserved"])
}

fn answered_lot() -> Record {
    let description = "An open lot as it was answered, sent back without effect.";
    Lot::record().named("StockLotInput", description).requiring(&[]).input()
}

pub(crate) fn new_stock() -> Record {
    let opening = opening_lot().nested("opening").list().with("maxItems", Shelf::MAX_LOTS);
    let opening = Field::new("opening", opening, "The lots in stock at the start, each once.");
    Stock::record()
        .named("NewStockInput", "The settings of a new stock. An absent member has its default.")
        .rooted("Stock")
        .without(&DERIVED)
        .without(&["reserved"])
        .changing("medicine", |field| field.meaning("The medicine in the path."))
        .with(opening)
        .requiring(&["unit"])
        .input()
}

pub(super) fn opening_lot() -> Record {
    let fields = vec![lot(), expires(), units("units", "The number of its units.")];
    Record::new("OpeningLotInput", "A lot in stock at the start.", fields).requiring(&["units"]).input()
}

pub(crate) fn update() -> Record {
    let description = "What an update says about the settings of a stock. An absent member keeps its value, `null` \
                       goes back to the default (`unit` has none). What is derived may be sent back, without effect.";
    let lots = answered_lot().nested("lots").list().with("maxItems", Shelf::MAX_LOTS);
    Stock::record()
        .named("StockInput", description)
        .rooted("Stock")
        .requiring(&[])
        .changing("medicine", |field| field.meaning("The medicine in the path."))
        .changing("unit", Field::never_null)
        .changing("lots", |_| Field::new("lots", lots, "The open lots, as they are handed out."))
        .input()
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

pub(crate) fn supply_input() -> Record {
    let description = "An update of a supply. An absent member keeps its value, `null` clears it.";
    Supply::record()
        .named("SupplyInput", description)
        .rooted("Supply")
        .requiring(&[])
        .changing("prescriptionId", |field| field.meaning("Must be the prescription in the path."))
        .input()
}

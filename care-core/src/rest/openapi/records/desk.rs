//! The records that wait at the front desk today.

use crate::{
    model::{Item, PatientConsultation},
    rest::openapi::values::{
        record::{Documented, Field, Record},
        value::{Described, boolean, count, date, plain_text},
    },
    service::{CurrencyAmount, CurrencyTotal, DayPart, RestockItem},
    wire::{Invoice, Prescription, Stock},
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 8] {
    [
        today(),
        open_visits(),
        without_invoice(),
        unpaid(),
        out_with_demand(),
        expiring(),
        orders(),
        CurrencyAmount::record(),
    ]
}

pub(crate) fn today() -> Record {
    let field = |part: Record, name, meaning| Field::new(name, part.nested(name), meaning);
    let taken = Vec::<CurrencyTotal>::described("taken");
    let left = DayPart::described("").list();
    let fields = vec![
        Field::new("day", date("15/03/2026"), "The facility's day."),
        field(open_visits(), "openVisits", "Open consultations, by number."),
        field(
            without_invoice(),
            "withoutInvoice",
            "Active prescriptions that are not regular and have no unpaid invoice, by number.",
        ),
        field(unpaid(), "unpaid", "Unpaid invoices, by number."),
        field(
            out_with_demand(),
            "outWithDemand",
            "Medicines of the inventory that are not available and have an active prescription, by name.",
        ),
        field(expiring(), "expiring", "Stocks with a lot that expires within `keepDays` and 30 days, by name."),
        field(orders(), "orders", "Items of the restock report whose order is above 0, most urgent first."),
        Field::new("taken", taken, "The totals of the day's takings, by currency and method."),
        beyond(
            "The currencies that `taken` leaves out, as a sum is beyond ±(2^53-1); empty for none. Absent without any.",
        ),
        Field::new("left", left, "The parts that are left out because the key lacks their scope; absent without any."),
    ];
    Record::new("Today", "What waits at the front desk today.", fields).rooted("Today").requiring(&["day"])
}

fn open_visits() -> Record {
    part_of("OpenVisits", "Open consultations.", &PatientConsultation::record())
}

fn without_invoice() -> Record {
    part_of("WithoutInvoice", "Prescriptions to invoice.", &Prescription::record())
}

fn unpaid() -> Record {
    let totals = Vec::<CurrencyAmount>::described("totals");
    let meaning = "The prices of the counted ones by currency, those without one last.";
    part_of("Unpaid", "Unpaid invoices.", &Invoice::record())
        .with(Field::new("totals", totals, meaning))
        .with(beyond("The currencies that `totals` leaves out likewise. Absent without any."))
        .requiring(&["count", "items", "totals"])
}

fn out_with_demand() -> Record {
    part_of("OutWithDemand", "Medicines that are wanted and not there.", &Item::record())
}

fn expiring() -> Record {
    part_of("Expiring", "Stocks that expire soon.", &Stock::record())
}

fn orders() -> Record {
    part_of("Orders", "Medicines to order.", &RestockItem::record())
}

/// Returns the codes of currencies without a total.
fn beyond(meaning: &'static str) -> Field {
    Field::new("beyond", plain_text("JPY").list(), meaning).aside()
}

/// Returns a part of the day with these records.
fn part_of(name: &'static str, description: &'static str, item: &Record) -> Record {
    let fields = vec![
        Field::new("count", count(1), "The number of records, counted to 1,000."),
        Field::new("more", boolean(true), "Whether there may be more than were counted; absent otherwise."),
        Field::new("items", item.nested("items").list(), "The first of them, as their list shows them."),
    ];
    Record::new(name, description, fields).requiring(&["count", "items"])
}

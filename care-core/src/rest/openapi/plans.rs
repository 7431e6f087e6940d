//! Plans of the restock report, and back-tests.

use super::{
    node::object,
    record::{Field, Record},
    stock::lot,
    values::{Value, amount, count, date, medicine, plain_text, words},
};

/// Returns all of them.
pub(super) fn all() -> [Record; 4] {
    [plan(), at_risk(), backtest(), backtest_row()]
}

fn decimals(example: f64) -> Value {
    Value::new(object().with("type", "number").with("format", "double").with("minimum", 0_i64), example)
}

fn whole(example: i64) -> Value {
    Value::new(object().with("type", "integer").with("format", "int64"), example)
}

pub(super) fn plan() -> Record {
    let fields = vec![
        Field::new("policy", words(["cover", "minMax", "service"]), "How the reorder level was found."),
        Field::new("basis", words(["dispensed", "prescribed"]), "What was counted as demand."),
        Field::new("windowDays", count(180), "Days that were looked at."),
        Field::new("exposedDays", count(168), "Days on which demand could be seen."),
        Field::new("stockOutDays", count(12), "Days without stock."),
        Field::new("dispensed", count(420), "Units of demand, apart from regular prescriptions."),
        Field::new("refillUnitsMonthly", decimals(64.29), "What regular prescriptions take in 30 days."),
        Field::new("unitsMonthly", decimals(75.5), "What the others take in 30 days."),
        Field::new("safetyStock", count(0), "Units of the reorder level that guard against spread."),
        Field::new("reorderAt", count(140), "An order is due when the position is not above this."),
        Field::new("upTo", count(418), "The position that an order fills up to."),
        Field::new("available", amount(80), "Usable units that are not reserved."),
        Field::new("ordered", amount(10), "Units that are on their way."),
        Field::new("waiting", count(6), "Units of prescriptions that wait for an invoice."),
        Field::new("position", whole(84), "Available and ordered, less waiting."),
        Field::new("order", count(350), "Units to order now."),
        Field::new("packs", count(7), "Packs to order now."),
        Field::new("coverDays", count(17), "Whole days that the available units last; absent without demand."),
        Field::new("stockOutOn", date("01/04/2026"), "The day on which they are used up."),
        Field::new("atRisk", at_risk().nested("atRisk").list(), "Lots that will not be used up in time."),
        Field::new("confidence", words(["low", "high"]), "Whether there were enough days to tell."),
        Field::new("because", plain_text("80 available + 10 ordered - 6 waiting = 84").list(), "The arithmetic."),
    ];
    Record::new("Plan", "What the stock of a medicine says about restocking.", fields).requiring(&[
        "policy",
        "basis",
        "windowDays",
        "exposedDays",
        "stockOutDays",
        "dispensed",
        "refillUnitsMonthly",
        "unitsMonthly",
        "safetyStock",
        "reorderAt",
        "upTo",
        "available",
        "ordered",
        "waiting",
        "position",
        "order",
        "packs",
        "atRisk",
        "confidence",
        "because",
    ])
}

pub(super) fn at_risk() -> Record {
    let fields = vec![
        lot(),
        Field::new("expires", date("31/12/2027"), "The last day that it is good for."),
        Field::new("units", amount(20), "Units that will be left."),
    ];
    Record::new("AtRisk", "A lot of which units will be left.", fields).requiring(&["expires", "units"])
}

pub(super) fn backtest() -> Record {
    let fields = vec![
        Field::new("medicine", medicine(), "The medicine."),
        Field::new("from", date("16/12/2025"), "The first day that was played."),
        Field::new("to", date("15/03/2026"), "The last day that was played."),
        Field::new("rows", backtest_row().nested("rows").list(), "What really happened, then each policy."),
    ];
    Record::new("Backtest", "What policies would have made of the past.", fields)
        .rooted("Backtest")
        .requiring(&["medicine", "from", "to", "rows"])
}

pub(super) fn backtest_row() -> Record {
    let policies = ["actual", "minMax", "cover", "service", "naive"];
    let fields = vec![
        Field::new("policy", words(policies), "What decided about orders."),
        Field::new("demand", count(1200), "Units that were wanted."),
        Field::new("served", count(800), "Units that were handed out."),
        Field::new("fillRate", count(6667), "Served of the demand, in hundredths of a percent."),
        Field::new("stockOutDays", count(40), "Days without stock."),
        Field::new("orders", count(2), "How many orders there were."),
        Field::new("ordered", count(800), "Units ordered."),
        Field::new("averageStock", decimals(130.5), "Mean of the units at the end of the days."),
        Field::new("endStock", count(0), "Units at the end of the last day."),
    ];
    Record::new("BacktestRow", "What became of the period under one policy.", fields).requiring(&[
        "policy",
        "demand",
        "served",
        "fillRate",
        "stockOutDays",
        "orders",
        "ordered",
        "averageStock",
        "endStock",
    ])
}

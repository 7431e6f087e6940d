//! Plans of the restock report, and back-tests.

use super::stock::lot;
use crate::rest::openapi::values::{
    node::object,
    record::{Field, Record},
    value::{Value, amount, count, date, medicine, plain_text, words},
};

/// Returns all of them.
pub(crate) fn all() -> [Record; 6] {
    [plan(), at_risk(), reasoning(), figure(), backtest(), backtest_row()]
}

fn decimals(example: f64) -> Value {
    Value::new(object().with("type", "number").with("format", "double").with("minimum", 0_i64), example)
}

fn whole(example: i64) -> Value {
    Value::new(object().with("type", "integer").with("format", "int64"), example)
}

pub(super) fn plan() -> Record {
    let fields = vec![
        Field::new(
            "policy",
            words(["cover", "minMax", "service"]),
            "The policy of the stock's settings. With low confidence, `service` is computed as `cover` is.",
        ),
        Field::new("basis", words(["dispensed", "prescribed"]), "The figures that count as demand."),
        Field::new("windowDays", count(180), "Days of the window."),
        Field::new("exposedDays", count(168), "Days on which demand could be observed."),
        Field::new("stockOutDays", count(12), "Days without stock."),
        Field::new("dispensed", count(420), "Units of demand, without regular prescriptions."),
        Field::new("refillUnitsMonthly", decimals(64.29), "Units that regular prescriptions need in 30 days."),
        Field::new("unitsMonthly", decimals(75.5), "Units that other prescriptions need in 30 days."),
        Field::new("safetyStock", count(0), "The part of the reorder level that covers variation of the demand."),
        Field::new("reorderAt", count(140), "The reorder level: an order is due when the position is not above it."),
        Field::new("upTo", count(418), "The position to which an order fills up."),
        Field::new("available", amount(80), "Usable units that are not reserved."),
        Field::new("ordered", amount(10), "Units on order."),
        Field::new("waiting", count(6), "Units of prescriptions without an invoice."),
        Field::new("position", whole(84), "Available and ordered, less waiting."),
        Field::new("order", count(350), "Units to order now."),
        Field::new("packs", count(7), "Packs to order now."),
        Field::new("coverDays", count(17), "Whole days for which the available units last; absent without demand."),
        Field::new("stockOutOn", date("01/04/2026"), "The day on which they are used up."),
        Field::new("atRisk", at_risk().nested("atRisk").list(), "Lots that will expire before they are used up."),
        Field::new("confidence", words(["low", "high"]), "The reliability of the figures."),
        Field::new(
            "because",
            plain_text("80 available + 10 ordered - 6 waiting = 84").list(),
            "The computation, in at most 12 sentences of at most 300 characters.",
        ),
        Field::new(
            "steps",
            reasoning().nested("steps").list(),
            "The rule and the figures of each sentence in `because`.",
        ),
    ];
    Record::new("Plan", "Advice on restocking, computed from the stock of a medicine.", fields).requiring(&[
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
        "steps",
    ])
}

pub(super) fn reasoning() -> Record {
    let fields = vec![
        Field::new("rule", plain_text("position"), "The name of the rule. Rules may be added, and none is renamed."),
        Field::new("figures", figure().nested("figures").list(), "The figures, in the order of the sentence."),
    ];
    Record::new("Reasoning", "A sentence without its words, to be said in another language.", fields)
        .requiring(&["rule", "figures"])
}

pub(super) fn figure() -> Record {
    let fields = vec![
        Field::new("name", plain_text("available"), "The name of the figure."),
        Field::new("value", plain_text("80"), "The figure as the sentence has it."),
    ];
    Record::new("Figure", "A figure in a sentence.", fields).requiring(&["name", "value"])
}

pub(super) fn at_risk() -> Record {
    let fields = vec![
        lot(),
        Field::new("expires", date("31/12/2027"), "The last day on which it is good."),
        Field::new("units", amount(20), "Units that will be left."),
    ];
    Record::new("AtRisk", "A lot that will have units left when it expires.", fields).requiring(&["expires", "units"])
}

pub(crate) fn backtest() -> Record {
    let fields = vec![
        Field::new("medicine", medicine(), "The medicine."),
        Field::new("from", date("16/12/2025"), "The first simulated day."),
        Field::new("to", date("15/03/2026"), "The last simulated day."),
        Field::new("rows", backtest_row().nested("rows").list(), "The actual events, then each policy."),
    ];
    Record::new("Backtest", "The results of policies in the past.", fields)
        .rooted("Backtest")
        .requiring(&["medicine", "from", "to", "rows"])
}

pub(super) fn backtest_row() -> Record {
    let policies = ["actual", "minMax", "cover", "service", "naive"];
    let fields = vec![
        Field::new("policy", words(policies), "The policy of the row."),
        Field::new("demand", count(1200), "Units demanded."),
        Field::new("served", count(800), "Units handed out."),
        Field::new("fillRate", count(6667), "The served share of the demand, in hundredths of a per cent."),
        Field::new("stockOutDays", count(40), "Days without stock."),
        Field::new("orders", count(2), "The number of orders."),
        Field::new("ordered", count(800), "Units ordered."),
        Field::new("averageStock", decimals(130.5), "The mean stock at the end of the days."),
        Field::new("endStock", count(0), "Units at the end of the last day."),
    ];
    Record::new("BacktestRow", "The result of the period under one policy.", fields).requiring(&[
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

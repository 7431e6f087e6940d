//! The front desk: a visit that is one bill.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    Verdict,
    browser::Answer,
    process::Server,
    stage::{Stage, ask},
};

/// Records a visit of the first patient with two medicines in two currencies, and returns its number.
///
/// Zinc is tracked in units, and iron is not.
fn visit(server: &Server) -> Answer<Value> {
    ask(server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4, "currency": "EUR" })))?;
    ask(server, "POST", "/inventory/Iron%2050", Some(json!({ "price": 7, "currency": "USD" })))?;
    let opening = json!([{ "units": 400, "lot": "A1", "expires": "31/03/2099" }]);
    ask(
        server,
        "POST",
        "/inventory/Zinc%2010/stock",
        Some(json!({ "unit": "tablets", "supplyUnits": 10, "opening": opening })),
    )?;
    let prescriptions = json!([{ "medicine": "Zinc 10" }, { "medicine": "Iron 50" }]);
    let body = json!({ "patientId": 1, "diseases": ["hay fever"], "prescriptions": prescriptions });
    let (_, visit) = ask(server, "POST", "/consultations", Some(body))?;
    Ok(visit["consultationId"].clone())
}

/// Checks that the invoices of a visit are issued, paid and printed together, and that a refused payment keeps none of
/// the others.
pub(crate) fn bill(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let number = visit(&server)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show(&format!("/visits/{number}"))?;
    page.says("Nothing of this visit has been invoiced.")?;
    page.click("Invoice all")?;
    page.says("Bill of the visit")?;
    let line = |medicine: &str, text: &str| {
        page.wait_for(&format!(
            "[...document.querySelectorAll('.paper tbody tr')].some((row) => row.innerText.includes({}) && \
             row.innerText.includes({}))",
            json!(medicine),
            json!(text)
        ))
    };
    line("Zinc 10", "unpaid")?;
    line("Zinc 10", "10")?;
    line("Iron 50", "unpaid")?;

    // The shelf is held: its line says so, and the other is paid.
    ask(&server, "PUT", "/inventory/Zinc%2010/stock", Some(json!({ "held": true })))?;
    page.click("Take the payments")?;
    page.says("1 invoice is paid, and the history is updated. 1 invoice is not paid: the reason stands at its line.")?;
    line("Iron 50", "paid")?;
    line("Zinc 10", "unpaid")?;
    page.wait_for("document.querySelectorAll('.paper .refusal').length === 1")?;
    page.says("Still to pay")?;
    ask(&server, "PUT", "/inventory/Zinc%2010/stock", Some(json!({ "held": false })))?;
    page.click("Take the payments")?;
    page.says("10 × lot A1, until 31 Mar 2099")?;
    page.wait_for("document.querySelector('.paper .refusal') === null")?;
    let (_, receipts) = ask(&server, "GET", "/receipts?limit=500", None)?;
    let paid = receipts["items"].as_array().into_iter().flatten().rev().take(2);
    let paid: Vec<_> = paid.map(|one| (one["amount"].as_i64(), one["currency"].as_str())).collect();
    if paid != [(Some(4), Some("EUR")), (Some(7), Some("USD"))] {
        return Err(format!("the receipts are {receipts}").into());
    }

    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "print" }))?;
    let printed = page.is("document.body.innerText")?;
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "" }))?;
    let printed = printed.as_str().unwrap_or_default();
    let wanted = ["Ada Example", "Zinc 10", "Iron 50", "10 × lot A1", "EUR\u{a0}4", "USD\u{a0}7"];
    let missing: Vec<_> = wanted.iter().filter(|text| !printed.contains(**text)).collect();
    if !missing.is_empty() || printed.matches("Sum").count() != 2 || printed.contains("Take the payments") {
        return Err(format!("{missing:?} is missing on the paper: {printed}").into());
    }

    // The way goes on, and back to the same bill. Each state stands with its own invoices.
    let (_, invoices) = ask(&server, "GET", "/invoice?patientId=1&state=paid&limit=500", None)?;
    let number = |medicine: &str| {
        let mut all = invoices["items"].as_array().into_iter().flatten().rev();
        all.find(|one| one["medicine"] == medicine).and_then(|one| one["invoiceId"].as_i64()).unwrap_or_default()
    };
    let [zinc, iron] = ["Zinc 10", "Iron 50"].map(number);
    ask(&server, "POST", &format!("/invoice/{zinc}/refund"), Some(json!({ "reason": "wrongEntry" })))?;
    page.click("The visit")?;
    page.says("hay fever")?;
    let states = "[...document.querySelectorAll('.screen li .pill')].map((one) => one.textContent).join()";
    page.wait_for(&format!("{states} === 'paid: {iron},refunded: {zinc}'"))?;
    page.wait_for("document.querySelector('.screen a[href*=\"/bill/\"]') !== null")?;
    page.browser.run("document.querySelector('.screen a[href*=\"/bill/\"]').click()", &[])?;
    line("Iron 50", "paid")?;
    page.browser.run("document.querySelector('.paper a').click()", &[])?;
    page.within(Duration::from_secs(5), "location.hash.startsWith('#/bills/')")?;
    page.wait_for("[...document.querySelectorAll('.head a')].some((one) => one.textContent === 'The visit')")?;
    page.click("The patient")?;
    page.says("hay fever")?;
    page.is_clean()
}

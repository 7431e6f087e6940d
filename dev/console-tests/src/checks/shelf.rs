//! The stock of a medicine in units.

use serde_json::{Value, json};

use super::drafts::OFFER;
use crate::{
    Verdict,
    page::Page,
    process::Server,
    stage::{Stage, ask},
};

const STOCK: &str = "/inventory/Zinc%2010/stock";

pub(crate) fn day(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    ask(&server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4, "currency": "EUR" })))?;
    page.show("/inventory")?;
    page.says("Zinc 10")?;
    page.click("Stock: Zinc 10")?;
    page.says("Its availability then depends on what is on the shelf.")?;
    page.fill("unit", "tablets")?;
    page.fill("supplyUnits", "30")?;
    page.fill("opening[0].units", "40")?;
    page.fill("lot", "A1")?;
    page.browser.run("document.querySelector('[name=expires]').value = '2099-03-31'", &[])?;
    page.click("Track in units")?;
    page.says("The medicine is tracked in units now.")?;
    page.says("40 tablets")?;

    let send = "[...document.querySelectorAll('form button[type=submit]')].at(-1).click()";
    page.click("Receive")?;
    page.fill("units", "200")?;
    page.fill("lot", "B7")?;
    page.browser.run("document.querySelector('[name=expires]').value = '2099-12-31'", &[])?;
    page.browser.run(send, &[])?;
    page.says("240 tablets")?;
    page.click("Remove")?;
    page.fill("units", "500")?;
    page.browser.run(send, &[])?;
    page.wait_for("document.querySelector('.refusal[role=alert]') !== null")?;
    page.fill("units", "5")?;
    page.browser.run(send, &[])?;
    page.says("235 tablets")?;

    // Units move between counting and writing, so the count is refused.
    page.click("Count")?;
    page.wait_for(
        "document.querySelector('form [name=lot]').closest('fieldset').textContent.startsWith('A lot that')",
    )?;
    page.fill("counted", "33")?;
    let receipt = json!({ "kind": "receipt", "units": 10, "lot": "B7", "expires": "31/12/2099" });
    ask(&server, "POST", "/inventory/Zinc%2010/movements", Some(receipt))?;
    page.says("245 tablets")?;
    page.browser.run(send, &[])?;
    page.says("Units were moved while you counted.")?;
    // The lots are those of now, with what was typed.
    page.wait_for("document.querySelector('[name=counted]').value === '33'")?;
    page.wait_for("[...document.querySelectorAll('form .hint')].some((one) => one.textContent === '210 tablets')")?;
    page.browser.run(send, &[])?;
    page.says("The count is entered.")?;
    page.says("243 tablets")?;

    page.click("Hold back")?;
    page.says("held back")?;
    let (_, held) = ask(&server, "GET", "/inventory/Zinc%2010", None)?;
    if held["isAvailable"] != json!(false) {
        return Err(format!("a held medicine is {held}").into());
    }
    page.click("Lift the hold")?;
    page.wait_for("!document.body.innerText.includes('held back')")?;

    // The invoice shows the lots to hand out, those that expire first at the top.
    page.show("/patients/1/visit")?;
    page.fill("medicine", "Zinc 10")?;
    page.fill("quantity", "40")?;
    page.click("Record the visit")?;
    page.says("The visit is recorded.")?;
    page.says("Issue the invoice")?;
    page.click("Issue the invoice: Zinc 10")?;
    page.says("Take the payment")?;
    page.click("Take the payment")?;
    page.says("33 × lot A1, until 31 Mar 2099")?;
    page.says("7 × lot B7, until 31 Dec 2099")?;
    let (_, left) = ask(&server, "GET", STOCK, None)?;
    if left["onHand"] != json!(203) {
        return Err(format!("left is {left}").into());
    }

    // A patient brings some of them back, to the lot that they came from.
    page.click("Take units back from the patient")?;
    page.fill("units", "3")?;
    page.browser.run(send, &[])?;
    page.says("The units are back on the shelf.")?;
    let (_, left) = ask(&server, "GET", STOCK, None)?;
    if left["onHand"] != json!(206) {
        return Err(format!("left is {left}").into());
    }

    // A receipt that was entered by mistake is reversed; both stay on the card.
    page.show("/inventory/stock/Zinc%2010")?;
    page.wait_for("document.querySelector('[aria-label^=\"Take back: received\"]') !== null")?;
    page.browser.run("document.querySelector('[aria-label^=\"Take back: received\"]').click()", &[])?;
    page.says("Reverse this movement?")?;
    page.browser.run("document.querySelector('dialog .danger').click()", &[])?;
    page.says("The movement is reversed.")?;
    page.says("196 tablets")?;
    page.is_clean()
}

/// Checks that a removal goes to the lot that was chosen, whatever else came to the shelf or left it before it was
/// sent.
pub(crate) fn lots(stage: &Stage) -> Verdict {
    const MOVEMENTS: &str = "/inventory/Zinc%2010/movements";
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    ask(&server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4 })))?;
    let opening = json!([
        { "units": 10, "lot": "B2", "expires": "28/02/2099" },
        { "units": 10, "lot": "C3", "expires": "31/03/2099" },
    ]);
    ask(&server, "POST", STOCK, Some(json!({ "unit": "tablets", "opening": opening })))?;
    let left = |wanted: Value| -> Verdict {
        let (_, stock) = ask(&server, "GET", STOCK, None)?;
        let lots = stock["lots"].as_array().into_iter().flatten();
        let found: Vec<Value> = lots.map(|lot| json!([lot["lot"], lot["onHand"]])).collect();
        if json!(found) == wanted { Ok(()) } else { Err(format!("the shelf has {found:?}").into()) }
    };
    page.show("/inventory/stock/Zinc%2010")?;
    choose(&page, "lot C3", 3)?;
    let earlier = json!({ "kind": "receipt", "units": 10, "lot": "A1", "expires": "31/01/2099" });
    ask(&server, "POST", MOVEMENTS, Some(earlier))?;
    page.says("30 tablets")?;
    send_kept(&page)?;
    page.says("27 tablets")?;
    left(json!([["A1", 10], ["B2", 10], ["C3", 7]]))?;

    // A colleague uses up the chosen lot: no other lot takes its place.
    choose(&page, "lot C3", 3)?;
    let last = json!({ "kind": "removal", "units": 7, "reason": "lost", "lot": "C3", "expires": "31/03/2099" });
    ask(&server, "POST", MOVEMENTS, Some(last))?;
    page.says("20 tablets")?;
    send_kept(&page)?;
    page.says("Choose a lot")?;
    left(json!([["A1", 10], ["B2", 10]]))?;
    page.is_clean()
}

/// Fills in a removal from this lot, and closes its form without sending it.
fn choose(page: &Page, lot: &str, units: u8) -> Verdict {
    page.click("Remove")?;
    page.wait_for("document.querySelector('form select') !== null")?;
    let script = "const select = document.querySelector('form select');
        select.selectedIndex = [...select.options].findIndex((one) => one.text.includes(arguments[0]));
        select.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.run(script, &[json!(lot)])?;
    page.fill("units", &units.to_string())?;
    page.click("Close")
}

/// Opens the form of a removal again, takes what was kept of it, and sends it.
fn send_kept(page: &Page) -> Verdict {
    page.click("Remove")?;
    page.says(OFFER)?;
    page.click("Restore it")?;
    page.browser.run("document.querySelector('form button[type=submit]').click()", &[]).map(drop)
}

/// Reads the advice on a medicine, with its drawing, its arithmetic and the back-test.
pub(crate) fn advice(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let (_, report) = ask(&server, "GET", "/restock?limit=5000", None)?;
    let planned = report["items"].as_array().into_iter().flatten().find(|item| item["plan"]["dispensed"] != json!(0));
    let medicine = planned.and_then(|item| item["plan"]["dispensed"].as_i64().and(item["medicine"].as_str()));
    let medicine = medicine.ok_or("the demo has no medicine with a plan")?;
    page.show(&format!("/restock/of/{}", medicine.replace(' ', "%20")))?;
    page.says("How it was computed")?;
    page.says("Reorder at")?;
    page.wait_for("document.querySelector('.chart line.reorder') !== null")?;
    page.says("what happened")?;
    page.wait_for("document.querySelectorAll('tbody tr').length >= 4")?;
    page.is_clean()
}

/// Edits how much of a prescription is handed out at a time.
pub(crate) fn supply(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let (_, listed) = ask(&server, "GET", "/prescriptions?state=active&limit=1", None)?;
    let id = &listed["items"][0]["prescriptionId"];
    let page = stage.desk(&server, Server::KEY)?;
    page.show(&format!("/prescriptions/{id}"))?;
    page.says("Supply")?;
    page.fill("everyDays", "400")?;
    page.browser.run("[...document.querySelectorAll('form button[type=submit]')].at(-1).click()", &[])?;
    page.wait_for("document.querySelector('[name=everyDays]').getAttribute('aria-invalid') === 'true'")?;
    page.fill("everyDays", "28")?;
    page.browser.run("[...document.querySelectorAll('form button[type=submit]')].at(-1).click()", &[])?;
    page.says("Saved.")?;
    let (_, supply) = ask(&server, "GET", &format!("/prescriptions/{id}/supply"), None)?;
    if supply["everyDays"] != json!(28) {
        return Err(format!("the supply is {supply}").into());
    }
    page.is_clean()
}

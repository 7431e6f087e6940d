//! The store room: what expires, who got it, what is delivered, counted and ordered.

use serde_json::{Value, json};

use super::drafts::{lose, sign_in_again};
use crate::{
    Verdict,
    browser::Answer,
    page::{ENTER, Page},
    process::Server,
    stage::{Stage, ask},
};

const STOCK: &str = "/inventory/Zinc%2010/stock";

/// Returns the day in `days` days, as the page computes it.
fn day(page: &Page, days: i32) -> Answer<String> {
    let script = "const at = new Date(); at.setDate(at.getDate() + arguments[0]);
        return at.toLocaleDateString('en-GB', { day: '2-digit', month: '2-digit', year: 'numeric' })";
    Ok(page.browser.run(script, &[json!(days)])?.as_str().unwrap_or_default().to_owned())
}

/// Tracks zinc, with these lots on its shelf.
pub(super) fn track(server: &Server, opening: Value) -> Verdict {
    ask(server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4, "currency": "EUR" })))?;
    let stock = json!({ "unit": "tablets", "packUnits": 20, "supplyUnits": 10, "keepDays": 0, "opening": opening });
    match ask(server, "POST", STOCK, Some(stock))? {
        (201, _) => Ok(()),
        refused => Err(format!("the stock is {refused:?}").into()),
    }
}

/// Checks that the shelf of zinc has these lots with their units.
fn has(server: &Server, wanted: Value) -> Verdict {
    let (_, stock) = ask(server, "GET", STOCK, None)?;
    let lots = stock["lots"].as_array().into_iter().flatten();
    let found: Vec<Value> = lots.map(|lot| json!([lot["lot"], lot["onHand"]])).collect();
    if json!(found) == wanted { Ok(()) } else { Err(format!("the shelf has {found:?}").into()) }
}

/// Checks that what expires is listed by its period and removed with one click, which can be taken back.
pub(crate) fn expiring(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let [soon, later] = [day(&page, 20)?, day(&page, 120)?];
    track(
        &server,
        json!([{ "units": 30, "lot": "SOON", "expires": soon }, { "units": 50, "lot": "LATER", "expires": later }]),
    )?;
    let shown = |lot: &str| {
        format!("[...document.querySelectorAll('tbody tr')].some((row) => row.innerText.includes('{lot}'))")
    };
    page.show("/expiring")?;
    page.wait_for(&format!("{} && !{}", shown("SOON"), shown("LATER")))?;
    page.click("Within 180 days")?;
    page.wait_for(&shown("LATER"))?;
    page.show("/patients")?;
    page.browser.run("history.back()", &[])?;
    page.wait_for(&shown("LATER"))?;

    page.browser.run("document.querySelector('[aria-label^=\"Remove all: Zinc 10, lot SOON\"]').click()", &[])?;
    page.says("30 tablets of Zinc 10 removed.")?;
    has(&server, json!([["LATER", 50]]))?;
    let (_, moved) = ask(&server, "GET", "/movements?medicine=Zinc%2010&kind=removal", None)?;
    if moved["items"][0]["reason"] != json!("expired") {
        return Err(format!("it was moved as {moved}").into());
    }
    page.wait_for("document.activeElement.textContent === 'Take back'")?;
    page.browser.keys(ENTER)?;
    page.says("The units are back on the shelf.")?;
    has(&server, json!([["SOON", 30], ["LATER", 50]]))?;
    page.is_clean()
}

/// Checks that a recall finds each person who got a lot, from the shelf and from the bin card, and leaves out those who
/// brought it back.
pub(crate) fn recall(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    track(&server, json!([{ "units": 30, "lot": "X/1?", "expires": "31/03/2099" }]))?;
    for patient in [1, 2] {
        let made =
            ask(&server, "POST", "/prescriptions", Some(json!({ "patientId": patient, "medicine": "Zinc 10" })))?;
        let (_, listed) = ask(&server, "GET", &format!("/prescriptions?patientId={patient}&medicine=Zinc%2010"), None)?;
        let number = &listed["items"][0]["prescriptionId"];
        ask(&server, "POST", &format!("/prescriptions/{number}/invoice"), None)?;
        let (_, invoices) = ask(&server, "GET", &format!("/invoice?patientId={patient}&state=unpaid"), None)?;
        let zinc = invoices["items"].as_array().into_iter().flatten().find(|one| one["medicine"] == json!("Zinc 10"));
        let invoice = &zinc.ok_or(format!("no invoice of {made:?}"))?["invoiceId"];
        ask(&server, "POST", &format!("/invoice/{invoice}/payment"), None)?;
        if patient == 2 {
            let back =
                json!({ "kind": "return", "units": 10, "lot": "X/1?", "expires": "31/03/2099", "invoiceId": invoice });
            ask(&server, "POST", "/inventory/Zinc%2010/movements", Some(back))?;
        }
    }
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/stock/Zinc%2010")?;
    page.click("Who got it: Zinc 10, lot X/1?, until 31 Mar 2099")?;
    page.says("Who got lot X/1?, until 31 Mar 2099 of Zinc 10")?;
    page.says("10 tablets handed out to 1 patient; 20 tablets still on the shelf.")?;
    page.wait_for("document.querySelectorAll('tbody tr').length === 2")?;
    page.wait_for("document.querySelector('tbody').innerText.includes('Ada Example')")?;
    page.browser.run("history.back()", &[])?;
    page.says("Bin card, the latest first")?;
    page.wait_for("document.querySelector('tbody td a[href*=\"/lot/\"]') !== null")?;
    page.browser.run("[...document.querySelectorAll('tbody td a[href*=\"/lot/\"]')].at(-1).click()", &[])?;
    page.says("10 tablets handed out to 1 patient")?;
    page.is_clean()
}

/// Checks that a delivery is received row by row: by code and by name, with a row that is refused, and one whose answer
/// is lost.
pub(crate) fn delivery(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    track(&server, json!([]))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/delivery")?;
    let typed = |text: &str| -> Verdict {
        page.fill("scan", text)?;
        page.browser.keys(ENTER)
    };
    let rows = |count: usize| page.wait_for(&format!("document.querySelectorAll('.row').length === {count}"));
    typed("qqq")?;
    page.says("No tracked medicine has this name")?;
    // A new package asks for its medicine once; the next one of it adds a pack. The refused text is written over.
    page.browser.keys("01040123456789011799033110B7")?;
    page.browser.keys(ENTER)?;
    page.wait_for("document.activeElement.name === 'medicine'")?;
    page.browser.keys("zinc")?;
    page.browser.keys(ENTER)?;
    page.wait_for("document.activeElement.name === 'scan'")?;
    page.wait_for("document.querySelector('[name=units]').value === '20'")?;
    typed("(01)04012345678901(17)990331(10)B7")?;
    rows(1)?;
    page.wait_for("document.querySelector('[name=units]').value === '40'")?;
    typed("zin")?;
    page.wait_for("document.activeElement.name === 'units'")?;
    page.browser.keys("5")?;
    page.browser.keys(ENTER)?;
    rows(2)?;
    // The newest row stands on top.
    let last = |field: &str, text: &str| -> Verdict {
        page.browser.run(&format!("document.querySelector('[name={field}]').select()"), &[])?;
        page.browser.keys(text)
    };
    last("expires", "31/01/2020")?;

    // The first row is received although its answer is lost; the second one is refused at its field.
    lose(&page, "POST")?;
    page.click("Receive all")?;
    page.says("nothing is done twice")?;
    page.browser.run("location.reload()", &[])?;
    sign_in_again(&page, Server::KEY)?;
    page.says("This was entered at the first attempt")?;
    page.click("Restore it")?;
    rows(2)?;
    page.click("Receive all")?;
    page.wait_for("document.querySelector('.row [name=expires][aria-invalid]') !== null")?;
    rows(1)?;
    page.says("1 row is not received.")?;
    // The reason names the field as the form does.
    page.wait_for("document.querySelector('.row .refusal li').innerText.startsWith('Last day: ')")?;
    has(&server, json!([["B7", 40]]))?;
    last("expires", "02/2099")?;
    last("lot", "C8")?;
    page.click("Receive all")?;
    page.says("1 lot is received.")?;
    rows(0)?;
    has(&server, json!([["C8", 5], ["B7", 40]]))?;
    page.is_clean()
}

/// Checks that the sheet for a count is printed blind, and that an order is put on its way from the restock list.
pub(crate) fn sheet(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    track(&server, json!([{ "units": 4321, "lot": "A1", "expires": "31/03/2099" }]))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/sheet")?;
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "print" }))?;
    let printed = page.is("document.body.innerText")?;
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "" }))?;
    let printed = printed.as_str().unwrap_or_default();
    let is_whole = ["Zinc 10", "A1", "31 Mar 2099", "Counted by:"].iter().all(|text| printed.contains(text));
    if !is_whole || printed.contains("4321") || printed.contains("4,321") {
        return Err(format!("on the sheet stands {printed}").into());
    }

    let low = json!({ "policy": "minMax", "min": 5000, "max": 6000 });
    ask(&server, "PUT", STOCK, Some(low))?;
    page.show("/restock")?;
    let first = "document.querySelector('[aria-label^=\"Ordered: \"]')";
    page.browser.run(&format!("{first}.focus()"), &[])?;
    // The focus goes from line to line, and from the last one to the heading.
    while page.is("document.activeElement.tagName")? != json!("H1") {
        page.browser.run(&format!("window.pressed = {first}.ariaLabel"), &[])?;
        page.browser.keys(ENTER)?;
        page.wait_for(&format!("{first}?.ariaLabel !== pressed"))?;
        page.wait_for(&format!("document.activeElement === ({first} ?? document.querySelector('h1'))"))?;
    }
    page.says("are on their way.")?;
    let (_, stock) = ask(&server, "GET", STOCK, None)?;
    // 6,000 less 4,321 are 1,679, in packs of 20.
    match stock["ordered"] == json!(1680) {
        true => page.is_clean(),
        false => Err(format!("the stock is {stock}").into()),
    }
}

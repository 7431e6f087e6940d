//! Printed pages, which people take home.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    Verdict,
    browser::Answer,
    page::Page,
    process::Server,
    stage::{Stage, ask, unpaid},
};

/// An expression for the names of the controls that can be seen.
const CONTROLS: &str = "[...document.querySelectorAll('button, .button, input, select')]
    .filter((node) => node.checkVisibility()).map((node) => node.textContent || node.name).join()";
const PAID: &str = "The invoice is paid, and the history is updated.";

/// Checks that what is handed out stands once on a paid invoice: with answers that come late and in another order, a
/// double click, and news of the payment.
pub(crate) fn once(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    for (place, latency) in ["0", "60", "90 - 25 * (count % 4)"].into_iter().enumerate() {
        page.show(&format!("/bills/{}", tracked(&server, place)?))?;
        page.browser.run(
            &format!(
                "window.real ??= window.fetch; let count = 0;
                 window.fetch = async (...given) => {{
                   const answer = await window.real(...given);
                   count += 1;
                   await new Promise((resolve) => setTimeout(resolve, {latency}));
                   return answer;
                 }};
                 const pay = [...document.querySelectorAll('button')]
                     .find((node) => node.textContent === 'Take the payment');
                 pay.click(); pay.click()"
            ),
            &[],
        )?;
        page.says(PAID)?;
        page.wait_for("document.querySelector('.paper li') !== null")?;
        // Another change somewhere makes news again.
        ask(&server, "PUT", "/inventory/Zinc%2010", Some(json!({ "price": place + 5 })))?;
        std::thread::sleep(Duration::from_millis(1500));
        let lines = page.is("[...document.querySelectorAll('.paper li')].map((line) => line.textContent)")?;
        if lines != json!(["10 × lot A1, until 31 Mar 2099"]) {
            return Err(format!("with {latency} ms of latency the paper says {lines}").into());
        }
    }
    page.is_clean()
}

/// Checks that a printed invoice is the invoice: no diagnosis, no control, no second title.
pub(crate) fn bill(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let number = tracked(&server, 0)?;
    page.show(&format!("/bills/{number}"))?;
    page.click("Take the payment")?;
    page.says(PAID)?;
    page.says("hay fever")?;
    page.says("Take units back from the patient")?;
    page.click("Requests")?;
    let printed = printed(&page)?;
    let paper = page.is("document.querySelector('.paper').innerText")?;
    if printed != paper.as_str().unwrap_or_default().trim() {
        return Err(format!("on paper stands {printed:?}").into());
    }
    for wanted in [&format!("Invoice {number}"), "Ada Example", "Zinc 10", "10 × lot A1, until 31 Mar 2099"] {
        if printed.matches(wanted).count() != 1 {
            return Err(format!("{wanted:?} does not stand once in {printed:?}").into());
        }
    }
    page.is_clean()
}

/// Checks that a printed order list names its day and its period, and no control.
pub(crate) fn orders(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/restock")?;
    let lead = page.is("document.querySelector('.screen > p[role=status]').textContent")?;
    let lead = lead.as_str().filter(|lead| lead.starts_with("From ")).ok_or("the screen does not say its period")?;
    let printed = printed(&page)?;
    let day = page.is("new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })")?;
    let day = format!("Order list of {}.", day.as_str().unwrap_or_default());
    if !printed.contains(lead) || !printed.contains(&day) || printed.contains("Save as CSV") {
        return Err(format!("on paper stands {printed:?}").into());
    }
    page.is_clean()
}

/// Checks that a printed screen has its record, and none of the controls around it.
pub(crate) fn records(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let number = tracked(&server, 0)?;
    let page = stage.desk(&server, Server::KEY)?;
    let bill = format!("/bills/{number}");
    let screens = [
        ("/inventory/stock/Zinc%2010", "Stock of Zinc 10", "lot A1, until 31 Mar 2099"),
        ("/restock/of/Amoxicillin%20500", "Restocking Amoxicillin 500", "How it was computed"),
        ("/patients/1", "Ada Example", "hay fever"),
        ("/visits/1", "Visit: ", "Diseases"),
        ("/journal", "Journal", "invoice issued"),
        (&bill, &format!("Invoice {number}"), "Zinc 10"),
    ];
    for (screen, title, record) in screens {
        page.show(screen)?;
        page.says(record)?;
        if screen.starts_with("/inventory") {
            page.click("Receive")?;
        }
        page.click("Requests")?;
        let (text, controls) = (printed(&page)?, on_paper(&page, CONTROLS)?);
        if !text.starts_with(title) || !text.contains(record) || !controls.is_empty() {
            return Err(format!("on the paper of {screen} stands {text:?} with {controls:?}").into());
        }
        if screen == bill && text != page.is("document.querySelector('.paper').innerText.trim()")? {
            return Err(format!("beside the unpaid invoice stands {text:?}").into());
        }
        page.click("Requests")?;
    }
    page.is_clean()
}

/// Checks that the printed head of the journal is the one that the service answers, and stands alone on its paper.
pub(crate) fn head(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/journal")?;
    ask(&server, "PUT", "/patient", Some(json!({ "patientId": 1, "age": 41 })))?;
    let head = ask(&server, "GET", "/journal?limit=1", None)?.1["head"].take();
    let head = format!("{}:{}", head["seq"], head["link"].as_str().unwrap_or_default());
    page.says(&head)?;
    page.says("profile changed")?;
    page.browser.run("window.print = () => {}", &[])?;
    page.click("Print the head")?;
    let text = printed(&page)?;
    let host = page.is("location.host")?;
    let is_alone = text.starts_with("Head of the journal") && !text.contains("profile changed");
    if !is_alone || !text.contains(&head) || !text.contains(host.as_str().ok_or("no host")?) {
        return Err(format!("on the paper of the head stands {text:?}").into());
    }
    page.browser.run("dispatchEvent(new Event('afterprint'))", &[])?;
    if !printed(&page)?.contains("profile changed") {
        return Err("after the head nothing else is printed".into());
    }
    page.is_clean()
}

/// Returns the text that a print of the page has.
fn printed(page: &Page) -> Answer<String> {
    on_paper(page, "document.body.innerText.trim()")
}

/// Returns the text of an expression in a print of the page.
fn on_paper(page: &Page, expression: &str) -> Answer<String> {
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "print" }))?;
    let text = page.is(expression)?;
    page.browser.cdp("Emulation.setEmulatedMedia", json!({ "media": "" }))?;
    match text {
        Value::String(text) => Ok(text),
        other => Err(format!("the page is {other}").into()),
    }
}

/// Returns the number of a new unpaid invoice of ten units, of which `place` is how many there were before.
fn tracked(server: &Server, place: usize) -> Answer<i64> {
    if place == 0 {
        ask(server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4, "currency": "EUR" })))?;
        let opening = json!({ "unit": "tablets", "supplyUnits": 10,
            "opening": [{ "lot": "A1", "expires": "31/03/2099", "units": 400 }] });
        ask(server, "POST", "/inventory/Zinc%2010/stock", Some(opening))?;
    }
    unpaid(server)
}

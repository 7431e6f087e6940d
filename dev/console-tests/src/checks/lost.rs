//! Requests about medicines whose answers were lost: what was entered is entered once, whatever is typed afterwards.

use serde_json::{Value, json};

use super::drafts::{OFFER, lose, sign_in_again};
use crate::{
    Verdict,
    page::Page,
    process::Server,
    stage::{Stage, ask, unpaid},
};

const SHELF: &str = "/inventory/stock/Zinc%2010";
const STOCK: &str = "/inventory/Zinc%2010/stock";
const LOST: &str = "nothing is done twice";
const ENTERED: &str = "This was entered at the first attempt";

/// Sends the form on the screen.
fn send(page: &Page) -> Verdict {
    page.browser.run("[...document.querySelectorAll('form button[type=submit]')].at(-1).click()", &[]).map(drop)
}

/// Fills a field and sends its form, the answer to which is lost.
fn send_in_vain(page: &Page, field: &str, text: &str) -> Verdict {
    lose(page, "POST")?;
    page.fill(field, text)?;
    send(page)?;
    page.says(LOST)
}

/// Checks that the shelf of the medicine has this many units.
fn holds(server: &Server, units: u64) -> Verdict {
    let (_, stock) = ask(server, "GET", STOCK, None)?;
    if stock["onHand"] == json!(units) { Ok(()) } else { Err(format!("the shelf is {stock}").into()) }
}

/// Starts a server with a tracked medicine, of which this many units are on the shelf.
fn tracked(stage: &Stage, units: u64) -> Result<Server, Box<dyn std::error::Error>> {
    let server = stage.demo()?;
    ask(&server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4 })))?;
    let opening = json!([{ "units": units, "lot": "A1", "expires": "31/01/2099" }]);
    let stock = json!({ "unit": "tablets", "supplyUnits": 10, "opening": opening });
    match ask(&server, "POST", STOCK, Some(stock))? {
        (201, _) => Ok(server),
        refused => Err(format!("the stock is {refused:?}").into()),
    }
}

/// Checks that units are received, removed and brought back once, although the page is loaded anew before a lost answer
/// is learned.
pub(crate) fn reloaded(stage: &Stage) -> Verdict {
    let server = tracked(stage, 50)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show(SHELF)?;
    let mut left = 50;
    for (form, units) in [("Receive", 40), ("Remove", 3)] {
        page.click(form)?;
        send_in_vain(&page, "units", &units.to_string())?;
        page.browser.run("location.reload()", &[])?;
        sign_in_again(&page, Server::KEY)?;
        page.says("On the shelf")?;
        page.click(form)?;
        page.says(ENTERED)?;
        left = if form == "Receive" { left + units } else { left - units };
        holds(&server, left)?;
        // The next one is a request of its own, without a draft of the one before.
        page.click(form)?;
        page.wait_for("document.querySelector('[name=units]')?.value === ''")?;
        page.wait_for(&format!("!document.body.innerText.includes({})", json!(OFFER)))?;
        page.click("Close")?;
    }

    let invoice = unpaid(&server)?;
    ask(&server, "POST", &format!("/invoice/{invoice}/payment"), None)?;
    holds(&server, left - 10)?;
    page.show(&format!("/bills/{invoice}"))?;
    page.click("Take units back from the patient")?;
    send_in_vain(&page, "units", "2")?;
    page.browser.run("location.reload()", &[])?;
    sign_in_again(&page, Server::KEY)?;
    page.says(ENTERED)?;
    holds(&server, left - 8)?;
    page.is_clean()
}

/// Checks that a form of the shelf that is corrected after a lost answer tells what was entered, and takes the next.
pub(crate) fn corrected(stage: &Stage) -> Verdict {
    let server = tracked(stage, 50)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show(SHELF)?;
    for (form, field, first, second, left) in
        [("Receive", "units", 40, 4, 90), ("Remove", "units", 30, 3, 60), ("Count", "counted", 18, 17, 58)]
    {
        page.click(form)?;
        send_in_vain(&page, field, &first.to_string())?;
        page.fill(field, &second.to_string())?;
        send(&page)?;
        page.wait_for("document.querySelector('form') === null")?;
        page.says(ENTERED)?;
        holds(&server, left)?;
    }
    page.click("Count")?;
    page.fill("counted", "17")?;
    send(&page)?;
    page.says("The count is entered.")?;
    holds(&server, 57)?;
    page.is_clean()
}

/// Checks that a medicine is added and tracked once after a lost answer, and that the corrections follow.
pub(crate) fn medicine(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let is = |path: &str, name: &str, wanted: Value| -> Verdict {
        let (_, found) = ask(&server, "GET", path, None)?;
        if found[name] == wanted { Ok(()) } else { Err(format!("{path} is {found}").into()) }
    };
    page.show("/inventory/new")?;
    page.fill("medicine", "Zinc 10")?;
    send_in_vain(&page, "price", "3")?;
    page.fill("price", "4")?;
    send(&page)?;
    page.says("Added.")?;
    is("/inventory/Zinc%2010", "price", json!(4))?;

    page.show("/inventory/new")?;
    page.fill("price", "5")?;
    send_in_vain(&page, "medicine", "Zink 20")?;
    page.fill("medicine", "Zinc 20")?;
    page.fill("dosage", "20 mg")?;
    send(&page)?;
    page.says("This medicine was added at the first attempt")?;
    page.says("Zink 20")?;
    page.click("Restore it")?;
    page.wait_for("document.querySelector('[name=dosage]').value === '20 mg'")?;
    is("/inventory/Zinc%2020", "status", json!(404))?;

    page.show(SHELF)?;
    page.fill("opening[0].units", "40")?;
    send_in_vain(&page, "unit", "tablets")?;
    page.fill("unit", "capsules")?;
    send(&page)?;
    page.says("The medicine is tracked in units now.")?;
    is(STOCK, "unit", json!("capsules"))?;
    holds(&server, 40)?;
    page.is_clean()
}

/// Checks that a registration can be corrected although the answer to the first correction was lost too.
pub(crate) fn twice(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/new")?;
    page.fill("name", "Twila Twice")?;
    send_in_vain(&page, "age", "4")?;
    lose(&page, "PUT")?;
    page.fill("age", "44")?;
    send(&page)?;
    page.says(LOST)?;
    page.wait_for("document.querySelector('form[aria-busy]') === null")?;
    page.fill("age", "45")?;
    send(&page)?;
    page.says("This patient was registered at the first attempt")?;
    page.wait_for("document.querySelector('[name=age]')?.value === '44'")?;
    page.click("Restore it")?;
    page.wait_for("document.querySelector('[name=age]').value === '45'")?;
    send(&page)?;
    page.says("The profile is saved.")?;
    let (_, found) = ask(&server, "GET", "/patient?name=Twila", None)?;
    match found["items"].as_array().map(Vec::as_slice) {
        Some([one]) if one["age"] == json!(45) => page.is_clean(),
        _ => Err(format!("the service has {found}").into()),
    }
}

/// Checks that a request is not sent again once the service may have forgotten its key, and that its user is told so.
pub(crate) fn forgotten(stage: &Stage) -> Verdict {
    let server = tracked(stage, 50)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/new")?;
    page.fill("name", "Olga Old")?;
    send_in_vain(&page, "age", "4")?;
    page.show(SHELF)?;
    page.click("Receive")?;
    send_in_vain(&page, "units", "40")?;
    let day = "const then = Date.prototype.getTime.call(new Date()); Date.now = () => then + 23.5 * 3600000;
        const real = fetch; globalThis.posts = 0;
        globalThis.fetch = (target, options) => ((posts += options?.method === 'POST'), real(target, options))";
    page.browser.run(day, &[])?;
    // The session has been idle for as long.
    sign_in_again(&page, Server::KEY)?;
    page.says("On the shelf")?;
    page.click("Receive")?;
    page.says("can no longer be learned")?;
    page.wait_for("document.querySelector('[name=units]') !== null")?;
    page.show("/patients/new")?;
    page.says("can no longer be learned")?;
    page.says(OFFER)?;
    page.wait_for("posts === 0")?;
    // It is told once.
    page.show("/patients")?;
    page.show("/patients/new")?;
    page.wait_for("!document.body.innerText.includes('can no longer be learned')")?;
    holds(&server, 90)?;
    page.is_clean()
}

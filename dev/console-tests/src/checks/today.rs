//! The first screen, the box that finds, and the list of bills.

use std::time::Duration;

use serde_json::{Value, json};

use super::session::Clinic;
use crate::{
    Verdict,
    browser::Answer,
    page::{ENTER, Page},
    process::Server,
    stage::{Stage, ask, unpaid},
};

const PARTS: [&str; 6] = ["openVisits", "withoutInvoice", "unpaid", "outWithDemand", "expiring", "orders"];

/// Checks that the figures of today are the service's, follow a change within two seconds, and lead to a deed.
pub(crate) fn today(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.says("It follows every change.")?;
    are_shown(&page, &ask(&server, "GET", "/today", None)?.1)?;
    // The long poll must have begun.
    std::thread::sleep(Duration::from_millis(500));
    let iron = json!({ "patientId": 1, "prescriptions": [{ "medicine": "Iron 50" }] });
    let (_, visit) = ask(&server, "POST", "/consultations", Some(iron))?;
    let (_, now) = ask(&server, "GET", "/today", None)?;
    let took = page.within(Duration::from_secs(2), &counts("withoutInvoice", &now["withoutInvoice"]["count"]))?;
    println!("  it followed after {} ms", took.as_millis());
    are_shown(&page, &now)?;
    let number = &visit["prescriptionIds"][0];
    page.show("/today/withoutInvoice")?;
    page.says("Iron 50")?;
    page.click("Issue the invoice: Iron 50")?;
    page.says("Take the payment")?;
    page.click("Take the payment")?;
    page.says("The invoice is paid")?;
    let (_, paid) = ask(&server, "GET", &format!("/prescriptions/{number}"), None)?;
    page.click("Today")?;
    are_shown(&page, &ask(&server, "GET", "/today", None)?.1)?;
    if paid["medicine"] != json!("Iron 50") {
        return Err(format!("the prescription is {paid}").into());
    }

    // A narrow key sees its own parts, and what is left out.
    let clinic = Clinic::open(stage)?;
    let narrow = clinic.issue(stage, "Store room", &["inventory:read"])?;
    let page = stage.desk(&clinic.server, &narrow)?;
    page.says("This key does not show")?;
    let seen = page.is("[...document.querySelectorAll('[data-part]')]\
        .filter((one) => one.checkVisibility()).map((one) => one.dataset.part)")?;
    match seen == json!(["outWithDemand", "expiring", "orders"]) {
        true => page.is_clean(),
        false => Err(format!("the key sees {seen}").into()),
    }
}

/// Checks that an order leaves the first screen soon after it is put on its way, the second of two in quick succession
/// too, and that the focus is not lost with its line.
pub(crate) fn orders(stage: &Stage) -> Verdict {
    let clinic = Clinic::open(stage)?;
    for medicine in ["Iron%2050", "Zinc%2010"] {
        ask(&clinic.server, "POST", &format!("/inventory/{medicine}"), Some(json!({ "price": 4 })))?;
        let low = json!({ "unit": "tablets", "policy": "minMax", "min": 50, "max": 60 });
        ask(&clinic.server, "POST", &format!("/inventory/{medicine}/stock"), Some(low))?;
    }
    let page = stage.desk(&clinic.server, Server::KEY)?;
    page.wait_for(&counts("orders", &json!(2)))?;
    // The report of the orders is made anew after this time at the latest.
    std::thread::sleep(Duration::from_millis(2200));
    page.browser.run("document.querySelector('[data-part=orders] li button').focus()", &[])?;
    page.browser.keys(ENTER)?;
    page.wait_for(&counts("orders", &json!(1)))?;
    page.wait_for("document.activeElement === document.querySelector('[data-part=orders] li button')")?;
    std::thread::sleep(Duration::from_secs(1));
    page.browser.keys(ENTER)?;
    let took = page.within(Duration::from_secs(4), &counts("orders", &json!(0)))?;
    println!("  it left after {} ms", took.as_millis());
    page.wait_for("document.querySelector('[data-part=orders] li button') === null")?;
    page.wait_for("document.activeElement === document.querySelector('[data-part=orders] h2')")?;
    page.is_clean()
}

/// Checks that the visits of a patient are linked with their states, for a key that opens them, and that what it does
/// not open is text.
pub(crate) fn visits(stage: &Stage) -> Verdict {
    let clinic = Clinic::open(stage)?;
    let visit = |disease: &str, medicines: Value| {
        let body = json!({ "patientId": 1, "diseases": [disease], "prescriptions": medicines });
        ask(&clinic.server, "POST", "/consultations", Some(body)).map(|(_, made)| made["consultationId"].clone())
    };
    let open = visit("hay fever", json!([{ "medicine": "Iron 50" }]))?;
    let page = stage.desk(&clinic.server, Server::KEY)?;
    page.show("/patients/1")?;
    let row = |place: usize, text: &str| {
        let script = format!(
            "[...document.querySelectorAll('tr')].filter((one) => one.innerText.includes('Visit of'))[{place}]"
        );
        page.wait_for(&format!("{script}?.innerText.includes({})", json!(text)))
    };
    row(0, "open")?;
    row(0, "hay fever")?;
    page.wait_for("!document.body.innerText.includes('No disease is on record')")?;
    visit("gout", json!([]))?;
    row(0, "completed")?;
    row(1, "open")?;
    page.browser.run(&format!("document.querySelector('[href=\"#/visits/{open}\"]').click()"), &[])?;
    page.says("hay fever")?;
    page.is_clean()?;

    let narrow = clinic.issue(stage, "Desk", &["patient:read", "history:read", "invoice:read", "invoice:write"])?;
    let page = stage.desk(&clinic.server, &narrow)?;
    for screen in ["/today", "/patients/1"] {
        page.show(screen)?;
        page.says("Visit of")?;
        page.wait_for("document.querySelector('.screen [href^=\"#/visits/\"]') === null")?;
    }
    page.is_clean()
}

/// Returns an expression for whether a part has this count.
fn counts(part: &str, count: &Value) -> String {
    format!("document.querySelector('[data-part={part}] .count')?.textContent === '{count}'")
}

/// Checks that each part has the figure of the service, and its first lines.
fn are_shown(page: &Page, today: &Value) -> Verdict {
    for part in PARTS {
        let lines = today[part]["items"].as_array().map_or(0, Vec::len).max(1);
        page.wait_for(&counts(part, &today[part]["count"]))?;
        page.wait_for(&format!("document.querySelectorAll('[data-part={part}] .lines li').length === {lines}"))?;
    }
    Ok(())
}

/// Checks that one box finds patients, medicines and invoices, that Enter opens the only hit, and that nothing found is
/// said.
pub(crate) fn find(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let zoe = json!({ "name": "Zoë Müller-Lüdenscheidt", "phone": 441_632_960_777_i64 });
    let (_, zoe) = ask(&server, "POST", "/patient", Some(zoe))?;
    let invoice = unpaid(&server)?;
    let page = stage.desk(&server, Server::KEY)?;
    let open = |text: &str, at: &str| -> Verdict {
        page.browser.run("document.activeElement.blur()", &[])?;
        page.browser.keys("/")?;
        page.wait_for("document.activeElement.getAttribute('role') === 'combobox'")?;
        page.browser.keys(text)?;
        page.browser.keys(ENTER)?;
        page.wait_for(&format!("location.hash === {}", json!(at)))
    };
    let patient = format!("#/patients/{}", zoe["patientId"]);
    for text in ["muller", "zoe lud", "+44 1632 960777", "01632960777"] {
        page.show("/takings")?;
        open(text, &patient).map_err(|error| format!("{text}: {error}"))?;
    }
    open("cetir", "#/inventory/stock/Cetirizine%2010")?;
    page.show("/takings")?;
    open(&format!("#{invoice}"), &format!("#/bills/{invoice}"))?;
    page.browser.keys("/")?;
    page.browser.keys("ex")?;
    page.wait_for("document.querySelectorAll('.hits [role=option]').length > 1")?;
    // Of several hits none is opened by Enter; the arrow keys choose one.
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("location.hash === '#/bills/{invoice}'"))?;
    page.browser.keys("\u{E015}")?;
    page.wait_for("document.querySelector('.hits [aria-selected=true]') !== null")?;
    page.browser.keys(ENTER)?;
    page.wait_for("location.hash.startsWith('#/patients/')")?;
    page.browser.keys("/")?;
    page.browser.keys("qqqq")?;
    page.wait_for("document.querySelector('.finder [role=status]').textContent.startsWith('Nothing was found.')")?;

    // The list of patients says it too, and who is registered twice is seen beside the form.
    page.show("/patients")?;
    page.fill("search", "qqqq")?;
    page.wait_for(
        "[...document.querySelectorAll('main [role=status]')]\
        .some((one) => one.textContent === 'No patient was found.')",
    )?;
    page.fill("search", "ludenscheidt")?;
    page.says("1 patient")?;
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("location.hash === '{patient}'"))?;
    page.show("/patients/new")?;
    page.fill("name", "zoe muller")?;
    page.says("1 person with this name or phone")?;
    page.fill("name", "Somebody Else")?;
    page.wait_for("!document.querySelector('.alike').checkVisibility()")?;
    page.fill("phone", "441632960777")?;
    page.says("1 person with this name or phone")?;
    page.is_clean()
}

/// Checks that bills are found by state, patient, day and number, the newest first, and that Back shows the same again.
pub(crate) fn bills(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let invoice = unpaid(&server)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/bills")?;
    let first =
        |text: &str| page.wait_for(&format!("document.querySelector('tbody tr')?.innerText.includes({})", json!(text)));
    first(&format!("Invoice {invoice}"))?;
    page.click("All")?;
    page.fill("patient", "ada exa")?;
    page.browser.keys(ENTER)?;
    page.wait_for("document.querySelector('[name=patient]').value === '#1'")?;
    let listed = |query: &str| -> Answer<usize> {
        let (_, page) = ask(&server, "GET", &format!("/invoice?patientId=1&limit=500{query}"), None)?;
        Ok(page["items"].as_array().map_or(0, Vec::len))
    };
    let rows = |count: usize| page.wait_for(&format!("document.querySelectorAll('tbody tr').length === {count}"));
    rows(listed("")?.min(50))?;
    page.browser.run("document.querySelector('tbody a').click()", &[])?;
    page.wait_for("location.hash.startsWith('#/bills/')")?;
    page.browser.run("history.back()", &[])?;
    page.wait_for("document.querySelector('[name=patient]')?.value === '#1'")?;
    rows(listed("")?.min(50))?;
    let (_, one) = ask(&server, "GET", &format!("/invoice/{invoice}"), None)?;
    let day = one["invoiceDate"].as_str().unwrap_or_default();
    page.fill("from", day)?;
    page.browser.keys(ENTER)?;
    rows(listed(&format!("&from={day}"))?)?;
    page.fill("number", &invoice.to_string())?;
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("location.hash === '#/bills/{invoice}'"))?;
    page.is_clean()
}

//! Accessibility.

use std::fs;

use serde_json::{Value, json};

use crate::{
    Verdict,
    browser::{Browser, Window},
    page::Page,
    process::Server,
    stage::{Stage, WIDE, ask, unpaid},
};

const SCREENS: [&str; 13] = [
    "/inventory",
    "/inventory/new",
    "/inventory/of/Cetirizine%2010",
    "/inventory/stock/Cetirizine%2010",
    "/restock",
    "/patients",
    "/patients/1",
    "/patients/1/edit",
    "/patients/1/visit",
    "/visits/1",
    "/bills",
    "/bills/3",
    "/journal",
];

pub(crate) fn axe(stage: &Stage) -> Verdict {
    let source = fs::read_to_string(&stage.axe)?;
    let server = stage.demo()?;
    let entrance = Page::new(Browser::open(WIDE)?, &server.url);
    entrance.browser.go(&entrance.address(""))?;
    entrance.says("Sign in")?;
    entrance.browser.run(&source, &[])?;
    judged(&entrance, "the entrance")?;
    let opening = json!({ "unit": "tablets", "opening": [{ "lot": "A1", "expires": "31/03/2099", "units": 40 }] });
    ask(&server, "POST", "/inventory/Cetirizine%2010/stock", Some(opening))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.browser.run(&source, &[])?;
    for theme in ["light", "dark"] {
        page.browser.theme(theme)?;
        for width in [1280, 320] {
            page.browser.size(Window { width, height: 900 })?;
            for screen in SCREENS {
                page.show(screen)?;
                judged(&page, &format!("{screen} in {theme} at {width}"))?;
            }
            overlaid(&page, &server, &format!("{theme} at {width}"))?;
        }
    }
    page.is_clean()
}

/// Checks a screen with something above it: faults, the drawer, a question, two versions of a record.
fn overlaid(page: &Page, server: &Server, how: &str) -> Verdict {
    page.click("Requests")?;
    judged(page, &format!("the drawer in {how}"))?;
    page.click("Requests")?;
    page.show("/patients/new")?;
    page.fill("age", "200")?;
    page.click("Register a patient")?;
    page.wait_for("document.querySelector('[aria-invalid]') !== null")?;
    judged(page, &format!("faults in {how}"))?;
    page.show("/patients/1/edit")?;
    let (_, now) = ask(server, "GET", "/patient/1", None)?;
    let age = if now["age"] == json!(50) { 51 } else { 50 };
    page.fill("weight", if age == 50 { "71" } else { "72" })?;
    ask(server, "PUT", "/patient", Some(json!({ "patientId": 1, "age": age })))?;
    page.click("Save")?;
    page.says("This was changed meanwhile")?;
    judged(page, &format!("two sides in {how}"))?;
    page.show(&format!("/bills/{}", unpaid(server)?))?;
    page.click("Cancel the invoice")?;
    page.says("Cancel this invoice?")?;
    judged(page, &format!("a question in {how}"))?;
    page.click("Cancel")
}

fn judged(page: &Page, what: &str) -> Verdict {
    let found = page.browser.run("return axe.run(document, { resultTypes: ['violations'] }).then((all) => all.violations.map((one) => [one.id, one.help, one.nodes.map((node) => node.html.slice(0, 200))]))", &[])?;
    match &found {
        Value::Array(all) if all.is_empty() => Ok(()),
        _ => Err(format!("{what}: {found}").into()),
    }
}

/// Checks the smallest size of a target in WCAG 2.2, which axe-core leaves out by default.
pub(crate) fn targets(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    for width in [1280, 320] {
        page.browser.size(Window { width, height: 900 })?;
        for screen in SCREENS {
            page.show(screen)?;
            let small = "return [...document.querySelectorAll('button, select, input, summary, a.button, nav a')]
                .filter((node) => node.checkVisibility()).map((node) => [node.textContent || node.name, node.getBoundingClientRect()])
                .filter(([, box]) => box.width < 24 || box.height < 24).map(([name, box]) => `${name}: ${box.width} x ${box.height}`).join()";
            let small = page.browser.run(small, &[])?;
            if small != json!("") {
                return Err(format!("{screen} at {width}: {small}").into());
            }
        }
    }
    page.is_clean()
}

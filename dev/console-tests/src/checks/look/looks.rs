//! Accessibility.

use std::fs;

use serde_json::{Value, json};

use crate::{
    Verdict,
    browser::{Browser, Window},
    page::{ENTER, ESCAPE, Page},
    process::Server,
    stage::{Stage, WIDE, ask, unpaid},
};

const SCREENS: [&str; 21] = [
    "/today",
    "/today/withoutInvoice",
    "/inventory",
    "/inventory/new",
    "/inventory/delivery",
    "/inventory/sheet",
    "/inventory/of/Cetirizine%2010",
    "/inventory/stock/Cetirizine%2010",
    "/inventory/stock/Cetirizine%2010/lot/A1?expires=31%2F03%2F2099",
    "/expiring?days=180",
    "/restock",
    "/patients",
    "/patients/1",
    "/patients/1/edit",
    "/patients/1/visit",
    "/visits/1",
    "/visits/1/bill/3-4",
    "/bills",
    "/bills/3",
    "/takings",
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
    // Both servers hand out the same files, so one of them is enough for every look. The other one tries every width.
    let (themes, widths): (&[_], &[_]) = match stage.server == Server::BOTH[1] {
        true => (&["light", "dark"], &[1280, 768, 320]),
        false => (&["light"], &[320]),
    };
    for theme in themes {
        page.browser.theme(theme)?;
        for &width in widths {
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
    page.browser.run("document.activeElement.blur()", &[])?;
    page.browser.keys("/ibu")?;
    page.wait_for("document.querySelector('.hits [role=option]')?.checkVisibility()")?;
    judged(page, &format!("what the box finds in {how}"))?;
    page.browser.keys(ESCAPE)?;
    page.fill("name", "Ada")?;
    page.says("with this name or phone")?;
    page.fill("age", "200")?;
    page.click("Register a patient")?;
    page.wait_for("document.querySelector('[aria-invalid]') !== null")?;
    judged(page, &format!("faults in {how}"))?;
    page.show("/inventory/delivery")?;
    page.fill("scan", "qqq")?;
    page.browser.keys(ENTER)?;
    page.says("Add a medicine")?;
    judged(page, &format!("a refused scan in {how}"))?;
    page.fill("scan", "amox")?;
    page.browser.keys(ENTER)?;
    page.wait_for("document.querySelector('.row') !== null")?;
    page.click("Receive all")?;
    page.wait_for("document.querySelector('.row [aria-invalid]') !== null")?;
    judged(page, &format!("a delivery in {how}"))?;
    page.show("/patients/1/edit")?;
    let (_, now) = ask(server, "GET", "/patient/1", None)?;
    let age = if now["age"] == json!(50) { 51 } else { 50 };
    page.fill("weight", if age == 50 { "71" } else { "72" })?;
    ask(server, "PUT", "/patient", Some(json!({ "patientId": 1, "age": age })))?;
    page.click("Save")?;
    page.says("This has changed in the meantime")?;
    judged(page, &format!("two sides in {how}"))?;
    page.show(&format!("/bills/{}", unpaid(server)?))?;
    page.click("Cancel the invoice")?;
    page.says("Cancel this invoice?")?;
    judged(page, &format!("a question in {how}"))?;
    page.click("Keep it")
}

/// Returns what axe-core finds, as an error.
///
/// Two frames pass first: a part that has become too wide can be scrolled by keyboard from the next frame on.
pub(crate) fn judged(page: &Page, what: &str) -> Verdict {
    let judge = "return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
        .then(() => axe.run(document, { resultTypes: ['violations'] }))
        .then((all) => all.violations.map((one) =>
            [one.id, one.help, one.nodes.map((node) => node.html.slice(0, 200))]))";
    let found = page.browser.run(judge, &[])?;
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
                .filter((node) => node.checkVisibility())
                .map((node) => [node.textContent || node.name, node.getBoundingClientRect()])
                .filter(([, box]) => box.width < 24 || box.height < 24)
                .map(([name, box]) => `${name}: ${box.width} x ${box.height}`).join()";
            let small = page.browser.run(small, &[])?;
            if small != json!("") {
                return Err(format!("{screen} at {width}: {small}").into());
            }
        }
    }
    page.is_clean()
}

/// Checks that states differ by more than the colour of their ground where the system chooses the colours.
pub(crate) fn forced_colours(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let forced = json!({ "features": [{ "name": "forced-colors", "value": "active" }] });
    page.browser.cdp("Emulation.setEmulatedMedia", forced)?;
    page.wait_for("matchMedia('(forced-colors: active)').matches")?;
    let looks = "const looks = (node, part) => { const style = getComputedStyle(node, part);
        return [style.fontWeight, style.borderTopStyle, style.borderTopWidth, style.outlineStyle, \
        style.textDecorationLine].join(' '); };";
    page.show("/bills")?;
    for (one, other) in [
        ("nav a[aria-current]", "nav a:not([aria-current])"),
        (".screen [aria-pressed=true]", ".screen [aria-pressed=false]"),
    ] {
        let script = format!(
            "{looks} return [looks(document.querySelector('{one}')), looks(document.querySelector('{other}'))]"
        );
        let both = page.browser.run(&script, &[])?;
        if both[0] == both[1] {
            return Err(format!("{one} looks like {other}: {both}").into());
        }
    }
    page.click("Requests")?;
    let script =
        format!("{looks} return [...document.querySelectorAll('.drawer [aria-pressed]')].map((node) => looks(node))");
    let forms = page.browser.run(&script, &[])?;
    if forms[0] == forms[1] {
        return Err(format!("the chosen form looks like the others: {forms}").into());
    }
    page.show("/restock")?;
    page.wait_for("document.querySelector('.key.now') !== null")?;
    let squares = "return ['.key.now', '.key.before'].map(\
        (name) => getComputedStyle(document.querySelector(name), '::before').backgroundColor)";
    let squares = page.browser.run(squares, &[])?;
    if squares[0] == squares[1] {
        return Err(format!("the squares of the legend are {squares}").into());
    }
    page.is_clean()
}

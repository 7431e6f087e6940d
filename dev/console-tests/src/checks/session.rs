//! Sessions: keys in addresses, the rights of a key, and the traces of a session.

use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::{
    Verdict,
    browser::{Answer, Browser},
    page::Page,
    process::Server,
    stage::{Stage, WIDE, ask},
};

/// A server with a database of its own, in which keys can be issued.
pub(crate) struct Clinic {
    pub(crate) server: Server,
    file: String,
    _folder: TempDir,
}

impl Clinic {
    pub(crate) fn open(stage: &Stage) -> Answer<Self> {
        let folder = TempDir::new()?;
        let file = folder.path().join("care.db").to_str().ok_or("a path in Unicode")?.to_owned();
        let server = stage.serve(&["--console", "--database", &file])?;
        ask(&server, "POST", "/patient", Some(json!({ "name": "Ada Example" })))?;
        Ok(Self { server, file, _folder: folder })
    }

    /// Issues a key with these scopes. Servers learn of it within a second.
    pub(crate) fn issue(&self, stage: &Stage, name: &str, scopes: &[&str]) -> Answer<String> {
        let mut command = Command::new(stage.folder.join("care-admin"));
        command.args(["keys", "issue", "--database", &self.file, "--name", name]);
        command.args(scopes.iter().flat_map(|scope| ["--scope", scope]));
        let said = String::from_utf8(command.output()?.stdout)?;
        std::thread::sleep(std::time::Duration::from_millis(1200));
        let key = said.split_whitespace().find(|word| word.starts_with("care_"));
        Ok(key.ok_or("no key was issued")?.to_owned())
    }
}

/// Checks that a key in an address takes the place of a session only when its user agrees.
pub(crate) fn in_the_address(stage: &Stage) -> Verdict {
    let clinic = Clinic::open(stage)?;
    let other = clinic.issue(stage, "Mallory", &["patient:read", "patient:write"])?;
    let page = stage.desk(&clinic.server, Server::KEY)?;
    let name = page.is("document.querySelector('.holder').innerText")?;
    page.show("/patients/new")?;
    page.fill("name", "Half typed")?;

    let bring = |key: &str| page.browser.run("location.hash = '#key=' + arguments[0]", &[json!(key)]);
    let is_untouched = |page: &Page| -> Verdict {
        page.wait_for("location.hash === '#/patients/new'")?;
        page.wait_for("document.querySelector('[name=name]').value === 'Half typed'")?;
        page.wait_for(&format!("document.querySelector('.holder').innerText === {name}"))
    };
    bring("no-such-key")?;
    page.says("The address contains a key that the service does not know.")?;
    is_untouched(&page)?;
    bring(&other)?;
    page.says("Continue as Mallory?")?;
    page.click("Cancel")?;
    is_untouched(&page)?;
    bring(&other)?;
    page.says("Continue as Mallory?")?;
    page.click("Continue as Mallory")?;
    page.wait_for("document.querySelector('.holder').innerText.includes('Mallory')")?;
    page.wait_for("location.hash === '' && document.querySelector('h1').innerText === 'Patients'")?;

    // A key that the tab keeps is a session too.
    page.click("Sign out")?;
    page.browser.run("document.querySelector('[name=keep]').click()", &[])?;
    page.fill("key", Server::KEY)?;
    page.click("Open the front desk")?;
    page.says("It follows every change.")?;
    page.browser.go("about:blank")?;
    page.browser.go(&page.address(&format!("#key={other}")))?;
    page.says("Continue as Mallory?")?;
    page.click("Cancel")?;
    page.wait_for(&format!("document.querySelector('.holder').innerText === {name}"))?;
    page.is_clean()
}

/// Checks that an address which no encoder writes leads to "no such page", after signing in too.
pub(crate) fn undecodable(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.browser.run("location.hash = '/inventory/of/%E0%A4%A'", &[])?;
    page.says("There is no such page")?;
    page.browser.run("location.reload()", &[])?;
    page.says("Sign in")?;
    page.fill("key", Server::KEY)?;
    page.click("Open the front desk")?;
    page.says("There is no such page")?;
    page.wait_for("document.title.startsWith('There is no such page')")?;
    page.is_clean()
}

/// Checks that the titles of pages, which the browser's history keeps, have numbers and no names.
pub(crate) fn titles(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let (_, patient) = ask(&server, "GET", "/patient/1", None)?;
    let name = patient["name"].as_str().ok_or("no name")?;
    for (screen, title) in [
        ("/patients/1", "Patient 1"),
        ("/patients/1/edit", "Edit the profile: Patient 1"),
        ("/patients/1/visit", "New visit: Patient 1"),
    ] {
        page.show(screen)?;
        page.wait_for(&format!("document.querySelector('h1').textContent.includes({})", json!(name)))?;
        page.wait_for(&format!("document.title === {}", json!(format!("{title} · Care"))))?;
    }
    let called = "(() => { const name = document.querySelector('h1 bdi, .paper bdi')?.textContent ?? ''; \
        return name !== '' && document.title.includes(name) })()";
    for (screen, title) in [
        ("/visits/1", "Visit: 1"),
        ("/bills/1", "Invoice 1"),
        ("/prescriptions/1", "Prescriptions: 1"),
        ("/inventory/of/Ibuprofen%20400", "Edit the item"),
        ("/inventory/stock/Amoxicillin%20500", "Inventory"),
    ] {
        page.show(screen)?;
        page.wait_for(&format!("document.title === {}", json!(format!("{title} · Care"))))?;
        if page.is(called)? != json!(false) {
            return Err(format!("the title of {screen} has a name").into());
        }
    }
    page.is_clean()
}

/// Checks that signing out leaves nothing behind for the next person.
pub(crate) fn left(stage: &Stage) -> Verdict {
    let clinic = Clinic::open(stage)?;
    let narrow = clinic.issue(stage, "Store room", &["inventory:read", "patient:read"])?;
    let page = stage.desk(&clinic.server, Server::KEY)?;
    page.show("/patients")?;
    page.fill("search", "Ada")?;
    page.says("1 patient")?;
    page.show("/patients/1")?;
    page.click("Requests")?;
    page.wait_for("[...document.querySelectorAll('#exchange option')].some((one) => one.text.includes('/history/1'))")?;
    page.click("Sign out")?;
    page.says("the key is forgotten")?;
    page.wait_for("location.hash === ''")?;
    page.fill("key", &narrow)?;
    page.click("Open the front desk")?;
    page.says("Store room")?;
    page.wait_for("document.querySelector('#exchange') !== null")?;
    page.wait_for(
        "![...document.querySelectorAll('#exchange option')]\
        .some((one) => one.text.includes('patient/1') || one.text.includes('history'))",
    )?;
    page.wait_for("!document.querySelector('.drawer pre').textContent.includes('history')")?;
    page.show("/patients")?;
    page.wait_for("document.querySelector('[name=search]').value === ''")?;
    page.is_clean()
}

/// Checks that a key sees what it may do, and is told what is left out.
pub(crate) fn narrow(stage: &Stage) -> Verdict {
    let clinic = Clinic::open(stage)?;
    ask(&clinic.server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4 })))?;
    ask(&clinic.server, "POST", "/prescriptions", Some(json!({ "patientId": 1, "medicine": "Zinc 10" })))?;
    let reader = clinic.issue(stage, "Reader", &["patient:read", "inventory:read", "prescriptions:read"])?;
    let page = stage.desk(&clinic.server, &reader)?;
    let lacks = |links: &[&str]| -> Verdict {
        page.says("This key does not let you")?;
        for link in links {
            let named = "[...document.querySelectorAll('.screen a, .screen button, .head a, .head button')]
                .some((node) => node.checkVisibility() && node.textContent.includes(";
            if page.is(&format!("{named}{}))", json!(link)))? != json!(false) {
                return Err(format!("{link:?} is offered to a key that may not use it").into());
            }
        }
        Ok(())
    };
    page.show("/inventory")?;
    page.says("Zinc 10")?;
    lacks(&["Add a medicine", "Set out of stock"])?;
    page.show("/inventory/stock/Zinc%2010")?;
    lacks(&["Track in units", "Edit the item"])?;
    page.show("/patients")?;
    lacks(&["Register a patient"])?;
    page.show("/patients/1")?;
    page.says("Zinc 10")?;
    lacks(&["Edit the profile", "New visit", "Issue the invoice", "Withdraw"])?;
    page.browser.run("location.hash = '/patients/1/edit'", &[])?;
    page.says("This key may not open this screen")?;
    for entry in page.browser.log("browser")? {
        if entry["message"].as_str().unwrap_or_default().contains("403") {
            return Err(format!("the page asks for what the key does not open: {entry}").into());
        }
    }

    let desk = clinic.issue(stage, "Reception", &["patient:read", "prescriptions:read", "prescriptions:write"])?;
    let page = Page::new(Browser::open(WIDE)?, &clinic.server.url);
    page.sign_in(&desk)?;
    page.show("/patients/1/visit")?;
    page.says("This key does not let you see stocks and lots.")?;
    page.fill("medicine", "Zinc 10")?;
    page.wait_for("!document.body.innerText.includes('not in the inventory')")?;
    page.is_clean()
}

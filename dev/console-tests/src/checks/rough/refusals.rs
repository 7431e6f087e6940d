//! Refusals of the service, as the console shows them.

use std::process::Command;

use care_testkit::Program;
use serde_json::json;

use crate::{
    Verdict,
    browser::Browser,
    checks::session::Clinic,
    page::Page,
    process::Server,
    stage::{Stage, WIDE, ask, unpaid},
};

pub(crate) fn unauthorized(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    page.browser.go(&page.address("#key=another-key"))?;
    page.says("The service does not know this key")?;
    page.fill("key", "an other")?;
    page.click("Open the front desk")?;
    page.says("A key is 1 to 256 letters, digits and signs, without spaces.")?;
    page.fill("key", Server::KEY)?;
    page.click("Open the front desk")?;
    page.says("It follows every change.")?;
    // The server is replaced by one with other keys.
    let bind = format!("127.0.0.1:{}", server.address.port());
    drop(server);
    let mut other = Command::new(stage.folder.join(stage.server));
    other.args(["--in-memory", "--demo", "--api-key", "another-key", "--bind", &bind]);
    let _other = Program::start(&mut other)?;
    page.says("The service does not know this key")?;
    page.is_clean()
}

pub(crate) fn forbidden(stage: &Stage) -> Verdict {
    let clinic = Clinic::open(stage)?;
    let key = clinic.issue(stage, "Reader", &["patient:read"])?;
    let page = Page::new(Browser::open(WIDE)?, &clinic.server.url);
    page.browser.go(&page.address(&format!("#key={key}")))?;
    page.says("Patients found")?;
    if page.is("[...document.querySelectorAll('nav a')].map((link) => link.textContent).join()")?
        != json!("Patients,Explorer")
    {
        return Err("it sees other screens".into());
    }
    page.browser.run("location.hash = '/inventory'", &[])?;
    page.says("This key may not open this screen")?;
    page.show("/patients/1")?;
    page.says("This key may not see this.")?;
    page.browser.run("location.hash = '/patients/1/edit'", &[])?;
    page.says("This key may not open this screen")?;
    page.is_clean()
}

pub(crate) fn conflict(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    unpaid(&server)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/1")?;
    page.click("Withdraw: Zinc 10")?;
    page.says("Withdraw Zinc 10?")?;
    page.click("Withdraw")?;
    page.wait_for("document.querySelector('.refusal[role=alert]')?.innerText.includes('invoice')")?;
    page.is_clean()
}

pub(crate) fn invalid(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/new")?;
    page.fill("name", "Ada")?;
    page.fill("age", "151")?;
    page.fill("email", "no address")?;
    page.click("Register a patient")?;
    let fault = |field: &str| {
        format!("document.querySelector(`[name='{field}']`).parentElement.querySelector('.fault').textContent")
    };
    page.wait_for(&format!("{}.includes('0 to 150')", fault("age")))?;
    page.wait_for(&format!("{} !== ''", fault("email")))?;
    page.wait_for(
        "document.activeElement.name === 'age' && document.activeElement.getAttribute('aria-invalid') === 'true'",
    )?;
    page.fill("age", "many")?;
    page.click("Register a patient")?;
    page.wait_for(&format!("{} === 'Enter a whole number.'", fault("age")))?;
    page.show("/patients/1/visit")?;
    page.fill("medicine", "Cetirizine 10")?;
    page.click("Price and regular use")?;
    page.fill("price", "-1")?;
    page.click("Record the visit")?;
    page.wait_for(&format!("{} !== ''", fault("price")))?;
    page.is_clean()
}

/// Removes a patient after a question.
pub(crate) fn voided(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let (_, made) = ask(&server, "POST", "/patient", Some(json!({ "name": "Tom Temporary" })))?;
    let id = &made["patientId"];
    let page = stage.desk(&server, Server::KEY)?;
    page.show(&format!("/patients/{id}/edit"))?;
    page.click("Remove the patient")?;
    page.says("Remove this patient?")?;
    page.browser.run("document.querySelector('dialog .danger').click()", &[])?;
    page.says("The patient is removed.")?;
    let (status, _) = ask(&server, "GET", &format!("/patient/{id}"), None)?;
    if status != 404 {
        return Err(format!("a removed patient is answered {status}").into());
    }
    page.is_clean()
}

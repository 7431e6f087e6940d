//! Drafts of forms, and requests whose answers were lost.

use serde_json::json;

use super::session::Clinic;
use crate::{
    Verdict,
    page::Page,
    process::Server,
    stage::{Stage, ask},
};

pub(super) const OFFER: &str = "Your earlier input was kept.";

/// Fills the form on the screen with what was kept of it.
fn put_back(page: &Page, name: &str) -> Verdict {
    page.says(OFFER)?;
    page.click("Restore it")?;
    page.wait_for(&format!("document.querySelector('[name=name]').value === {}", json!(name)))
}

pub(super) fn sign_in_again(page: &Page, key: &str) -> Verdict {
    page.says("Sign in")?;
    page.fill("key", key)?;
    page.click("Open the front desk")?;
    page.wait_for("document.querySelector('.holder') !== null")
}

/// Checks that what was typed survives the menu, a reload and an idle end, for its holder alone, and not the sign-out.
pub(crate) fn survive(stage: &Stage) -> Verdict {
    let clinic = Clinic::open(stage)?;
    let other = clinic.issue(stage, "Colleague", &["patient:read", "patient:write"])?;
    let page = stage.desk(&clinic.server, Server::KEY)?;
    page.show("/patients/new")?;
    page.fill("name", "Half Typed")?;
    page.fill("age", "40")?;
    page.click("Patients")?;
    page.says("Patients found")?;
    page.browser.run("history.back()", &[])?;
    put_back(&page, "Half Typed")?;
    page.browser.run("location.reload()", &[])?;
    sign_in_again(&page, Server::KEY)?;
    put_back(&page, "Half Typed")?;

    let later = "const then = Date.prototype.getTime.call(new Date()); Date.now = () => then + 15.2 * 60000";
    page.browser.run(later, &[])?;
    page.says("You were signed out after 15 minutes")?;
    sign_in_again(&page, &other)?;
    page.show("/patients/new")?;
    if page.is(&format!("document.body.innerText.includes({})", json!(OFFER)))? != json!(false) {
        return Err("another holder is offered what was typed".into());
    }
    page.browser.run("location.reload()", &[])?;
    sign_in_again(&page, Server::KEY)?;
    put_back(&page, "Half Typed")?;
    page.click("Register a patient")?;
    page.says("Registered.")?;
    page.show("/patients/new")?;
    page.wait_for(&format!("!document.body.innerText.includes({})", json!(OFFER)))?;

    ask(&clinic.server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4 })))?;
    page.show("/patients/1/visit")?;
    page.fill("disease", "Gout")?;
    page.click("Add a prescription")?;
    page.browser.run("[...document.querySelectorAll('[name=medicine]')].at(-1).focus()", &[])?;
    page.browser.keys("Zinc 10")?;
    page.show("/patients")?;
    page.show("/patients/1/visit")?;
    page.says(OFFER)?;
    page.click("Restore it")?;
    page.wait_for("document.querySelector('[name=disease]').value === 'Gout'")?;
    page.wait_for("[...document.querySelectorAll('[name=medicine]')].some((field) => field.value === 'Zinc 10')")?;
    // A restored draft suggests nothing: a list without the focus would stay open over the fields below it.
    page.wait_for("[...document.querySelectorAll('.screen [role=listbox]')].every((list) => list.hidden)")?;

    // Typing answers the offer, which could only replace what is typed.
    page.show("/patients")?;
    page.show("/patients/1/visit")?;
    page.says(OFFER)?;
    page.fill("disease", "Croup")?;
    page.wait_for(&format!("!document.body.innerText.includes({})", json!(OFFER)))?;
    page.show("/patients")?;
    page.show("/patients/1/visit")?;
    page.says(OFFER)?;
    page.click("Restore it")?;
    page.wait_for("document.querySelector('[name=disease]').value === 'Croup'")?;
    page.click("Sign out")?;
    page.says("the key is forgotten")?;
    page.wait_for("!JSON.stringify({ ...sessionStorage }).includes('Croup')")?;
    sign_in_again(&page, Server::KEY)?;
    page.show("/patients/1/visit")?;
    page.wait_for(&format!("!document.body.innerText.includes({})", json!(OFFER)))?;
    page.is_clean()
}

/// Loses the answer to the page's next request of this method.
pub(super) fn lose(page: &Page, method: &str) -> Verdict {
    let script = "const real = fetch, [method] = arguments; let isLost = false;
        globalThis.fetch = async (target, options) => {
            const answer = await real(target, options);
            if (options?.method !== method || isLost) return answer;
            isLost = true;
            throw new TypeError('the answer is lost');
        }";
    page.browser.run(script, &[json!(method)]).map(drop)
}

/// Checks that a patient whose registration got no answer is registered once, however it is corrected.
pub(crate) fn lost(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/new")?;
    lose(&page, "POST")?;
    page.fill("name", "Lorna Lost")?;
    page.fill("age", "4")?;
    page.click("Register a patient")?;
    page.says("nothing is done twice")?;
    page.fill("age", "44")?;
    page.fill("gender", "f")?;
    page.click("Register a patient")?;
    page.says("Registered.")?;
    is_once(&server, "Lorna", 44)?;

    page.show("/patients/new")?;
    lose(&page, "POST")?;
    page.fill("name", "Leo Left")?;
    page.click("Register a patient")?;
    page.says("nothing is done twice")?;
    page.show("/patients")?;
    page.browser.run("location.hash = '/patients/new'", &[])?;
    page.says("was registered at the first attempt")?;
    page.says("Leo Left")?;
    let (_, found) = ask(&server, "GET", "/patient?name=Leo%20Left", None)?;
    if found["items"].as_array().is_none_or(|items| items.len() != 1) {
        return Err(format!("the service has {found}").into());
    }
    page.is_clean()
}

/// Checks that the service has one patient of this name, with this age.
fn is_once(server: &Server, name: &str, age: u8) -> Verdict {
    let (_, found) = ask(server, "GET", &format!("/patient?name={name}"), None)?;
    let items = found["items"].as_array().ok_or("a page")?;
    if items.len() != 1 || items[0]["age"] != age {
        return Err(format!("the service has {found}").into());
    }
    Ok(())
}

/// Checks that a patient is registered once if the page is loaded anew before a lost answer is learned, and that what
/// was corrected in the meantime is offered in the profile.
pub(crate) fn reloaded(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/new")?;
    lose(&page, "POST")?;
    page.fill("name", "Rhea")?;
    page.fill("age", "4")?;
    page.click("Register a patient")?;
    page.says("nothing is done twice")?;
    page.fill("age", "44")?;
    page.browser.run("location.reload()", &[])?;
    sign_in_again(&page, Server::KEY)?;
    page.says("was registered at the first attempt")?;
    page.wait_for("document.querySelector('[name=age]')?.value === '4'")?;
    put_back(&page, "Rhea")?;
    page.wait_for("document.querySelector('[name=age]').value === '44'")?;
    page.click("Save")?;
    page.says("The profile is saved.")?;
    is_once(&server, "Rhea", 44)?;
    page.show("/patients/new")?;
    page.wait_for(&format!("!document.body.innerText.includes({})", json!(OFFER)))?;
    page.is_clean()
}

/// Checks that the visit of one patient is recorded although the answer to another's was lost, and that the outcome of
/// the lost one is learned when its form is opened again.
pub(crate) fn visits(stage: &Stage) -> Verdict {
    let clinic = Clinic::open(stage)?;
    ask(&clinic.server, "POST", "/patient", Some(json!({ "name": "Bo Example" })))?;
    let page = stage.desk(&clinic.server, Server::KEY)?;
    page.show("/patients/1/visit")?;
    lose(&page, "POST")?;
    page.fill("disease", "Gout")?;
    page.click("Record the visit")?;
    page.says("nothing is done twice")?;
    page.show("/patients/2/visit")?;
    page.fill("disease", "Croup")?;
    page.click("Record the visit")?;
    page.says("The visit is recorded.")?;
    page.says("Croup")?;
    page.says("Bo Example")?;
    page.browser.run("location.hash = '/patients/1/visit'", &[])?;
    page.says("was recorded at the first attempt")?;
    page.says("Gout")?;
    page.says("Ada Example")?;
    page.show("/patients/1/visit")?;
    page.wait_for("document.querySelector('[name=disease]')?.value === ''")?;
    page.wait_for(&format!("!document.body.innerText.includes({})", json!(OFFER)))?;
    for (patient, disease) in [(1, "Gout"), (2, "Croup")] {
        let (_, history) = ask(&clinic.server, "GET", &format!("/history/{patient}"), None)?;
        if history.to_string().matches(disease).count() != 1 {
            return Err(format!("patient {patient} has {history}").into());
        }
    }
    page.is_clean()
}

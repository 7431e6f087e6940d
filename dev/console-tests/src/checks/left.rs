//! Screens that were left: their open questions, and the answers that come late.

use serde_json::json;

use super::drafts::OFFER;
use crate::{
    Verdict,
    page::Page,
    process::Server,
    stage::{Stage, ask},
};

const QUESTION: &str = "document.querySelector('[aria-labelledby=question]')";

/// Checks that a question is closed without an answer when its screen is left, and that what was typed there is kept.
pub(crate) fn questions(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let (_, before) = ask(&server, "GET", "/history/1", None)?;
    let page = stage.desk(&server, Server::KEY)?;
    for screen in ["/today", "/patients/1", "/patients/1/visit"] {
        page.show(screen)?;
    }
    page.click("Record the visit")?;
    page.says("Record a visit with nothing in it?")?;
    for screen in ["#/patients/1", "#/today"] {
        page.browser.run("history.back()", &[])?;
        page.wait_for(&format!("location.hash === '{screen}' && {QUESTION} === null"))?;
        page.wait_for("document.activeElement.tagName === 'H1'")?;
    }

    page.show("/patients/1/visit")?;
    page.fill("medicine", "qqq")?;
    page.click("Record the visit")?;
    page.says("qqq is not in the inventory.")?;
    page.browser.run("history.back()", &[])?;
    page.wait_for(&format!("location.hash === '#/today' && {QUESTION} === null"))?;
    page.show("/patients/1/visit")?;
    page.says(OFFER)?;

    page.show("/patients/1/edit")?;
    page.click("Remove the patient")?;
    page.says("Remove this patient?")?;
    page.browser.run("history.back()", &[])?;
    page.wait_for(&format!("location.hash === '#/patients/1/visit' && {QUESTION} === null"))?;
    let (_, after) = ask(&server, "GET", "/history/1", None)?;
    if before != after {
        return Err(format!("the history was {before} and is {after}").into());
    }
    page.is_clean()
}

/// Checks that an answer whose screen was left is only told, and the user stays on the screen of now.
pub(crate) fn answers(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let iron = json!({ "patientId": 1, "prescriptions": [{ "medicine": "Iron 50" }] });
    let (_, visit) = ask(&server, "POST", "/consultations", Some(iron))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/new")?;
    page.fill("name", "Lara Late")?;
    while_away(&page, "/patient", "Register a patient", "Registered.")?;
    page.show(&format!("/visits/{}", visit["consultationId"]))?;
    while_away(&page, "/invoice", "Invoice all", "is issued.")?;
    page.is_clean()
}

/// Presses a button whose request is answered late, types elsewhere, and checks that the answer is only told there.
fn while_away(page: &Page, request: &str, button: &str, told: &str) -> Verdict {
    let late = "const real = fetch, [ending] = arguments;
        globalThis.fetch = async (target, options) => {
            const answer = await real(target, options);
            const isLate = options?.method === 'POST' && target.endsWith(ending);
            if (isLate) await new Promise((resolve) => setTimeout(resolve, 2000));
            return answer;
        }";
    page.browser.run(late, &[json!(request)])?;
    page.click(button)?;
    page.show("/patients/3/visit")?;
    page.fill("disease", "Gout")?;
    page.wait_for(&format!("document.querySelector('.status').textContent.endsWith({})", json!(told)))?;
    std::thread::sleep(std::time::Duration::from_millis(300));
    page.wait_for("location.hash === '#/patients/3/visit' && document.activeElement.name === 'disease'")?;
    page.wait_for("document.activeElement.value === 'Gout'")
}

//! Two people edit one record.

use serde_json::json;

use crate::{
    Verdict,
    browser::Answer,
    page::Page,
    process::Server,
    stage::{Stage, ask},
};

/// Opens the form of a patient, changes the age behind it, and enters a weight.
fn overtaken(stage: &Stage, server: &Server) -> Answer<Page> {
    let page = stage.desk(server, Server::KEY)?;
    page.show("/patients/1/edit")?;
    page.fill("weight", "70.5")?;
    ask(server, "PUT", "/patient", Some(json!({ "patientId": 1, "age": 99, "weight": 50 })))?;
    page.click("Save")?;
    page.says("This has changed in the meantime")?;
    let row =
        "[...document.querySelectorAll('.stale tbody tr')].find((row) => row.innerText.startsWith('Weight')).innerText";
    page.wait_for(&format!("{row}.includes('70.5') && {row}.includes('50')"))?;
    page.wait_for(
        "document.querySelectorAll('.stale tr.differs').length === 1 \
        && document.querySelectorAll('.stale tbody tr').length === 2",
    )?;
    Ok(page)
}

pub(crate) fn side_by_side(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = overtaken(stage, &server)?;
    page.click("Save mine")?;
    page.says("The profile is saved.")?;
    let (_, stored) = ask(&server, "GET", "/patient/1", None)?;
    // A field that was not edited here must keep the value of the other user.
    if stored["weight"] != json!(70.5) || stored["age"] != json!(99) {
        return Err(format!("stored is {stored}").into());
    }
    page.is_clean()
}

/// Checks that a setting of a shelf is never overwritten unseen, and that units which are handed out meanwhile are no
/// conflict.
pub(crate) fn settings(stage: &Stage) -> Verdict {
    const STOCK: &str = "/inventory/Zinc%2010/stock";
    let server = stage.demo()?;
    ask(&server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4 })))?;
    let opening = json!([{ "units": 40, "lot": "A1", "expires": "31/03/2099" }]);
    ask(&server, "POST", STOCK, Some(json!({ "unit": "tablets", "opening": opening })))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/stock/Zinc%2010")?;
    page.click("Settings")?;
    page.fill("ordered", "45")?;
    ask(&server, "PUT", STOCK, Some(json!({ "ordered": 78, "policy": "none" })))?;
    page.click("Save")?;
    page.says("This has changed in the meantime")?;
    page.wait_for(
        "[...document.querySelectorAll('.stale tbody tr')].map((row) => row.innerText).join() === \
         'Policy\tnot edited\tno advice,On its way\t45\t78'",
    )?;
    page.click("Save mine")?;
    page.says("The settings are saved.")?;

    page.click("Settings")?;
    page.fill("ordered", "46")?;
    let lost = json!({ "kind": "removal", "units": 4, "reason": "lost", "lot": "A1", "expires": "31/03/2099" });
    ask(&server, "POST", "/inventory/Zinc%2010/movements", Some(lost))?;
    page.says("36 tablets")?;
    page.click("Save")?;
    page.wait_for("document.querySelector('form') === null")?;
    let (_, stored) = ask(&server, "GET", STOCK, None)?;
    match json!([stored["ordered"], stored["policy"], stored["onHand"]]) == json!([46, "none", 36]) {
        true => page.is_clean(),
        false => Err(format!("stored is {stored}").into()),
    }
}

pub(crate) fn theirs(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = overtaken(stage, &server)?;
    page.click("Take the stored ones")?;
    page.wait_for(
        "document.querySelector('[name=weight]').value === '50' && document.querySelector('[name=age]').value === '99'",
    )?;
    page.fill("age", "98")?;
    page.click("Save")?;
    page.says("The profile is saved.")?;
    let (_, stored) = ask(&server, "GET", "/patient/1", None)?;
    if stored["weight"] != json!(50.0) && stored["weight"] != json!(50) || stored["age"] != json!(98) {
        return Err(format!("stored is {stored}").into());
    }
    page.is_clean()
}

//! The last step to a medicine: its whole name, or its package.

use serde_json::{Value, json};

use super::{store_room::track, typing::fault};
use crate::{
    Verdict,
    browser::Answer,
    page::{ENTER, ESCAPE, TAB},
    process::Server,
    stage::{Stage, ask},
};

/// Returns the lots of two medicines of the demo whose names begin alike.
fn lots(server: &Server) -> Answer<Vec<Value>> {
    let mut all = Vec::new();
    for medicine in ["Ambroxol%2030", "Amlodipine%205"] {
        let (_, stock) = ask(server, "GET", &format!("/inventory/{medicine}/stock"), None)?;
        let lots = stock["lots"].as_array().into_iter().flatten();
        all.extend(lots.map(|lot| json!([stock["medicine"], lot["lot"], lot["onHand"]])));
    }
    Ok(all)
}

/// Checks that a delivery is received under whole names alone, and that a package learns its medicine from no other.
pub(crate) fn delivered(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let (_, amlodipine) = ask(&server, "GET", "/inventory/Amlodipine%205/stock", None)?;
    let pack = amlodipine["packUnits"].as_i64().ok_or("no packs")?;
    let before = lots(&server)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/delivery")?;
    let scan = |code: &str| -> Verdict {
        page.fill("scan", code)?;
        page.browser.keys(ENTER)
    };
    let medicine = "document.querySelector('[name=medicine]')";
    scan("01040123456789011728123110ABC123")?;
    page.wait_for("document.activeElement.name === 'medicine'")?;
    page.browser.keys("am")?;
    // Enter chooses only what is marked, or what alone can be meant.
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("document.activeElement === {medicine} && {}.startsWith('Which')", fault("medicine")))?;
    page.browser.keys(TAB)?;
    // The names stand at the field, and the typed text stays.
    page.wait_for(&format!("{}.startsWith('Which one? Ambroxol 30, Amlodipine 5')", fault("medicine")))?;
    page.wait_for(&format!("{medicine}.value === 'am'"))?;
    page.fill("units", "60")?;
    page.click("Receive all")?;
    page.wait_for("document.activeElement.name === 'medicine'")?;
    // With a part of one name alone it is the same, as long as the name is not written out.
    page.fill("medicine", "amlo")?;
    page.click("Receive all")?;
    page.wait_for(&format!("{} === 'Which one? Amlodipine 5'", fault("medicine")))?;
    std::thread::sleep(std::time::Duration::from_millis(500));
    if lots(&server)? != before {
        return Err(format!("the shelves have {:?}", lots(&server)?).into());
    }
    // The same package is not known yet.
    page.fill("medicine", "am")?;
    scan("01040123456789011728123110OTHER")?;
    page.wait_for(&format!("document.activeElement === {medicine} && {medicine}.value === ''"))?;
    page.browser.keys("amlo")?;
    page.browser.keys(TAB)?;
    page.wait_for(&format!("{medicine}.value === 'Amlodipine 5' && {} === ''", fault("medicine")))?;
    page.wait_for(&format!("document.querySelector('[name=units]').value === '{pack}'"))?;
    page.browser.run("document.querySelectorAll('.row')[1].querySelector('button').click()", &[])?;
    page.click("Receive all")?;
    page.says("1 lot is received.")?;
    // Now it is.
    scan("01040123456789011728123110THIRD")?;
    page.wait_for(&format!("{medicine}.value === 'Amlodipine 5'"))?;
    page.click("Receive all")?;
    page.wait_for("document.querySelectorAll('.row').length === 0")?;
    let now = lots(&server)?;
    let new: Vec<_> = now.iter().filter(|lot| !before.contains(lot)).cloned().collect();
    let wanted = ["OTHER", "THIRD"].map(|lot| json!(["Amlodipine 5", lot, pack]));
    match new.len() == 2 && wanted.iter().all(|lot| new.contains(lot)) {
        true => page.is_clean(),
        false => Err(format!("received was {new:?}").into()),
    }
}

/// Checks that Enter chooses a medicine and goes on to its units, and that a part of several names is not prescribed.
pub(crate) fn prescribed(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let (_, patient) = ask(&server, "POST", "/patient", Some(json!({ "name": "Nora Berg" })))?;
    let visit = format!("/patients/{}/visit", patient["patientId"]);
    page.show(&visit)?;
    page.fill("medicine", "parac")?;
    page.wait_for("document.querySelector('.screen [role=option]') !== null")?;
    page.browser.keys(ENTER)?;
    page.browser.keys("20")?;
    page.wait_for(
        "document.querySelector('[name=medicine]').value === 'Paracetamol 500' \
        && document.querySelector('[name=quantity]').value === '20'",
    )?;
    page.fill("medicine", "am")?;
    page.browser.keys(ESCAPE)?;
    page.click("Record the visit")?;
    page.wait_for(&format!("{}.startsWith('Which one? ')", fault("medicine")))?;
    page.wait_for("document.activeElement.name === 'medicine' && location.hash.endsWith('/visit')")?;
    // The spelling that is written out is the inventory's.
    page.fill("medicine", "AMLODIPINE  5")?;
    page.browser.keys(TAB)?;
    page.wait_for("document.querySelector('[name=medicine]').value === 'Amlodipine 5'")?;
    page.click("Record the visit")?;
    page.says("The visit is recorded.")?;
    page.is_clean()
}

/// Checks that nothing is said of a name while the inventory is being read, and that suggestions open when it arrives.
pub(crate) fn awaited(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.browser.run("location.reload()", &[])?;
    page.says("Sign in")?;
    page.browser.run(
        "const real = window.fetch; const arrives = new Promise((resolve) => (window.arrive = resolve));
         window.fetch = async (...given) => {
           if (/\\/inventory\\?/.test(String(given[0]))) await arrives;
           return real(...given);
         }; location.hash = '/patients/1/visit'",
        &[],
    )?;
    page.fill("key", Server::KEY)?;
    page.click("Open the front desk")?;
    page.wait_for("document.querySelector('[name=medicine]') !== null")?;
    let state = "document.querySelector('.availability').innerText";
    page.fill("medicine", "ibupro")?;
    page.wait_for(&format!("{state} === 'The list is still being read.'"))?;
    page.browser.run("window.arrive()", &[])?;
    page.wait_for("document.querySelector('.screen [role=listbox]').innerText.includes('Ibuprofen 400')")?;
    page.fill("medicine", "qqq")?;
    page.wait_for(&format!("{state} === 'not in the inventory'"))?;
    page.is_clean()
}

/// Checks that a scan which is refused keeps the focus and leads on, so that blind typing changes no other row.
pub(crate) fn refused(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    ask(&server, "POST", "/inventory/Omega%20oil", Some(json!({ "price": 4 })))?;
    ask(&server, "POST", "/inventory/Ambroxol", Some(json!({ "price": 4 })))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/delivery")?;
    page.fill("scan", "amlo")?;
    page.browser.keys(ENTER)?;
    page.wait_for("document.activeElement.name === 'units'")?;
    page.browser.keys("28")?;
    page.fill("scan", "am")?;
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("{}.startsWith('Which one? ')", fault("scan")))?;
    page.fill("scan", "omega")?;
    page.browser.keys(ENTER)?;
    for text in ["60", "LOT5", "31/12/2028"] {
        page.browser.keys(TAB)?;
        page.wait_for("document.activeElement.name === 'scan'")?;
        page.browser.keys(text)?;
    }
    let row = "[...document.querySelectorAll('.row input')].map((one) => one.value).join()";
    page.wait_for(&format!("{row} === 'Amlodipine 5,28,,'"))?;
    // The field is no trap: Tab leaves it, and so does the way to the medicine.
    page.fill("scan", "omega")?;
    page.browser.keys(ENTER)?;
    page.browser.keys(TAB)?;
    page.browser.keys(TAB)?;
    page.wait_for("document.activeElement.textContent === 'Track in units: Omega oil'")?;
    // The whole name of a medicine that is not tracked is no part of another one's.
    page.fill("scan", "ambroxol")?;
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("{} === 'Which one? Ambroxol 30'", fault("scan")))?;
    let ways = "[...document.querySelectorAll('.actions a')].map((one) => one.textContent)";
    page.wait_for(&format!("{ways}.includes('Track in units: Ambroxol')"))?;
    page.wait_for(&format!("{row} === 'Amlodipine 5,28,,'"))?;
    page.fill("scan", "Nobody knows")?;
    page.browser.keys(ENTER)?;
    page.click("Add a medicine")?;
    page.wait_for("location.hash === '#/inventory/new'")?;
    page.wait_for("document.querySelector('[name=medicine]').value === 'Nobody knows'")?;
    page.is_clean()
}

/// Checks that packages are read whatever the order of what is on them, and that the fault of one names its part.
pub(crate) fn packages(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    track(&server, json!([]))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/delivery")?;
    let type_in = |parts: &[&str]| -> Verdict {
        page.fill("scan", "")?;
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                // How a reader types the separator: Ctrl and ].
                page.browser.chord("\u{E009}", "]")?;
            }
            page.browser.keys(part)?;
        }
        page.browser.keys(ENTER)
    };
    let top = "['lot', 'expires'].map((name) => document.querySelector(`[name=${name}]`)?.value).join()";
    for parts in [
        &["01040123456789011728123110LOT9", "21SER1"][..],
        &["010401234567890121SER1", "1728123110LOT9"],
        &["010401234567890110LOT9", "1728123121SER1"],
        &["1728123110LOT9", "010401234567890121SER1"],
        &["010401234567890117281231200110LOT9"],
        &["]d201040123456789011728120010LOT9"],
    ] {
        type_in(parts)?;
        page.wait_for(&format!("{top} === 'LOT9,31/12/2028'")).map_err(|error| format!("{parts:?}: {error}"))?;
        page.browser.run("document.querySelector('.row button').click()", &[])?;
    }
    // The character itself, pasted and typed.
    for paste in [true, false] {
        let code = "010401234567890110LOT9\u{1d}1728123121SER1";
        page.fill("scan", "")?;
        match paste {
            true => page.browser.cdp("Input.insertText", json!({ "text": code })).map(drop)?,
            false => page.browser.keys(code)?,
        }
        page.browser.keys(ENTER)?;
        page.wait_for(&format!("{top} === 'LOT9,31/12/2028'")).map_err(|error| format!("paste {paste}: {error}"))?;
        page.browser.run("document.querySelector('.row button').click()", &[])?;
    }
    type_in(&["(01)04012345678901(10)LO(T9)"])?;
    page.wait_for(&format!("{top} === 'LO(T9),'"))?;
    page.browser.run("document.querySelector('.row button').click()", &[])?;
    for (code, said) in [
        ("01040123456789011728133110LOT9", "This code cannot be read: Last day (17)."),
        ("1728123110LOT9", "This code lacks a part: Article (01)."),
    ] {
        type_in(&[code])?;
        page.wait_for(&format!("{} === {}", fault("scan"), json!(said)))?;
        page.wait_for("document.activeElement.name === 'scan' && document.querySelector('.row') === null")?;
    }
    page.is_clean()
}

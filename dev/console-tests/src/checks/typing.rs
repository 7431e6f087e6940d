//! The moment of typing: input that is incomplete, wrong or missing is never mistaken for something else.

use serde_json::{Value, json};

use crate::{
    Verdict,
    page::{ENTER, ESCAPE, Page},
    process::Server,
    stage::{Stage, ask},
};

/// Texts on the way to a day, and days that the calendar does not have.
const NO_DAYS: [&str; 7] = ["12 31", "31/12", "31/12/28", "02/31/2028", "29/02/2027", "12/2028/1", "soon"];
const WANTED: &str = "Enter a whole date, such as 31/12/2028.";
const NO_SUCH: &str = "The calendar has no such day.";

/// Checks that no form takes a day that is half typed or impossible for no day at all.
pub(crate) fn days(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    ask(&server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4 })))?;
    page.show("/inventory/stock/Zinc%2010")?;
    page.fill("unit", "tablets")?;
    page.fill("opening[0].units", "40")?;
    refused(&page, "expires", &NO_DAYS)?;
    page.fill("expires", "2028-12-31")?;
    page.says("31 December 2028")?;
    page.browser.keys(ENTER)?;
    page.says("The medicine is tracked in units now.")?;
    page.says("40 tablets")?;

    page.click("Receive")?;
    page.fill("units", "10")?;
    page.fill("lot", "HALF")?;
    refused(&page, "expires", &NO_DAYS)?;
    // A package names a month: its last day counts, in a leap year too.
    for text in ["02/2028", "٠٢/٢٠٢٨"] {
        page.fill("expires", text)?;
        page.says("29 February 2028")?;
    }
    page.browser.keys(ENTER)?;
    page.says("Received.")?;

    page.click("Count")?;
    page.wait_for("document.querySelectorAll('form [name=counted]').length === 3")?;
    page.browser.run("[...document.querySelectorAll('[name=counted]')].at(-1).focus()", &[])?;
    page.browser.keys("5")?;
    refused(&page, "expires", &NO_DAYS)?;
    let (_, stock) = ask(&server, "GET", "/inventory/Zinc%2010/stock", None)?;
    let lots = json!([["29/02/2028", 10], ["31/12/2028", 40]]);
    let found: Vec<Value> =
        stock["lots"].as_array().into_iter().flatten().map(|lot| json!([lot["expires"], lot["onHand"]])).collect();
    if json!(found) != lots {
        return Err(format!("the shelf has {found:?}").into());
    }

    let (_, before) = ask(&server, "GET", "/patient/1", None)?;
    page.show("/patients/1/edit")?;
    page.browser.run("document.querySelector('[name=lastvisit]').focus()", &[])?;
    // One Backspace in a whole date.
    page.browser.keys("\u{E010}\u{E003}")?;
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("{} === {}", fault("lastvisit"), json!(WANTED)))?;
    refused(&page, "lastvisit", &["12/2028"])?;
    let (_, after) = ask(&server, "GET", "/patient/1", None)?;
    if before != after {
        return Err(format!("the profile was {before} and is {after}").into());
    }

    page.show("/patients/1/visit")?;
    refused(&page, "date", &NO_DAYS)?;
    page.show("/restock")?;
    refused(&page, "from", &NO_DAYS)?;
    page.is_clean()
}

/// Checks that a number that may be read in two ways, or that is none, stays at its field.
pub(crate) fn numbers(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/1/edit")?;
    for text in ["1,234", "62.", "1e2", "6 2"] {
        page.fill("weight", text)?;
        page.browser.keys(ENTER)?;
        page.wait_for(&format!("{} === 'Enter a number, such as 62.5.'", fault("weight")))?;
    }
    page.fill("weight", "62,5")?;
    page.browser.keys(ENTER)?;
    page.says("The profile is saved.")?;
    let (_, patient) = ask(&server, "GET", "/patient/1", None)?;
    if patient["weight"] != json!(62.5) {
        return Err(format!("the patient is {patient}").into());
    }

    // Digits are those of the keyboard: Arabic, Persian.
    page.show("/patients/1/edit")?;
    page.fill("age", "٢٥")?;
    page.fill("weight", "۶۱٫۵")?;
    page.browser.keys(ENTER)?;
    page.says("The profile is saved.")?;
    let (_, patient) = ask(&server, "GET", "/patient/1", None)?;
    if json!([patient["age"], patient["weight"]]) != json!([25, 61.5]) {
        return Err(format!("the patient is {patient}").into());
    }
    page.is_clean()
}

/// Checks that a phone number is taken as people write it, and that a zero which is not stored is pointed out.
pub(crate) fn phones(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    for (text, stored, said) in [
        ("+44 1632 960-004", 441_632_960_004_i64, ""),
        ("(01632) 960.005", 1_632_960_005, "Stored as 1632960005"),
        ("٠١٦٣٢ ٩٦٠٠٠٦", 1_632_960_006, "Stored as 1632960006"),
    ] {
        page.show("/patients/1/edit")?;
        page.fill("phone", text)?;
        let hint = "document.querySelector('[name=phone]').closest('.field').querySelector('.hint').textContent";
        page.wait_for(&format!("{hint}.startsWith({0}) && ({hint} === '') === ({0} === '')", json!(said)))?;
        page.browser.keys(ENTER)?;
        page.says("The profile is saved.")?;
        let (_, patient) = ask(&server, "GET", "/patient/1", None)?;
        if patient["phone"] != json!(stored) {
            return Err(format!("{text} is stored as {}", patient["phone"]).into());
        }
    }
    page.show("/patients/1/edit")?;
    page.fill("phone", "960 ext 4")?;
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("{} === 'Enter a whole number.'", fault("phone")))?;
    page.is_clean()
}

/// Checks that Enter in a medicine field chooses or does nothing, and that a visit which was hardly meant is asked
/// about once.
pub(crate) fn visits(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let (_, before) = ask(&server, "GET", "/history/1", None)?;
    let unchanged = || -> Verdict {
        match ask(&server, "GET", "/history/1", None)? {
            (_, now) if now == before => Ok(()),
            (_, now) => Err(format!("the history was {before} and is {now}").into()),
        }
    };
    let medicine = "document.querySelector('[name=medicine]').value";
    page.show("/patients/1/visit")?;
    for (text, then) in [("ibu", "Ibuprofen 400"), ("inhaler", "Budesonide inhaler"), ("qqq", "qqq"), ("", "")] {
        page.fill("medicine", text)?;
        page.browser.keys(ESCAPE)?;
        page.browser.keys(ENTER)?;
        page.wait_for(&format!("{medicine} === {}", json!(then)))?;
        page.wait_for(
            "location.hash === '#/patients/1/visit' && document.querySelector('[aria-labelledby=question]') === null",
        )?;
    }
    // Enter in a row goes on: to its next field, and to the next row.
    page.fill("disease", "Flu")?;
    page.browser.keys(ENTER)?;
    page.wait_for("document.activeElement.name === 'medicine'")?;
    page.fill("disease", "")?;
    page.fill("medicine", "Ibuprofen 400")?;
    page.browser.keys(ENTER)?;
    for (field, then) in [("quantity", "dosage"), ("dosage", "medicine")] {
        page.fill(field, "1")?;
        page.browser.keys(ENTER)?;
        page.wait_for(&format!("document.activeElement.name === '{then}' && document.activeElement.value === ''"))?;
    }
    unchanged()?;
    for field in ["medicine", "quantity", "dosage"] {
        page.fill(field, "")?;
    }

    page.click("Record the visit")?;
    page.says("Record a visit with nothing in it?")?;
    page.browser.keys(ENTER)?;
    page.wait_for("document.querySelector('[aria-labelledby=question]') === null")?;
    unchanged()?;

    // A medicine outside the inventory is asked about once, however often the rest is refused.
    page.fill("medicine", "qqq")?;
    page.click("Price and regular use")?;
    page.fill("price", "-1")?;
    // The fault opens what it stands in.
    page.click("Price and regular use")?;
    page.click("Record the visit")?;
    page.says("qqq is not in the inventory. Prescribe it anyway?")?;
    page.browser.keys(ESCAPE)?;
    page.wait_for("document.querySelector('[aria-labelledby=question]') === null")?;
    unchanged()?;
    page.click("Record the visit")?;
    page.wait_for("document.querySelector('[aria-labelledby=question]') !== null")?;
    page.click("Prescribe anyway")?;
    page.wait_for(&format!("{} !== ''", fault("price")))?;
    page.fill("price", "1")?;
    page.click("Record the visit")?;
    page.says("The visit is recorded.")?;

    // A medicine of the inventory is prescribed without a question, in any spelling.
    page.show("/patients/1/visit")?;
    page.fill("medicine", "ibuPROFEN  400")?;
    page.click("Record the visit")?;
    page.says("The visit is recorded.")?;
    page.is_clean()
}

/// Checks that Enter on an empty form asks before a patient is put on record without a name.
pub(crate) fn nameless(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    let newest = || ask(&server, "GET", "/patient/41", None).map(|(status, _)| status);
    page.show("/patients/new")?;
    page.fill("name", "")?;
    page.browser.keys(ENTER)?;
    page.says("Continue without a name?")?;
    page.browser.keys(ENTER)?;
    page.wait_for("document.querySelector('[aria-labelledby=question]') === null")?;
    if newest()? != 404 {
        return Err("somebody is on record without a name".into());
    }
    page.fill("age", "40")?;
    page.browser.keys(ENTER)?;
    page.says("Continue without a name?")?;
    page.browser.run("document.querySelector('[aria-labelledby=question] .danger').click()", &[])?;
    page.says("Registered.")?;
    if newest()? != 200 {
        return Err("nobody was registered".into());
    }
    page.show("/patients/1/edit")?;
    page.fill("name", "")?;
    page.browser.keys(ENTER)?;
    page.says("Continue without a name?")?;
    page.browser.keys(ESCAPE)?;
    let (_, patient) = ask(&server, "GET", "/patient/1", None)?;
    match patient["name"] == json!("Ada Example") {
        true => page.is_clean(),
        false => Err(format!("the patient is {patient}").into()),
    }
}

/// Types each text into the field, presses Enter, and expects the fault there and the focus in the field.
fn refused(page: &Page, field: &str, texts: &[&str]) -> Verdict {
    for text in texts {
        page.fill(field, text)?;
        page.browser.keys(ENTER)?;
        page.wait_for(&format!(
            "document.activeElement?.name === '{field}' && document.activeElement.getAttribute('aria-invalid') === \
             'true'"
        ))
        .map_err(|error| format!("{text:?} in {field}: {error}"))?;
        let said = if text.ends_with("/2028") && text.len() > 7 || text.ends_with("/2027") { NO_SUCH } else { WANTED };
        page.wait_for(&format!("{} === {}", fault(field), json!(said)))?;
    }
    Ok(())
}

/// Returns an expression for the text of the fault at a field.
pub(super) fn fault(field: &str) -> String {
    format!("document.querySelector(`[name='{field}']`)?.closest('.field').querySelector('.fault').textContent")
}

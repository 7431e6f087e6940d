//! A working day at the console.

use std::{cell::Cell, time::Duration};

use serde_json::json;

use crate::{
    Verdict,
    browser::Browser,
    page::{ENTER, Page},
    process::Server,
    stage::{Stage, WIDE, ask},
};

/// The keys that the flow may take. It took 99 before a visit was one bill.
const KEYS: usize = 57;

/// Checks the flow from the key to the paid bill of a new patient's visit with two medicines: by keyboard alone, and
/// with few keys.
pub(crate) fn by_keyboard(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    page.browser.go(&page.address(""))?;
    page.says("Sign in")?;
    let pressed = Cell::new(0);
    let press = |keys: &str| {
        pressed.set(pressed.get() + keys.chars().count());
        page.browser.keys(keys)
    };
    let tab_to = |name: &str| page.tab_to(name).map(|count| pressed.set(pressed.get() + count));
    // A key is pasted, which counts as one.
    page.browser.cdp("Input.insertText", json!({ "text": Server::KEY }))?;
    pressed.set(1);
    press(ENTER)?;
    page.says("It follows every change.")?;

    press("/")?;
    page.wait_for("document.activeElement.getAttribute('role') === 'combobox'")?;
    press("Nora Berg")?;
    page.wait_for("document.querySelector('.hits').innerText.includes('Register a patient')")?;
    press(ENTER)?;
    page.wait_for("document.querySelector('[name=name]')?.value === 'Nora Berg'")?;
    page.wait_for("document.activeElement.tagName === 'H1'")?;
    tab_to("Age")?;
    press("34")?;
    press(ENTER)?;
    page.says("Registered.")?;
    page.wait_for("document.querySelector('h1').innerText === 'Nora Berg'")?;

    tab_to("New visit")?;
    press(ENTER)?;
    page.says("Record the visit")?;
    tab_to("Disease 1")?;
    press("Flu")?;
    for (medicine, name, units) in [("ibu", "Ibuprofen 400", "20"), ("ceti", "Cetirizine 10", "10")] {
        if medicine == "ibu" {
            tab_to("Medicine")?;
        }
        press(medicine)?;
        press(ENTER)?;
        // Choosing goes on to the units.
        page.wait_for(&format!(
            "document.activeElement.name === 'quantity' && \
             document.activeElement.closest('fieldset').querySelector('[name=medicine]').value === {}",
            json!(name)
        ))?;
        press(units)?;
        // Enter goes on, to the next medicine at last, and records nothing.
        press(ENTER)?;
        page.wait_for("document.activeElement.name === 'dosage'")?;
        press(ENTER)?;
        page.wait_for("document.activeElement.name === 'medicine' && document.activeElement.value === ''")?;
    }
    tab_to("Day of the visit")?;
    press(ENTER)?;
    page.says("The visit is recorded.")?;
    page.says("Flu")?;

    page.wait_for("document.activeElement.tagName === 'H1'")?;
    tab_to("Invoice all")?;
    press(ENTER)?;
    page.says("Bill of the visit")?;
    page.wait_for("document.activeElement.tagName === 'H1'")?;
    tab_to("Take the payments")?;
    press(ENTER)?;
    page.says("2 invoices are paid, and the history is updated.")?;
    // The button that had the focus is gone. The focus must be elsewhere on the page.
    page.wait_for("document.activeElement.textContent === 'Print'")?;
    println!("  {} keys", pressed.get());
    if pressed.get() > KEYS {
        return Err(format!("it took {} keys", pressed.get()).into());
    }
    let (_, found) = ask(&server, "GET", "/patient?name=Nora", None)?;
    let (_, history) = ask(&server, "GET", &format!("/history/{}", found["items"][0]["patientId"]), None)?;
    match history["visits"] == json!(1) {
        true => page.is_clean(),
        false => Err(format!("the history says {history}").into()),
    }
}

/// Checks that one click on the printed address shows the clinic.
pub(crate) fn first_screen(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    // A first visit opens the browser's profile, which is not part of the measurement.
    page.browser.go(&page.address(""))?;
    page.browser.go("about:blank")?;
    page.browser.go(&page.address(&format!("#key={}", Server::KEY)))?;
    page.within(Duration::from_secs(5), "document.querySelectorAll('.today .lines li').length > 10")?;
    let took = page.is(
        "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/today')).at(-1).responseEnd",
    )?;
    match took.as_f64() {
        Some(millis) if millis < 1000.0 => page.is_clean(),
        _ => Err(format!("it took {took} ms").into()),
    }?;
    if page.is("location.href")? != json!(page.address("")) {
        return Err("the key is still in the address".into());
    }
    Ok(())
}

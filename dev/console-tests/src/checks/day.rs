//! A working day at the console.

use std::time::Duration;

use serde_json::json;

use crate::{
    Verdict,
    browser::Browser,
    page::{ENTER, ESCAPE, Page},
    process::Server,
    stage::{Stage, WIDE, ask},
};

/// Checks the flow from the key to the paid invoice by keyboard only.
pub(crate) fn by_keyboard(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let (_, before) = ask(&server, "GET", "/history/1", None)?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    page.browser.go(&page.address(""))?;
    page.says("Sign in")?;
    page.browser.keys(Server::KEY)?;
    page.browser.keys(ENTER)?;
    page.says("Medicines of the inventory")?;

    page.tab_to("Patients")?;
    page.browser.keys(ENTER)?;
    page.says("Patients found")?;
    page.wait_for("document.activeElement.tagName === 'H1'")?;
    page.tab_to("Search")?;
    page.browser.keys("ada ex")?;
    page.wait_for("document.querySelectorAll('tbody tr').length === 1")?;
    page.tab_to("Ada Example")?;
    page.browser.keys(ENTER)?;
    page.says("visits, the last on")?;

    page.tab_to("New visit")?;
    page.browser.keys(ENTER)?;
    page.says("Record the visit")?;
    page.tab_to("Disease 1")?;
    page.browser.keys("Hay fever")?;
    page.tab_to("Medicine")?;
    page.browser.keys("cetirizine 10")?;
    page.wait_for("document.querySelector('.availability').innerText.includes('in stock')")?;
    page.browser.keys(ESCAPE)?;
    page.tab_to("Record the visit")?;
    page.browser.keys(ENTER)?;
    page.says("The visit is recorded.")?;
    page.says("Hay fever")?;

    page.tab_to("Issue the invoice: Cetirizine 10")?;
    page.browser.keys(ENTER)?;
    page.says("Take the payment")?;
    page.tab_to("Take the payment")?;
    page.browser.keys(ENTER)?;
    page.says("The invoice is paid, and the history is updated.")?;
    page.says("Hay fever")?;
    // The button that had the focus is gone. The focus must be elsewhere on the page.
    page.wait_for("document.activeElement.textContent === 'Print'")?;

    let (_, after) = ask(&server, "GET", "/history/1", None)?;
    let visits = |history: &serde_json::Value| history["visits"].as_i64();
    if visits(&after) != visits(&before).map(|visits| visits + 1) {
        return Err(format!("the history says {after}").into());
    }
    page.is_clean()
}

/// Checks that one click on the printed address shows the clinic.
pub(crate) fn first_screen(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = Page::new(Browser::open(WIDE)?, &server.url);
    // A first visit opens the browser's profile, which is not part of the measurement.
    page.browser.go(&page.address(""))?;
    page.browser.go("about:blank")?;
    page.browser.go(&page.address(&format!("#key={}", Server::KEY)))?;
    page.within(Duration::from_secs(5), "document.querySelectorAll('tbody tr').length > 10")?;
    let took = page.is(
        "performance.getEntriesByType('resource').filter((one) => one.name.includes('/inventory')).at(-1).responseEnd",
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

//! Large inventories, and what makes a day's work quick: suggestions, the way back, buttons that are pressed twice.

use std::fmt::Write;

use serde_json::json;

use crate::{
    Verdict,
    browser::Answer,
    page::{ENTER, ESCAPE, Page},
    process::Server,
    stage::{Stage, ask},
};

const MEDICINES: usize = 2_000;
/// The longest time that the page may be busy without listening, in milliseconds.
const LONGEST: f64 = 200.0;
const DOWN: &str = "\u{E015}";

/// A script that notes the longest task of the page from now on.
const NOTE_TASKS: &str = "window.longest = 0; window.tasks ??= new PerformanceObserver((list) => list.getEntries()
    .forEach((task) => window.longest = Math.max(window.longest, task.duration))); window.tasks.observe({ type: \
    'longtask' })";

/// Checks that 2,000 medicines keep the page busy for at most 200 ms at a time: shown, searched, changed, prescribed.
pub(crate) fn many(stage: &Stage) -> Verdict {
    // Both servers hand out the same files.
    if stage.server != Server::BOTH[0] {
        return Ok(());
    }
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    stock(&page, MEDICINES)?;
    page.browser.run(NOTE_TASKS, &[])?;
    // A machine that does something else meanwhile makes every task longer.
    let mut longest = f64::MAX;
    for _ in 0..3 {
        longest = longest.min(walk(&page)?);
        if longest <= LONGEST {
            break;
        }
    }
    println!("  the page was busy for {longest} ms at most");
    if longest > LONGEST {
        return Err(format!("the page is busy for {longest} ms").into());
    }
    // The last of them is there, on every screen.
    page.show("/inventory")?;
    page.fill("search", "medicine 1999")?;
    page.wait_for("document.querySelectorAll('tbody tr').length === 1")?;
    if page.is("document.body.innerText.includes('Only the first')")? != json!(false) {
        return Err("the inventory is cut".into());
    }
    page.show("/patients/1/visit")?;
    page.fill("medicine", "medicine 1999")?;
    page.wait_for("document.querySelector('.availability').innerText.includes('in stock')")?;
    // A print has all rows.
    page.show("/inventory")?;
    page.browser.run("dispatchEvent(new Event('beforeprint'))", &[])?;
    page.wait_for(&format!("document.querySelectorAll('tbody tr').length >= {MEDICINES}"))?;
    page.is_clean()
}

/// Works with the inventory, and returns the length of the longest task in milliseconds.
fn walk(page: &Page) -> Answer<f64> {
    let rows = |count: &str| format!("document.querySelectorAll('tbody tr').length {count}");
    page.browser.run("window.longest = 0", &[])?;
    page.show("/inventory")?;
    page.wait_for(&rows("=== 40"))?;
    page.wait_for("document.querySelector('table').getAttribute('aria-rowcount') > 1000")?;
    page.browser.run("document.querySelector('.page').scrollTop = 1e6", &[])?;
    page.wait_for(&rows("> 40"))?;
    page.fill("search", "Medicine 0777")?;
    page.wait_for(&rows("=== 1"))?;
    page.fill("search", "\u{E003}")?;
    page.wait_for(&rows("=== 40"))?;
    let state = "document.querySelector('[data-key=\"Cetirizine 10\"]').innerText";
    let before = page.is(state)?;
    page.browser.run("document.querySelector('[data-key=\"Cetirizine 10\"] td.actions button').click()", &[])?;
    page.wait_for(&format!("{state} !== {before}"))?;
    page.show("/patients/1/visit")?;
    page.fill("medicine", "med")?;
    page.wait_for("document.querySelectorAll('.screen [role=option]').length === 20")?;
    page.says("The first 20 suggestions.")?;
    Ok(page.is("window.longest")?.as_f64().unwrap_or(f64::MAX))
}

/// Adds medicines, a few at a time, in parts that a browser waits for.
fn stock(page: &Page, count: usize) -> Answer<()> {
    const PART: usize = 250;
    let add = "const add = async (first, step) => {
        for (let place = first; place < arguments[0] + arguments[1]; place += step) {
          const name = 'Medicine ' + String(place).padStart(4, '0');
          await fetch('/1.0.0/inventory/' + encodeURIComponent(name), { method: 'POST',
            headers: { api_key: arguments[2], 'Content-Type': 'application/json' },
                body: '{\"isAvailable\":true,\"price\":3}' });
        }
      };
      return Promise.all(Array.from({ length: 6 }, (_, place) => add(arguments[0] + place, 6))).then(() => true)";
    for first in (0..count).step_by(PART) {
        page.browser.run(add, &[json!(first), json!(PART), json!(Server::KEY)])?;
    }
    Ok(())
}

/// Checks the list of suggestions by keyboard and mouse, with the units of what is tracked, and that a supply which is
/// larger than the stock is said before the visit is recorded.
pub(crate) fn suggestions(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let opening = json!({ "unit": "tablets", "opening": [{ "lot": "A1", "expires": "31/03/2099", "units": 30 }] });
    ask(&server, "POST", "/inventory/Cetirizine%2010/stock", Some(opening))?;
    let page = stage.desk(&server, Server::KEY)?;
    let list = "document.querySelector('.screen [role=listbox]')";
    let field = "document.querySelector('[name=medicine]')";
    page.show("/patients/1/visit")?;
    page.fill("medicine", "cet")?;
    page.wait_for(&format!("{field}.ariaExpanded === 'true' && {list}.innerText.includes('30 tablets')"))?;
    page.browser.keys(ESCAPE)?;
    page.wait_for(&format!("{field}.ariaExpanded === 'false' && {list}.hidden && {field}.value === 'cet'"))?;
    page.browser.keys(DOWN)?;
    page.browser.keys(DOWN)?;
    page.wait_for(&format!(
        "document.getElementById({field}.getAttribute('aria-activedescendant')).getAttribute('aria-selected') === \
         'true'"
    ))?;
    page.fill("medicine", "cet")?;
    page.browser.keys(DOWN)?;
    page.browser.keys(ENTER)?;
    page.wait_for(&format!("{field}.value === 'Cetirizine 10' && {list}.hidden"))?;
    page.wait_for("document.querySelector('.availability').innerText.includes('30 tablets')")?;
    page.fill("quantity", "5000")?;
    page.says("Only 30 tablets are available.")?;
    page.fill("medicine", "ibu")?;
    page.wait_for(&format!("!{list}.hidden"))?;
    let at = page.is(&format!(
        "(() => {{ const box = {list}.firstElementChild.getBoundingClientRect(); return [box.x + 5, box.y + 5] }})()"
    ))?;
    let mut press = json!({ "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
    for kind in ["mousePressed", "mouseReleased"] {
        press["type"] = json!(kind);
        page.browser.cdp("Input.dispatchMouseEvent", press.clone())?;
    }
    page.wait_for(&format!("{field}.value === 'Ibuprofen 400' && document.activeElement === {field}"))?;
    page.is_clean()
}

/// Checks that Back leads to where a page was left: its place, its filter and its focus.
pub(crate) fn back(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    stock(&page, 500)?;
    page.show("/inventory")?;
    page.fill("search", "medicine")?;
    page.wait_for("document.querySelector('tbody tr').dataset.key.startsWith('Medicine')")?;
    let wanted = "document.querySelector('[data-key=\"Medicine 0250\"]')";
    page.wait_for(&format!("(document.querySelector('.page').scrollTop = 1e6, {wanted} !== null)"))?;
    let show = format!("{wanted}.scrollIntoView({{ block: 'center' }}); {wanted}.querySelector('a').focus()");
    page.browser.run(&show, &[])?;
    let place = page.is("document.querySelector('.page').scrollTop")?;
    page.browser.keys(ENTER)?;
    page.says("Stock of Medicine 0250")?;
    page.browser.run("history.back()", &[])?;
    // A message above the screen moves it by a line.
    page.wait_for(&format!("Math.abs(document.querySelector('.page').scrollTop - {place}) < 100"))?;
    page.wait_for("document.querySelector('[name=search]').value === 'medicine'")?;
    page.wait_for(&format!("document.activeElement.closest('tr') === {wanted}"))?;
    // A list that needs no scrolling has its focus too, on the link that was followed.
    for (screen, text, link) in [("/inventory", "para", "td a"), ("/patients", "emil", "th a")] {
        page.show("/today")?;
        page.show(screen)?;
        page.fill("search", text)?;
        page.wait_for("document.querySelectorAll('tbody tr').length === 1")?;
        page.browser.run("document.querySelector('tbody ' + arguments[0]).focus()", &[json!(link)])?;
        page.browser.keys(ENTER)?;
        page.wait_for("location.hash.split('/').length > 2 && document.querySelector('[name=search]') === null")?;
        page.browser.run("history.back()", &[])?;
        page.wait_for(&format!("document.activeElement.matches('tbody tr:only-child {link}')"))?;
    }
    page.show("/bills")?;
    page.click("Paid")?;
    page.wait_for("document.querySelectorAll('tbody tr').length >= 40")?;
    page.browser.run("document.querySelector('tbody a').click()", &[])?;
    page.says("Payments and refunds")?;
    page.browser.run("history.back()", &[])?;
    page.wait_for("document.querySelector('[data-state=paid]')?.getAttribute('aria-pressed') === 'true'")?;
    page.is_clean()
}

/// Checks that a button which is pressed twice does its work once, and that no usual path asks for what is not there.
pub(crate) fn twice(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory")?;
    let press = "const button = [...document.querySelectorAll('button')]
        .find((one) => one.ariaLabel === 'Set out of stock: Cetirizine 10');
        button.click(); button.click(); return button.ariaBusy";
    if page.browser.run(press, &[])? != json!("true") {
        return Err("a button at work does not say so".into());
    }
    page.says("Cetirizine 10 is out of stock now.")?;
    std::thread::sleep(std::time::Duration::from_millis(800));
    page.wait_for("document.querySelector('.refusal') === null")?;
    page.browser.run("document.querySelector('[data-key=\"Cetirizine 10\"] a').click()", &[])?;
    page.says("Track in units")?;
    let mut complaints = String::new();
    for entry in page.browser.log("browser")? {
        writeln!(complaints, "{}", entry["message"])?;
    }
    match complaints.contains("404") {
        false => Ok(()),
        true => Err(format!("the page asks in vain: {complaints}").into()),
    }
}

/// Checks that a patient's page shows what others change of the profile, and the settings of a shelf the numbers of its
/// policy alone.
pub(crate) fn shown(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/1")?;
    ask(&server, "PUT", "/patient", Some(json!({ "patientId": 1, "address": "1 New Road" })))?;
    page.within(std::time::Duration::from_secs(3), "document.body.innerText.includes('1 New Road')")?;
    page.show("/inventory/stock/Amoxicillin%20500")?;
    page.click("Settings")?;
    let numbers = "[...document.querySelectorAll('form .grid input')]\
        .filter((one) => one.checkVisibility()).map((one) => one.name).join()";
    let choose = "const list = document.querySelector('[name=policy]'); list.value = arguments[0]; \
        list.dispatchEvent(new Event('change'))";
    for (policy, own) in [("none", ""), ("minMax", ",min,max"), ("cover", ",minDays,maxDays,leadDays")] {
        page.browser.run(choose, &[json!(policy)])?;
        page.wait_for(&format!("{numbers} === 'unit,packUnits,supplyUnits,keepDays,ordered{own}'"))?;
    }
    page.is_clean()
}

/// Checks that today is the facility's, on whichever day the computer is.
pub(crate) fn day(stage: &Stage) -> Verdict {
    let hour = std::time::UNIX_EPOCH.elapsed()?.as_secs() / 3600 % 24;
    // The facility is where it is another day than in Greenwich.
    let (offset, days) = if hour < 12 { ("-720", -1) } else { ("720", 1) };
    let server = stage.serve(&["--in-memory", "--demo", &format!("--utc-offset={offset}")])?;
    let page = stage.desk(&server, Server::KEY)?;
    page.browser.cdp("Emulation.setTimezoneOverride", json!({ "timezoneId": "UTC" }))?;
    let (_, today) = ask(&server, "GET", "/today?part=taken", None)?;
    let own = page
        .is(&format!("new Date(Date.now() + {days} * 86400000).toLocaleDateString('en-GB', {{ timeZone: 'UTC' }})"))?;
    if today["day"] != own {
        return Err(format!("the facility's day is {}, not {own}", today["day"]).into());
    }
    page.show("/patients/1/visit")?;
    page.wait_for(&format!("document.querySelector('[name=date]').value === {own}"))?;
    page.show("/journal")?;
    page.wait_for("/UTC|GMT/.test(document.querySelector('time').textContent)")?;
    page.is_clean()
}

//! The storage of keys.

use serde_json::json;

use crate::{Verdict, page::Page, process::Server, stage::Stage};

/// A script that returns the content of every place in which a page can store data.
const PLACES: &str = "JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, \
    history.state, document.title])";

fn is_left(page: &Page) -> Result<bool, Box<dyn std::error::Error>> {
    Ok(page.is(PLACES)?.as_str().unwrap_or_default().contains(Server::KEY))
}

pub(crate) fn in_memory(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    if is_left(&page)? {
        return Err("the key is kept somewhere".into());
    }
    page.show("/patients/1")?;
    page.browser.run("location.reload()", &[])?;
    page.says("Sign in")?;
    // After signing in again, the same screen is shown.
    page.fill("key", Server::KEY)?;
    page.click("Open the front desk")?;
    page.says("Ada Example")?;
    page.click("Sign out")?;
    page.says("the key is forgotten")?;
    page.is_clean()
}

pub(crate) fn in_the_tab(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.click("Sign out")?;
    page.browser.run("document.querySelector('[name=keep]').click()", &[])?;
    page.fill("key", Server::KEY)?;
    page.click("Open the front desk")?;
    page.says("It follows every change.")?;
    page.browser.run("location.reload()", &[])?;
    page.says("It follows every change.")?;
    if page.is("[document.cookie, Object.keys(localStorage).length].join()")? != json!(",0") {
        return Err("something is kept outside the tab".into());
    }
    page.click("Sign out")?;
    page.says("the key is forgotten")?;
    if is_left(&page)? {
        return Err("the key is still kept".into());
    }
    page.is_clean()
}

pub(crate) fn idle(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    // The clock moves forward by minutes without any input.
    let later = |minutes: f64| {
        let script =
            "const then = Date.prototype.getTime.call(new Date()); Date.now = () => then + arguments[0] * 60000";
        page.browser.run(script, &[json!(minutes)])
    };
    later(14.2)?;
    page.says("You will be signed out in less than a minute")?;
    page.browser.keys("\u{E008}")?;
    page.wait_for("!document.body.innerText.includes('You will be signed out')")?;
    later(14.2 + 15.2)?;
    page.says("You were signed out after 15 minutes")?;
    if is_left(&page)? {
        return Err("the key is still kept".into());
    }
    page.is_clean()
}

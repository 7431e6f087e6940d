//! The drawer of requests, and what a developer copies from it.

use std::{fs, time::Duration};

use serde_json::json;

use crate::{
    Verdict,
    page::{ENTER, Page},
    process::Server,
    stage::{Stage, ask},
};

pub(crate) fn forms(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/1/edit")?;
    page.click("Requests")?;
    let text = "document.querySelector('.drawer pre').textContent";
    page.wait_for(&format!("{text}.includes('GET /1.0.0/patient/1') && {text}.includes('\"name\": \"Ada Example\"')"))?;
    page.click("as XML")?;
    page.wait_for(&format!("{text}.includes('<Patient>') && {text}.includes('<name>Ada Example</name>')"))?;
    page.click("as curl")?;
    page.wait_for(&format!("{text}.includes('api_key: $KEY') && {text}.includes('/1.0.0/patient/1')"))?;
    page.fill("age", "")?;
    page.fill("gender", "<f>")?;
    page.click("Save")?;
    page.says("The profile is saved.")?;
    let chosen = "const list = document.querySelector('#exchange');
        list.selectedIndex = [...list.options].findIndex((option) => option.text.startsWith('PUT'));
        list.dispatchEvent(new Event('change'))";
    page.browser.run(chosen, &[])?;
    page.wait_for(&format!(
        "{text}.includes('-X PUT') && {text}.includes('If-Match') && {text}.includes('\"age\":null')"
    ))?;
    page.click("as XML")?;
    page.wait_for(&format!("{text}.includes('xsi:nil=\"true\"') && {text}.includes('<gender>&lt;f&gt;</gender>')"))?;
    if page.is(&format!("document.body.innerText.includes('{}')", Server::KEY))? != json!(false) {
        return Err("the key is shown".into());
    }
    page.is_clean()
}

/// Checks that the XML of each body about units is one that the service takes.
pub(crate) fn roots(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/inventory/stock/Cetirizine%2010")?;
    page.click("Requests")?;
    page.click("as XML")?;
    page.fill("unit", "tablets")?;
    page.fill("opening[0].units", "40")?;
    page.click("Track in units")?;
    page.says("The medicine is tracked in units now.")?;
    sent(&page, "POST", "Stock", 409)?;
    page.click("Receive")?;
    page.fill("units", "10")?;
    page.browser.keys(ENTER)?;
    page.says("Received.")?;
    sent(&page, "POST", "Movement", 201)?;
    page.says("60 tablets")?;
    page.click("Count")?;
    page.fill("counted", "60")?;
    page.browser.keys(ENTER)?;
    page.says("The count is entered.")?;
    sent(&page, "POST", "Count", 200)?;
    page.click("Settings")?;
    page.fill("keepDays", "9")?;
    page.browser.keys(ENTER)?;
    page.says("The settings are saved.")?;
    sent(&page, "PUT", "Stock", 200)?;
    let (_, listed) = ask(&server, "GET", "/prescriptions?state=active&limit=1", None)?;
    page.show(&format!("/prescriptions/{}", listed["items"][0]["prescriptionId"]))?;
    page.fill("everyDays", "28")?;
    page.browser.keys(ENTER)?;
    page.says("Saved.")?;
    sent(&page, "PUT", "Supply", 200)?;
    page.is_clean()
}

/// Sends the latest write of this method as the drawer shows it in XML, without its tag and key, and expects the
/// status.
fn sent(page: &Page, method: &str, root: &str, expected: u16) -> Verdict {
    let text = "document.querySelector('.drawer pre').textContent";
    // A read that follows the write may become the latest request meanwhile, so the choice is repeated, and the text is
    // taken in the step that finds it.
    page.wait_for(&format!(
        "(() => {{
            if ({text}.includes('\\n{method} ') && {text}.trim().endsWith('</{root}>'))
                return globalThis.found = {text};
            const list = document.querySelector('#exchange');
            list.selectedIndex = [...list.options].findIndex((option) => option.text.startsWith('{method}'));
            list.dispatchEvent(new Event('change'));
            return false;
        }})()"
    ))?;
    let send = "const [, head, body] = found.split('\\n\\n');
         const [method, path] = head.split('\\n')[0].split(' ');
         const headers = { api_key: arguments[0], 'Content-Type': 'application/xml' };
         return fetch(path, { method, headers, body }).then((answer) => answer.status)";
    let status = page.browser.run(send, &[json!(Server::KEY)])?;
    match status == json!(expected) {
        true => Ok(()),
        false => Err(format!("{method} of a {root} is answered {status}").into()),
    }
}

pub(crate) fn csv(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/restock")?;
    page.click("Save as CSV")?;
    for _ in 0..100 {
        let files = page.browser.downloaded()?;
        let done = files.iter().find(|file| file.extension().is_some_and(|extension| extension == "csv"));
        if let Some(file) = done {
            let text = fs::read_to_string(file)?;
            let lines: Vec<_> = text.split("\r\n").collect();
            if lines.len() > 10 && lines[0].starts_with("\u{feff}recommendation,medicine,isAvailable,prescribed") {
                return page.is_clean();
            }
            return Err(format!("the file says {text}").into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err("no file came".into())
}

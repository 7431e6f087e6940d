//! The drawer of requests, and what a developer copies from it.

use std::{fs, time::Duration};

use serde_json::json;

use crate::{Verdict, process::Server, stage::Stage};

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
            if lines.len() > 10 && lines[0].starts_with("recommendation,medicine,isAvailable,prescribed") {
                return page.is_clean();
            }
            return Err(format!("the file says {text}").into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Err("no file came".into())
}

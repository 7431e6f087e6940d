//! What changes by itself.

use std::time::Duration;

use serde_json::json;

use crate::{
    Verdict,
    process::Server,
    stage::{Stage, ask},
};

pub(crate) fn two_windows(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let (one, other) = (stage.desk(&server, Server::KEY)?, stage.desk(&server, Server::KEY)?);
    let state =
        "[...document.querySelectorAll('tbody tr')].find((row) => row.dataset.key === 'Cetirizine 10').innerText";
    other.wait_for(&format!("{state}.includes('in stock')"))?;
    // The long poll of the other window is on its way.
    std::thread::sleep(Duration::from_millis(500));
    one.click("Set out of stock: Cetirizine 10")?;
    one.wait_for(&format!("{state}.includes('out of stock')"))?;
    let took = other.within(Duration::from_secs(2), &format!("{state}.includes('out of stock')"))?;
    println!("  the other window followed after {} ms", took.as_millis());
    other.wait_for(
        "document.querySelector('[role=status].status').textContent === 'Cetirizine 10 is out of stock now.'",
    )?;
    one.is_clean()?;
    other.is_clean()
}

pub(crate) fn journal(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/journal")?;
    page.click("Show older entries")?;
    page.wait_for("document.querySelectorAll('tbody tr').length === 100")?;
    ask(&server, "PUT", "/patient", Some(json!({ "patientId": 1, "age": 40 })))?;
    page.within(Duration::from_secs(2), "document.querySelectorAll('tbody tr').length === 101")?;
    page.wait_for("document.querySelector('tbody tr').innerText.includes('updatePatient')")?;
    page.browser.run("document.querySelector('tbody details').open = true", &[])?;
    page.wait_for("document.querySelector('tbody pre').textContent.includes('\"age\": 40')")?;
    page.is_clean()
}

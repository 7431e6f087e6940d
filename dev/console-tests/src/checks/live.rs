//! Screens that follow changes by themselves.

use std::time::Duration;

use serde_json::json;

use crate::{
    Verdict,
    process::Server,
    stage::{Stage, ask, unpaid},
};

pub(crate) fn two_windows(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let (one, other) = (stage.desk(&server, Server::KEY)?, stage.desk(&server, Server::KEY)?);
    one.show("/inventory")?;
    other.show("/inventory")?;
    let state =
        "[...document.querySelectorAll('tbody tr')].find((row) => row.dataset.key === 'Cetirizine 10').innerText";
    other.wait_for(&format!("{state}.includes('in stock')"))?;
    // The long poll of the other window must have begun.
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
    // Rows are made as they are scrolled to.
    let rows = |count: u8| {
        format!(
            "(document.querySelector('.page').scrollTop = 1e6, document.querySelectorAll('tbody tr').length === \
             {count})"
        )
    };
    page.wait_for(&rows(100))?;
    ask(&server, "PUT", "/patient", Some(json!({ "patientId": 1, "age": 40 })))?;
    page.within(Duration::from_secs(2), &rows(101))?;
    page.wait_for("document.querySelector('tbody tr').innerText.includes('profile changed')")?;
    page.browser.run("document.querySelector('tbody details').open = true", &[])?;
    page.wait_for("document.querySelector('tbody pre').textContent.includes('\"age\": 40')")?;
    page.is_clean()
}

pub(crate) fn concerned(stage: &Stage) -> Verdict {
    let server = stage.demo()?;
    let invoice = unpaid(&server)?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/bills")?;
    const READS: &str =
        "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/invoice')).length";
    page.browser.run(&format!("window.readsBefore = {READS}"), &[])?;
    ask(&server, "PUT", "/patient", Some(json!({ "patientId": 1, "age": 41 })))?;
    std::thread::sleep(Duration::from_millis(1500));
    page.wait_for(&format!("{READS} === window.readsBefore"))?;
    ask(&server, "POST", &format!("/invoice/{invoice}/payment"), None)?;
    page.within(Duration::from_secs(2), &format!("{READS} > window.readsBefore"))?;
    page.is_clean()
}

pub(crate) fn audited(stage: &Stage) -> Verdict {
    let server = stage.serve(&["--in-memory", "--demo", "--audit-reads"])?;
    let last = || Ok::<_, Box<dyn std::error::Error>>(ask(&server, "GET", "/news", None)?.1["seq"].as_i64());
    let invoice = unpaid(&server)?;
    let bill = format!("/bills/{invoice}");
    let page = stage.desk(&server, Server::KEY)?;
    for screen in ["/patients/1", &bill, "/visits/1", "/journal"] {
        page.show(screen)?;
        ask(&server, "PUT", "/patient", Some(json!({ "patientId": 2, "address": screen })))?;
        std::thread::sleep(Duration::from_millis(1500));
        let before = last()?;
        std::thread::sleep(Duration::from_millis(1500));
        if last()? != before {
            return Err(format!("{screen} reads without an end").into());
        }
    }
    // Changes of other users are still shown.
    page.show(&bill)?;
    page.says("Take the payment")?;
    ask(&server, "POST", &format!("/invoice/{invoice}/payment"), None)?;
    page.within(Duration::from_secs(2), "document.querySelector('.paper .pill').textContent === 'paid'")?;
    page.show("/patients/1")?;
    ask(&server, "POST", "/prescriptions", Some(json!({ "patientId": 1, "medicine": "Salbutamol inhaler" })))?;
    page.within(Duration::from_secs(2), "document.body.innerText.includes('Salbutamol inhaler')")?;
    page.is_clean()
}

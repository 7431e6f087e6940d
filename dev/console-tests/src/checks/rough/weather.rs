//! A server that is slow, disappears and comes back.

use care_testkit::Signal;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    Verdict,
    process::Server,
    stage::{Stage, ask},
};

pub(crate) fn slow_and_stopping(stage: &Stage) -> Verdict {
    let folder = TempDir::new()?;
    let file = folder.path().join("care.db");
    let options = ["--console", "--database", file.to_str().ok_or("a path in Unicode")?];
    let server = stage.serve(&options)?;
    ask(&server, "POST", "/patient", Some(json!({ "name": "Ada Example" })))?;
    let page = stage.desk(&server, Server::KEY)?;
    page.show("/patients/1/edit")?;

    server.signal(Signal::STOP);
    page.browser.run("location.hash = '/patients/1'", &[])?;
    page.says("The service is slow to answer.")?;
    server.signal(Signal::CONT);
    page.says("Number")?;
    page.wait_for("!document.body.innerText.includes('is slow to answer')")?;

    page.show("/patients/new")?;
    page.fill("name", "Ben Sparse")?;
    let port = server.address.port();
    drop(server);
    page.click("Register a patient")?;
    page.says("nothing is done twice")?;
    page.says("The service does not answer. Trying again")?;
    let server = stage.serve_at(port, &options)?;
    page.says("The service answers again.")?;
    // The input is still there, and is sent once.
    page.click("Register a patient")?;
    page.says("Registered.")?;
    let (_, found) = ask(&server, "GET", "/patient?name=Ben", None)?;
    match found["items"].as_array().map(Vec::len) {
        Some(1) => page.is_clean(),
        _ => Err(format!("found {found}").into()),
    }
}

//! The surroundings of a check: a server, a browser, and the final rules.

use std::{io, path::PathBuf, time::Duration};

use serde_json::{Value, json};

use crate::{
    browser::{Answer, Browser, Window},
    page::Page,
    process::Server,
};

/// The paths of the programs, and the server under test.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) folder: PathBuf,
    pub(crate) axe: PathBuf,
    pub(crate) server: &'static str,
}

/// The window of a usual screen.
pub(crate) const WIDE: Window = Window { width: 1280, height: 900 };

impl Stage {
    /// Starts the server with these options.
    pub(crate) fn serve(&self, options: &[&str]) -> io::Result<Server> {
        self.serve_at(0, options)
    }

    /// Starts the server at the port of an earlier one.
    pub(crate) fn serve_at(&self, port: u16, options: &[&str]) -> io::Result<Server> {
        Server::start(&self.folder.join(self.server), port, options)
    }

    /// Starts a server with the demo clinic in memory.
    pub(crate) fn demo(&self) -> io::Result<Server> {
        self.serve(&["--in-memory", "--demo"])
    }

    /// Opens a browser and signs in with this key.
    pub(crate) fn desk(&self, server: &Server, key: &str) -> Answer<Page> {
        let page = Page::new(Browser::open(WIDE)?, &server.url);
        page.sign_in(key)?;
        Ok(page)
    }
}

/// Sends a request without the browser, with the key that has every scope.
pub(crate) fn ask(server: &Server, method: &str, path: &str, body: Option<Value>) -> Answer<(u16, Value)> {
    let config =
        ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(30)));
    let agent: ureq::Agent = config.build().into();
    let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", server.url));
    let request = request.header("api_key", Server::KEY).header("Content-Type", "application/json");
    let mut answer = match body {
        Some(body) => agent.run(request.body(body.to_string())?)?,
        None => agent.run(request.body(())?)?,
    };
    let text = answer.body_mut().read_to_string()?;
    Ok((answer.status().as_u16(), serde_json::from_str(&text).unwrap_or_default()))
}

/// Returns the number of a new unpaid invoice: zinc for the first patient, which the demo knows nothing of.
pub(crate) fn unpaid(server: &Server) -> Answer<i64> {
    ask(server, "POST", "/inventory/Zinc%2010", Some(json!({ "price": 4, "currency": "EUR" })))?;
    ask(server, "POST", "/prescriptions", Some(json!({ "patientId": 1, "medicine": "Zinc 10" })))?;
    let (_, zinc) = ask(server, "GET", "/prescriptions?medicine=Zinc%2010&state=active", None)?;
    ask(server, "POST", &format!("/prescriptions/{}/invoice", zinc["items"][0]["prescriptionId"]), None)?;
    let (_, invoices) = ask(server, "GET", "/invoice?patientId=1&state=unpaid&limit=500", None)?;
    let last = invoices["items"].as_array().and_then(|items| items.last()).and_then(|last| last["invoiceId"].as_i64());
    last.ok_or_else(|| format!("no unpaid invoice in {invoices}").into())
}

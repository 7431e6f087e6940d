//! The lines that a server prints once it answers: its address, and requests to try.

use std::{
    io::{IsTerminal, Write, stderr, stdout},
    net::SocketAddr,
};

use care_console::Console;
use care_core::{
    model::{InvoiceId, PatientId},
    service::CareService,
    store::{InvoiceFilter, PatientFilter},
};

use super::site::Site;
use crate::{Options, StartError, options::ApiKey};

/// The lines that a server prints once it answers requests.
#[derive(Debug)]
pub(crate) struct Banner {
    base_path: String,
    key: Option<ApiKey>,
    key_is_new: bool,
    console: Option<Entrance>,
    /// Requests to try, for a user at a terminal.
    calls: Vec<Call>,
}

/// The way into the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entrance {
    /// With a key that the user has to paste.
    Key,
    /// With one click: the address contains the key.
    Click,
}

/// A request to try.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    method: &'static str,
    path: String,
    /// Its headers, except for the key.
    headers: &'static [&'static str],
    body: Option<&'static str>,
}

impl Banner {
    pub(crate) async fn new(site: &Site, options: &Options) -> Result<Self, StartError> {
        let calls = match options.demo || stdout().is_terminal() {
            true => calls(&site.care).await?,
            false => Vec::new(),
        };
        Ok(Self {
            base_path: site.api.base_path().to_owned(),
            key: site.key.clone(),
            key_is_new: site.key_is_new,
            console: options.serves_console().then_some(if options.demo { Entrance::Click } else { Entrance::Key }),
            calls,
        })
    }

    /// Prints the lines. A failure is ignored, because the server works without a reader.
    pub(crate) fn print(&self, address: SocketAddr) {
        if let Some(entrance) = self.console {
            let _ = writeln!(stderr().lock(), "open {} in a browser", self.console_at(address, entrance));
        }
        let mut out = stdout().lock();
        let _ = out.write_all(self.text(address).as_bytes());
        let _ = out.flush();
    }

    /// Returns the address of the console. The server does not know stored keys, so their holders have to paste them.
    fn console_at(&self, address: SocketAddr, entrance: Entrance) -> String {
        let base = format!("http://{address}{}", self.base_path);
        match (&self.key, entrance) {
            (Some(key), Entrance::Click) => Console::address(&base, key.as_str()),
            _ => format!("{base}/console/"),
        }
    }

    fn text(&self, address: SocketAddr) -> String {
        let base = format!("http://{address}{}", self.base_path);
        let mut text = format!("listening on {base}\n");
        // A stored key was shown to its holder once; the server does not know it.
        let key = self.key.as_ref().map_or("YOUR-KEY", ApiKey::as_str);
        if self.key_is_new {
            text += &format!("api key: {key}\n");
        }
        for call in &self.calls {
            text += &call.command(&base, key);
            text.push('\n');
        }
        text
    }
}

/// Returns reads if there is data, and otherwise two writes that need none.
async fn calls(care: &CareService) -> Result<Vec<Call>, StartError> {
    const XML: &[&str] = &["Accept: application/xml"];
    const ITEM: &str = "/inventory/Paracetamol%20500";
    let patients = care.patients(PatientFilter::default(), None::<PatientId>, 1).await?;
    let invoices = care.invoices(InvoiceFilter::default(), None::<InvoiceId>, 1).await?;
    let read = |path, headers| Call { method: "GET", path, headers, body: None };
    let mut calls = Vec::new();
    if let Some(patient) = patients.items.first() {
        let id = patient.record.patient_id;
        calls.push(read(format!("/patient/{id}"), &[]));
        calls.push(read(format!("/history/{id}"), XML));
    }
    if let Some(invoice) = invoices.items.first() {
        calls.push(read(format!("/invoice/{}", invoice.record.invoice_id), XML));
    }
    if calls.is_empty() {
        calls.push(Call {
            method: "POST",
            path: ITEM.to_owned(),
            headers: &["Content-Type: application/json"],
            body: Some(r#"{"dosage": "500 mg", "price": 4, "currency": "EUR"}"#),
        });
        calls.push(Call {
            method: "PUT",
            path: ITEM.to_owned(),
            headers: &["Content-Type: application/xml", "Accept: application/xml"],
            body: Some("<Inventory><price>5</price></Inventory>"),
        });
    }
    Ok(calls)
}

impl Call {
    /// Returns a curl command for the request, ready to paste.
    fn command(&self, base: &str, key: &str) -> String {
        let mut command = String::from("curl");
        if self.method != "GET" {
            command += &format!(" -X {}", self.method);
        }
        command += &format!(" -H {}", quoted(&format!("api_key: {key}")));
        for header in self.headers {
            command += &format!(" -H {}", quoted(header));
        }
        if let Some(body) = self.body {
            command += &format!(" -d {}", quoted(body));
        }
        command + &format!(" {base}{}", self.path)
    }
}

/// Quotes the text for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

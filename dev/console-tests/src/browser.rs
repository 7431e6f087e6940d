//! A client of Chromium for the part of the WebDriver protocol that the checks need.

use std::{error::Error, fmt, path::PathBuf, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;

use crate::process::Driver;

/// The result of a command.
pub(crate) type Answer<T> = Result<T, Box<dyn Error>>;

/// A browser with a profile of its own, closed when this is dropped.
pub(crate) struct Browser {
    agent: Agent,
    session: String,
    _driver: Driver,
    _profile: TempDir,
    /// The directory of its downloads.
    pub(crate) downloads: TempDir,
}

/// The size of a window in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Browser {
    /// Opens a headless browser.
    pub(crate) fn open(window: Window) -> Answer<Self> {
        let driver = Driver::start()?;
        let (profile, downloads) = (TempDir::new()?, TempDir::new()?);
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(60)));
        let agent: Agent = config.build().into();
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            &format!("--user-data-dir={}", profile.path().display()),
            &format!("--window-size={},{}", window.width, window.height),
        ];
        let body = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments, "prefs": { "download.default_directory": downloads.path() } },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let session = format!("{}/session", driver.url);
        let mut browser = Self { agent, session, _driver: driver, _profile: profile, downloads };
        let opened = browser.post("", body)?;
        let id = opened["sessionId"].as_str().ok_or("no session")?;
        browser.session = format!("{}/{id}", browser.session);
        browser.size(window)?;
        Ok(browser)
    }

    /// Goes to an address.
    pub(crate) fn go(&self, url: &str) -> Answer<()> {
        self.post("/url", json!({ "url": url })).map(drop)
    }

    /// Runs a script in the page; what it returns may be a promise.
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Answer<Value> {
        self.post("/execute/sync", json!({ "script": script, "args": arguments }))
    }

    /// Presses keys one after the other, in the element that has the focus. Special keys have WebDriver's code points.
    pub(crate) fn keys(&self, keys: &str) -> Answer<()> {
        let presses: Vec<Value> = keys
            .chars()
            .flat_map(|key| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})])
            .collect();
        self.post("/actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": presses }] })).map(drop)
    }

    /// Presses a key while another one is held.
    pub(crate) fn chord(&self, held: &str, key: &str) -> Answer<()> {
        let presses = [("keyDown", held), ("keyDown", key), ("keyUp", key), ("keyUp", held)]
            .map(|(kind, value)| json!({ "type": kind, "value": value }));
        self.post("/actions", json!({ "actions": [{ "type": "key", "id": "keys", "actions": presses }] })).map(drop)
    }

    /// Gives the page exactly this size.
    pub(crate) fn size(&self, Window { width, height }: Window) -> Answer<()> {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).map(drop)
    }

    /// Shows the page in a theme, `light` or `dark`, without motion.
    pub(crate) fn theme(&self, theme: &str) -> Answer<()> {
        let features = json!([
            { "name": "prefers-color-scheme", "value": theme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features })).map(drop)
    }

    /// Runs a command of Chromium's own protocol.
    pub(crate) fn cdp(&self, command: &str, parameters: Value) -> Answer<Value> {
        self.post("/goog/cdp/execute", json!({ "cmd": command, "params": parameters }))
    }

    /// Returns the page as it is printed on the paper that it names, in PDF.
    pub(crate) fn printed(&self) -> Answer<Vec<u8>> {
        let paper = self.cdp("Page.printToPDF", json!({ "preferCSSPageSize": true }))?;
        decoded(paper["data"].as_str().unwrap_or_default())
    }

    /// Returns the picture of the page, in PNG.
    pub(crate) fn picture(&self) -> Answer<Vec<u8>> {
        decoded(self.get("/screenshot")?.as_str().unwrap_or_default())
    }

    /// Returns the lines that were logged since the last call, of the log `browser` or `performance`.
    pub(crate) fn log(&self, kind: &str) -> Answer<Vec<Value>> {
        let log = self.post("/se/log", json!({ "type": kind }))?;
        Ok(log.as_array().cloned().unwrap_or_default())
    }

    /// Returns the files that were downloaded.
    pub(crate) fn downloaded(&self) -> Answer<Vec<PathBuf>> {
        let files = std::fs::read_dir(self.downloads.path())?;
        Ok(files.map(|file| file.map(|file| file.path())).collect::<Result<_, _>>()?)
    }

    fn get(&self, path: &str) -> Answer<Value> {
        value(self.agent.get(format!("{}{path}", self.session)).call()?)
    }

    fn post(&self, path: &str, body: Value) -> Answer<Value> {
        let request = self.agent.post(format!("{}{path}", self.session));
        value(request.header("Content-Type", "application/json").send(body.to_string())?)
    }
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser").field("session", &self.session).finish_non_exhaustive()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ending the session ends the browser. Then the driver is ended.
        let _ = self.agent.delete(&self.session).call();
    }
}

fn value(mut response: ureq::http::Response<ureq::Body>) -> Answer<Value> {
    let status = response.status();
    let text = response.body_mut().with_config().limit(64 * 1024 * 1024).read_to_string()?;
    let mut answer: Value = serde_json::from_str(&text)?;
    match status.is_success() {
        true => Ok(answer["value"].take()),
        false => Err(format!("the browser refuses: {}", answer["value"]["message"]).into()),
    }
}

/// Decodes Base64.
fn decoded(text: &str) -> Answer<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Ok(byte - b'A'),
        b'a'..=b'z' => Ok(byte - b'a' + 26),
        b'0'..=b'9' => Ok(byte - b'0' + 52),
        b'+' => Ok(62),
        b'/' => Ok(63),
        _ => Err("not Base64"),
    };
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().try_fold(0_u32, |bits, byte| Ok::<_, &str>(bits << 6 | u32::from(digit(*byte)?)))?;
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    Ok(bytes)
}

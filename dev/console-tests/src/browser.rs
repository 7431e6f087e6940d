//! A client of Chromium for the part of the WebDriver protocol that the checks need.

use std::{fmt, path::PathBuf, process::Command, sync::Mutex};

use care_testkit::{Program, RawRequest, Wire};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Answer;

/// The names of keys, with the code points of WebDriver.
const KEYS: [(&str, &str); 11] = [
    ("Enter", "\u{E007}"),
    ("Tab", "\u{E004}"),
    ("Escape", "\u{E00C}"),
    ("Up", "\u{E013}"),
    ("Down", "\u{E015}"),
    ("End", "\u{E010}"),
    ("Backspace", "\u{E003}"),
    ("Delete", "\u{E017}"),
    ("Shift", "\u{E008}"),
    ("Ctrl", "\u{E009}"),
    ("]", "]"),
];

/// A browser with a profile of its own, closed when this is dropped.
pub(crate) struct Browser {
    wire: Mutex<Wire>,
    session: String,
    _driver: Program,
    _profile: TempDir,
    downloads: TempDir,
}

impl Browser {
    /// Opens a headless browser, whose pages begin with this script.
    pub(crate) fn open(script: &str) -> Answer<Self> {
        let (driver, wire) = drive()?;
        let (profile, downloads) = (TempDir::new()?, TempDir::new()?);
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
            "--window-size=1280,900",
        ];
        let body = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments, "prefs": { "download.default_directory": downloads.path() } },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let session = "/session".to_owned();
        let mut browser = Self { wire: Mutex::new(wire), session, _driver: driver, _profile: profile, downloads };
        let opened = browser.post("", &body)?;
        browser.session += &format!("/{}", opened["sessionId"].as_str().ok_or("no session")?);
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": script }))?;
        browser.size(1280, 900)?;
        Ok(browser)
    }

    /// Goes to an address.
    pub(crate) fn go(&self, url: &str) -> Answer<()> {
        self.post("/url", &json!({ "url": url })).map(drop)
    }

    /// Runs a script in the page; what it returns may be a promise.
    pub(crate) fn run(&self, script: &str, arguments: &[&str]) -> Answer<Value> {
        self.post("/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// Presses keys one after the other, in the element that has the focus, or all of them at once. Special keys have
    /// WebDriver's code points.
    pub(crate) fn keys(&self, keys: &str, at_once: bool) -> Answer<()> {
        let press = |kind: &str, key: char| json!({ "type": kind, "value": key });
        let presses: Vec<Value> = match at_once {
            true => keys
                .chars()
                .map(|key| press("keyDown", key))
                .collect::<Vec<_>>()
                .into_iter()
                .chain(keys.chars().rev().map(|key| press("keyUp", key)))
                .collect(),
            false => keys.chars().flat_map(|key| [press("keyDown", key), press("keyUp", key)]).collect(),
        };
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": presses }] })).map(drop)
    }

    /// Gives the page exactly this size in pixels.
    pub(crate) fn size(&self, width: u32, height: u32) -> Answer<()> {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", &metrics).map(drop)
    }

    /// Runs a command of Chromium's own protocol.
    pub(crate) fn cdp(&self, command: &str, parameters: &Value) -> Answer<Value> {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Returns the sheets of the page as it is printed on the paper that it names, each with its width and its height
    /// in points of 1/72 inch.
    pub(crate) fn sheets(&self) -> Answer<Vec<[i64; 2]>> {
        let paper = self.cdp("Page.printToPDF", &json!({ "preferCSSPageSize": true }))?;
        let printed = decoded(paper["data"].as_str().unwrap_or_default())?;
        let text = String::from_utf8_lossy(&printed);
        let boxes = text.split("/MediaBox [").skip(1).filter_map(|rest| rest.split(']').next());
        let sheets = boxes.map(|numbers| {
            let mut numbers = numbers.split_whitespace().skip(2).map(|n| n.parse::<f64>().map(|n| n.round() as i64));
            let mut next = || numbers.next().ok_or("a sheet without a size");
            Ok([next()??, next()??])
        });
        sheets.collect()
    }

    /// Returns the picture of the page, in PNG.
    pub(crate) fn picture(&self) -> Answer<Vec<u8>> {
        decoded(self.send("GET", "/screenshot", None)?.as_str().unwrap_or_default())
    }

    /// Returns the lines that were logged since the last call, of the log `browser` or `performance`.
    pub(crate) fn log(&self, kind: &str) -> Answer<Vec<String>> {
        let log = self.post("/se/log", &json!({ "type": kind }))?;
        let lines = log.as_array().into_iter().flatten();
        Ok(lines.filter_map(|line| line["message"].as_str().map(str::to_owned)).collect())
    }

    /// Returns the file that was downloaded, if it has this extension and is complete.
    pub(crate) fn downloaded(&self, extension: &str) -> Answer<Option<PathBuf>> {
        let files = std::fs::read_dir(self.downloads.path())?;
        let files = files.map(|file| file.map(|file| file.path())).collect::<Result<Vec<_>, _>>()?;
        // The browser holds the name with an empty file until the download is moved there.
        let is_complete = |file: &PathBuf| file.metadata().is_ok_and(|file| file.len() > 0);
        let mut found = files.into_iter().filter(|file| file.extension().is_some_and(|found| found == extension));
        Ok(found.find(is_complete))
    }

    fn post(&self, path: &str, body: &Value) -> Answer<Value> {
        self.send("POST", path, Some(body))
    }

    fn send(&self, method: &'static str, path: &str, body: Option<&Value>) -> Answer<Value> {
        let target = format!("{}{path}", self.session);
        let mut request = RawRequest { method, target, headers: Vec::new(), body: None };
        if let Some(body) = body {
            request = request.body(&body.to_string());
        }
        let mut wire = self.wire.lock().map_err(|_| "the driver is gone")?;
        wire.try_send(request.written())?;
        let answer = wire.try_answer()?;
        let mut said: Value = serde_json::from_str(&answer.body)?;
        match answer.status {
            200 => Ok(said["value"].take()),
            _ => Err(format!("the browser refuses: {}", said["value"]["message"]).into()),
        }
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
        let _ = self.send("DELETE", "", None);
    }
}

/// Starts Chromium's driver.
fn drive() -> Answer<(Program, Wire)> {
    // It takes a free port of IPv4, and ends if the same port of IPv6 belongs to another program.
    for _ in 0..3 {
        let driver = Program::start(Command::new("chromedriver").arg("--port=0"))?;
        let line = driver.out.next_with("started successfully on port ");
        let port = line.as_ref().and_then(|line| line.trim_end_matches('.').rsplit(' ').next()?.parse::<u16>().ok());
        if let Some(port) = port {
            return Ok((driver, Wire::try_open(([127, 0, 0, 1], port).into())?));
        }
    }
    Err("chromedriver did not start".into())
}

/// Returns the text of the keys with these names.
pub(crate) fn keys(names: &str) -> Answer<String> {
    let key = |name: &str| KEYS.iter().find(|(known, _)| *known == name).map(|(_, key)| *key);
    names.split(' ').map(|name| key(name).ok_or_else(|| format!("there is no key {name:?}").into())).collect()
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

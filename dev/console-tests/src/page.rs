//! The console in a browser: what a user can do, and the rules for every page.

use std::{
    cell::RefCell,
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{Answer, browser::Browser};

/// The time limit for everything that a check waits for, in seconds.
pub(crate) const PATIENCE: f64 = 30.0;

/// The script that every page begins with. It has the words that a page does or shows.
const SCRIPT: &str = include_str!("page.js");
/// A script that runs another one with the words at hand.
const WITH: &str = "const { one, all, nameOf, fault, dayIn, sent } = check;";

/// A console in a browser.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) browser: Browser,
    base: String,
    /// The lines that the browser has logged so far.
    log: RefCell<Vec<String>>,
}

impl Page {
    pub(crate) fn open(base: &str) -> Answer<Self> {
        Ok(Self { browser: Browser::open(SCRIPT)?, base: base.to_owned(), log: RefCell::default() })
    }

    /// Goes to an address of the service.
    pub(crate) fn go(&self, rest: &str) -> Answer<()> {
        self.browser.go("about:blank")?;
        self.browser.go(&format!("{}{rest}", self.base))
    }

    /// Runs a script with the words at hand.
    pub(crate) fn run(&self, script: &str) -> Answer<Value> {
        self.browser.run(&format!("{WITH} {script}"), &[])
    }

    /// Does what a word says, as soon as the page can: at most this many seconds from now.
    pub(crate) fn say(&self, word: &str, given: &[&str], patience: f64) -> Answer<f64> {
        let script = match word {
            "wait" => format!("{WITH} return Boolean({})", given.first().unwrap_or(&"")),
            word => format!("return check.words.{word}(...arguments)"),
        };
        let begun = Instant::now();
        loop {
            // A page that is being left refuses scripts.
            let said = self.browser.run(&script, given);
            let passed = begun.elapsed().as_secs_f64();
            match said {
                Ok(Value::Bool(true)) => return Ok(passed),
                said if passed > patience => {
                    let shown = self.browser.run("return document.body.innerText.slice(0, 600)", &[])?;
                    let why = match said {
                        Ok(Value::String(why)) => why,
                        Ok(_) => "it does not become true".to_owned(),
                        Err(error) => error.to_string(),
                    };
                    return Err(format!("{why}; the page says {shown}").into());
                }
                _ => sleep(Duration::from_millis(10)),
            }
        }
    }

    /// Presses Tab until the element with this name has the focus, checks that it is visible, and returns how many
    /// times it pressed. As a person would, it presses only once the element is there.
    pub(crate) fn tab_to(&self, name: &str) -> Answer<usize> {
        self.say("named", &[name], PATIENCE)?;
        let mut passed = Vec::new();
        for _ in 0..200 {
            self.browser.keys("\u{E004}", false)?;
            let here = self.run("return nameOf(document.activeElement)")?;
            if here == json!(name) {
                return self.say("uncovered", &[], 0.0).map(|_| passed.len() + 1);
            }
            passed.push(here.as_str().unwrap_or_default().chars().take(30).collect::<String>());
        }
        passed.sort_unstable();
        passed.dedup();
        Err(format!("Tab does not get to {name:?}, but to {passed:?}").into())
    }

    /// Returns what axe-core finds, as an error.
    pub(crate) fn judge(&self, axe: &str) -> Answer<()> {
        if self.run("return globalThis.axe === undefined")? == json!(true) {
            self.browser.run(axe, &[])?;
        }
        match self.run("return check.judged()")? {
            Value::Array(all) if all.is_empty() => Ok(()),
            found => Err(found.to_string().into()),
        }
    }

    /// Checks that the browser has logged nothing with this text.
    pub(crate) fn has_not_logged(&self, text: &str) -> Answer<()> {
        let mut log = self.log.borrow_mut();
        log.extend(self.browser.log("browser")?);
        match log.iter().find(|line| line.contains(text)) {
            Some(line) => Err(format!("the browser complains: {line}").into()),
            None => Ok(()),
        }
    }

    /// Checks the rules for every visit: the content security policy was kept, and no request went to another server.
    pub(crate) fn is_clean(&self) -> Answer<()> {
        for wrong in ["Content Security Policy", "Trusted", "Uncaught", "TypeError"] {
            self.has_not_logged(wrong)?;
        }
        for line in self.browser.log("performance")? {
            let message: Value = serde_json::from_str(&line)?;
            let url = message["message"]["params"]["request"]["url"].as_str().unwrap_or_default();
            let is_sent = message["message"]["method"] == "Network.requestWillBeSent";
            let is_ours = ["about:", "data:", "blob:", "chrome:"].iter().any(|scheme| url.starts_with(scheme))
                || url.starts_with(&self.base);
            if is_sent && !is_ours {
                return Err(format!("a request went to {url}").into());
            }
        }
        Ok(())
    }
}

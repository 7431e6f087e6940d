//! The console in a browser: what a user can do, and the rules for every page.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::browser::{Answer, Browser};

/// The time limit for everything that a check waits for.
const PATIENCE: Duration = Duration::from_secs(15);

pub(crate) const ENTER: &str = "\u{E007}";
pub(crate) const TAB: &str = "\u{E004}";
pub(crate) const ESCAPE: &str = "\u{E00C}";

/// A console in a browser.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) browser: Browser,
    base: String,
}

impl Page {
    pub(crate) fn new(browser: Browser, base: &str) -> Self {
        Self { browser, base: base.to_owned() }
    }

    /// Returns the address of the console, followed by `rest`.
    pub(crate) fn address(&self, rest: &str) -> String {
        format!("{}/console/{rest}", self.base)
    }

    /// Signs in by opening an address that carries the key.
    pub(crate) fn sign_in(&self, key: &str) -> Answer<()> {
        self.browser.go("about:blank")?;
        self.browser.go(&self.address(&format!("#key={key}")))?;
        self.wait_for(
            "document.body.classList.contains('open') && document.querySelector('.screen')?.childElementCount > 0",
        )
    }

    /// Shows a screen and waits until it has content.
    pub(crate) fn show(&self, path: &str) -> Answer<()> {
        self.browser
            .run("document.querySelector('.screen').replaceChildren(); location.hash = arguments[0]", &[json!(path)])?;
        self.wait_for(
            "document.querySelector('h1').textContent !== '' \
            && document.querySelector('.screen').childElementCount > 0",
        )?;
        // Some parts are read after the first answer.
        sleep(Duration::from_millis(250));
        Ok(())
    }

    /// Waits until an expression is true in the page.
    pub(crate) fn wait_for(&self, condition: &str) -> Answer<()> {
        self.within(PATIENCE, condition).map(drop)
    }

    /// Waits until an expression is true in the page, for this time at most, and returns how long that took.
    pub(crate) fn within(&self, patience: Duration, condition: &str) -> Answer<Duration> {
        let begun = Instant::now();
        let script = format!("return Boolean({condition})");
        while self.browser.run(&script, &[])? != json!(true) {
            if begun.elapsed() > patience {
                let shown = self.browser.run("return document.body.innerText.slice(0, 600)", &[])?;
                return Err(format!("{condition} did not come true; the page says {shown}").into());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(begun.elapsed())
    }

    /// Waits until the page contains this text.
    pub(crate) fn says(&self, text: &str) -> Answer<()> {
        self.wait_for(&format!("document.body.innerText.includes({})", json!(text)))
    }

    /// Returns the value of an expression in the page.
    pub(crate) fn is(&self, expression: &str) -> Answer<Value> {
        self.browser.run(&format!("return {expression}"), &[])
    }

    /// Clicks a button or a link.
    pub(crate) fn click(&self, name: &str) -> Answer<()> {
        let script = format!(
            "{NAME_OF} const all = [...document.querySelectorAll('button, a, summary')];
             const found = all.find((node) => nameOf(node) === arguments[0] && node.checkVisibility());
             found?.click(); return Boolean(found)"
        );
        match self.browser.run(&script, &[json!(name)])? {
            Value::Bool(true) => Ok(()),
            _ => Err(format!("there is nothing called {name:?} to be pressed").into()),
        }
    }

    /// Fills a field.
    pub(crate) fn fill(&self, field: &str, text: &str) -> Answer<()> {
        let script = "const input = document.querySelector(`[name='${arguments[0]}']`); if (!input) return false;
             input.focus(); input.select?.(); return true";
        if self.browser.run(script, &[json!(field)])? != json!(true) {
            return Err(format!("there is no field {field:?}").into());
        }
        match text {
            "" => self.browser.keys("\u{E017}"),
            text => self.browser.keys(text),
        }
    }

    /// Presses Tab until the element with this name has the focus, checks that it is visible, and returns how many
    /// times it pressed. As a person would, it presses only once the element is there.
    pub(crate) fn tab_to(&self, name: &str) -> Answer<usize> {
        self.wait_for(&format!(
            "(() => {{ {NAME_OF}
             const all = [...document.querySelectorAll('a, button, input, select, textarea, summary')];
             return all.some((node) => nameOf(node) === {} && node.checkVisibility()) }})()",
            json!(name)
        ))?;
        let script = format!("{NAME_OF} return nameOf(document.activeElement)");
        let mut passed = Vec::new();
        for _ in 0..200 {
            self.browser.keys(TAB)?;
            let here = self.browser.run(&script, &[])?;
            if here == json!(name) {
                return self.focus_is_seen().map(|()| passed.len() + 1);
            }
            passed.push(here.as_str().unwrap_or_default().chars().take(30).collect::<String>());
        }
        passed.sort_unstable();
        passed.dedup();
        Err(format!("Tab does not get to {name:?}, but to {passed:?}").into())
    }

    /// Checks that no other element covers the one with the focus.
    fn focus_is_seen(&self) -> Answer<()> {
        let script = "const node = document.activeElement, box = node.getBoundingClientRect();
             const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
             return Boolean(at) && (node.contains(at) || at.contains(node))";
        match self.browser.run(script, &[])? {
            Value::Bool(true) => Ok(()),
            _ => Err("what has the focus is covered".into()),
        }
    }

    /// Checks the rules for every visit: the content security policy was kept, and no request went to another server.
    pub(crate) fn is_clean(&self) -> Answer<()> {
        for entry in self.browser.log("browser")? {
            let message = entry["message"].as_str().unwrap_or_default();
            let violates = ["Content Security Policy", "Trusted", "Uncaught", "TypeError"]
                .iter()
                .any(|word| message.contains(word));
            if violates {
                return Err(format!("the browser complains: {message}").into());
            }
        }
        for entry in self.browser.log("performance")? {
            let message: Value = serde_json::from_str(entry["message"].as_str().unwrap_or_default())?;
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

/// A script for the name of a control, as far as the checks need it.
const NAME_OF: &str = "const nameOf = (node) => node.getAttribute('aria-label') || node.labels?.[0]?.textContent \
    || node.textContent.trim();";

//! One check: its server, its windows, what it has noted, and its steps.

use std::{collections::BTreeMap, fs, time::Duration};

use care_testkit::{Signal, within};
use serde_json::{Value, json};

use crate::{
    Answer,
    browser::keys,
    page::{PATIENCE, Page},
    script::{Check, Script, Step, called},
    stage::{Clinic, KEY, Stage},
    values::{given, has, member, plain},
};

/// The widths of windows in which nothing may be cut off, and the steps between them. Both servers hand out the same
/// files, so each view has every width on one of them: three of five on the first, which has less to do besides.
const WIDTHS: std::ops::RangeInclusive<u32> = 320..=1700;
const STEPS: [usize; 2] = [20, 460];

/// A check that runs.
pub(crate) struct Run<'a> {
    stage: &'a Stage,
    script: &'a Script,
    clinic: Option<Clinic>,
    windows: BTreeMap<String, Page>,
    /// The name of the window that the user looks at.
    window: String,
    notes: BTreeMap<String, Value>,
    /// The last answer to a request without a browser.
    answer: Value,
    /// The number of keys that were pressed.
    pressed: usize,
    /// The number of views that were swept.
    swept: usize,
    /// The limit for the next word of the page, in seconds.
    patience: f64,
}

impl<'a> Run<'a> {
    /// Runs a check.
    pub(crate) fn of(stage: &'a Stage, script: &'a Script, check: &Check) -> Answer<()> {
        let notes = BTreeMap::from([("key".to_owned(), json!(KEY)), ("rules".to_owned(), json!(rules()))]);
        let mut run = Self {
            stage,
            script,
            clinic: None,
            windows: BTreeMap::new(),
            window: "the first".to_owned(),
            notes,
            answer: Value::Null,
            pressed: 0,
            swept: 0,
            patience: PATIENCE,
        };
        run.all(&check.steps)?;
        run.windows.values().try_for_each(Page::is_clean)
    }

    fn all(&mut self, steps: &[Step]) -> Answer<()> {
        steps.iter().try_for_each(|step| {
            self.step(step).map_err(|error| {
                let error = error.to_string();
                // The innermost step says where.
                let is_told = error.split_once(": ").is_some_and(|(at, _)| at.contains(".txt:"));
                let text = step.text.lines().next().unwrap_or_default();
                if is_told { error } else { format!("{}: {} {text}: {error}", step.at, step.word) }.into()
            })
        })
    }

    fn step(&mut self, step: &Step) -> Answer<()> {
        let text = match step.is_script() {
            true => self.told(&step.text, Value::to_string)?,
            false => self.told(&step.text, plain)?,
        };
        match step.word {
            "each" => step.rows.iter().try_for_each(|row| {
                for (name, cell) in row {
                    let cell = self.told(cell, plain)?;
                    self.notes.insert(name.clone(), given(&cell));
                }
                self.all(&step.body)
            }),
            "attempts" => {
                let count: usize = text.parse()?;
                let mut last = Ok(());
                for _ in 0..count {
                    last = self.all(&step.body);
                    if last.is_ok() {
                        break;
                    }
                }
                last
            }
            "do" => {
                let (name, parts) = called(&step.text);
                let deed = self.script.deeds.get(&self.told(name, plain)?).ok_or("nothing says how")?;
                for (name, part) in deed.takes.iter().zip(parts) {
                    let part = self.told(part, plain)?;
                    self.notes.insert(name.clone(), given(&part));
                }
                self.all(&deed.steps)
            }
            "within" => {
                self.patience = text.parse()?;
                let done = self.all(&step.body);
                self.patience = PATIENCE;
                done
            }
            "server" | "clinic" | "end" | "start" | "halt" | "resume" | "crowd" | "stack" | "issue" | "revoke" => {
                self.serve(step, &text)
            }
            "send" | "try" | "refused" | "note" | "stored" | "same" => self.ask(step, &text),
            _ => self.watch(step, &text),
        }
    }

    /// Starts and ends servers, and issues keys.
    fn serve(&mut self, step: &Step, text: &str) -> Answer<()> {
        if let ("server" | "clinic", Some(_)) = (step.word, &self.clinic) {
            return Err("a check has one server, and starts it first".into());
        }
        let stage = self.stage;
        match step.word {
            "server" => self.clinic = Some(Clinic::start(stage, text)?),
            "clinic" => {
                self.clinic = Some(Clinic::start(stage, "--console --database DATABASE")?);
                self.clinic()?.ask(KEY, "POST", "/patient", Some(&json!({ "name": "Ada Example" })))?;
            }
            "issue" => {
                let (name, scopes) = text.split_once(": ").ok_or("no scopes")?;
                let key = self.clinic()?.issue(name, scopes)?;
                self.notes.insert(name.to_owned(), json!(key));
            }
            "revoke" => self.clinic()?.revoke(text)?,
            "halt" => self.clinic()?.server()?.signal(Signal::STOP),
            "resume" => self.clinic()?.server()?.signal(Signal::CONT),
            "crowd" => self.clinic()?.crowd(text.parse()?)?,
            "stack" => self.clinic()?.stack(text)?,
            "end" => self.clinic()?.end(),
            _ => self.clinic()?.again(if text.is_empty() { KEY } else { text })?,
        }
        Ok(())
    }

    /// Returns the server, which has the demo clinic if the check has not said otherwise.
    fn clinic(&mut self) -> Answer<&mut Clinic> {
        if self.clinic.is_none() {
            self.clinic = Some(Clinic::start(self.stage, "--in-memory --demo")?);
        }
        self.clinic.as_mut().ok_or_else(|| "no server".into())
    }

    /// Asks the service without a browser.
    fn ask(&mut self, step: &Step, text: &str) -> Answer<()> {
        let (first, rest) = text.split_once([' ', '\n']).unwrap_or((text, ""));
        match step.word {
            "note" => {
                let value = member(&self.answer, rest)?;
                self.notes.insert(first.to_owned(), value);
            }
            "stored" | "same" => {
                // The text with its holes is JSON, and is filled in afterwards.
                let (_, wanted) = step.text.split_once(' ').ok_or("what is to be stored?")?;
                let wanted = self.filled(serde_json::from_str(wanted)?)?;
                let (_, found) = self.clinic()?.ask(KEY, "GET", first, None)?;
                let is_it = if step.word == "same" { found == wanted } else { has(&found, &wanted) };
                if !is_it {
                    return Err(format!("{first} is {found}").into());
                }
            }
            _ => {
                let mut words = step.text.splitn(if step.word == "refused" { 4 } else { 3 }, [' ', '\n']);
                let status = if step.word == "refused" { words.next() } else { None };
                let (method, path) = (words.next().unwrap_or_default(), words.next().ok_or("which path?")?);
                let path = self.told(path, plain)?;
                let body = words.next().map(|body| self.filled(serde_json::from_str(body)?)).transpose()?;
                let (found, answer) = self.clinic()?.ask(KEY, method, &path, body.as_ref())?;
                let is_wanted = match step.word {
                    "send" => found < 300,
                    "try" => true,
                    _ => Some(found.to_string().as_str()) == status,
                };
                if !is_wanted {
                    return Err(format!("the answer is {found} {answer}").into());
                }
                self.answer = answer;
            }
        }
        Ok(())
    }

    /// Does and sees what a user does and sees.
    fn watch(&mut self, step: &Step, text: &str) -> Answer<()> {
        match step.word {
            "window" => {
                text.clone_into(&mut self.window);
                return Ok(());
            }
            "arrive" | "explorer" | "sign" => {
                let rest = match step.word {
                    "arrive" => format!("/console/{text}"),
                    "explorer" => "/explorer/".to_owned(),
                    _ => format!("/console/#key={}", if text == "in" { KEY } else { text }),
                };
                let base = self.clinic()?.server()?.url.clone();
                if !self.windows.contains_key(&self.window) {
                    self.windows.insert(self.window.clone(), Page::open(&base)?);
                }
                self.page()?.go(&rest)?;
                return if step.word == "sign" { self.say("open", &[]) } else { Ok(()) };
            }
            "heard" | "silent" => return self.hear(step.word == "silent"),
            "tab" => self.pressed += self.page()?.tab_to(text)?,
            "type" | "press" | "chord" => {
                let keys = if step.word == "type" { text.to_owned() } else { keys(text)? };
                self.pressed += keys.chars().count();
                self.page()?.browser.keys(&keys, step.word == "chord")?;
            }
            // A pasted text counts as one key.
            "paste" => {
                self.pressed += 1;
                self.page()?.browser.cdp("Input.insertText", &json!({ "text": text }))?;
            }
            "keys" => {
                println!("  {} keys", self.pressed);
                if self.pressed > text.parse()? {
                    return Err(format!("it took {} keys", self.pressed).into());
                }
            }
            "keep" => {
                let (name, script) = text.split_once([' ', '\n']).ok_or("what is to be kept?")?;
                let value = self.page()?.run(&format!("return {script}"))?;
                self.notes.insert(name.to_owned(), value);
            }
            "run" => drop(self.page()?.run(text)?),
            "is" => {
                let found = self.page()?.run(&format!("return {text}"))?;
                if found != json!(true) {
                    return Err(format!("{found} for {}", text.chars().take(800).collect::<String>()).into());
                }
            }
            "sheets" => {
                let sheets = self.page()?.browser.sheets()?;
                self.notes.insert("sheets".to_owned(), json!(sheets));
            }
            "download" => {
                let browser = &self.page()?.browser;
                let file = within(Duration::from_secs(15), || browser.downloaded(text).transpose());
                let content = fs::read_to_string(file.ok_or("no file came")??)?;
                self.notes.insert("file".to_owned(), json!(content));
            }
            "unlogged" => self.page()?.has_not_logged(text)?,
            "axe" => self.page()?.judge(&self.stage.axe)?,
            "sweep" => return self.sweep(),
            "size" => {
                let (width, height) = text.split_once(' ').ok_or("which height?")?;
                self.page()?.browser.size(width.parse()?, height.parse()?)?;
            }
            "theme" => {
                let theme = json!([{ "name": "prefers-color-scheme", "value": text },
                    { "name": "prefers-reduced-motion", "value": "reduce" }]);
                self.page()?.browser.cdp("Emulation.setEmulatedMedia", &json!({ "features": theme }))?;
            }
            "media" => {
                self.page()?
                    .browser
                    .cdp("Emulation.setEmulatedMedia", &json!({ "media": text.trim_end_matches("screen") }))?;
            }
            "cdp" => {
                let (command, parameters) = step.text.split_once(' ').ok_or("which parameters?")?;
                let parameters = self.filled(serde_json::from_str(parameters)?)?;
                self.page()?.browser.cdp(command, &parameters)?;
            }
            "picture" => {
                fs::create_dir_all(&self.stage.pictures)?;
                let picture = self.page()?.browser.picture()?;
                fs::write(self.stage.pictures.join(text).with_extension("png"), picture)?;
            }
            "show" => {
                self.say("show", &[text])?;
                self.say("shown", &[])?;
                // Some parts are read after the first answer.
                self.say("quiet", &[])?;
            }
            "fill" => {
                let parts = step.parts(text);
                let &[field, text] = parts.as_slice() else {
                    return Err("which field?".into());
                };
                self.say("enter", &[field])?;
                self.page()?.browser.keys(if text.is_empty() { "\u{E017}" } else { text }, false)?;
            }
            "reload" => {
                self.say("reload", &[])?;
                self.say("wait", &["globalThis.isLeft === undefined"])?;
            }
            word => return self.say(word, &step.parts(text)),
        }
        Ok(())
    }

    fn page(&self) -> Answer<&Page> {
        self.windows.get(&self.window).ok_or_else(|| "no window is open".into())
    }

    fn say(&self, word: &str, given: &[&str]) -> Answer<()> {
        let took = self.page()?.say(word, given, self.patience)?;
        if self.patience < PATIENCE {
            println!("  {word} {}: {:.0} ms", given.join(" "), took * 1000.0);
        }
        Ok(())
    }

    /// Waits until the page has heard of everything that has happened, and has read what it then reads. If the page is
    /// to be silent afterwards, its reads must have written nothing that is news again.
    fn hear(&mut self, silent: bool) -> Answer<()> {
        for _ in 0..5 {
            let head = self.head()?;
            self.say("heard", &[&head])?;
            if !silent || self.head()? == head {
                return Ok(());
            }
        }
        Err("the page reads without an end".into())
    }

    fn head(&mut self) -> Answer<String> {
        let (_, news) = self.clinic()?.ask(KEY, "GET", "/news", None)?;
        Ok(news["seq"].to_string())
    }

    /// Looks at the page in every width.
    fn sweep(&mut self) -> Answer<()> {
        self.swept += 1;
        let is_whole = (self.swept % 5 < 3) == self.stage.is_first;
        let page = self.page()?;
        for width in WIDTHS.step_by(STEPS[usize::from(!is_whole)]) {
            page.browser.size(width, 900)?;
            page.say("uncut", &[], 0.0).map_err(|error| format!("at {width}: {error}"))?;
        }
        page.browser.size(1280, 900)
    }

    /// Fills the holes of a text.
    fn told(&self, text: &str, say: impl Fn(&Value) -> String) -> Answer<String> {
        let mut told = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            told += before;
            match after.split_once("}}").filter(|(name, _)| !name.contains(|c: char| !c.is_alphanumeric() && c != ' '))
            {
                Some((name, after)) => {
                    told += &say(self.notes.get(name).ok_or_else(|| format!("nothing is noted as {name:?}"))?);
                    rest = after;
                }
                None => {
                    told += "{{";
                    rest = after;
                }
            }
        }
        Ok(told + rest)
    }

    /// Fills the holes in the texts of a document; a text that is a hole alone becomes what was noted.
    fn filled(&self, value: Value) -> Answer<Value> {
        Ok(match value {
            Value::String(text) => match text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}")) {
                Some(name) if self.notes.contains_key(name) => self.notes[name].clone(),
                _ => json!(self.told(&text, plain)?),
            },
            Value::Array(items) => items.into_iter().map(|item| self.filled(item)).collect::<Answer<_>>()?,
            Value::Object(members) => {
                let filled = members.into_iter().map(|(name, value)| Ok((name, self.filled(value)?)));
                Value::Object(filled.collect::<Answer<_>>()?)
            }
            other => other,
        })
    }
}

/// Returns the names of the rules by which the service makes sentences of advice.
fn rules() -> Vec<&'static str> {
    let sources = [
        include_str!("../../../care-core/src/stock/because.rs"),
        include_str!("../../../care-core/src/service/reports/restock/figures.rs"),
    ];
    let calls = sources.iter().flat_map(|source| source.split("sentence!(").skip(1));
    let mut rules: Vec<_> =
        calls.filter_map(|call| call.trim_start().strip_prefix('"')?.split_once('"')).map(|(rule, _)| rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

//! The checks as text: read strictly, before anything runs.

use std::{collections::BTreeMap, fs, path::Path};

use crate::{Answer, stage::MEDICINES};

/// A check: its name, where it runs, and its steps.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) place: Where,
    pub(crate) steps: Vec<Step>,
}

/// The servers on which a check runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    /// On one of them, in turn, because both hand out the same files.
    Either,
    /// On both, because it depends on what a server answers.
    Both,
    /// On both, with nothing beside it, because it holds the page to a time.
    BothAlone,
    /// On one, with nothing beside it.
    OneAlone,
    /// Only when the pictures of the documents are taken.
    Pictures,
}

/// A step of a check.
#[derive(Debug)]
pub(crate) struct Step {
    /// The file and the line.
    pub(crate) at: String,
    pub(crate) word: &'static str,
    /// The rest of the line, and the indented lines below it if these are no steps.
    pub(crate) text: String,
    /// The rows of a table, each with its names and cells.
    pub(crate) rows: Vec<Vec<(String, String)>>,
    /// The steps inside of it.
    pub(crate) body: Vec<Self>,
}

/// Steps that several checks share, with the names of what they are given.
#[derive(Debug)]
pub(crate) struct Deed {
    pub(crate) takes: Vec<String>,
    pub(crate) steps: Vec<Step>,
}

/// All checks, and the steps that they share.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) checks: Vec<Check>,
    pub(crate) deeds: BTreeMap<String, Deed>,
}

/// The form of the text behind a word.
#[derive(Debug, Clone, Copy)]
enum Form {
    Nothing,
    Text,
    Maybe,
    /// Two parts with this between them. The second one may be empty.
    Parts(&'static str),
    /// A number of seconds and a step.
    Limited,
    /// Steps.
    Body,
    /// Rows and steps.
    Table,
    /// Steps, with each medicine and a part of its name.
    Medicines,
}

/// The words. `run.rs` does the first ones, and the functions of the same names in `page.js` the others.
const WORDS: &[(&str, Form)] = &[
    ("each", Form::Table),
    ("medicines", Form::Medicines),
    ("attempts", Form::Body),
    ("do", Form::Text),
    ("within", Form::Limited),
    ("server", Form::Text),
    ("clinic", Form::Nothing),
    ("end", Form::Nothing),
    ("start", Form::Maybe),
    ("halt", Form::Nothing),
    ("resume", Form::Nothing),
    ("crowd", Form::Text),
    ("stack", Form::Text),
    ("issue", Form::Parts(": ")),
    ("revoke", Form::Text),
    ("send", Form::Text),
    ("try", Form::Text),
    ("refused", Form::Text),
    ("note", Form::Text),
    ("stored", Form::Text),
    ("same", Form::Text),
    ("window", Form::Text),
    ("arrive", Form::Maybe),
    ("explorer", Form::Nothing),
    ("sign", Form::Text),
    ("show", Form::Text),
    ("fill", Form::Parts(" = ")),
    ("type", Form::Text),
    ("press", Form::Text),
    ("chord", Form::Text),
    ("paste", Form::Text),
    ("tab", Form::Text),
    ("keys", Form::Text),
    ("size", Form::Text),
    ("theme", Form::Text),
    ("media", Form::Text),
    ("cdp", Form::Text),
    ("run", Form::Text),
    ("keep", Form::Text),
    ("is", Form::Text),
    ("heard", Form::Nothing),
    ("silent", Form::Nothing),
    ("unlogged", Form::Text),
    ("axe", Form::Nothing),
    ("sweep", Form::Nothing),
    ("sheets", Form::Nothing),
    ("download", Form::Text),
    ("picture", Form::Text),
    // Those of the page.
    ("wait", Form::Text),
    ("click", Form::Text),
    ("tap", Form::Text),
    ("focus", Form::Text),
    ("choose", Form::Parts(" = ")),
    ("submit", Form::Maybe),
    ("back", Form::Nothing),
    ("reload", Form::Nothing),
    ("go", Form::Text),
    ("later", Form::Text),
    ("lose", Form::Text),
    ("see", Form::Text),
    ("unseen", Form::Text),
    ("once", Form::Text),
    ("in", Form::Parts(": ")),
    ("lacks", Form::Parts(": ")),
    ("text", Form::Parts(": ")),
    ("row", Form::Parts(": ")),
    ("some", Form::Text),
    ("none", Form::Text),
    ("count", Form::Parts(" ")),
    ("value", Form::Parts(" = ")),
    ("fault", Form::Parts(" = ")),
    ("focused", Form::Text),
    ("at", Form::Text),
    ("quiet", Form::Nothing),
    ("uncut", Form::Nothing),
];

impl Script {
    /// Reads all files of `screens/`, in the order of their names.
    pub(crate) fn read() -> Answer<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screens");
        let files = fs::read_dir(&folder)?.map(|file| file.map(|file| file.path())).collect::<Result<Vec<_>, _>>()?;
        let mut files: Vec<_> = files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "txt")).collect();
        files.sort();
        let mut script = Self::default();
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            script.add(&name, &fs::read_to_string(&file)?)?;
        }
        script.checks.iter().flat_map(|check| &check.steps).try_for_each(|step| script.is_known(step))?;
        script.deeds.values().flat_map(|deed| &deed.steps).try_for_each(|step| script.is_known(step))?;
        Ok(script)
    }

    fn add(&mut self, file: &str, text: &str) -> Answer<()> {
        let is_content = |(_, line): &(usize, &str)| !line.is_empty() && !line.trim_start().starts_with("# ");
        let lines: Vec<_> = (1..).zip(text.lines()).filter(is_content).collect();
        let starts: Vec<_> = lines.iter().enumerate().filter(|(_, (_, line))| line.starts_with('#')).collect();
        for (place, (first, (number, heading))) in starts.iter().enumerate() {
            let last = starts.get(place + 1).map_or(lines.len(), |(next, _)| *next);
            let mut inner = &lines[first + 1..last];
            let at = format!("{file}:{number}");
            if let Some(name) = heading.strip_prefix("### ") {
                let place = match inner.first().map(|(_, line)| *line) {
                    Some("on both servers") => Where::Both,
                    Some("on both servers, alone") => Where::BothAlone,
                    Some("alone") => Where::OneAlone,
                    Some("for the documents") => Where::Pictures,
                    _ => Where::Either,
                };
                inner = &inner[usize::from(place != Where::Either)..];
                self.checks.push(Check { name: name.to_owned(), place, steps: steps(file, inner, 0)? });
            } else if let Some(name) = heading.strip_prefix("## ") {
                let (name, takes) = name.split_once(": ").unwrap_or((name, ""));
                let takes = takes.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect();
                let deed = Deed { takes, steps: steps(file, inner, 0)? };
                if self.deeds.insert(name.to_owned(), deed).is_some() {
                    return Err(format!("{at}: {name:?} is there twice").into());
                }
            } else {
                return Err(format!("{at}: a heading begins with ## or ###").into());
            }
        }
        Ok(())
    }

    /// Checks that what is to be done is described, and gets as much as it takes.
    fn is_known(&self, step: &Step) -> Answer<()> {
        let (name, given) = called(&step.text);
        // A hole has no name until it is filled.
        if step.word == "do" && !name.starts_with("{{") {
            match self.deeds.get(name) {
                Some(deed) if deed.takes.len() == given.len() => {}
                Some(deed) => return Err(format!("{}: {name} takes {:?}", step.at, deed.takes).into()),
                None => return Err(format!("{}: nothing says how to {name:?}", step.at).into()),
            }
        }
        step.body.iter().try_for_each(|step| self.is_known(step))
    }
}

impl Step {
    /// Makes a step of a line.
    pub(crate) fn new(at: &str, line: &str) -> Answer<Self> {
        let (word, text) = line.split_once(' ').unwrap_or((line, ""));
        let known = WORDS.iter().find(|(known, _)| *known == word);
        let (word, form) = known.ok_or_else(|| format!("{at}: no step begins with {word:?}"))?;
        let is_right = match form {
            Form::Nothing | Form::Medicines => text.is_empty(),
            Form::Text | Form::Table | Form::Body => !text.is_empty(),
            Form::Maybe => true,
            Form::Parts(between) => parts(text, between).is_some(),
            Form::Limited => text.contains(": "),
        };
        if !is_right {
            return Err(format!("{at}: {word:?} is followed by {form:?}").into());
        }
        let mut step = Self { at: at.to_owned(), word, text: text.to_owned(), rows: Vec::new(), body: Vec::new() };
        if let (Form::Limited, Some((limit, inner))) = (form, text.split_once(": ")) {
            (step.text, step.body) = (limit.to_owned(), vec![Self::new(at, inner)?]);
        }
        Ok(step)
    }

    /// Adds the lines below it to its text.
    fn add(&mut self, lines: &[(usize, &str)]) -> Answer<()> {
        if let (Some(Form::Limited), [inner]) = (self.form(), self.body.as_mut_slice()) {
            return inner.add(lines);
        }
        match self.form() {
            Some(Form::Text) => lines.iter().for_each(|(_, line)| {
                self.text.push('\n');
                self.text.push_str(line.trim());
            }),
            _ if !lines.is_empty() => return Err(format!("{}: nothing stands below {:?}", self.at, self.word).into()),
            _ => {}
        }
        Ok(())
    }

    fn form(&self) -> Option<Form> {
        WORDS.iter().find(|(known, _)| *known == self.word).map(|(_, form)| *form)
    }

    /// Returns the parts of its text.
    pub(crate) fn parts<'a>(&self, text: &'a str) -> Vec<&'a str> {
        match self.form() {
            Some(Form::Parts(between)) => parts(text, between).map_or_else(Vec::new, |(one, other)| vec![one, other]),
            _ if text.is_empty() => Vec::new(),
            _ => vec![text],
        }
    }

    /// Returns whether the text is an expression or a script.
    pub(crate) fn is_script(&self) -> bool {
        ["run", "keep", "is", "wait"].contains(&self.word)
    }
}

fn parts<'a>(text: &'a str, between: &str) -> Option<(&'a str, &'a str)> {
    text.split_once(between).or_else(|| Some((text.strip_suffix(between.trim_end())?, "")))
}

/// Returns the name of what is to be done, and what it is given.
pub(crate) fn called(text: &str) -> (&str, Vec<&str>) {
    match text.split_once(": ") {
        Some((name, given)) => (name, given.split(", ").collect()),
        None => (text, Vec::new()),
    }
}

/// Returns a row for each medicine with its name and its first letters, between two and ten of them.
fn parts_of_medicines() -> Vec<Vec<(String, String)>> {
    let names = MEDICINES.lines().skip(1).filter_map(|line| line.split(',').next());
    let cell = |name: &str, text: String| (name.to_owned(), text);
    let row = |(length, name): (usize, &str)| {
        let part = name.chars().take(2 + length % 9).collect::<String>().trim_end().to_owned();
        vec![cell("medicine", name.to_owned()), cell("part", part)]
    };
    (0..).zip(names).map(row).collect()
}

/// Makes the steps of lines with this indentation.
fn steps(file: &str, lines: &[(usize, &str)], indent: usize) -> Answer<Vec<Step>> {
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = lines;
    while let [(number, line), others @ ..] = rest {
        let at = format!("{file}:{number}");
        if depth(line) != indent {
            return Err(format!("{at}: a step is indented by {indent} spaces").into());
        }
        let count = others.iter().take_while(|(_, line)| depth(line) > indent).count();
        let (inner, after) = others.split_at(count);
        rest = after;
        let mut step = Step::new(&at, line.trim())?;
        let is_row = |(_, line): &&(usize, &str)| line.trim_start().starts_with('|');
        match step.form() {
            Some(Form::Table) => {
                let cells = |line: &str| -> Vec<String> {
                    line.split('|').skip(1).map(|cell| cell.trim().to_owned()).collect()
                };
                let names = cells(&step.text);
                for (number, row) in inner.iter().take_while(is_row) {
                    let row = cells(row);
                    if row.len() != names.len() {
                        return Err(format!("{file}:{number}: a row has {} cells", names.len()).into());
                    }
                    step.rows.push(names.iter().cloned().zip(row).collect());
                }
                step.body = self::steps(file, &inner[step.rows.len()..], indent + 2)?;
            }
            Some(Form::Medicines) => {
                step.word = "each";
                step.rows = parts_of_medicines();
                step.body = self::steps(file, inner, indent + 2)?;
            }
            Some(Form::Body) => step.body = self::steps(file, inner, indent + 2)?,
            _ => step.add(inner)?,
        }
        steps.push(step);
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut script = Script::default();
        let read = script.add("a.txt", text).and_then(|()| {
            script.checks.iter().flat_map(|check| &check.steps).try_for_each(|step| script.is_known(step))
        });
        read.map_or_else(|error| error.to_string(), |()| format!("{:?}", script.checks[0].steps))
    }

    #[test]
    fn every_check_can_be_read() {
        let script = Script::read().unwrap();
        let mut names: Vec<_> = script.checks.iter().map(|check| &check.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), script.checks.len(), "two checks have one name");
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_its_line() {
        assert_eq!(read("### a\n\nclik Save"), "a.txt:3: no step begins with \"clik\"");
        assert_eq!(read("### a\n# Note.\ndo a dance"), "a.txt:3: nothing says how to \"a dance\"");
        assert_eq!(read("### a\ndo b: 1\n## b: c, d\nback"), "a.txt:2: b takes [\"c\", \"d\"]");
        assert_eq!(read("### a\neach | a | b\n     | 1\n  back"), "a.txt:3: a row has 2 cells");
        assert!(read("### a\nfill age 4").starts_with("a.txt:2: \"fill\" is followed by"));
        assert!(read("### a\nback twice").starts_with("a.txt:2: \"back\" is followed by"));
        assert_eq!(read("### a\nback\n  back"), "a.txt:2: nothing stands below \"back\"");
        assert_eq!(read("### a\nwithin 2: clik b"), "a.txt:2: no step begins with \"clik\"");
    }
}

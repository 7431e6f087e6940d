//! The format of the case files.
//!
//! ```text
//! # A line that begins with one # is a note. So is everything before the first case.
//!
//! ### a PUT changes what it names and nothing else
//! decision: 5 PUT changes what it names
//! twins
//! > PUT /patient
//! > json {"patientId":1,"age":37}
//! < 200
//! < with {"name":"Ada Example","age":37}
//!
//! ### an age outside 0 to 150 is refused: {{age}}
//! each | age
//!      | -1
//!      | 151
//! > PUT /patient
//! > json {"patientId":1,"age":{{age}}}
//! < 422 problem invalid age
//! ```
//!
//! # Above the first request
//! - `decision: …` names the decision that the case pins.
//! - `twins`: the case is run twice. The second run sends every `json` body as XML and asks for XML; the expectations
//!   stay the same. `null` becomes `xsi:nil`, and a list becomes its element repeated.
//! - `leaves no trace`: the journal is the same afterwards, although some answers are successes.
//! - `sockets only`: the case is not run in process.
//! - `failures: …` (the number of requests an hour that may lack a valid key), `address header: …` (the header that
//!   holds the address of the client), `audits reads` (so a `GET` or `HEAD` may write), `static files` (a page and a
//!   script), `contract only`, `tracked stock` (of two medicines), `patient: …` (a further one, in JSON), `base: …`,
//!   `body limit: …`, `utc offset: …` (minutes): the [`Setting`] of the world.
//! - `each | a | b` with one row a line below makes a case of every row, with `{{a}}` and `{{b}}` replaced everywhere.
//!
//! # Requests
//! `> METHOD /target`, relative to the base path; `!` before the target makes it absolute. Below it, in any order:
//! - `> Name: value` adds a header. `\xHH`, `\n`, `\r`, `\t` and `\\` are escapes.
//! - `> json …`, `> xml …`, `> raw …`: the body. The first two bring their `Content-Type` unless a header line says
//!   otherwise; `raw` brings none and knows the escapes.
//! - `> chunked`: the body is sent in chunks, without a `Content-Length`.
//! - `> at once N`: N clients send the request at once, each over a connection of its own, and get equal answers, to
//!   which the expectations apply.
//! - `> no key`: the request has no `api_key`. Without this line it has `api_key: full`, unless a header line says
//!   otherwise.
//!
//! # Answers
//! `< STATUS`, and on the same line `problem KIND field field…` for the problem document and exactly the fields at
//! fault. Below it:
//! - `< Name: pattern`, `< no Name`: a header.
//! - `< json …`: the whole body, as JSON or XML, whichever it is. `< with …`: members that it has among others, where
//!   `null` means that a member is absent.
//! - `< body …`: the exact text. `< empty`, `< contains …`, `< lacks …`, `< same as N` (the answer of step N).
//!
//! A line that begins with `>` or `<` and two or more spaces continues the line above.
//!
//! # Holes
//! `{{name}}` in a pattern or in a string of an expected record matches any text and gives it that name; from then on
//! it stands for the same text, in requests too. `{{*}}` matches anything, `{{!name}}` anything but the named text,
//! `{{text*70}}` is the text 70 times, and `{{base}}` the base path.

use super::case::{Body, Case, Expectation, Step};
use crate::http::world::Setting;

/// The error for a line of a case file that does not follow the format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadCase {
    /// The name of the file, without the extension.
    pub file: &'static str,
    /// The number of the line, counted from 1.
    pub line: usize,
    /// The fault of the line.
    pub reason: &'static str,
}

/// Reads the cases of a file.
///
/// # Errors
/// [`BadCase`]: the first line that cannot be understood.
pub fn parse(file: &'static str, text: &str) -> Result<Vec<Case>, BadCase> {
    let mut cases = Vec::new();
    let mut block: Vec<(usize, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("### ") {
            finish(file, &block, &mut cases)?;
            block.clear();
        } else if block.is_empty() || line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        match (continuation(line), block.last_mut()) {
            (Some(more), Some((_, above))) => {
                above.push('\n');
                above.push_str(more);
            }
            _ => block.push((number, line.to_owned())),
        }
    }
    finish(file, &block, &mut cases)?;
    Ok(cases)
}

fn continuation(line: &str) -> Option<&str> {
    line.strip_prefix(">  ").or_else(|| line.strip_prefix("<  ")).map(str::trim)
}

/// Makes a case of a block, or one case of each row of its table.
fn finish(file: &'static str, block: &[(usize, String)], cases: &mut Vec<Case>) -> Result<(), BadCase> {
    let is_row = |line: &str| line.starts_with("each |") || line.trim_start().starts_with('|');
    let (table, rest): (Vec<_>, Vec<_>) = block.iter().partition(|(_, line)| is_row(line));
    let Some(((_, names), rows)) = table.split_first() else {
        cases.extend(case(file, &rest)?);
        return Ok(());
    };
    let names = cells(names);
    for (line, row) in rows {
        let values = cells(row);
        if values.len() != names.len() {
            let reason = "the row has not as many cells as the table has names";
            return Err(BadCase { file, line: *line, reason });
        }
        let filled: Vec<_> = rest
            .iter()
            .map(|(line, text)| {
                let pairs = names.iter().zip(&values);
                let text =
                    pairs.fold(text.clone(), |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), value));
                (*line, text)
            })
            .collect();
        let borrowed: Vec<_> = filled.iter().collect();
        cases.extend(case(file, &borrowed)?);
    }
    Ok(())
}

fn cells(row: &str) -> Vec<&str> {
    row.split('|').skip(1).map(str::trim).collect()
}

fn case(file: &'static str, block: &[&(usize, String)]) -> Result<Option<Case>, BadCase> {
    let Some(((first, name), lines)) = block.split_first().map(|(first, rest)| (*first, rest)) else {
        return Ok(None);
    };
    let mut case = Case {
        file,
        name: name.trim_start_matches('#').trim().to_owned(),
        decision: None,
        setting: Setting::default(),
        twins: false,
        traceless: false,
        sockets_only: false,
        steps: Vec::new(),
    };
    let mut in_request = false;
    for (line, text) in lines {
        let bad = |reason| BadCase { file, line: *line, reason };
        if let Some(text) = text.strip_prefix("> ") {
            if in_request {
                let step = case.steps.last_mut();
                request(step.ok_or(bad("no request yet"))?, text).map_err(bad)?;
            } else {
                case.steps.push(begin(*line, text).map_err(bad)?);
                in_request = true;
            }
        } else if let Some(text) = text.strip_prefix("< ") {
            let step = case.steps.last_mut().ok_or(bad("an answer without a request"))?;
            if in_request {
                status(step, text).map_err(bad)?;
                in_request = false;
            } else {
                step.expected.push(expectation(text).map_err(bad)?);
            }
        } else if case.steps.is_empty() {
            head(&mut case, text).map_err(bad)?;
        } else {
            return Err(bad("a line of a case begins with > or <"));
        }
    }
    if in_request || case.steps.is_empty() {
        return Err(BadCase { file, line: *first, reason: "the case ends without an answer" });
    }
    Ok(Some(case))
}

type Line<T> = Result<T, &'static str>;

fn number<T: std::str::FromStr>(text: &str) -> Line<T> {
    text.trim().parse().map_err(|_| "not a number")
}

fn head(case: &mut Case, text: &str) -> Line<()> {
    match text.split_once(':').unwrap_or((text, "")) {
        ("decision", decision) => case.decision = Some(decision.trim().to_owned()),
        ("twins", "") => case.twins = true,
        ("leaves no trace", "") => case.traceless = true,
        ("sockets only", "") => case.sockets_only = true,
        ("audits reads", "") => case.setting.audits_reads = true,
        ("static files", "") => case.setting.static_files = true,
        ("contract only", "") => case.setting.contract_only = true,
        ("tracked stock", "") => case.setting.tracked_stock = true,
        ("withdrawn currency", "") => case.setting.withdrawn_currency = true,
        ("patient", patient) => case.setting.patient = Some(patient.trim().to_owned()),
        ("highest price", price) => case.setting.highest_price = Some(number(price)?),
        ("base", base) => base.trim().clone_into(&mut case.setting.base),
        ("failures", failures) => case.setting.failures = Some(number(failures)?),
        ("address header", header) => case.setting.address_header = Some(header.trim().to_owned()),
        ("body limit", limit) => case.setting.body_limit = Some(number(limit)?),
        ("utc offset", minutes) => case.setting.utc_offset = number(minutes)?,
        _ => return Err("not a line of a case's head"),
    }
    Ok(())
}

fn begin(line: usize, text: &str) -> Line<Step> {
    let (method, target) = text.split_once(' ').ok_or("not METHOD /target")?;
    let raw = target.strip_prefix('!');
    Ok(Step {
        line,
        method: method.to_owned(),
        target: raw.unwrap_or(target).to_owned(),
        is_raw_target: raw.is_some(),
        has_key: true,
        ..Step::default()
    })
}

fn request(step: &mut Step, text: &str) -> Line<()> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match (word, rest) {
        ("json", _) => step.body = Some(Body::Json(rest.to_owned())),
        ("xml", _) => step.body = Some(Body::Xml(rest.to_owned())),
        ("raw", _) => step.body = Some(Body::Raw(rest.to_owned())),
        ("chunked", "") => step.chunked = true,
        ("no", "key") => step.has_key = false,
        ("at", _) => {
            let racers = rest.strip_prefix("once ").and_then(|count| count.parse().ok());
            step.racers = Some(racers.filter(|racers| *racers > 1).ok_or("not at once N")?);
        }
        _ => {
            let (name, value) = header(text).ok_or("not a line of a request")?;
            step.has_key &= !name.eq_ignore_ascii_case("api_key");
            step.headers.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(())
}

fn status(step: &mut Step, text: &str) -> Line<()> {
    let mut words = text.split_whitespace();
    let status = words.next().and_then(|word| word.parse().ok());
    step.status = status.ok_or("an answer begins with its status")?;
    match (words.next(), words.next()) {
        (None, None) => {}
        (Some("problem"), Some(kind)) => {
            let fields = words.map(ToOwned::to_owned).collect();
            step.expected.push(Expectation::Problem(kind.to_owned(), fields));
        }
        _ => return Err("not problem KIND field field…"),
    }
    Ok(())
}

fn expectation(text: &str) -> Line<Expectation> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let own = || rest.to_owned();
    Ok(match word {
        "json" => Expectation::Json(own()),
        "with" => Expectation::With(own()),
        "body" => Expectation::Body(own()),
        "contains" => Expectation::Contains(own()),
        "lacks" => Expectation::Lacks(own()),
        "empty" => Expectation::Empty,
        "no" => Expectation::NoHeader(rest.to_ascii_lowercase()),
        "same" => {
            let step = rest.strip_prefix("as ").and_then(|step| step.trim().parse().ok());
            Expectation::SameAs(step.ok_or("not same as N")?)
        }
        _ => {
            let (name, pattern) = header(text).ok_or("not a line of an answer")?;
            Expectation::Header(name.to_ascii_lowercase(), pattern.to_owned())
        }
    })
}

fn header(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (!name.is_empty() && name.bytes().all(plain)).then(|| (name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> Option<(usize, &'static str)> {
        parse("test", text).err().map(|bad| (bad.line, bad.reason))
    }

    #[test]
    fn a_table_makes_a_case_of_every_row() {
        let text = "prose\n### a {{n}}\neach | n | s\n | 1 | 200\n | 2 | 404\n> GET /{{n}}\n< {{s}}\n";
        let cases = parse("test", text).unwrap();
        let seen: Vec<_> =
            cases.iter().map(|case| (case.name(), case.steps[0].target.as_str(), case.steps[0].status)).collect();
        assert_eq!(seen, [("a 1", "/1", 200), ("a 2", "/2", 404)]);
    }

    #[test]
    fn a_line_that_is_none_is_refused() {
        assert_eq!(error("### a\n> GET /\n"), Some((1, "the case ends without an answer")));
        assert_eq!(error("### a\n< 200\n"), Some((2, "an answer without a request")));
        assert_eq!(error("### a\n> GET /\n< ok\n"), Some((3, "an answer begins with its status")));
        assert_eq!(error("### a\ntwin\n> GET /\n< 200\n"), Some((2, "not a line of a case's head")));
        assert_eq!(error("### a\n> GET /\n> jsn {}\n< 200\n"), Some((3, "not a line of a request")));
        assert_eq!(error("### a\n> GET /\n> at once 1\n< 200\n"), Some((3, "not at once N")));
        assert!(error("### a\neach | x\n | 1 | 2\n> GET /\n< 200\n").is_some());
    }

    #[test]
    fn a_long_line_may_be_continued() {
        let cases = parse("test", "### a\n> PUT /x\n> json {\n>   }\n< 200\n").unwrap();
        let Some(Body::Json(body)) = &cases[0].steps[0].body else {
            panic!("no body");
        };
        assert_eq!(body, "{\n}");
    }
}

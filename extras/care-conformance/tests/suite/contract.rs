//! The contract, `docs/contract.md` and its pages, names the cases that pin its statements: each of them exists, and no
//! statement lacks one.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Returns the root of the repository.
fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the first screen of the contract and all of its pages.
fn contract() -> String {
    let docs = top().join("docs");
    let pages = fs::read_dir(docs.join("contract")).expect("the pages of the contract");
    let mut files: Vec<_> = pages.map(|page| page.expect("a page").path()).collect();
    files.push(docs.join("contract.md"));
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).expect("a page of the contract") + "\n").collect()
}

/// Returns the names in `[case: …]` or `[test: …]`, with line breaks as spaces.
fn references<'a>(text: &'a str, kind: &str) -> impl Iterator<Item = String> + use<'a> {
    let opening = format!("[{kind}: ");
    let parts: Vec<&str> = text.split(&*opening).skip(1).collect();
    parts.into_iter().map(|part| {
        let (name, _) = part.split_once(']').expect("a closing bracket");
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

/// Returns the names of all cases, as `file/heading`.
///
/// A hole in a heading is written `…` here. A hole after a colon is left out together with the rest of the heading:
/// `an age is refused: {{age}} of {{whom}}` becomes `an age is refused`.
fn cases() -> BTreeSet<String> {
    let files = fs::read_dir(top().join("extras/care-conformance/cases")).expect("the cases");
    let mut names = BTreeSet::new();
    for file in files {
        let path = file.expect("a file of cases").path();
        let topic = path.file_stem().expect("a name").to_string_lossy();
        let text = fs::read_to_string(&path).expect("a file of cases");
        let headings = text.lines().filter_map(|line| line.strip_prefix("### "));
        names.extend(headings.map(|heading| format!("{topic}/{}", without_holes(heading))));
    }
    names
}

fn without_holes(heading: &str) -> String {
    let (heading, _) = heading.split_once(": {{").unwrap_or((heading, ""));
    let mut parts = heading.split("{{");
    let mut name = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once("}}").expect("a hole ends");
        // Neighbouring holes become one.
        if name.ends_with("… ") {
            name.pop();
        } else {
            name.push('…');
        }
        name.push_str(rest);
    }
    name
}

#[test]
fn every_case_that_the_contract_names_is_there() {
    let (contract, cases) = (contract(), cases());
    let named: Vec<_> = references(&contract, "case").collect();
    let missing: Vec<_> = named.iter().filter(|name| !cases.contains(*name)).collect();
    assert!(missing.is_empty(), "no such cases: {missing:#?}");

    let topic = |name: &String| name.split('/').next().unwrap_or_default().to_owned();
    let topics: BTreeSet<_> = cases.iter().map(topic).collect();
    let named: BTreeSet<_> = named.iter().map(topic).collect();
    assert_eq!(topics, named, "the contract speaks of every file of cases");
}

#[test]
fn every_test_that_the_contract_names_is_there() {
    let contract = contract();
    let mut count = 0;
    for name in references(&contract, "test") {
        let (file, function) = name.split_once("::").expect("file::function");
        let text = fs::read_to_string(top().join(file));
        let text = text.unwrap_or_else(|_| panic!("no such file: {file}"));
        assert!(text.contains(&format!("fn {function}(")), "no such test: {name}");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn no_statement_of_the_contract_is_without_a_case() {
    let contract = contract();
    // An item ends at the next item, heading, table or paragraph.
    let mut items: Vec<String> = Vec::new();
    let mut open = false;
    for line in contract.lines() {
        match (line.strip_prefix("- "), open) {
            (Some(start), _) => {
                items.push(start.to_owned());
                open = true;
            }
            (None, true) if line.starts_with("  ") => {
                let item = items.last_mut().expect("an open item");
                item.push(' ');
                item.push_str(line.trim());
            }
            _ => open = false,
        }
    }
    assert!(items.len() > 80, "{} statements", items.len());
    let pinned = |item: &String| item.contains("[case: ") || item.contains("[test: ");
    let bare: Vec<_> = items.iter().filter(|item| !pinned(item)).collect();
    assert!(bare.is_empty(), "without a case: {bare:#?}");
}

#[test]
fn holes_of_headings_are_not_written_out() {
    for (heading, name) in [
        ("a b", "a b"),
        ("an age is refused: {{age}} of {{whom}}", "an age is refused"),
        ("refused: an age of {{age}}", "refused: an age of …"),
        ("{{method}} {{target}} is not allowed", "… is not allowed"),
        ("{{a}} needs {{b}}, and no more", "… needs …, and no more"),
    ] {
        assert_eq!(without_holes(heading), name);
    }
}

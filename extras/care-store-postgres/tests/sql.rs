//! Every function that the store's statements call is qualified with `pg_catalog`, so that no other role's function can
//! take its place.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// SQL keywords that look like function calls.
const GRAMMAR: [&str; 2] = ["coalesce", "nullif"];
/// Keywords before a table's or an index's name that a list of columns follows.
const LISTS: [&str; 4] = ["INTO", "TABLE", "ON", "RECURSIVE"];

#[test]
fn every_function_is_named_with_its_schema() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut calls = 0;
    let mut bare = Vec::new();
    for path in files(&root.join("src")).into_iter().chain(files(&root.join("migrations"))) {
        let text = fs::read_to_string(&path).expect("a file of the store");
        let (scripts, is_script) = match path.extension().is_some_and(|ending| ending == "sql") {
            true => (vec![text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect()], true),
            // Tests within a file, and files of tests, are skipped: their strings are no statements of the store.
            false => (texts(text.split("[cfg(test)]").next().unwrap_or_default()), false),
        };
        for script in scripts.iter().filter(|script: &&String| is_script || is_sql(script)) {
            calls += script.matches("pg_catalog.").count();
            bare.extend(unqualified(script).into_iter().map(|name| format!("{}: {name}", path.display())));
        }
    }
    assert!(bare.is_empty(), "{bare:#?}");
    assert!(calls > 50, "only {calls} calls were found");
}

#[test]
fn a_function_without_a_schema_is_found() {
    for (sql, due) in [
        ("SELECT count(*) FROM patient", vec!["count"]),
        ("SELECT pg_catalog.count(*), lower (name) FROM patient", vec!["lower"]),
        ("SELECT public.hashtext('x')", vec!["public.hashtext"]),
        ("INSERT INTO journal (seq) SELECT coalesce(pg_catalog.max(seq), 0) FROM journal WHERE seq IN (1)", vec![]),
        ("WITH RECURSIVE a (b) AS (SELECT 1), c (d) AS MATERIALIZED (SELECT 2) SELECT 1 ON CONFLICT (b)", vec![]),
    ] {
        assert_eq!(unqualified(sql), due, "{sql}");
    }
    let source = "fn f<'a>(c: char) { g('\"', \"SELECT \\\"x\\\" \\\n   now()\"); } // \"a\"";
    assert_eq!(texts(source), ["SELECT \"x\" now()"]);
}

/// Returns the files in a directory and its subdirectories.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the store");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn is_sql(text: &str) -> bool {
    let words =
        ["SELECT", "INSERT", "UPDATE", "DELETE", "WHERE", "WITH", "CREATE", "JOIN", "VACUUM", "SET", "FROM", "AND"];
    text.contains("pg_catalog.") || text.split([' ', ';', '(']).any(|word| words.contains(&word))
}

/// Returns the string literals in Rust source code.
fn texts(source: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut chars = source.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '/' if chars.peek() == Some(&'/') => {
                chars.by_ref().find(|char| *char == '\n');
            }
            // A character literal or a lifetime.
            '\'' => {
                let ahead: Vec<_> = chars.clone().take(3).collect();
                match ahead.as_slice() {
                    ['\\', ..] => chars.by_ref().take(3).for_each(drop),
                    [_, '\'', ..] => chars.by_ref().take(2).for_each(drop),
                    _ => {}
                }
            }
            '"' => {
                let mut text = String::new();
                while let Some(char) = chars.next().filter(|char| *char != '"') {
                    match (char, chars.peek()) {
                        ('\\', Some('\n')) => while chars.next_if(|char| char.is_whitespace()).is_some() {},
                        ('\\', _) => text.extend(chars.next()),
                        (char, _) => text.push(char),
                    }
                }
                texts.push(text);
            }
            _ => {}
        }
    }
    texts
}

/// Returns the names of functions that are called without `pg_catalog`.
fn unqualified(sql: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (open, _) in sql.match_indices('(') {
        let before = sql[..open].trim_end();
        let start = before.rfind(|char: char| !char.is_ascii_alphanumeric() && !"_.".contains(char));
        let name = &before[start.map_or(0, |start| start + 1)..];
        let is_called = name.starts_with(|char: char| char.is_ascii_lowercase());
        if !is_called || name.starts_with("pg_catalog.") || GRAMMAR.contains(&name) {
            continue;
        }
        // Skips `table (columns)`, and `name (columns) AS (…)`.
        let word = before[..before.len() - name.len()].split_whitespace().next_back().unwrap_or_default();
        let behind = sql[open..].split_once(')').map_or("", |(_, behind)| behind);
        let is_list = before.len() < open && (LISTS.contains(&word) || word == "AS" || behind.starts_with(" AS "));
        if !is_list {
            found.push(name);
        }
    }
    found
}

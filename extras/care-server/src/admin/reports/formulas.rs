//! Texts that a spreadsheet would take for formulas.

/// The signs with which a formula begins, in full width and small too. The console has the same list, and its tests
/// read the same table.
const SIGNS: [char; 13] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−'];

/// Returns the text as a cell that no spreadsheet computes: with an apostrophe before a sign of a formula, whatever
/// cannot be seen stands before the sign, and before a tab or the end of a line. A spreadsheet may take a semicolon, a
/// tab or the end of a line for the end of a cell, so the text behind each of them gets its own.
pub(in crate::admin) fn harmless(text: &str) -> String {
    guarded(text, is_formula)
}

/// Returns the text as a harmless cell from which [`unguarded`] makes it again: an apostrophe is guarded, too.
pub(in crate::admin) fn guarded_cell(text: &str) -> String {
    guarded(text, needs_guard)
}

/// Returns the text of a cell without the apostrophes that guard something.
pub(in crate::admin) fn unguarded(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut is_begin = false;
    let mut rest = cell;
    loop {
        let behind = rest.strip_prefix('\'').filter(|behind| is_begin && needs_guard(behind, Begin::Part));
        let mut chars = behind.unwrap_or(rest).chars();
        let Some(c) = chars.next() else { break };
        text.push(c);
        (rest, is_begin) = (chars.as_str(), ends_cell(c));
    }
    // Whether its beginning is guarded shows in what its parts hold.
    match text.strip_prefix('\'').filter(|behind| needs_guard(behind, Begin::Cell)) {
        Some(behind) => behind.to_owned(),
        None => text,
    }
}

/// A place where a spreadsheet may take a text for that of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    /// The beginning of the cell.
    Cell,
    /// Behind what may end a cell.
    Part,
}

fn guarded(text: &str, needs: fn(&str, Begin) -> bool) -> String {
    let mut cell = String::with_capacity(text.len());
    let mut begin = Some(Begin::Cell);
    for (at, c) in text.char_indices() {
        if begin.is_some_and(|begin| needs(&text[at..], begin)) {
            cell.push('\'');
        }
        cell.push(c);
        begin = ends_cell(c).then_some(Begin::Part);
    }
    cell
}

fn is_formula(text: &str, begin: Begin) -> bool {
    match begin {
        Begin::Cell => text.starts_with(is_end) || text.trim_start_matches(is_unseen).starts_with(SIGNS),
        Begin::Part => text.trim_start_matches(|c| is_unseen(c) && !is_end(c)).starts_with(SIGNS),
    }
}

fn needs_guard(text: &str, begin: Begin) -> bool {
    text.starts_with('\'') || is_formula(text, begin)
}

const fn is_end(c: char) -> bool {
    matches!(c, '\t' | '\r' | '\n')
}

const fn ends_cell(c: char) -> bool {
    c == ';' || is_end(c)
}

/// Returns whether a spreadsheet does not show this at the beginning of a cell, such as a quotation mark.
fn is_unseen(c: char) -> bool {
    c == '"'
        || c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_a_formula_is_none() {
        let table = include_str!("../../../tests/admin/formulas.json");
        let table: serde_json::Value = serde_json::from_str(table).unwrap();
        let guarded = |text: &str| harmless(text).starts_with('\'') && !text.starts_with('\'');
        let signs = table["signs"].as_str().unwrap();
        let begins = table["begins"].as_str().unwrap();
        for c in '\0'..='\u{ffff}' {
            assert_eq!(guarded(&format!("{c}1")), signs.contains(c) || begins.contains(c), "{c:?}");
        }
        for text in table["formulas"].as_array().unwrap() {
            assert!(guarded(text.as_str().unwrap()), "{text}");
        }
        for (text, cell) in table["within"].as_object().unwrap() {
            assert_eq!(harmless(text), cell.as_str().unwrap());
        }
        for text in table["texts"].as_array().unwrap() {
            assert_eq!(harmless(text.as_str().unwrap()), text.as_str().unwrap());
        }
        let formulas = table["formulas"].as_array().unwrap().iter().chain(table["texts"].as_array().unwrap());
        let within = table["within"].as_object().unwrap().keys().map(String::as_str);
        let few = ["'", "''=1", "'a", "a;'b;=1", "a;''=1\n'", ";", "\t\n'='", "' =1", "\u{200b}'=1", "=\n=;="];
        for text in formulas.map(|text| text.as_str().unwrap()).chain(within).chain(few) {
            let cell = guarded_cell(text);
            assert_eq!(unguarded(&cell), text, "{cell}");
            let has_apostrophe = text.split(ends_cell).any(|part| part.starts_with('\''));
            assert_eq!(cell != harmless(text), has_apostrophe, "{cell}");
        }
        assert_eq!(unguarded("'tis"), "'tis");
    }
}

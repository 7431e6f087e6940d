//! Texts that a spreadsheet would take for formulas.

/// The signs with which a formula begins, in full width and small too. The console has the same list, and its tests
/// read the same table.
const SIGNS: [char; 13] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−'];

/// Returns the text as a cell that no spreadsheet computes: with an apostrophe before a sign of a formula, whatever
/// cannot be seen stands before the sign, and before a tab or the end of a line. A spreadsheet may take a semicolon, a
/// tab or the end of a line for the end of a cell, so the text behind each of them gets its own.
pub(super) fn harmless(text: &str) -> String {
    let is_end = |c| matches!(c, '\t' | '\r' | '\n');
    let mut cell = String::with_capacity(text.len());
    if text.starts_with(is_end) || text.trim_start_matches(is_unseen).starts_with(SIGNS) {
        cell.push('\'');
    }
    let mut begins = false;
    for (at, c) in text.char_indices() {
        if begins && text[at..].trim_start_matches(|c| is_unseen(c) && !is_end(c)).starts_with(SIGNS) {
            cell.push('\'');
        }
        cell.push(c);
        begins = c == ';' || is_end(c);
    }
    cell
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
    }
}

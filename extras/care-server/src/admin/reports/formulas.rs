//! Texts that a spreadsheet would take for formulas.

/// The signs with which a formula begins, in full width and small too. The console has the same list, and its tests
/// read the same table.
const SIGNS: [char; 13] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−'];

/// Returns the text as a cell that no spreadsheet computes: with an apostrophe before a sign of a formula, whatever
/// cannot be seen stands before the sign, and before a tab or the end of a line.
pub(super) fn harmless(text: &str) -> String {
    match text.starts_with(['\t', '\r', '\n']) || text.trim_start_matches(is_unseen).starts_with(SIGNS) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

fn is_unseen(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_a_formula_is_none() {
        let table = include_str!("../../../tests/admin/formulas.json");
        let table: serde_json::Value = serde_json::from_str(table).unwrap();
        let guarded = |text: &str| harmless(text) == format!("'{text}");
        let signs = table["signs"].as_str().unwrap();
        let begins = table["begins"].as_str().unwrap();
        for c in '\0'..='\u{ffff}' {
            assert_eq!(guarded(&format!("{c}1")), signs.contains(c) || begins.contains(c), "{c:?}");
        }
        for text in table["formulas"].as_array().unwrap() {
            assert!(guarded(text.as_str().unwrap()), "{text}");
        }
        for text in table["texts"].as_array().unwrap() {
            assert_eq!(harmless(text.as_str().unwrap()), text.as_str().unwrap());
        }
    }
}

//! Tables in Markdown.

/// The figures as Markdown. Each table is printed as soon as it is complete.
#[derive(Debug, Default)]
pub(crate) struct Report {
    text: String,
}

/// A table that is being filled.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Report {
    /// Adds a table under a heading.
    pub(crate) fn add(&mut self, heading: &str, table: &Table) {
        let text = format!("## {heading}\n\n{}\n", table.text());
        print!("{text}");
        self.text += &text;
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

impl Table {
    pub(crate) fn new(head: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut table = Self { rows: Vec::new() };
        table.row(head);
        table
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Returns the table. The columns after the first hold figures, aligned to the right.
    fn text(&self) -> String {
        let mut text = String::new();
        for (index, cells) in self.rows.iter().enumerate() {
            text += &format!("| {} |\n", cells.join(" | "));
            if index == 0 {
                text += &format!("|---|{}\n", "---:|".repeat(cells.len() - 1));
            }
        }
        text
    }
}

/// Returns a figure with its significant digits.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        ..10.0 => format!("{value:.2}"),
        ..100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new(["what", "how much"]);
        table.row(["a", &figure(0.123)]);
        table.row(["b", &figure(1234.5)]);
        assert_eq!(table.text(), "| what | how much |\n|---|---:|\n| a | 0.12 |\n| b | 1234 |\n");
    }
}

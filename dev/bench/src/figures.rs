//! Figures: how they are taken and summed up, and the tables in Markdown that show them.

use std::time::{Duration, Instant};

use crate::Failure;

/// A table that is being filled.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
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

    /// Prints the table under a heading.
    pub(crate) fn print(&self, heading: &str) {
        println!("## {heading}\n\n{}", self.text());
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

/// Returns the median.
pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    permille(&mut figures, 500)
}

/// Returns the figure that this share of them, in thousandths, does not exceed, and sorts them for it.
pub(crate) fn permille(figures: &mut [f64], permille: usize) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len().saturating_sub(1) * permille / 1000).copied().unwrap_or(f64::NAN)
}

/// Returns the microseconds of one run, measured for this time. The first runs warm up and do not count.
pub(crate) fn microseconds(time: Duration, mut run: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    const WARM: u32 = 3;
    for _ in 0..WARM {
        run()?;
    }
    let started = Instant::now();
    let mut runs = 0_u32;
    loop {
        run()?;
        runs += 1;
        let spent = started.elapsed();
        if spent >= time {
            return Ok(spent.as_secs_f64() * 1e6 / f64::from(runs));
        }
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

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]).to_bits(), 2.0_f64.to_bits());
        assert!(median(Vec::new()).is_nan());
    }
}

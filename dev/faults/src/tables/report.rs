//! Findings, as a table.

use care_faults::{failure::Failure, finding::Finding};
use clap::ValueEnum;

/// Returns these parts with their command-line names; all parts if none is named.
pub(crate) fn parts<P: ValueEnum + PartialEq + 'static>(only: &[P]) -> impl Iterator<Item = (&'static P, String)> {
    let chosen = P::value_variants().iter().filter(|part| only.is_empty() || only.contains(part));
    chosen.map(|part| (part, part.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()))
}

/// A table that is printed row by row, and the number of missed bars.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The Cargo options with which this program is built.
    built: &'static str,
    missed: usize,
}

impl Report {
    pub(crate) fn begin() -> Self {
        println!("| what happens | how often | what was found | reproduce with |");
        println!("|---|---|---|---|");
        Self::default()
    }

    /// Notes the Cargo options with which this program must be built.
    #[cfg(feature = "postgres")]
    pub(crate) fn built(self, built: &'static str) -> Self {
        Self { built, ..self }
    }

    /// Prints the rows of a part. A part's failure is printed as a missed bar, and the next part runs.
    pub(crate) fn take(&mut self, findings: Result<Vec<Finding>, Failure>, command: &str, part: &str) {
        let findings = findings.unwrap_or_else(|failure| {
            self.miss(&format!("{part}: {failure}"));
            Vec::new()
        });
        for Finding { what, often, found, missed } in findings {
            println!(
                "| {what} | {often} | {found} | `cargo run --release -p care-faults{} -- {command}` |",
                self.built
            );
            for missed in missed {
                self.miss(&format!("{what}: {missed}"));
            }
        }
    }

    fn miss(&mut self, words: &str) {
        eprintln!("care-faults: {words}");
        self.missed += 1;
    }

    /// Ends the table.
    ///
    /// # Errors
    /// A bar was missed.
    pub(crate) fn end(self) -> Result<(), Failure> {
        match self.missed {
            0 => Ok(()),
            missed => Err(Failure::new(format!("{missed} bars are not met"))),
        }
    }
}

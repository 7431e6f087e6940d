//! Every part of the benchmark runs. Its figures are meaningless in so short a time.
#![allow(clippy::unwrap_used, reason = "a test's expectations")]

use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Failed, Trial};

/// Each part, and the number of rows in all of its tables.
const PARTS: [(&str, usize); 9] = [
    ("scale", 15),
    ("import", 5),
    ("find", 9),
    ("fhir", 2 * 2 + 2),
    ("reads", 2 * 3),
    ("audit", 2 * 3),
    ("writes", 2 * 4 + 2 * 3),
    ("start", 2 * 3),
    ("stock", 2 * 2 + 3),
];

fn main() -> ExitCode {
    #[cfg_attr(not(feature = "postgres"), expect(unused_mut, reason = "the part on PostgreSQL is added"))]
    let mut trials: Vec<_> = PARTS.map(|(part, rows)| Trial::test(part, move || reports(part, rows))).into();
    #[cfg(feature = "postgres")]
    trials.push(Trial::ignorable_test("postgres", || match care_scratch_postgres::installations() {
        Ok(_) => reports("postgres", 2 + 2 * 6 + 4).map(|()| libtest_mimic::Completion::Completed),
        Err(missing) => Ok(libtest_mimic::Completion::ignored_with(missing)),
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Tests that the quick form of a part prints tables with this number of rows, each with a figure.
fn reports(part: &str, expected: usize) -> Result<(), Failed> {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_care-bench"));
    let output = command.args([part, "--quick", "--directory"]).arg(directory.path()).output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
    // A head and the line below it are no rows.
    let rows = report.lines().filter(|line| line.starts_with('|')).count() - 2 * report.matches("|---|").count();
    assert_eq!(rows, expected, "{report}");
    assert!(!report.contains("NaN") && !report.contains("inf"), "{report}");
    Ok(())
}

//! Runs a part of the benchmark in its quick form.

use std::{fs, process::Command};

/// Runs a part, and returns its report.
fn quick(part: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("report.md");
    let output = Command::new(env!("CARGO_BIN_EXE_care-bench"))
        .args([part, "--quick", "--directory"])
        .arg(directory.path())
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    let written = fs::read_to_string(out).unwrap();
    assert_eq!(printed, written);
    written
}

/// Returns the number of rows in all tables, without their heads.
fn rows(report: &str) -> usize {
    report.lines().filter(|line| line.starts_with('|')).count() - 2 * report.matches("|---|").count()
}

/// Tests that the report of a part has this number of rows, each with a figure.
pub(crate) fn reports(part: &str, expected: usize) {
    let report = quick(part);
    assert_eq!(rows(&report), expected, "{report}");
    assert!(!report.contains("NaN") && !report.contains("inf"), "{report}");
}

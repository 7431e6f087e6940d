//! Runs the example that compares the two frameworks.
//!
//! `cargo test` builds examples before it runs this; with `--test servers` alone, add `--examples`.

use std::{
    env,
    path::PathBuf,
    process::{Command, Output},
};

#[test]
fn rocket_and_poem_answer_alike_on_one_store() {
    // Cargo puts examples next to the directory of this test.
    let test = env::current_exe().unwrap();
    let program: PathBuf = test.ancestors().nth(2).unwrap().join("examples").join("side_by_side");
    let output: Output = Command::new(program.with_extension(env::consts::EXE_EXTENSION)).arg("50").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.ends_with("50 times each: no answer differs\n"), "{said}");
}

//! Runs the example that compares the two frameworks.

use care_testkit::example;

#[test]
fn rocket_and_poem_answer_alike_on_one_store() {
    let output = example("side_by_side").unwrap().arg("50").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.ends_with("50 times each: no answer differs\n"), "{said}");
}

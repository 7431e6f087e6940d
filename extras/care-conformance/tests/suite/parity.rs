//! Rocket and Poem answer alike.
//!
//! `CARE_PARITY_REQUESTS` and `CARE_PARITY_SEED` set the length and the seed of a run.

use care_conformance::http::{
    InProcess, Target,
    parity::{Tally, compare},
};

use crate::frontends;

fn setting(name: &str, usual: usize) -> usize {
    let given = std::env::var(name).ok();
    given.map_or(usual, |given| given.parse().expect("a number"))
}

/// Tests that the run has seen enough of everything to be conclusive.
fn is_broad(tally: &Tally, count: usize) {
    let of = |statuses: &[u16]| {
        let counts = statuses.iter().filter_map(|status| tally.statuses.get(status));
        counts.sum::<usize>()
    };
    assert!(of(&[200, 201, 204, 304]) * 5 > count, "{tally:?}");
    for status in [200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422] {
        assert!(of(&[status]) > 0, "no {status}: {tally:?}");
    }
    assert_eq!(of(&[500, 503]), 0, "{tally:?}");
}

fn run(one: &dyn Target, other: &dyn Target, count: usize) {
    let count = setting("CARE_PARITY_REQUESTS", count);
    let seed = setting("CARE_PARITY_SEED", 20_260_315);
    let tally = compare(one, other, seed as u64, count).unwrap_or_else(|difference| panic!("{difference}"));
    is_broad(&tally, count);
}

#[test]
fn rocket_and_poem_answer_alike() {
    run(&frontends::Rocket, &frontends::Poem, 6_000);
}

#[test]
fn poem_answers_like_the_contract_itself() {
    run(&frontends::Poem, &InProcess, 3_000);
}
